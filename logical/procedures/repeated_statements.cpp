// SPDX-License-Identifier: Apache-2.0
#include "logical/procedures/repeated_statements.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>

namespace rondo::logical::internal {
namespace {

constexpr std::array<std::size_t, 16> kLengths = {256, 192, 128, 96, 64, 48, 32, 24,
                                                  16,  12,  8,   6,  4,  3,  2,  1};
constexpr std::int64_t kLeastWorth = 1; // lines
constexpr std::uint32_t kNone = StatementGraph::kNone;

// Places by the hash of what begins there, in the order in which they were
// added. Most hashes come once: a table takes a fraction of what sorting them
// would.
class SameHashes {
public:
  /// @param places  that there may be
  explicit SameHashes(std::size_t places)
      : slots_(std::bit_ceil(2 * places + 1), 0), next_(places, 0) {}

  void add(std::uint64_t hash, std::size_t place) {
    constexpr std::uint64_t kSpread = 0x94d049bb133111ebU; // the lowest bits of sums are no good
    std::size_t slot = (hash * kSpread >> 32) & (slots_.size() - 1);
    while (slots_[slot] != 0 && groups_[slots_[slot] - 1].hash != hash)
      slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] == 0) {
      groups_.push_back({hash, place, place, 1});
      slots_[slot] = static_cast<std::uint32_t>(groups_.size());
      return;
    }
    Group& group = groups_[slots_[slot] - 1];
    next_[std::exchange(group.last, place)] = static_cast<std::uint32_t>(place);
    ++group.count;
  }

  /// Calls use(first place, how many).
  template <class Use> void for_each(Use use) const {
    for (const Group& group : groups_) use(group.first, group.count);
  }
  std::vector<std::size_t> all_from(std::size_t first, std::size_t count) const {
    std::vector<std::size_t> places = {first};
    while (places.size() < count) places.push_back(next_[places.back()]);
    return places;
  }

private:
  struct Group {
    std::uint64_t hash;
    std::size_t first;
    std::size_t last;
    std::size_t count;
  };
  std::vector<std::uint32_t> slots_; // 0, or 1 + a group
  std::vector<std::uint32_t> next_; // of a place, the next with the same hash
  std::vector<Group> groups_;
};

using Changes = std::map<std::size_t, std::pair<std::size_t, std::uint32_t>>; // length and node

std::vector<std::uint32_t> replaced_in(const std::vector<std::uint32_t>& list,
                                       const Changes& changes) {
  std::vector<std::uint32_t> result;
  std::size_t from = 0;
  for (const auto& [at, change] : changes) {
    result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(from),
                  list.begin() + static_cast<std::ptrdiff_t>(at));
    result.push_back(change.second);
    from = at + change.first;
  }
  result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(from), list.end());
  return result;
}

} // namespace

RepeatedStatements::RepeatedStatements(StatementGraph& graph,
                                       const std::vector<std::uint32_t>& roots)
    : graph_(graph) {
  graph.measure_anew();
  flat_.lines.push_back(0);
  std::vector<char> seen(graph.lists(), 0);
  for (const std::uint32_t root : roots) reach(graph, root, seen);
  for (const StatementGraph::Body& body : graph.procedures()) reach(graph, body.list, seen);
  graph.forget_measures();
  for (const std::size_t length : kLengths) {
    std::vector<Repeat> of_length = repeats_of(length);
    std::move(of_length.begin(), of_length.end(), std::back_inserter(repeats_));
  }
}

void RepeatedStatements::reach(StatementGraph& graph, std::uint32_t list, std::vector<char>& seen) {
  if (seen[list] != 0) return;
  seen[list] = 1;
  const std::vector<std::uint32_t>& nodes = graph_.list(list);
  for (std::size_t i = 0; i <= nodes.size(); ++i) {
    const std::uint32_t node = i < nodes.size() ? nodes[i] : kNone;
    const bool stays = node == kNone || std::holds_alternative<PhaseStatement>(
                                            graph_.nodes()[node].head->statement.is);
    const auto measure = stays ? StatementGraph::Measure{} : graph.measured(node);
    flat_.lines.push_back(flat_.lines.back() + measure.lines);
    flat_.nodes.push_back(stays ? kNone : node);
    flat_.shapes.push_back(measure.shape);
    flat_.lists.push_back(list);
    flat_.at.push_back(i);
  }
  for (const std::uint32_t node : nodes) {
    if (graph_.nodes()[node].list != kNone) reach(graph, graph_.nodes()[node].list, seen);
  }
}

std::int64_t RepeatedStatements::saved_by(std::size_t first, std::size_t length, std::size_t places,
                                          std::size_t parameters) const {
  const std::int64_t own = flat_.lines[first + length] - flat_.lines[first];
  const auto count = static_cast<std::int64_t>(places);
  const std::int64_t arguments = count * static_cast<std::int64_t>(parameters);
  return own * (count - 1) - count - 1 - (arguments + way_.arguments - 1) / way_.arguments;
}

// Sequences of one length whose shapes come again.
std::vector<RepeatedStatements::Repeat> RepeatedStatements::repeats_of(std::size_t length) const {
  SameHashes begins(flat_.shapes.size());
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  std::uint64_t highest = 1;
  for (std::size_t i = 1; i < length; ++i) highest *= kFactor;
  std::uint64_t hash = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < flat_.shapes.size(); ++i) {
    if (flat_.shapes[i] == kNone) {
      run = 0;
      hash = 0;
      continue;
    }
    if (run == length) {
      hash -= highest * (flat_.shapes[i - length] + 1);
      --run;
    }
    hash = hash * kFactor + flat_.shapes[i] + 1;
    if (++run == length) begins.add(hash, i + 1 - length);
  }
  std::vector<Repeat> repeats;
  begins.for_each([&](std::size_t first, std::size_t count) {
    if (count < 2) return;
    const std::int64_t saved = saved_by(first, length, count, 0);
    if (saved < kLeastWorth) return;
    repeats.push_back({length, begins.all_from(first, count), saved});
    Repeat& added = repeats.back();
    added.are_equal =
        std::all_of(added.begins.begin() + 1, added.begins.end(),
                    [&](std::size_t begin) { return are_equal(begin, first, length); });
  });
  sort_stably(repeats.begin(), repeats.end(), [](const Repeat& a, const Repeat& b) {
    return std::pair(-a.saved, a.begins.front()) < std::pair(-b.saved, b.begins.front());
  });
  return repeats;
}

RepeatedStatements::Choice RepeatedStatements::chosen(const Way& way) {
  way_ = way;
  flat_.taken.assign(flat_.nodes.size(), 0);
  std::vector<const Repeat*> order;
  for (const Repeat& repeat : repeats_) {
    if (repeat.saved >= way.worth) order.push_back(&repeat);
  }
  if (!way.longest_first) {
    sort_stably(order.begin(), order.end(),
                [](const Repeat* a, const Repeat* b) { return a->saved > b->saved; });
  }
  Choice choice;
  for (const Repeat* repeat : order) settle(*repeat, choice);
  return choice;
}

bool RepeatedStatements::is_free(std::size_t begin, std::size_t length) const {
  return std::memchr(&flat_.taken[begin], 1, length) == nullptr;
}

bool RepeatedStatements::are_equal(std::size_t a, std::size_t b, std::size_t length) const {
  const std::span<const std::uint32_t> shapes(flat_.shapes);
  return std::ranges::equal(shapes.subspan(a, length), shapes.subspan(b, length));
}

// Leaves places that are taken or overlap, goes on as far as all places
// agree, takes them.
void RepeatedStatements::settle(const Repeat& repeat, Choice& choice) {
  const std::size_t length = settled_.length = repeat.length;
  std::vector<std::size_t>& kept = settled_.begins;
  kept.clear();
  for (const std::size_t begin : repeat.begins) {
    const bool overlaps = !kept.empty() && begin < kept.back() + length;
    if (overlaps || !is_free(begin, length)) continue;
    if (kept.empty() || repeat.are_equal || are_equal(begin, kept.front(), length))
      kept.push_back(begin);
  }
  if (saved_by(kept.empty() ? 0 : kept.front(), length, kept.size(), 0) < way_.worth) return;
  while (can_grow(settled_)) ++settled_.length;
  if (!take(settled_, choice) && settled_.length > length) {
    settled_.length = length;
    take(settled_, choice);
  }
}

// False if nothing of it is worth a procedure.
bool RepeatedStatements::take(const Repeat& repeat, Choice& choice) {
  auto [known, is_new] = known_.try_emplace({repeat.length, repeat.begins});
  if (is_new) known->second = with_few_parameters(repeat);
  bool is_any = false;
  for (const Calls& calls : known->second) {
    if (saved_by(calls.begins.front(), calls.length, calls.begins.size(),
                 calls.parameters.names.size()) < way_.worth)
      continue;
    for (const std::size_t begin : calls.begins)
      std::fill_n(flat_.taken.begin() + static_cast<std::ptrdiff_t>(begin), calls.length, 1);
    choice.push_back(&calls);
    is_any = true;
  }
  return is_any;
}

bool RepeatedStatements::can_grow(const Repeat& repeat) const {
  if (repeat.begins.size() < 2) return false;
  const std::uint32_t next = flat_.shapes[repeat.begins.front() + repeat.length];
  for (std::size_t i = 0; i < repeat.begins.size(); ++i) {
    const std::size_t end = repeat.begins[i] + repeat.length;
    const bool meets = i + 1 < repeat.begins.size() && repeat.begins[i + 1] == end;
    if (next == kNone || flat_.shapes[end] != next || flat_.taken[end] != 0 || meets) return false;
  }
  return true;
}

ValuesAt RepeatedStatements::values_at(std::size_t begin, std::size_t length,
                                       std::vector<std::string>* names) const {
  ValuesAt values;
  for (std::size_t i = begin; i < begin + length; ++i)
    graph_.add_values(flat_.nodes[i], values, names);
  return values;
}

// Places that take too many parameters together are several procedures.
std::vector<Calls> RepeatedStatements::with_few_parameters(const Repeat& repeat) const {
  constexpr std::size_t kMostSets = 8;
  std::vector<std::string> names;
  values_at(repeat.begins.front(), repeat.length, &names);
  const SlotKinds kinds(names);
  struct Set {
    std::vector<std::size_t> begins;
    std::vector<ValuesAt> values; // of them
    ParameterFit fit;
  };
  std::vector<Set> sets;
  for (const std::size_t begin : repeat.begins) {
    ValuesAt values = values_at(begin, repeat.length);
    const auto into =
        std::find_if(sets.begin(), sets.end(), [&](Set& set) { return set.fit.add(values); });
    if (into != sets.end()) {
      into->begins.push_back(begin);
      into->values.push_back(std::move(values));
    } else if (sets.size() < kMostSets) {
      sets.push_back({{begin}, {values}, ParameterFit(graph_.values(), values, kinds)});
    }
  }
  std::vector<Calls> result;
  for (Set& set : sets) {
    if (set.begins.size() < 2) continue;
    auto parameters = parameters_of(graph_.values(), set.values, names);
    if (parameters)
      result.push_back({repeat.length, std::move(set.begins), std::move(*parameters)});
  }
  return result;
}

// What is replaced is searched again on the next level, and so are the
// procedures.
StatementGraph RepeatedStatements::replaced(const Choice& choice) const {
  StatementGraph graph = graph_;
  std::map<std::uint32_t, Changes> changes; // by list
  for (const Calls* calls : choice) {
    const std::uint32_t procedure = add_procedure(graph, *calls);
    for (std::size_t i = 0; i < calls->begins.size(); ++i) {
      const std::size_t begin = calls->begins[i];
      changes[flat_.lists[begin]][flat_.at[begin]] = {
          calls->length, graph.add_call(procedure, calls->parameters.arguments[i])};
    }
  }
  for (const auto& [list, of_list] : changes)
    graph.replace_list(list, replaced_in(graph.list(list), of_list));
  return graph;
}

std::uint32_t RepeatedStatements::add_procedure(StatementGraph& graph, const Calls& calls) const {
  std::span<const std::string> values(calls.parameters.values);
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < calls.length; ++i)
    list.push_back(graph.add_common(flat_.nodes[calls.begins.front() + i], values));
  return graph.add_procedure(std::move(list), calls.parameters.names);
}

} // namespace rondo::logical::internal
