// SPDX-License-Identifier: Apache-2.0
// In the graph of a text's statements, sequences that come again are replaced by calls, longest
// first. Sequences that differ in values only are one with parameters.
#include "rondo/logical/procedures.hpp"

#include "logical/procedures/line_counts.hpp"
#include "logical/procedures/procedure_calls.hpp"
#include "logical/procedures/statement_graph.hpp"
#include "logical/procedures/value_slots.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace rondo::logical {
namespace {

using internal::Parameters;
using internal::StatementGraph;

constexpr std::array<std::size_t, 16> kLengths = {256, 192, 128, 96, 64, 48, 32, 24,
                                                  16,  12,  8,   6,  4,  3,  2,  1};
// Lines that a procedure saves, its own counted. What is worth little first can stand in the way of
// what is worth more: which is the shorter text is known when both are written.
constexpr std::array<std::int64_t, 4> kWorthAProcedure = {4, 2, 1, 3};
// Arguments of calls that are as much to read as a line.
constexpr std::array<std::int64_t, 3> kArguments = {4, 8, 1};
constexpr int kMostLevels = 16;
constexpr std::uint32_t kNone = StatementGraph::kNone;

// Places by the hash of what begins there, in the order in which they were added. Most hashes come
// once: a table takes a fraction of what sorting them would.
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

struct Repeat {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  std::int64_t saved = 0; // without parameters
};

// Places that are calls of one procedure.
struct Calls {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  Parameters parameters;
};

class Factoring {
public:
  /// @param text   its statements are in the graph
  /// @param roots  lists of its parts
  /// @param longest_first  else those that save most; neither is the better one for all programs
  /// @param worth          lines that a procedure has to save
  /// @param arguments      of calls, that count as a line
  Factoring(LogicalText text, StatementGraph graph, const std::vector<std::uint32_t>& roots,
            bool longest_first, std::int64_t worth, std::int64_t arguments)
      : text_(std::move(text)), longest_first_(longest_first), worth_(worth), arguments_(arguments),
        graph_(std::move(graph)), roots_(roots) {}

  LogicalText run() {
    for (int level = 0; level < kMostLevels && replace_repeats(); ++level) {
    }
    for (std::size_t i = 0; i < roots_.size(); ++i)
      text_.parts[i].statements = graph_.statements_of(roots_[i], text_);
    return internal::without_poor_procedures(std::move(text_));
  }

private:
  // All lists that are left, behind one another, each with an end.
  struct Flat {
    std::vector<std::uint32_t> nodes; // kNone: an end, or what stays where it is
    std::vector<std::uint32_t> shapes; // likewise
    std::vector<std::uint32_t> lists;
    std::vector<std::size_t> at; // in its list
    std::vector<std::int64_t> lines; // up to here
    std::vector<char> taken;
  };

  void reach(std::uint32_t list, std::vector<char>& seen) {
    if (seen[list] != 0) return;
    seen[list] = 1;
    const std::vector<std::uint32_t>& nodes = graph_.list(list);
    for (std::size_t i = 0; i <= nodes.size(); ++i) {
      const std::uint32_t node = i < nodes.size() ? nodes[i] : kNone;
      const bool stays = node == kNone || std::holds_alternative<PhaseStatement>(
                                              graph_.nodes()[node].head->statement.is);
      flat_.lines.push_back(flat_.lines.back() + (stays ? 0 : graph_.lines(node)));
      flat_.nodes.push_back(stays ? kNone : node);
      flat_.shapes.push_back(stays ? kNone : graph_.shape(node));
      flat_.lists.push_back(list);
      flat_.at.push_back(i);
    }
    for (const std::uint32_t node : nodes) {
      if (graph_.nodes()[node].list != kNone) reach(graph_.nodes()[node].list, seen);
    }
  }

  // One level: what is replaced is searched again the next time, and so are the procedures.
  bool replace_repeats() {
    graph_.measure();
    flat_ = {};
    flat_.lines.push_back(0);
    std::vector<char> seen(graph_.lists(), 0);
    for (const std::uint32_t root : roots_) reach(root, seen);
    for (const StatementGraph::Body& body : graph_.procedures()) reach(body.list, seen);
    flat_.taken.assign(flat_.nodes.size(), 0);
    std::map<std::uint32_t, std::map<std::size_t, std::pair<std::size_t, std::uint32_t>>> changes;
    for (Repeat& repeat : all_repeats()) {
      for (const Calls& calls : settle(repeat)) {
        const std::uint32_t procedure = procedure_of(calls);
        for (std::size_t i = 0; i < calls.begins.size(); ++i) {
          const std::size_t begin = calls.begins[i];
          changes[flat_.lists[begin]][flat_.at[begin]] = {
              calls.length, graph_.add_call(procedure, calls.parameters.arguments[i])};
        }
      }
    }
    for (const auto& [list, of_list] : changes) replace(graph_.list(list), of_list);
    return !changes.empty();
  }

  std::int64_t saved_by(std::size_t first, std::size_t length, std::size_t places,
                        std::size_t parameters) const {
    const std::int64_t own = flat_.lines[first + length] - flat_.lines[first];
    const auto count = static_cast<std::int64_t>(places);
    const std::int64_t arguments = count * static_cast<std::int64_t>(parameters);
    return own * (count - 1) - count - 1 - (arguments + arguments_ - 1) / arguments_;
  }

  // Of all lengths, in the order in which they are tried.
  std::vector<Repeat> all_repeats() const {
    std::vector<Repeat> repeats;
    for (const std::size_t length : kLengths) {
      std::vector<Repeat> of_length = repeats_of(length);
      std::move(of_length.begin(), of_length.end(), std::back_inserter(repeats));
    }
    if (!longest_first_) {
      sort_stably(repeats.begin(), repeats.end(),
                  [](const Repeat& a, const Repeat& b) { return a.saved > b.saved; });
    }
    return repeats;
  }

  // Sequences of one length whose shapes come again.
  std::vector<Repeat> repeats_of(std::size_t length) const {
    SameHashes begins(flat_.shapes.size());
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    std::uint64_t highest = 1;
    for (std::size_t i = 1; i < length; ++i) highest *= kFactor;
    std::uint64_t hash = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < flat_.shapes.size(); ++i) {
      if (flat_.shapes[i] == kNone || flat_.taken[i] != 0) {
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
      if (saved >= worth_) repeats.push_back({length, begins.all_from(first, count), saved});
    });
    sort_stably(repeats.begin(), repeats.end(), [](const Repeat& a, const Repeat& b) {
      return std::pair(-a.saved, a.begins.front()) < std::pair(-b.saved, b.begins.front());
    });
    return repeats;
  }

  bool is_free(std::size_t begin, std::size_t length) const {
    const auto first = flat_.taken.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::none_of(first, first + static_cast<std::ptrdiff_t>(length),
                        [](char one) { return one != 0; });
  }

  // Leaves places that are taken or overlap, goes on as far as all places agree, takes them.
  std::vector<Calls> settle(Repeat& repeat) {
    std::vector<std::size_t> kept;
    const auto shapes = [&](std::size_t begin) {
      return std::span(flat_.shapes).subspan(begin, repeat.length);
    };
    for (const std::size_t begin : repeat.begins) {
      const bool overlaps = !kept.empty() && begin < kept.back() + repeat.length;
      if (overlaps || !is_free(begin, repeat.length)) continue;
      if (kept.empty() || std::ranges::equal(shapes(begin), shapes(kept.front())))
        kept.push_back(begin);
    }
    repeat.begins = std::move(kept);
    if (saved_by(repeat.begins.empty() ? 0 : repeat.begins.front(), repeat.length,
                 repeat.begins.size(), 0) < worth_)
      return {};
    const std::size_t length = repeat.length;
    while (can_grow(repeat)) ++repeat.length;
    std::vector<Calls> calls = with_few_parameters(repeat);
    if (calls.empty() && repeat.length > length) {
      repeat.length = length;
      calls = with_few_parameters(repeat);
    }
    for (const Calls& one : calls) {
      for (const std::size_t begin : one.begins)
        std::fill_n(flat_.taken.begin() + static_cast<std::ptrdiff_t>(begin), one.length, 1);
    }
    return calls;
  }

  bool can_grow(const Repeat& repeat) const {
    if (repeat.begins.size() < 2) return false;
    const std::uint32_t next = flat_.shapes[repeat.begins.front() + repeat.length];
    for (std::size_t i = 0; i < repeat.begins.size(); ++i) {
      const std::size_t end = repeat.begins[i] + repeat.length;
      const bool meets = i + 1 < repeat.begins.size() && repeat.begins[i + 1] == end;
      if (next == kNone || flat_.shapes[end] != next || flat_.taken[end] != 0 || meets)
        return false;
    }
    return true;
  }

  internal::ValuesAt values_at(std::size_t begin, std::size_t length,
                               std::vector<std::string>* names = nullptr) const {
    internal::ValuesAt values;
    for (std::size_t i = begin; i < begin + length; ++i)
      graph_.add_values(flat_.nodes[i], values, names);
    return values;
  }

  // Places that take too many parameters together are several procedures, where these are worth it.
  std::vector<Calls> with_few_parameters(const Repeat& repeat) const {
    constexpr std::size_t kMostSets = 8;
    std::vector<std::string> names;
    values_at(repeat.begins.front(), repeat.length, &names);
    struct Set {
      std::vector<std::size_t> begins;
      std::vector<internal::ValuesAt> values; // of them
      internal::ParameterFit fit;
    };
    std::vector<Set> sets;
    for (const std::size_t begin : repeat.begins) {
      internal::ValuesAt values = values_at(begin, repeat.length);
      const auto into =
          std::find_if(sets.begin(), sets.end(), [&](Set& set) { return set.fit.add(values); });
      if (into != sets.end()) {
        into->begins.push_back(begin);
        into->values.push_back(std::move(values));
      } else if (sets.size() < kMostSets) {
        sets.push_back({{begin}, {values}, internal::ParameterFit(values, names)});
      }
    }
    std::vector<Calls> result;
    for (Set& set : sets) {
      if (set.begins.size() < 2) continue;
      auto parameters = internal::parameters_of(set.values, names);
      if (!parameters || saved_by(set.begins.front(), repeat.length, set.begins.size(),
                                  parameters->names.size()) < worth_)
        continue;
      result.push_back({repeat.length, std::move(set.begins), std::move(*parameters)});
    }
    return result;
  }

  std::uint32_t procedure_of(const Calls& calls) {
    std::span<const std::string> values(calls.parameters.values);
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < calls.length; ++i) {
      std::vector<std::uint32_t> nodes;
      for (const std::size_t begin : calls.begins) nodes.push_back(flat_.nodes[begin + i]);
      list.push_back(graph_.add_common(nodes, values));
    }
    return graph_.add_procedure(std::move(list), calls.parameters.names);
  }

  static void replace(std::vector<std::uint32_t>& list,
                      const std::map<std::size_t, std::pair<std::size_t, std::uint32_t>>& changes) {
    std::vector<std::uint32_t> result;
    std::size_t from = 0;
    for (const auto& [at, change] : changes) {
      result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(from),
                    list.begin() + static_cast<std::ptrdiff_t>(at));
      result.push_back(change.second);
      from = at + change.first;
    }
    result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(from), list.end());
    list = std::move(result);
  }

  LogicalText text_;
  bool longest_first_;
  std::int64_t worth_;
  std::int64_t arguments_;
  StatementGraph graph_;
  const std::vector<std::uint32_t>& roots_;
  Flat flat_;
};

std::uint64_t lines_written(const std::vector<Statement>& statements) {
  std::uint64_t lines = 0;
  for (const Statement& statement : statements) {
    ++lines;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      lines += lines_written(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      lines += lines_written(guard->body);
  }
  return lines;
}

} // namespace

LogicalText with_procedures(LogicalText text) {
  constexpr std::uint64_t kWorthMoreRecords = 20; // lines
  constexpr std::size_t kTriedInAllWays = 1000; // records: what is longer would take long
  // A '$' in a name of the program's own would read like a parameter.
  if (logical_text(text).find('$') != std::string::npos) return text;
  StatementGraph graph;
  std::vector<std::uint32_t> roots;
  LogicalText frame = text; // without statements
  for (LogicalText::Part& part : frame.parts) {
    roots.push_back(graph.add_list(part.statements));
    part.statements.clear();
  }
  graph.end_lists();
  std::optional<LogicalText> best;
  std::size_t least = 0; // of its records
  const std::size_t records = text.records();
  const bool is_long = records > kTriedInAllWays;
  for (const std::int64_t worth : std::span(kWorthAProcedure).first(is_long ? 3 : 4)) {
    for (const std::int64_t arguments : std::span(kArguments).first(is_long ? 1 : 3)) {
      for (const bool longest_first : {true, false}) {
        LogicalText other = Factoring(frame, graph, roots, longest_first, worth, arguments).run();
        const std::size_t of_other = other.records();
        if (best && of_other >= least) continue;
        least = of_other;
        best = std::move(other);
      }
    }
  }
  LogicalText& shorter = *best;
  internal::count_lines(text, shorter);
  if (least <= records) return shorter;
  std::uint64_t lines = 0;
  for (const Procedure& procedure : shorter.procedures)
    lines += 1 + lines_written(procedure.statements);
  for (const LogicalText::Part& part : shorter.parts) lines += lines_written(part.statements);
  return lines + kWorthMoreRecords <= lines_expanded(text) ? std::move(shorter) : std::move(text);
}

} // namespace rondo::logical
