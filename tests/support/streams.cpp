// SPDX-License-Identifier: Apache-2.0
#include "tests/support/streams.hpp"

#include <memory>

namespace rondo::support {
namespace {

struct Node { // a call, or a loop if it has a body
  std::uint32_t symbol = 0;
  std::vector<Node> body;
  std::uint64_t trips = 1;
  bool is_optional = false;
};

std::vector<Node> random_body(Random& random, const ProgramOptions& options, int depth,
                              std::uint32_t& next) {
  std::vector<Node> body(1 + pick(random, 4));
  for (Node& node : body) {
    if (depth > 0 && pick(random, 3) == 0) {
      node.body = random_body(random, options, depth - 1, next);
      node.trips = 1 + pick(random, 7);
    } else {
      node.symbol = options.alphabet == 0
                        ? next++
                        : static_cast<std::uint32_t>(pick(random, options.alphabet));
      node.is_optional = options.optional_calls && pick(random, 6) == 0;
    }
  }
  return body;
}

void run(Random& random, const ProgramOptions& options, const std::vector<Node>& body,
         Stream& out) {
  for (const Node& node : body) {
    if (out.size() >= options.max_length) return;
    if (node.body.empty()) {
      if (!node.is_optional || pick(random, 4) != 0) out.push_back(node.symbol);
      continue;
    }
    std::uint64_t trips = node.trips;
    if (options.varying_trips) trips = 1 + pick(random, 2 * node.trips);
    if (options.skipped_loops && pick(random, 5) == 0) trips = 0;
    for (; trips > 0; --trips) run(random, options, node.body, out);
  }
}

// A sequence whose i-th symbol is given by a function of i.
template <class Symbol> Stream sequence(std::size_t length, Symbol symbol) {
  Stream stream(length);
  for (std::size_t i = 0; i < length; ++i) stream[i] = symbol(i);
  return stream;
}

struct GrownNest {
  std::vector<std::vector<trace::Term>> bodies;
  std::vector<std::vector<trace::Run>> counts;
};

void execute(Random& random, GrownNest& nest, const std::vector<trace::Term>& terms, Stream& out) {
  for (const trace::Term term : terms) {
    if (!term.is_loop()) {
      out.push_back(term.index());
      continue;
    }
    const std::uint64_t trips = out.size() > 2000 ? 0 : pick(random, 4);
    auto& runs = nest.counts[term.index()];
    const auto value = static_cast<std::int64_t>(trips);
    if (!runs.empty() && runs.back().value == value) {
      ++runs.back().count;
    } else {
      runs.push_back({value, 1});
    }
    for (std::uint64_t i = 0; i < trips; ++i) execute(random, nest, nest.bodies[term.index()], out);
  }
}

} // namespace

std::uint64_t pick(Random& random, std::uint64_t limit) { return random() % limit; }

Stream random_program(Random& random, const ProgramOptions& options) {
  std::uint32_t next = 0;
  const std::vector<Node> body = random_body(random, options, options.depth, next);
  Stream stream;
  for (int i = 0; i < 12 && stream.size() < options.max_length; ++i)
    run(random, options, body, stream);
  return stream;
}

Stream random_letters(Random& random, std::size_t length, std::uint32_t alphabet) {
  return sequence(length,
                  [&](std::size_t) { return static_cast<std::uint32_t>(pick(random, alphabet)); });
}

Stream no_repetition(std::size_t length) {
  return sequence(length, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
}

Stream thue_morse(std::size_t length) {
  return sequence(length,
                  [](std::size_t i) { return static_cast<std::uint32_t>(__builtin_parityll(i)); });
}

Stream fibonacci_word(std::size_t length) {
  Stream before{1};
  Stream word{0};
  while (word.size() < length) {
    Stream next = word;
    next.insert(next.end(), before.begin(), before.end());
    before = std::move(word);
    word = std::move(next);
  }
  word.resize(length);
  return word;
}

// The greedy construction: a one wherever that word has not occurred yet.
Stream de_bruijn(std::size_t order) {
  const std::size_t words = std::size_t{1} << order;
  std::vector<bool> seen(words, false);
  Stream stream(order, 0);
  seen[0] = true;
  for (std::size_t word = 0, i = 1; i < words; ++i) {
    const std::size_t with_one = (2 * word + 1) % words;
    word = seen[with_one] ? with_one - 1 : with_one;
    seen[word] = true;
    stream.push_back(static_cast<std::uint32_t>(word % 2));
  }
  return stream;
}

Stream changing_periods(std::size_t length) {
  Stream stream;
  for (std::size_t period = 1; stream.size() < length; period = period % 7 + 1) {
    for (std::size_t i = 0; i < 5 * period + 2; ++i)
      stream.push_back(static_cast<std::uint32_t>(i % period));
  }
  return stream;
}

Stream growing_loops(std::size_t loops) {
  Stream stream;
  for (std::size_t i = 1; i <= loops; ++i) {
    stream.insert(stream.end(), i, 0);
    stream.push_back(1);
  }
  return stream;
}

// Differences of neighbours in the Thue-Morse word: no square, because the word has no overlap.
Stream square_free(std::size_t length) {
  const Stream word = thue_morse(length + 1);
  return sequence(length, [&](std::size_t i) { return word[i + 1] + 1 - word[i]; });
}

std::vector<NamedStream> hostile_streams(std::size_t length) {
  Random random(7);
  std::size_t loops = 1;
  while (loops * loops / 2 < length) ++loops;
  return {{"no repetition", no_repetition(length)},
          {"random of two letters", random_letters(random, length, 2)},
          {"random of three letters", random_letters(random, length, 3)},
          {"random of 64 letters", random_letters(random, length, 64)},
          {"Thue-Morse", thue_morse(length)},
          {"Fibonacci word", fibonacci_word(length)},
          {"de Bruijn", de_bruijn(14)},
          {"changing periods", changing_periods(length)},
          {"growing loops", growing_loops(loops)},
          {"square-free", square_free(length)}};
}

NestAndStream random_nest(Random& random, std::uint32_t symbols) {
  GrownNest grown;
  const std::size_t loops = pick(random, 6);
  // A loop's body has only loops of higher numbers, so that none contains itself.
  const auto terms = [&](std::size_t first_loop) {
    std::vector<trace::Term> body(1 + pick(random, 4));
    for (trace::Term& term : body) {
      const bool is_loop = first_loop < loops && pick(random, 2) == 0;
      term = is_loop ? trace::Term::loop(static_cast<std::uint32_t>(
                           first_loop + pick(random, loops - first_loop)))
                     : trace::Term::symbol(static_cast<std::uint32_t>(pick(random, symbols)));
    }
    return body;
  };
  for (std::size_t i = 0; i < loops; ++i) grown.bodies.push_back(terms(i + 1));
  grown.counts.resize(loops);
  NestAndStream result;
  const std::vector<trace::Term> top = terms(0);
  execute(random, grown, top, result.stream);
  std::vector<trace::Loop> made;
  for (std::size_t i = 0; i < loops; ++i) {
    made.push_back({grown.bodies[i], trace::Column::from_runs(grown.counts[i])});
  }
  result.nest = trace::Nest(std::move(made), top);
  return result;
}

} // namespace rondo::support
