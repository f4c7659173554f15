// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/merge.hpp"

#include "fold/clocks.hpp"
#include "fold/course_choice.hpp"
#include "fold/merge/merge_tables.hpp"
#include "fold/merge/merged_shape.hpp"
#include "fold/merge/pairing.hpp"
#include "fold/merge/rank_words.hpp"
#include "fold/merge/shared_columns.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace rondo::fold {
namespace {

using trace::RankSet;
using trace::Term;
using trace::Word;

// Numbers of `from`'s sites in `into`, which gets those it lacks.
std::vector<std::uint32_t> merge_sites(std::vector<trace::CallSite>& into,
                                       const std::vector<trace::CallSite>& from) {
  std::vector<std::uint32_t> number;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known; // by what tells most apart
  const auto hash = [](const trace::CallSite& site) {
    return site.offset * 0x9e3779b97f4a7c15U + site.caller;
  };
  const auto look_up = [&](const trace::CallSite& site) {
    if (known.empty()) {
      for (std::uint32_t i = 0; i < into.size(); ++i) known[hash(into[i])].push_back(i);
    }
    for (const std::uint32_t i : known[hash(site)]) {
      if (into[i] == site) return i;
    }
    return static_cast<std::uint32_t>(into.size());
  };
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    trace::CallSite site = from[i];
    if (site.caller != 0) site.caller = number[site.caller - 1] + 1; // callers stand before
    // Ranks of one program see their sites in the same order, mostly.
    number.push_back(i < into.size() && into[i] == site ? i : look_up(site));
    if (number.back() < into.size()) continue;
    known[hash(site)].push_back(number.back());
    into.push_back(std::move(site));
  }
  return number;
}

// Loops in the order in which they are first met, inner ones first; the same for equal programs,
// however they came about.
class LoopOrder {
public:
  explicit LoopOrder(const trace::Nest& nest)
      : nest_(nest), number_(nest.loops().size(), kAbsent) {}

  std::vector<Term> renumbered(const std::vector<Term>& terms) {
    std::vector<Term> result;
    result.reserve(terms.size());
    for (const Term term : terms)
      result.push_back(term.is_loop() ? Term::loop(number_of(term.index())) : term);
    return result;
  }

  /// With the trip counts still as columns of the nest: `order` says whose.
  std::vector<std::vector<Term>> take_bodies() { return std::move(bodies_); }
  const std::vector<std::uint32_t>& order() const { return order_; }

private:
  std::uint32_t number_of(std::uint32_t loop) {
    if (number_[loop] == kAbsent) {
      std::vector<Term> body = renumbered(nest_.loops()[loop].body);
      number_[loop] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(loop);
      bodies_.push_back(std::move(body));
    }
    return number_[loop];
  }

  const trace::Nest& nest_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<Term>> bodies_;
};

// True if `added`, of the same thread, is one with `known` now.
bool merge_class(PartClass& known, PartClass& added) {
  const bool in_order = known.program.ranks().front() < added.program.ranks().front();
  PartClass& a = in_order ? known : added;
  PartClass& b = in_order ? added : known;
  const auto shape = MergedShape::paired(a, b);
  if (!shape) return false;
  std::vector<trace::PlaceTimes> times = translated_times(a, *shape, 0);
  add_times(times, a.program.ranks(), translated_times(b, *shape, 1), b.program.ranks());
  trace::MergedProgram program = assembled({&a, &b}, *shape);
  known = {std::move(program), std::move(times)};
  return true;
}

// Classes that go together, and how.
struct Group {
  std::vector<PartClass*> classes;
  MergedShape shape;
};

// How many calls of a class are calls of the group, too.
std::size_t shared_calls(const Group& group, const std::vector<std::uint64_t>& keys) {
  std::unordered_set<std::uint64_t> known;
  for (const MergedShape::Symbol& symbol : group.shape.symbols()) known.insert(symbol.key);
  return static_cast<std::size_t>(std::count_if(
      keys.begin(), keys.end(), [&](std::uint64_t key) { return known.contains(key); }));
}

// The groups that share most with a class first: an idle worker is more of a worker than of the
// master, whose beginning and end it shares.
std::vector<std::size_t> by_likeness(const std::vector<Group>& groups,
                                     std::vector<std::size_t> numbers, const PartClass& c) {
  if (numbers.size() < 2) return numbers;
  const std::vector<std::uint64_t> keys = keys_of(c.program);
  std::unordered_map<std::size_t, std::size_t> shared;
  for (const std::size_t number : numbers) shared[number] = shared_calls(groups[number], keys);
  sort_stably(numbers.begin(), numbers.end(),
              [&](std::size_t a, std::size_t b) { return shared[a] > shared[b]; });
  return numbers;
}

// Thread and first rank.
std::pair<std::uint32_t, std::int64_t> first_of(const Group& group) {
  std::int64_t rank = group.classes.front()->program.ranks().front();
  for (const PartClass* c : group.classes) rank = std::min(rank, c->program.ranks().front());
  return {group.classes.front()->program.thread, rank};
}

// Put together with the longest first, as what others lack of it gets a guard; given by rank.
std::vector<Group> grouped(std::vector<PartClass>& classes) {
  std::vector<PartClass*> order;
  for (PartClass& c : classes) order.push_back(&c);
  sort_stably(order.begin(), order.end(), [](const PartClass* a, const PartClass* b) {
    return a->program.terms() > b->program.terms();
  });
  std::vector<Group> groups;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_thread;
  for (PartClass* c : order) {
    std::vector<std::size_t>& alike = of_thread[c->program.thread];
    const std::vector<std::size_t> tried = by_likeness(groups, alike, *c);
    const auto fits = std::find_if(tried.begin(), tried.end(),
                                   [&](std::size_t group) { return groups[group].shape.add(*c); });
    if (fits != tried.end()) {
      groups[*fits].classes.push_back(c);
      continue;
    }
    alike.push_back(groups.size());
    groups.push_back({{c}, MergedShape(*c)});
  }
  sort_stably(groups.begin(), groups.end(),
              [](const Group& a, const Group& b) { return first_of(a) < first_of(b); });
  return groups;
}

std::vector<Group> apart(std::vector<PartClass>& classes) {
  std::vector<Group> groups;
  for (PartClass& c : classes) groups.push_back({{&c}, MergedShape(c)});
  return groups;
}

// Functions that are not simple words, each once.
void settle(trace::MergedProgram& program) {
  const bool is_single = program.ranks().size() == 1;
  trace::RankTable left;
  const auto settle_word = [&](Word& word, bool is_root) {
    const bool is_column =
        word.form == Word::Form::kColumnByRank || word.form == Word::Form::kRelativeColumnByRank;
    if (word.form != Word::Form::kByRank && !is_column) return;
    trace::RankFunction function = program.table.functions[static_cast<std::size_t>(word.value)];
    const Word simple = settled(function, is_root, is_single);
    if (!is_column && simple.form != Word::Form::kByRank) {
      word = simple;
      return;
    }
    word.value = find_or_add(left, std::move(function));
  };
  for (trace::MergedCall& call : program.calls) {
    const trace::Function& function = *trace::find_function(call.call.function);
    for (std::size_t i = 0; i < call.call.words.size(); ++i)
      settle_word(call.call.words[i], is_root_word(function, i));
  }
  for (trace::MergedLoop& loop : program.loops) settle_word(loop.trip_count, true);
  program.table.functions = std::move(left.functions);
}

// Times by the symbols of a class instead of those of the merged program.
void renumber_times(std::vector<trace::PlaceTimes>& times,
                    const std::vector<std::uint32_t>& calls) {
  std::unordered_map<std::uint32_t, std::uint32_t> own;
  for (std::uint32_t i = 0; i < calls.size(); ++i) own[calls[i]] = i;
  for (trace::PlaceTimes& place : times) {
    if (place.before < trace::PlaceTimes::kOther) place.before = own.at(place.before);
    place.call = own.at(place.call);
  }
}

// What all groups are a part of.
struct Whole {
  double computation_ns = 0; // of a rank, in the mean
  std::int64_t ranks = 0;
};

Whole whole_of(const RecordingPart& part) {
  double sum_ns = 0;
  for (const PartClass& c : part.classes) {
    for (const trace::PlaceTimes& place : c.times)
      sum_ns += static_cast<double>(place.computation.sum_ns);
  }
  const std::size_t ranks = std::max<std::size_t>(part.ranks.size(), 1);
  return {sum_ns / static_cast<double>(ranks), static_cast<std::int64_t>(ranks)};
}

// Places of all classes, by the calls of the merged program.
void shorten_courses_of(std::vector<trace::ProjectedClass>& classes) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<trace::RankCourse>*>>
      places;
  for (trace::ProjectedClass& c : classes) {
    const std::vector<std::uint32_t>& calls = c.projection.calls;
    for (trace::PlaceTimes& place : c.projection.program.times) {
      const std::uint32_t before = place.before < calls.size() ? calls[place.before] : place.before;
      if (!place.courses.empty()) places[{before, calls[place.call]}].push_back(&place.courses);
    }
  }
  // Where work moves about, it does so whatever call was before.
  std::set<std::uint32_t> unlike;
  for (const auto& [calls, courses] : places) {
    if (have_paces(courses)) unlike.insert(calls.second);
  }
  std::vector<std::vector<std::vector<trace::RankCourse>*>> all;
  for (auto& [calls, courses] : places) {
    if (!unlike.contains(calls.second)) shorten_courses(courses);
    all.push_back(std::move(courses));
  }
  keep_to_room(std::move(all));
}

void resolve_group(Group& group, const Whole& whole, trace::Trace& result) {
  std::vector<std::vector<trace::PlaceTimes>> times;
  for (std::size_t i = 0; i < group.classes.size(); ++i)
    times.push_back(translated_times(*group.classes[i], group.shape, i));
  std::vector<const PartClass*> classes(group.classes.begin(), group.classes.end());
  trace::MergedProgram program = assembled(classes, group.shape);
  settle(program);
  share_columns(program);
  auto merged = std::make_shared<const trace::MergedProgram>(std::move(program));
  std::vector<trace::ProjectedClass> projected = trace::classes_of(*merged);
  for (trace::ProjectedClass& c : projected) {
    trace::Program& own = c.projection.program;
    RankSet timed;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const RankSet& ranks = classes[i]->program.ranks();
      if (!c.ranks.contains(ranks.front())) continue;
      renumber_times(times[i], c.projection.calls);
      add_times(own.times, timed, std::move(times[i]), ranks);
      timed.add(ranks);
    }
    for (trace::PlaceTimes& place : own.times) drop_surplus_ranks(place.courses, whole.ranks);
    drop_dull_courses(own.times, whole.computation_ns);
  }
  shorten_courses_of(projected);
  for (trace::ProjectedClass& c : projected) {
    result.classes.push_back({c.ranks, merged->thread,
                              std::make_shared<trace::Program>(std::move(c.projection.program)),
                              result.programs.size(), std::move(c.projection.calls)});
  }
  result.programs.push_back(std::move(merged));
}

} // namespace

PartClass class_of_stream(std::int64_t rank, std::uint32_t thread, StreamProgram&& stream,
                          const std::vector<bool>& has_column) {
  using Form = Word::Form;
  PartClass result;
  trace::MergedProgram& program = result.program;
  program.thread = thread;
  program.table.sets.push_back(RankSet::of({rank}));
  program.columns = std::move(stream.program.columns);
  program.arrays = std::move(stream.program.arrays);
  program.texts = std::move(stream.program.texts);
  std::size_t next = 0;
  program.calls.reserve(stream.program.calls.size());
  for (trace::Call& call : stream.program.calls) {
    for_each_open_peer(call, [&](std::size_t word, bool) {
      call.words[word] = {Form::kByRank, static_cast<std::int64_t>(next)};
      program.table.functions.push_back(function_of(stream.peers[next++]));
    });
    program.calls.push_back({std::move(call), 0});
  }
  const trace::Nest& nest = stream.program.nest;
  LoopOrder order(nest);
  program.top = order.renumbered(nest.top());
  std::vector<std::vector<Term>> bodies = order.take_bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::uint32_t number = order.order()[i];
    const trace::Column& counts = nest.loops()[number].trip_counts;
    Word count{Form::kColumn, static_cast<std::int64_t>(program.columns.size())};
    const auto constant = counts.constant();
    if (constant && (number >= has_column.size() || !has_column[number])) {
      count = {Form::kConstant, *constant};
    } else {
      program.columns.push_back(counts);
    }
    program.loops.push_back({std::move(bodies[i]), count, 0});
  }
  result.times = std::move(stream.program.times);
  double computation_ns = 0;
  for (trace::PlaceTimes& place : result.times) {
    place.means = {{trace::mean_code(place.computation), trace::mean_code(place.inside)}};
    for (trace::RankCourse& own : place.courses) own.rank = rank;
    computation_ns += static_cast<double>(place.computation.sum_ns);
  }
  drop_dull_courses(result.times, computation_ns);
  return result;
}

void merge(RecordingPart& into, RecordingPart&& from, bool shares) {
  const std::vector<std::uint32_t> number = merge_sites(into.tables.sites, from.tables.sites);
  for (auto& [rank, facts] : from.ranks) {
    if (facts.ending->function == 0) continue;
    trace::RankEnding& ending = facts.ending.edit();
    ending.site = number[ending.site];
  }
  MergedTables(into.tables).add(std::move(from.tables));
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_thread;
  for (std::size_t i = 0; i < into.classes.size(); ++i)
    of_thread[into.classes[i].program.thread].push_back(i);
  for (PartClass& added : from.classes) {
    for (trace::MergedCall& call : added.program.calls) call.call.site = number[call.call.site];
    std::vector<std::size_t>& alike = of_thread[added.program.thread];
    const bool merged = shares && std::any_of(alike.begin(), alike.end(), [&](std::size_t known) {
                          return merge_class(into.classes[known], added);
                        });
    if (merged) continue;
    alike.push_back(into.classes.size());
    into.classes.push_back(std::move(added));
  }
  into.ranks.insert(into.ranks.end(), std::make_move_iterator(from.ranks.begin()),
                    std::make_move_iterator(from.ranks.end()));
  into.stamps.insert(into.stamps.end(), std::make_move_iterator(from.stamps.begin()),
                     std::make_move_iterator(from.stamps.end()));
  if (into.run.notes.find(from.run.notes) == std::string::npos) {
    into.run.notes += (into.run.notes.empty() ? "" : "; ") + from.run.notes;
  }
  into.run.thread_level = std::max(into.run.thread_level, from.run.thread_level);
  into.run.complete = into.run.complete && from.run.complete;
}

trace::Trace resolve(RecordingPart&& part, bool shares) {
  resolve_clocks(part);
  trace::Trace result = std::move(part.tables);
  result.run = std::move(part.run);
  const Whole whole = whole_of(part);
  std::vector<Group> groups = shares ? grouped(part.classes) : apart(part.classes);
  for (Group& group : groups) resolve_group(group, whole, result);
  trace::sort_classes(result);
  result.stamps = std::move(part.stamps);
  std::sort(result.stamps.begin(), result.stamps.end(),
            [](const trace::TimeStamps& a, const trace::TimeStamps& b) {
              return std::pair(a.rank, a.thread) < std::pair(b.rank, b.thread);
            });
  std::int64_t ranks = std::max<std::int64_t>(result.run.ranks, 0);
  for (const auto& [rank, facts] : part.ranks) ranks = std::max(ranks, rank + 1);
  result.ranks.resize(static_cast<std::size_t>(ranks));
  std::vector<bool> is_heard(result.ranks.size());
  for (auto& [rank, facts] : part.ranks) {
    result.ranks[static_cast<std::size_t>(rank)] = std::move(facts);
    is_heard[static_cast<std::size_t>(rank)] = true;
  }
  for (std::size_t rank = 0; rank < is_heard.size(); ++rank)
    if (!is_heard[rank]) result.ranks[rank].ending.edit().kind = trace::Ending::kUnheard;
  const bool has_times =
      !result.stamps.empty() ||
      std::any_of(result.classes.begin(), result.classes.end(),
                  [](const trace::RankClass& c) { return !c.program->times.empty(); });
  if (!has_times) trace::drop_times(result);
  return result;
}

} // namespace rondo::fold
