// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/comparison.hpp"

#include "generate/compare/comparable_calls.hpp"
#include "generate/compare/loop_place.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/trace/call_text.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <tuple>

namespace rondo::generate {
namespace {

using trace::RankClass;
using trace::Trace;

constexpr std::size_t kLinesBefore = 3;

// ---- Equal without looking at every call
// ---------------------------------------------------------

bool same_definitions(const Trace& a, const Trace& b) {
  const auto comms = [](const trace::CommDefinition& x, const trace::CommDefinition& y) {
    return x.slot == y.slot && x.members == y.members && x.remote == y.remote &&
           x.holders == y.holders;
  };
  const auto groups = [](const trace::GroupDefinition& x, const trace::GroupDefinition& y) {
    return x.slot == y.slot && x.members == y.members && x.holders == y.holders;
  };
  const auto types = [](const trace::DatatypeDefinition& x, const trace::DatatypeDefinition& y) {
    return x.slot == y.slot && x.name == y.name && x.size_bytes == y.size_bytes &&
           x.extent_bytes == y.extent_bytes && x.holders == y.holders;
  };
  return std::equal(a.comms.begin(), a.comms.end(), b.comms.begin(), b.comms.end(), comms) &&
         std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), groups) &&
         std::equal(a.datatypes.begin(), a.datatypes.end(), b.datatypes.begin(), b.datatypes.end(),
                    types);
}

bool has_polls(const trace::Program& program) {
  return std::any_of(program.calls.begin(), program.calls.end(), [](const trace::Call& call) {
    return trace::meaning_of(*trace::find_function(call.function)).may_find_nothing;
  });
}

// Programs whose words are equal say the same where definitions are equal. Polls have to be counted
// one by one.
bool same_programs(const trace::Program& a, const trace::Program& b) {
  if (a.calls.size() != b.calls.size() || !(a.nest == b.nest) || has_polls(a)) return false;
  for (std::size_t i = 0; i < a.calls.size(); ++i) {
    const bool same = a.calls[i].function == b.calls[i].function &&
                      a.calls[i].error == b.calls[i].error && a.calls[i].words == b.calls[i].words;
    if (!same) return false;
  }
  const auto table = [](const trace::Program& p) {
    return p.by_rank ? *p.by_rank : trace::RankTable{};
  };
  return a.columns == b.columns && a.arrays == b.arrays && a.texts == b.texts &&
         (a.by_rank == b.by_rank || table(a) == table(b));
}

// ---- What differs
// --------------------------------------------------------------------------------

std::span<const std::int64_t> words_of_field(const ComparableCall& call, std::size_t field) {
  if (field + 1 >= call.starts.size()) return {}; // an idle poll has none
  return std::span(call.words)
      .subspan(call.starts[field], call.starts[field + 1] - call.starts[field]);
}

// Formats other than ours may not say which operation a reduction has, nor where blocks lie in a
// buffer.
bool is_unsaid(const trace::Field& field, std::span<const std::int64_t> words) {
  const bool may_be = field.kind == trace::FieldKind::kOp || field.name.ends_with("displs");
  return may_be && words.size() == 1 && words.front() == trace::kNothing;
}

// Whether these words of a field are a wildcard of which a trace does not know what came, and the
// other asked for the same.
bool asked_alike(const trace::Field& field, std::span<const std::int64_t> words,
                 const ComparableCall& other) {
  if (words.size() != 1) return false;
  if (field.kind == trace::FieldKind::kRank)
    return words.front() == trace::kAnySource && other.asked_source == trace::kAnySource;
  return field.kind == trace::FieldKind::kTag && words.front() == trace::kAnyTag &&
         other.asked_tag == trace::kAnyTag;
}

// What both say of a call, by traces of which one may not know what came.
struct Pair {
  const ComparableCall& a;
  const ComparableCall& b;
  bool a_knows = true;
  bool b_knows = true;

  bool differ_in(std::size_t i) const {
    const trace::Field& field = a.function->fields[i];
    const auto x = words_of_field(a, i);
    const auto y = words_of_field(b, i);
    if (std::equal(x.begin(), x.end(), y.begin(), y.end())) return false;
    if (is_unsaid(field, x) || is_unsaid(field, y)) return false;
    return !(!a_knows && asked_alike(field, x, b)) && !(!b_knows && asked_alike(field, y, a));
  }
};

// The name of the first argument that differs; nothing if none does.
std::string field_that_differs(const Pair& pair) {
  const ComparableCall& a = pair.a;
  const ComparableCall& b = pair.b;
  if (a.function != b.function) return "function";
  if (a.error != b.error) return "error";
  const auto& fields = a.function->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (pair.differ_in(i)) return std::string(fields[i].name);
  }
  if (!pair.a_knows || !pair.b_knows) return "";
  const auto rest = [](const ComparableCall& call) { // starts that got different messages
    const std::size_t from = call.starts.empty() ? 0 : call.starts[call.starts.size() - 1];
    return std::span(call.words).subspan(from);
  };
  const auto x = rest(a);
  const auto y = rest(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end()) ? "" : "what came";
}

std::uint64_t calls_in(const RankClass& of) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : of.program->nest.occurrences(of.program->calls.size())) calls += n;
  return calls;
}

// Goes through the stream up to the call once more, now for its text.
CallPlace place_of(const Trace& trace, const RankClass& of, std::int64_t rank, std::uint64_t at,
                   bool is_end) {
  CallPlace place{at, is_end, "", is_end ? "" : loops_around(of.program->nest, at), {}};
  trace::CallReader reader(trace, of, rank);
  trace::CallLineWriter writer(trace, reader);
  std::deque<std::string> before;
  for (std::uint64_t i = 0; const trace::CallInstance* call = reader.next(); ++i) {
    std::string line = writer.line(*call);
    if (i == at) {
      place.line = std::move(line);
      break;
    }
    before.push_back(std::move(line));
    if (before.size() > kLinesBefore) before.pop_front();
  }
  place.before.assign(before.begin(), before.end());
  return place;
}

// ---- Streams
// -------------------------------------------------------------------------------------

struct Stream {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  const RankClass* a = nullptr;
  const RankClass* b = nullptr;
};

std::vector<Stream> streams_of(const Trace& a, const Trace& b) {
  std::map<std::pair<std::uint32_t, std::int64_t>, Stream> streams;
  const auto add = [&](const Trace& trace, const RankClass* Stream::*side) {
    for (const RankClass& of : trace.classes) {
      for (const std::int64_t rank : of.ranks.ranks()) {
        Stream& stream = streams[{of.thread, rank}];
        stream.rank = rank;
        stream.thread = of.thread;
        stream.*side = &of;
      }
    }
  };
  add(a, &Stream::a);
  add(b, &Stream::b);
  std::vector<Stream> all;
  for (const auto& entry : streams) all.push_back(entry.second);
  return all;
}

// Threads have numbers in the order of their first calls, which may be another one in each run.
constexpr std::size_t kMostThreads = 64; // of a rank, that are compared in any order

class Comparer {
public:
  Comparer(const Trace& a, const Trace& b, const ComparisonOptions& options, std::size_t most)
      : a_(a), b_(b), options_(options), most_(most), same_definitions_(same_definitions(a, b)) {}

  void compare(const Stream& stream) {
    if (stream.a == nullptr || stream.b == nullptr)
      return differ(stream, DifferenceKind::kRecordedInOneOnly, "", 0, 0);
    if (are_equal(*stream.a, *stream.b)) {
      result_.calls_a += calls_of(*stream.a);
      result_.calls_b += calls_of(*stream.b);
      return;
    }
    go_through(stream);
  }

  /// Threads but the first, of one rank: those that say the same come together, the others stay as
  /// they are numbered.
  void pair_threads(std::span<Stream> threads) {
    if (threads.size() < 2 || threads.size() > kMostThreads) return;
    std::vector<bool> is_paired;
    for (const Stream& stream : threads) is_paired.push_back(say_the_same(stream));
    for (std::size_t i = 0; i < threads.size(); ++i) {
      for (std::size_t j = 0; j < threads.size() && !is_paired[i]; ++j) {
        if (is_paired[j] || !say_the_same({threads[i].rank, 0, threads[i].a, threads[j].b}))
          continue;
        std::swap(threads[i].b, threads[j].b);
        is_paired[i] = true;
        is_paired[j] = is_paired[j] || say_the_same(threads[j]);
      }
    }
  }

  Comparison take() {
    result_.ranks_that_differ = static_cast<std::int64_t>(different_ranks_.size());
    return std::move(result_);
  }

private:
  bool are_equal(const RankClass& a, const RankClass& b) {
    if (!same_definitions_) return false;
    const auto [entry, is_new] = equal_.try_emplace({&a, &b}, false);
    if (is_new) entry->second = same_programs(*a.program, *b.program);
    return entry->second;
  }

  std::uint64_t calls_of(const RankClass& of) {
    const auto [entry, is_new] = calls_.try_emplace(&of, 0);
    if (is_new) entry->second = calls_in(of);
    return entry->second;
  }

  bool say_the_same(const Stream& stream) {
    if (stream.a == nullptr || stream.b == nullptr) return stream.a == stream.b;
    if (are_equal(*stream.a, *stream.b)) return true;
    ComparableCalls a(a_, *stream.a, stream.rank, vocabulary_, options_);
    ComparableCalls b(b_, *stream.b, stream.rank, vocabulary_, options_);
    while (true) {
      const ComparableCall* x = a.next();
      const ComparableCall* y = b.next();
      if (x == nullptr || y == nullptr) return x == y;
      if (*x == *y) continue;
      if (!field_that_differs({*x, *y, a.knows_what_came(), b.knows_what_came()}).empty())
        return false;
    }
  }

  void go_through(const Stream& stream) {
    ComparableCalls a(a_, *stream.a, stream.rank, vocabulary_, options_);
    ComparableCalls b(b_, *stream.b, stream.rank, vocabulary_, options_);
    bool differs = false;
    while (true) {
      const ComparableCall* x = a.next();
      const ComparableCall* y = b.next();
      if (x == nullptr && y == nullptr) break;
      if (x != nullptr && y != nullptr && *x == *y) continue;
      const bool one_ends = x == nullptr || y == nullptr;
      const std::string field =
          one_ends ? "" : field_that_differs({*x, *y, a.knows_what_came(), b.knows_what_came()});
      if (!one_ends && field.empty()) continue;
      differ(stream, one_ends ? DifferenceKind::kOneEnds : DifferenceKind::kCall, field,
             x == nullptr ? a.calls() : x->call, y == nullptr ? b.calls() : y->call);
      differs = true;
      break;
    }
    // Polls are counted to the end, also where the answer is known.
    if (differs) {
      while (a.next() != nullptr) {
      }
      while (b.next() != nullptr) {
      }
    }
    result_.calls_a += a.calls();
    result_.calls_b += b.calls();
    result_.idle_polls_a += a.idle_polls();
    result_.idle_polls_b += b.idle_polls();
    result_.queries_a += a.queries();
    result_.queries_b += b.queries();
  }

  void differ(const Stream& stream, DifferenceKind kind, const std::string& field,
              std::uint64_t at_a, std::uint64_t at_b) {
    different_ranks_[stream.rank] = true;
    const auto key = std::make_tuple(stream.thread, kind, field, at_a, at_b, stream.a, stream.b);
    const auto found = groups_.find(key);
    if (found != groups_.end()) {
      if (found->second != kLeftOut)
        result_.differences[found->second].ranks.push_back(stream.rank);
      return;
    }
    if (result_.differences.size() >= most_) {
      groups_[key] = kLeftOut;
      return;
    }
    groups_[key] = result_.differences.size();
    Difference difference{{stream.rank}, stream.thread, kind, field, {}, {}};
    if (stream.a != nullptr) difference.a = place(a_, *stream.a, stream.rank, at_a);
    if (stream.b != nullptr) difference.b = place(b_, *stream.b, stream.rank, at_b);
    difference.a.is_end = difference.a.line.empty();
    difference.b.is_end = difference.b.line.empty();
    result_.differences.push_back(std::move(difference));
  }

  CallPlace place(const Trace& trace, const RankClass& of, std::int64_t rank, std::uint64_t at) {
    return place_of(trace, of, rank, at, at >= calls_of(of));
  }

  static constexpr std::size_t kLeftOut = ~std::size_t{0};
  using Key = std::tuple<std::uint32_t, DifferenceKind, std::string, std::uint64_t, std::uint64_t,
                         const RankClass*, const RankClass*>;

  const Trace& a_;
  const Trace& b_;
  ComparisonOptions options_;
  std::size_t most_;
  bool same_definitions_;
  Vocabulary vocabulary_;
  std::map<std::pair<const RankClass*, const RankClass*>, bool> equal_;
  std::map<const RankClass*, std::uint64_t> calls_;
  std::map<Key, std::size_t> groups_; // to an index into differences
  std::map<std::int64_t, bool> different_ranks_;
  Comparison result_;
};

// All but the first thread of each rank, in place.
std::vector<std::span<Stream>> threads_of_ranks(std::vector<Stream>& streams) {
  const auto others = std::ranges::find_if(streams, [](const Stream& s) { return s.thread > 0; });
  std::sort(others, streams.end(), [](const Stream& x, const Stream& y) {
    return std::pair(x.rank, x.thread) < std::pair(y.rank, y.thread);
  });
  std::vector<std::span<Stream>> result;
  for (auto from = others; from != streams.end();) {
    const auto to =
        std::find_if(from, streams.end(), [&](const Stream& s) { return s.rank != from->rank; });
    result.emplace_back(from, to);
    from = to;
  }
  return result;
}

std::vector<std::string> remarks_on(const Trace& a, const Trace& b) {
  std::vector<std::string> remarks;
  if (!a.run.complete) remarks.emplace_back("A is incomplete: not every rank came to MPI_Finalize");
  if (!b.run.complete) remarks.emplace_back("B is incomplete: not every rank came to MPI_Finalize");
  const auto choice = [](const Trace& trace) {
    return trace.run.choice.empty() ? std::string("all calls") : escape::terminal(trace.run.choice);
  };
  if (a.run.choice != b.run.choice)
    remarks.push_back("what was recorded differs: A " + choice(a) + ", B " + choice(b));
  return remarks;
}

std::uint64_t all_calls(const Trace& trace) {
  std::uint64_t calls = 0;
  for (const RankClass& of : trace.classes)
    calls += calls_in(of) * static_cast<std::uint64_t>(of.ranks.size());
  return calls;
}

} // namespace

Comparison compare(const Trace& a, const Trace& b, const ComparisonOptions& options,
                   std::size_t most,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Comparison result;
  Comparer comparer(a, b, options, most);
  if (a.run.ranks == b.run.ranks) {
    std::vector<Stream> streams = streams_of(a, b);
    for (const std::span<Stream> threads : threads_of_ranks(streams))
      comparer.pair_threads(threads);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      comparer.compare(streams[i]);
      if (progress) progress(i + 1, streams.size());
    }
    result = comparer.take();
  } else { // nothing to compare rank for rank, but calls there are
    result.calls_a = all_calls(a);
    result.calls_b = all_calls(b);
  }
  result.ranks_a = a.run.ranks;
  result.ranks_b = b.run.ranks;
  result.remarks = remarks_on(a, b);
  return result;
}

} // namespace rondo::generate
