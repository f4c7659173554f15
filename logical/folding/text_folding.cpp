// SPDX-License-Identifier: Apache-2.0
// The logical program as short as its text can be.
#include "logical/folding/effort.hpp"
#include "logical/folding/source_order.hpp"
#include "logical/places/answers.hpp"
#include "rondo/logical/accuracy.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/logical/procedures.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rondo::logical {
namespace {

constexpr std::size_t kChoice = 2; // worth as many records
constexpr std::size_t kManyChoices = 4;
constexpr std::size_t kWorthLists = 2; // records: what comes when stands in a line of its own else
constexpr std::size_t kTimesTheSource = 2; // records for each call site
constexpr std::size_t kWorthBytes = 4; // records: how a type was made is worth one or two

// Of peers and datatypes; a choice of numbers is no harder to read than a range. In a list a few
// more directions are as much as one choice: it says which comes when.
std::size_t choices_of(const std::string& what) {
  constexpr std::size_t kInList = 4;
  std::size_t choices = 0;
  for (std::size_t next = what.find(", "); next != what.npos; next = what.find(", ", next + 2))
    ++choices;
  choices /= kInList;
  for (std::size_t bar = what.find('|'); bar != what.npos; bar = what.find('|', bar + 1)) {
    const char next = bar + 1 < what.size() ? what[bar + 1] : ' ';
    choices += next < '0' || next > '9' ? 1 : 0;
  }
  return choices;
}

std::size_t choices_of(const std::vector<Statement>& statements) {
  std::size_t choices = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      choices += choices_of(loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      choices += choices_of(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      choices += choices_of(call->what);
    } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
      for (const Argument& argument : invoke->arguments) {
        const bool is_trip_counts = argument.value.starts_with('[');
        choices += is_trip_counts ? 0 : choices_of(argument.value);
      }
    }
  }
  return choices;
}

bool makes_types(const trace::Trace& trace) {
  return std::any_of(trace.classes.begin(), trace.classes.end(), [](const trace::RankClass& c) {
    return std::any_of(c.program->calls.begin(), c.program->calls.end(),
                       [](const trace::Call& call) {
                         const auto& function = *trace::find_function(call.function);
                         return function.role == trace::Role::kDatatype &&
                                trace::meaning_of(function).act == trace::Act::kMakeObject;
                       });
  });
}

} // namespace

namespace internal {

namespace {

constexpr std::size_t kMostToRead = 5000; // records; procedures take long to find in more

Effort effort_of(LogicalText text) {
  if (text.records() <= kMostToRead) text = with_procedures(std::move(text));
  Effort effort{text.records(), 0};
  for (const Procedure& procedure : text.procedures)
    effort.choices += choices_of(procedure.statements);
  for (const LogicalText::Part& part : text.parts) effort.choices += choices_of(part.statements);
  for (const RankDifference& set : text.beyond.sets) effort.records += set.records;
  return effort;
}

} // namespace

std::size_t weighed(const Effort& effort) { return effort.records + kChoice * effort.choices; }

// With disorder summed up only where nobody could read it otherwise: what is in order says more.
// Each direction in a line of its own says more than a list, too, where that is no longer.
Effort effort_of(LogicalProgram& logical) {
  LogicalText text = text_of(logical, nullptr);
  if (text.records() > kMostToRead) {
    logical.sums_up_disorder = true;
    text = text_of(logical, nullptr);
  }
  const Effort effort = effort_of(std::move(text));
  logical.lists_few = true;
  const Effort with_lists = effort_of(text_of(logical, nullptr));
  logical.lists_few = weighed(with_lists) + kWorthLists <= weighed(effort);
  return logical.lists_few ? with_lists : effort;
}

} // namespace internal

LogicalProgram logicalize_for_text(const trace::Trace& trace, bool by_rank_numbers,
                                   bool shows_local, bool keeps_order) {
  LogicalizeOptions options;
  options.for_text = true;
  options.by_roles = true;
  options.by_rank_numbers = by_rank_numbers;
  options.unseen = shows_local ? Unseen::kNothing : Unseen::kLocal;
  LogicalProgram best = logicalize(trace, options);
  best.shows_local = shows_local;
  internal::Effort best_effort = internal::effort_of(best);
  std::size_t least = internal::weighed(best_effort);
  // What says less has to save more.
  const auto take = [&](const auto& is_enough) {
    LogicalProgram other = logicalize(trace, options);
    other.shows_local = shows_local;
    const internal::Effort other_effort = internal::effort_of(other);
    const std::size_t effort = internal::weighed(other_effort);
    const std::size_t times = options.in_source_order ? 2 : 1;
    const bool is_longer = times * other_effort.records > best_effort.records;
    const bool has_to_be_shorter = options.directions_apart || options.in_source_order;
    if (!is_enough(effort) || (has_to_be_shorter && is_longer)) return false;
    best_effort = other_effort;
    least = effort;
    best = std::move(other);
    return true;
  };
  const auto is_less = [&](std::size_t effort) { return effort < least; };
  const auto is_far_less = [&](std::size_t effort) { return 3 * effort <= 2 * least; };
  if (!shows_local && makes_types(trace)) {
    options.unseen = Unseen::kTypes;
    const auto is_worth = [&](std::size_t effort) {
      return effort + kWorthBytes <= least || is_far_less(effort);
    };
    if (!take(is_worth)) options.unseen = Unseen::kLocal;
  }
  const auto finish = [&] {
    best.answers = internal::answers_of(trace);
    best.sums_up_disorder = true;
    return std::move(best);
  };
  // Ranks that say one of several directions each were joined where they have little in common.
  const auto take_directions_apart = [&] {
    if (best_effort.choices < kManyChoices) return;
    options.directions_apart = true;
    take(is_less);
    options.directions_apart = false;
  };
  if (trace.sites.empty()) {
    take_directions_apart();
    return finish();
  }
  // A text that is much longer than the source is that of a program whose ranks change roles. The
  // order of calls is much to lose.
  const auto take_in_source_order = [&] {
    // What is left out where little is off the topology is found call by call.
    const bool leaves_out = best.accuracy.outside.calls > 0 && is_little_off(best.accuracy);
    if (keeps_order || leaves_out || best_effort.records <= kTimesTheSource * trace.sites.size() ||
        !internal::ranks_have_own_orders(trace))
      return false;
    LogicalProgram summed_up = best; // as it will be
    summed_up.sums_up_disorder = true;
    best_effort = internal::effort_of(summed_up);
    least = internal::weighed(best_effort);
    if (best_effort.records <= kTimesTheSource * trace.sites.size()) return false;
    const bool drops_sites = std::exchange(options.drops_sites, false);
    options.in_source_order = true;
    const bool is_taken = take([&](std::size_t effort) { return 2 * effort <= least; });
    options.in_source_order = false;
    options.drops_sites = drops_sites;
    return is_taken;
  };
  const auto with_sites = [&] {
    best.sites = sites_of_calls(trace, best);
    return finish();
  };
  if (best_effort.records > internal::kMostToRead && take_in_source_order()) return with_sites();
  options.drops_sites = true;
  take(is_less);
  take_directions_apart();
  options.shortest = true;
  take(is_far_less);
  options.shortest = false;
  take_in_source_order();
  return with_sites();
}

} // namespace rondo::logical
