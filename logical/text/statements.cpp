// SPDX-License-Identifier: Apache-2.0
// Bodies and loops of merged programs as statements, below guards where only some ranks execute
// them.
#include "logical/folding/disorder.hpp"
#include "logical/joining/alike.hpp"
#include "logical/joining/guards.hpp"
#include "logical/places/conditions.hpp"
#include "logical/places/names.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/places/place_values.hpp"
#include "logical/text/call_counts.hpp"
#include "logical/text/call_words.hpp"
#include "logical/text/number_text.hpp"
#include "logical/text/rounds_text.hpp"
#include "logical/text/without_bytes.hpp"
#include "logical/text/word_values.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/matrix/program_places.hpp"
#include "rondo/trace/function_groups.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace rondo::logical {
namespace {

using internal::Names;
using internal::ranks_of;
using internal::ToldLoop;
using internal::Values;
using trace::MergedProgram;
using trace::RankSet;
using trace::Term;
using trace::Word;

class StatementWriter {
public:
  StatementWriter(const LogicalProgram& logical, const Names& names, std::size_t index,
                  const std::vector<bool>& left_out, const matrix::LayeredTraffic& layered)
      : logical_(logical), names_(names), program_(*logical.cells.programs[index]),
        sites_(logical.sites.empty() ? nullptr : &logical.sites[index]),
        places_of_calls_(logical.places.empty() ? nullptr : &logical.places[index]),
        values_(logical.cells, program_), left_out_(left_out),
        rank_of_cell_(internal::rank_of_cell(logical)),
        numbers_(logical, program_, values_, rank_of_cell_), counts_(logical, index, layered),
        place_values_(logical.cells, index, 0,
                      [&](auto at, std::uint32_t term) { return counts_.place_in(at, term); }),
        words_(
            {logical, names, program_, left_out, rank_of_cell_, place_values_, values_, numbers_}),
        told_by_(logical, program_, names, rank_of_cell_),
        presence_(internal::presence_of(logical, names)),
        conditions_(presence_,
                    [&logical](const RankSet& of) { return internal::ranks_text(logical, of); }) {}

  std::vector<Statement> run() { return body(program_.top, program_.ranks(), 0); }

private:
  std::vector<Statement> body(const std::vector<Term>& terms, const RankSet& around,
                              std::optional<std::uint32_t> at) {
    std::vector<internal::Guarded> guarded;
    const std::vector<bool> may_be_rounds = parts_of_rounds(terms);
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      if (const std::uint32_t end = add_rounds(terms, may_be_rounds, i, around, at, guarded);
          end != i) {
        i = end - 1;
        continue;
      }
      const Term term = terms[i];
      if (is_left_out(term)) continue;
      const RankSet& set = ranks_of(program_, term);
      std::vector<Statement> one = statements_of_term(term, counts_.place_in(at, i));
      if (one.empty()) continue;
      const bool is_free = set == around || is_implied_by_direction(term, around);
      guarded.push_back({set, std::move(one), is_free, was_moved(term)});
    }
    const internal::Entries entries(
        counts_.entries_of(at),
        [&](std::uint32_t call, std::int64_t rank) { return counts_.executions_of(call, rank); });
    if (logical_.is_in_source_order) sum_up_moved(guarded, entries);
    const auto condition = [&](const RankSet& set, const RankSet& among) {
      return set == among ? internal::ranks_text(logical_, set) : conditions_.of(set, among);
    };
    return internal::statements_under_guards(
        std::move(guarded), around, condition,
        [&](const auto& of, auto body) { return numbers_.by_rank(of, body); },
        [&](const auto& of) { return numbers_.formula(of); },
        logical_.sums_up_disorder ? std::optional(entries) : std::nullopt);
  }

  // Calls of which there are some of one place of the source.
  std::vector<bool> parts_of_rounds(const std::vector<Term>& terms) const {
    constexpr std::size_t kFewest = 4;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> times;
    const auto source_of = [&](Term term) {
      const trace::Call& call = program_.calls[term.index()].call;
      return std::pair(static_cast<std::uint32_t>(call.function),
                       static_cast<std::uint32_t>(call.site));
    };
    for (const Term term : terms) {
      if (!term.is_loop()) ++times[source_of(term)];
    }
    std::vector<bool> result;
    for (const Term term : terms)
      result.push_back(!term.is_loop() && !is_left_out(term) && times[source_of(term)] >= kFewest);
    return result;
  }

  // The end of what stands from a term on and is the rounds of a loop; the term itself if nothing
  // is.
  std::uint32_t add_rounds(const std::vector<Term>& terms, const std::vector<bool>& may_be,
                           std::uint32_t first, const RankSet& around,
                           std::optional<std::uint32_t> at,
                           std::vector<internal::Guarded>& guarded) {
    if (!may_be[first] || (first > 0 && may_be[first - 1]) || logical_.is_in_source_order)
      return first;
    std::uint32_t end = first;
    while (end < terms.size() && may_be[end]) ++end;
    const auto place = counts_.place_in(at, first);
    const auto told = told_by_.of(std::span(terms).subspan(first, end - first), around,
                                  place ? counts_.entries_around(*place) : 1);
    if (!told) return first;
    guarded.push_back({around, {{loop_of(*told)}}, true, false});
    return end;
  }

  bool was_moved(Term term) const {
    if (!logical_.is_in_source_order) return false;
    if (!term.is_loop())
      return internal::was_moved(logical_.cells.sites.at(program_.calls[term.index()].call.site));
    const std::vector<Term>& body = program_.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(), [&](Term inner) { return was_moved(inner); });
  }

  // Neighbours that were moved are one stretch.
  static void sum_up_moved(std::vector<internal::Guarded>& guarded,
                           const internal::Entries& entries) {
    std::vector<internal::Guarded> result;
    for (std::size_t i = 0; i < guarded.size();) {
      std::size_t end = i;
      while (end < guarded.size() && guarded[end].is_in_disorder) ++end;
      if (end == i) {
        result.push_back(std::move(guarded[i++]));
        continue;
      }
      result.push_back(internal::in_disorder(std::span(guarded).subspan(i, end - i), entries));
      i = end;
    }
    guarded = std::move(result);
  }

  bool is_left_out(Term term) const {
    if (!term.is_loop()) {
      const trace::Function& function =
          *trace::find_function(program_.calls[term.index()].call.function);
      if (!logical_.shows_local && trace::is_local(function)) return true;
      return !left_out_.empty() && left_out_[term.index()];
    }
    const std::vector<Term>& body = program_.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(), [&](Term inner) { return is_left_out(inner); });
  }

  // A loop that goes round once at this place is what it has in it; one that several places share
  // may never go round at this one, and nothing is said of it there.
  std::vector<Statement> statements_of_term(Term term, std::optional<std::uint32_t> place) {
    if (!term.is_loop()) return {{call(term.index(), place)}};
    const trace::MergedLoop& loop = program_.loops[term.index()];
    if (auto told = told_by_.of(term, place ? counts_.entries_around(*place) : 1))
      return {{loop_of(*told)}};
    const bool is_of_ranks = loop.trip_count.form == Word::Form::kByRank;
    const bool is_by_rank = is_of_ranks || loop.trip_count.form == Word::Form::kColumnByRank;
    std::string count = trip_count_text(loop, place);
    if (count == "0") return {};
    if (around_ != nullptr && internal::is_in_some_rounds(count))
      count = numbers_.at_ends(loop, *around_).value_or(count);
    const std::uint64_t around = std::exchange(rounds_, rounds_in(count));
    const trace::MergedLoop* const outer = std::exchange(around_, &loop);
    const std::uint64_t entered =
        std::exchange(entered_, place ? counts_.entries_around(*place) : 0);
    std::vector<Statement> inside = calls_in_turn(loop, count, place);
    if (inside.empty()) inside = body(loop.body, ranks_of(program_, term), place);
    rounds_ = around;
    around_ = outer;
    entered_ = entered;
    if (count == "1" || inside.empty()) return inside;
    LoopStatement result{std::move(count), std::move(inside), is_by_rank};
    if (is_of_ranks) {
      auto counts = numbers_.counts_of(loop);
      if (rounds_in(result.count) == 0) // what is in it is known now
        result.count = numbers_.by_rank(counts, result.body);
      result.is_by_rank = result.count != internal::kNeighbours;
      if (!result.is_by_rank) internal::say_neighbours(result.body);
      result.count_of_rank =
          std::make_shared<const std::map<std::int64_t, std::int64_t>>(std::move(counts));
    }
    return {{std::move(result)}};
  }

  LoopStatement loop_of(const ToldLoop& told) {
    LoopStatement result{std::to_string(told.rounds), {}};
    words_.say_as_told(&told);
    for (const auto& calls : told.calls) {
      CallStatement one = call(*calls.begin(), std::nullopt);
      for (auto other = std::next(calls.begin()); other != calls.end(); ++other)
        internal::add_executions_of(one, call(*other, std::nullopt));
      result.body.push_back({std::move(one)});
    }
    words_.say_as_told(nullptr);
    if (told.times == 1) return result;
    return {std::to_string(told.times), {{std::move(result)}}};
  }

  // "loop 48: bcast 64|256 double" of two statements of the source, one after the other, is a loop
  // of these: its count is that then.
  std::vector<Statement> calls_in_turn(const trace::MergedLoop& loop, std::string& count,
                                       std::optional<std::uint32_t> place) {
    constexpr std::uint64_t kMostInTurn = 4;
    if (sites_ == nullptr || loop.body.size() != 1 || loop.body[0].is_loop() || rounds_ == 0)
      return {};
    const std::uint32_t index = loop.body[0].index();
    const auto at = counts_.place_in(place, 0);
    if (!at || is_left_out(loop.body[0])) return {};
    const auto sites = static_cast<std::uint64_t>((*sites_)[index].size());
    for (std::uint64_t n = 2; n <= std::min(sites, kMostInTurn) && 2 * n <= rounds_; ++n) {
      if (rounds_ % n != 0) continue;
      auto calls = words_.say_in_turn(index, at, rounds_, counts_.executions_at(*at), n);
      if (calls.empty()) continue;
      count = std::to_string(rounds_ / n);
      return with_counts(std::move(calls), index, at);
    }
    return {};
  }

  // Of calls that are made as often as one another.
  std::vector<Statement> with_counts(std::vector<CallStatement> calls, std::uint32_t index,
                                     std::optional<std::uint32_t> place) const {
    const auto number = static_cast<std::uint64_t>(calls.size());
    std::vector<Statement> result;
    for (CallStatement& one : calls) {
      say_counts(one, index, place);
      one.executions /= number;
      one.most_here /= number;
      for (CallShare& share : one.shares) share.all.calls /= number;
      result.push_back({std::move(one)});
    }
    return result;
  }

  // A loop that is entered at several places has other trip counts at each. Where those of the
  // place are not known, their sum there gives their mean, and a mean that is the least or the most
  // of all is that of equal ones.
  std::string trip_count_text(const trace::MergedLoop& loop, std::optional<std::uint32_t> place) {
    if (loop.trip_count.form == Word::Form::kByRank)
      return numbers_.by_rank(numbers_.counts_of(loop), {});
    const std::string anywhere = trace::trip_count_text(program_, loop);
    if (!place || loop.trip_count.form != Word::Form::kColumn) return anywhere;
    const std::uint64_t entries = counts_.entries_around(*place);
    const std::uint64_t iterations = counts_.executions_at(*place);
    if (entries == 1) return std::to_string(iterations);
    const auto& counts = values_.distinct(loop.trip_count.value);
    for (const std::int64_t count : {*std::min_element(counts.begin(), counts.end()),
                                     *std::max_element(counts.begin(), counts.end())}) {
      if (static_cast<std::uint64_t>(count) * entries == iterations) return std::to_string(count);
    }
    if (entries == values_.length(loop.trip_count.value)) {
      std::string runs = numbers_.in_runs(loop, anywhere);
      const auto step = internal::kth_of(runs);
      const bool counts_all_times =
          rounds_ == 0 && entered_ != 1 && internal::is_condition(anywhere);
      const bool is_of_each = step ? are_rounds_of_each(*step) : !counts_all_times;
      return is_of_each ? runs : anywhere;
    }
    return place_values_.trip_counts(place).value_or(anywhere);
  }

  // Whether what comes in every k-th round of the loop around, of all the times that it is entered,
  // comes so each time: "loop 30: in every 50th round" would be nonsense, as "loop 1..3: in rounds
  // 2-37 of 37" is.
  bool are_rounds_of_each(std::int64_t step) const {
    return entered_ == 1 || (rounds_ != 0 && rounds_ % static_cast<std::uint64_t>(step) == 0);
  }

  // 0 if they vary.
  static std::uint64_t rounds_in(const std::string& count) {
    const bool is_number =
        !count.empty() && count.find_first_not_of("0123456789") == std::string::npos;
    constexpr std::size_t kMostDigits = 9;
    return is_number && count.size() <= kMostDigits ? std::stoull(count) : 0;
  }

  RankSet present(const Peer& peer, const RankSet& around) const {
    const std::string name = names_.direction(peer);
    const auto found = std::find_if(presence_.begin(), presence_.end(),
                                    [&](const auto& one) { return one.direction == name; });
    if (found == presence_.end()) return {}; // one leaf of a star
    std::vector<std::int64_t> both;
    for (const std::int64_t rank : found->ranks.ranks()) {
      if (around.contains(rank)) both.push_back(rank);
    }
    return RankSet::of(std::move(both));
  }

  bool is_implied_by_direction(Term term, const RankSet& around) const {
    if (term.is_loop()) return false;
    const std::optional<Peer> peer = words_.only_peer(term.index());
    return peer && present(*peer, around) == ranks_of(program_, term);
  }

  CallStatement call(std::uint32_t index, std::optional<std::uint32_t> place) {
    CallStatement result = words_.say(index, place, rounds_);
    say_counts(result, index, place);
    return result;
  }

  void say_counts(CallStatement& result, std::uint32_t index,
                  std::optional<std::uint32_t> place) const {
    counts_.say(result, index, place);
    if (sites_ != nullptr) result.sites = (*sites_)[index];
    if (places_of_calls_ != nullptr) result.place = (*places_of_calls_)[index];
  }

  const LogicalProgram& logical_;
  const Names& names_;
  const MergedProgram& program_;
  const std::vector<std::vector<std::uint32_t>>* sites_; // by merged call; nullptr: not known
  const std::vector<std::uint32_t>* places_of_calls_; // likewise
  Values values_;
  const std::vector<bool>& left_out_; // by merged call; empty: nothing is
  const std::vector<std::size_t> rank_of_cell_;
  internal::NumberText numbers_;
  const internal::CallCounts counts_;
  const internal::PlaceValues place_values_;
  internal::CallWords words_;
  internal::ToldByRounds told_by_;
  std::uint64_t rounds_ = 0; // of the loop whose body is written, if they are always as many
  const trace::MergedLoop* around_ = nullptr; // that loop
  std::uint64_t entered_ = 0; // how often a rank comes to that loop; 0: not known
  const std::vector<internal::Presence> presence_; // of all directions
  internal::KnownConditions conditions_;
};

} // namespace

namespace {

std::vector<std::vector<Statement>>
statements_with(const matrix::LayeredTraffic& layered, const LogicalProgram& logical,
                const std::vector<std::vector<bool>>& left_out) {
  std::vector<std::vector<Statement>> result;
  const Names names(logical);
  const std::vector<bool> nothing;
  for (std::size_t i = 0; i < logical.cells.programs.size(); ++i)
    result.push_back(
        StatementWriter(logical, names, i, left_out.empty() ? nothing : left_out[i], layered)
            .run());
  return result;
}

} // namespace

std::vector<std::vector<Statement>> statements_of(const LogicalProgram& logical,
                                                  const std::vector<std::vector<bool>>& left_out) {
  // Only how much is sent matters here, not to whom.
  const matrix::LayeredTraffic layered =
      matrix::layers_of(logical.cells, [](std::int64_t cell, std::int64_t) { return cell; });
  return statements_with(layered, logical, left_out);
}

std::vector<std::vector<Statement>>
internal::statements_without_bytes(const LogicalProgram& logical) {
  matrix::LayeredTraffic layered;
  layered.places = matrix::program_places_of(logical.cells);
  return statements_with(layered, logical, {});
}

} // namespace rondo::logical
