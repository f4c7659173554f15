// SPDX-License-Identifier: Apache-2.0
#include "logical/text/loop_calls.hpp"

#include "logical/places/peer_words.hpp"

#include <algorithm>

namespace rondo::logical::internal {
namespace {

using trace::MergedCall;
using trace::MergedProgram;
using trace::Term;

constexpr std::uint64_t kMostToldCalls = std::uint64_t{1} << 12; // calls of a rank
constexpr std::size_t kMostCallsOfSource = 6; // of the source

// Words that say whom a call turns to. The root of a collective call is the same for all.
std::vector<std::size_t> peer_words_of(const trace::Call& call) {
  const trace::Function& function = *trace::find_function(call.function);
  if (trace::meaning_of(function).collective != trace::Collective::kNone) return {};
  std::vector<std::size_t> words;
  for_each_rank_word(function, [&](std::size_t word, const trace::Field& field) {
    if (field.kind == trace::FieldKind::kRank && !field.is_outcome) words.push_back(word);
  });
  return words;
}

// Whether calls are one of the source but for whom they turn to, and perhaps for tags.
bool are_one_but_for_peers(const MergedCall& a, const MergedCall& b, bool joins_tags) {
  if (a.call.function != b.call.function || a.call.site != b.call.site) return false;
  std::vector<std::size_t> other = word_kinds_of(*trace::find_function(a.call.function)).unsaid;
  for (const std::size_t word : peer_words_of(a.call)) other.push_back(word);
  if (joins_tags) {
    for (const std::size_t word : tag_words_of(*trace::find_function(a.call.function)))
      other.push_back(word);
  }
  for (std::size_t word = 0; word < a.call.words.size(); ++word) {
    const bool is_other = std::find(other.begin(), other.end(), word) != other.end();
    if (!is_other && a.call.words[word] != b.call.words[word]) return false;
  }
  return true;
}

// False if there are too many.
bool add_calls_of(const MergedProgram& program, Term term, bool joins_tags, LoopCalls& to) {
  if (term.is_loop()) {
    const std::vector<Term>& body = program.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(),
                       [&](Term inner) { return add_calls_of(program, inner, joins_tags, to); });
  }
  const MergedCall& call = program.calls[term.index()];
  const auto known = std::find_if(to.calls.begin(), to.calls.end(), [&](const auto& one) {
    return are_one_but_for_peers(program.calls[*one.merged.begin()], call, joins_tags);
  });
  if (known != to.calls.end()) {
    known->merged.insert(term.index());
    return true;
  }
  to.calls.push_back({{term.index()}, peer_words_of(call.call), to.turns});
  to.turns += to.calls.back().peer_words.size();
  return to.calls.size() <= kMostCallsOfSource;
}

// Whether a rank may turn to several peers there.
bool has_several_peers(const MergedProgram& program, const LoopCalls::Call& call) {
  using Form = trace::Word::Form;
  if (call.peer_words.empty()) return false;
  const MergedCall& first = program.calls[*call.merged.begin()];
  return call.merged.size() > 1 ||
         std::any_of(call.peer_words.begin(), call.peer_words.end(), [&](std::size_t word) {
           const Form form = first.call.words[word].form;
           return form >= Form::kColumn && form != Form::kByRank;
         });
}

std::optional<LoopCalls> calls_of(const MergedProgram& program, std::span<const Term> terms,
                                  bool joins_tags) {
  LoopCalls result;
  if (!std::all_of(terms.begin(), terms.end(),
                   [&](Term term) { return add_calls_of(program, term, joins_tags, result); }) ||
      std::none_of(result.calls.begin(), result.calls.end(),
                   [&](const auto& one) { return has_several_peers(program, one); }))
    return std::nullopt;
  return result;
}

// The calls of one rank in a loop.
class LoopOfRank {
public:
  LoopOfRank(const LogicalProgram& logical, const trace::Projection& of, std::int64_t cell,
             const LoopCalls& calls)
      : cell_(cell), of_(of), calls_(calls), positions_(logical.cells, cell) {}

  std::optional<LoopCallsOfRank> read(std::uint32_t loop, std::uint64_t entries) {
    const auto at = std::find(of_.loops.begin(), of_.loops.end(), loop);
    if (at == of_.loops.end() || entries > kMostToldCalls) return std::nullopt;
    const Term own = Term::loop(static_cast<std::uint32_t>(at - of_.loops.begin()));
    const trace::Nest nest(of_.program.nest.loops(), std::vector<Term>(entries, own));
    trace::NestReader reader(nest);
    LoopCallsOfRank result{cell_, {}, std::vector<std::vector<std::int64_t>>(calls_.turns), {}};
    while (const auto symbol = reader.next()) {
      const auto call = call_of(*symbol);
      if (result.order.size() == kMostToldCalls || call == calls_.calls.end()) return std::nullopt;
      result.order.push_back(static_cast<std::uint8_t>(call - calls_.calls.begin()));
      add(*symbol, *call, result);
    }
    if (result.order.empty() || !is_all(result.order.size()) || !keep_once(result, entries))
      return std::nullopt;
    return result;
  }

  // Of the whole program.
  std::optional<LoopCallsOfRank> read_all(std::uint64_t entries) {
    trace::NestReader reader(of_.program.nest);
    LoopCallsOfRank result{cell_, {}, std::vector<std::vector<std::int64_t>>(calls_.turns), {}};
    while (const auto symbol = reader.next()) {
      const auto call = call_of(*symbol);
      if (call == calls_.calls.end()) continue;
      if (result.order.size() == kMostToldCalls) return std::nullopt;
      result.order.push_back(static_cast<std::uint8_t>(call - calls_.calls.begin()));
      add(*symbol, *call, result);
    }
    if (result.order.empty() || !keep_once(result, entries)) return std::nullopt;
    return result;
  }

private:
  std::vector<LoopCalls::Call>::const_iterator call_of(std::uint32_t symbol) const {
    return std::find_if(calls_.calls.begin(), calls_.calls.end(),
                        [&](const auto& one) { return one.merged.contains(of_.calls[symbol]); });
  }

  void add(std::uint32_t symbol, const LoopCalls::Call& made, LoopCallsOfRank& result) {
    const trace::Call& call = of_.program.calls[symbol];
    const trace::Function& function = *trace::find_function(call.function);
    const int comm = function.comm_word();
    const std::int64_t slot =
        comm < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm)].value;
    const auto& position = positions_.of(slot);
    std::map<std::int64_t, std::int64_t> now; // values of columns, which words may share
    const auto value_of = [&](std::size_t word) {
      trace::Word said = call.words[word];
      if (trace::is_column(said)) {
        if (!now.contains(said.value)) now[said.value] = next_of(symbol, said.value);
        said = trace::word_at(said, now[said.value]);
      }
      return trace::value_of_word(of_.program, said, cell_, position);
    };
    std::size_t turn = made.first_turn;
    for (const std::size_t word : made.peer_words) {
      const std::int64_t value = value_of(word);
      result.turns[turn++].push_back(trace::is_special(value) ? value : value - position.rank);
    }
    for (const std::size_t word : tag_words_of(function))
      result.tags[{&made - calls_.calls.data(), word}].push_back(value_of(word));
  }

  // Each call has its own place in a column.
  std::int64_t next_of(std::uint32_t symbol, std::int64_t column) {
    auto known = columns_.find({symbol, column});
    if (known == columns_.end())
      known =
          columns_
              .try_emplace({symbol, column}, of_.program.columns[static_cast<std::size_t>(column)])
              .first;
    return known->second.next().value_or(trace::kNothing);
  }

  // Whether the rank makes these calls nowhere else: columns begin with the loop then.
  bool is_all(std::uint64_t made) const {
    const auto times = of_.program.nest.occurrences(of_.calls.size());
    std::uint64_t all = 0;
    for (std::size_t symbol = 0; symbol < times.size(); ++symbol) {
      const bool is_of_loop =
          std::any_of(calls_.calls.begin(), calls_.calls.end(),
                      [&](const auto& one) { return one.merged.contains(of_.calls[symbol]); });
      all += is_of_loop ? times[symbol] : 0;
    }
    return all == made;
  }

  std::int64_t cell_;
  const trace::Projection& of_;
  const LoopCalls& calls_;
  trace::Positions positions_;
  std::map<std::pair<std::uint32_t, std::int64_t>, trace::ColumnReader> columns_;
};

template <class Values> bool keep_values_once(Values& values, std::uint64_t times) {
  const auto once = static_cast<std::ptrdiff_t>(values.size() / times);
  if (values.size() % times != 0 ||
      !std::equal(values.begin() + once, values.end(), values.begin()))
    return false;
  values.resize(static_cast<std::size_t>(once));
  return true;
}

} // namespace

std::vector<std::size_t> tag_words_of(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  std::vector<std::size_t> words;
  for (const int tag : {means.send_tag, means.receive_tag}) {
    if (tag >= 0) words.push_back(static_cast<std::size_t>(tag));
  }
  return words;
}

std::optional<LoopCalls> calls_of_loop(const MergedProgram& program, Term loop) {
  return calls_of(program, std::span(&loop, 1), false);
}

std::optional<LoopCalls> calls_of_stretch(const MergedProgram& program,
                                          std::span<const Term> terms) {
  return calls_of(program, terms, true);
}

bool keep_once(LoopCallsOfRank& of, std::uint64_t times) {
  if (!keep_values_once(of.order, times)) return false;
  for (auto& turns : of.turns) {
    if (!keep_values_once(turns, times)) return false;
  }
  for (auto& [word, tags] : of.tags) {
    if (!keep_values_once(tags, times)) tags.clear(); // not told
  }
  return true;
}

std::optional<LoopCallsOfRank> calls_of_rank(const LogicalProgram& logical,
                                             const trace::Projection& of, std::int64_t cell,
                                             std::uint32_t loop, std::uint64_t entries,
                                             const LoopCalls& calls) {
  return LoopOfRank(logical, of, cell, calls).read(loop, entries);
}

std::optional<LoopCallsOfRank> calls_of_rank(const LogicalProgram& logical,
                                             const trace::Projection& of, std::int64_t cell,
                                             std::uint64_t entries, const LoopCalls& calls) {
  return LoopOfRank(logical, of, cell, calls).read_all(entries);
}

} // namespace rondo::logical::internal
