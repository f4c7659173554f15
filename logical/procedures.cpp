// SPDX-License-Identifier: Apache-2.0
// A text's statements are put into a graph in which equal ones are one, so that a list that stands
// in several places is searched once. In it, sequences that come again are replaced, longest first.
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace rondo::logical {
namespace {

constexpr std::array<std::size_t, 16> kLengths = {256, 192, 128, 96, 64, 48, 32, 24,
                                                  16,  12,  8,   6,  4,  3,  2,  1};
constexpr std::int64_t kWorthAProcedure = 4; // lines that it saves, its own counted
constexpr int kMostLevels = 16;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Node {
  Statement head; // without its body
  std::uint32_t list = kNone; // its body
  std::uint32_t procedure = kNone; // that it calls
  double before_ns = 0; // of all executions together
};

struct Repeat {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  std::int64_t saved = 0;
};

class Factoring {
public:
  explicit Factoring(LogicalText text) : text_(std::move(text)) {
    for (LogicalText::Part& part : text_.parts) roots_.push_back(list_of(part.statements));
  }

  LogicalText run() {
    for (int level = 0; level < kMostLevels && replace_repeats(); ++level) {
    }
    numbers_.assign(procedures_.size(), kNone);
    for (std::size_t i = 0; i < roots_.size(); ++i)
      text_.parts[i].statements = statements_of(roots_[i]);
    return std::move(text_);
  }

private:
  std::uint32_t list_of(const std::vector<Statement>& statements) {
    std::vector<std::uint32_t> list;
    list.reserve(statements.size());
    for (const Statement& statement : statements) list.push_back(node_of(statement));
    const auto [found, is_new] =
        known_lists_.try_emplace(list, static_cast<std::uint32_t>(lists_.size()));
    if (is_new) lists_.push_back(std::move(list));
    return found->second;
  }

  std::uint32_t node_of(const Statement& statement) {
    Node node;
    std::string key;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      node = {{LoopStatement{loop->count, {}, loop->is_by_rank}}, list_of(loop->body)};
      key = "loop " + loop->count;
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      node = {{GuardStatement{guard->condition, {}}}, list_of(guard->body)};
      key = "if " + guard->condition;
    } else if (const auto* phase = std::get_if<PhaseStatement>(&statement.is)) {
      node = {statement};
      key = "phase " + std::to_string(phase->number);
    } else {
      node = {statement};
      key = std::get<CallStatement>(statement.is).text();
    }
    key += "\n" + std::to_string(node.list);
    const auto [found, is_new] =
        known_nodes_.try_emplace(std::move(key), static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back(std::move(node));
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      add_executions(std::get<CallStatement>(nodes_[found->second].head.is), *call);
    }
    return found->second;
  }

  // The time before it is the mean of all places, and it has the sites of all.
  static void add_executions(CallStatement& into, const CallStatement& call) {
    const auto weight = [](const CallStatement& of) {
      return static_cast<double>(std::max<std::uint64_t>(of.executions, 1));
    };
    into.before_ns = (into.before_ns * weight(into) + call.before_ns * weight(call)) /
                     (weight(into) + weight(call));
    into.executions += call.executions;
    std::vector<std::uint32_t> sites;
    std::ranges::set_union(into.sites, call.sites, std::back_inserter(sites));
    into.sites = std::move(sites);
  }

  // All lists that are left, behind one another, each with an end.
  struct Flat {
    std::vector<std::uint32_t> nodes; // kNone: an end, or what stays where it is
    std::vector<std::uint32_t> lists;
    std::vector<std::size_t> at; // in its list
    std::vector<std::int64_t> lines; // up to here
  };

  void reach(std::uint32_t list, std::vector<char>& seen, Flat& flat) const {
    if (seen[list] != 0) return;
    seen[list] = 1;
    for (std::size_t i = 0; i <= lists_[list].size(); ++i) {
      const std::uint32_t node = i < lists_[list].size() ? lists_[list][i] : kNone;
      const bool stays =
          node == kNone || std::holds_alternative<PhaseStatement>(nodes_[node].head.is);
      flat.lines.push_back(flat.lines.back() + (stays ? 0 : lines_[node]));
      flat.nodes.push_back(stays ? kNone : node);
      flat.lists.push_back(list);
      flat.at.push_back(i);
    }
    for (const std::uint32_t node : lists_[list]) {
      if (nodes_[node].list != kNone) reach(nodes_[node].list, seen, flat);
    }
  }

  std::int64_t lines_of(std::uint32_t node) {
    if (lines_[node] != 0) return lines_[node];
    std::int64_t lines = 1;
    if (nodes_[node].list != kNone) {
      for (const std::uint32_t inner : lists_[nodes_[node].list]) lines += lines_of(inner);
    }
    return lines_[node] = lines;
  }

  // One level: what is replaced is searched again the next time, and so are the procedures.
  bool replace_repeats() {
    lines_.assign(nodes_.size(), 0);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) lines_of(node);
    Flat flat;
    flat.lines.push_back(0);
    std::vector<char> seen(lists_.size(), 0);
    for (const std::uint32_t root : roots_) reach(root, seen, flat);
    for (const std::uint32_t body : procedures_) reach(body, seen, flat);
    std::vector<char> taken(flat.nodes.size(), 0);
    std::map<std::uint32_t, std::map<std::size_t, std::pair<std::size_t, std::uint32_t>>> changes;
    for (const std::size_t length : kLengths) {
      for (Repeat& repeat : repeats_of(flat, taken, length)) {
        if (!settle(flat, taken, repeat)) continue;
        const std::uint32_t call = procedure_of(flat, repeat);
        for (const std::size_t begin : repeat.begins)
          changes[flat.lists[begin]][flat.at[begin]] = {repeat.length, call};
      }
    }
    for (const auto& [list, of_list] : changes) replace(lists_[list], of_list);
    return !changes.empty();
  }

  static std::int64_t saved_by(const Flat& flat, const Repeat& repeat) {
    const std::size_t first = repeat.begins.front();
    const std::int64_t own = flat.lines[first + repeat.length] - flat.lines[first];
    const auto count = static_cast<std::int64_t>(repeat.begins.size());
    return own * (count - 1) - count - 1;
  }

  // Sequences of one length that come again, those that save most first.
  static std::vector<Repeat> repeats_of(const Flat& flat, const std::vector<char>& taken,
                                        std::size_t length) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash;
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    std::uint64_t highest = 1;
    for (std::size_t i = 1; i < length; ++i) highest *= kFactor;
    std::uint64_t hash = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < flat.nodes.size(); ++i) {
      if (flat.nodes[i] == kNone || taken[i] != 0) {
        run = 0;
        hash = 0;
        continue;
      }
      if (run == length) {
        hash -= highest * (flat.nodes[i - length] + 1);
        --run;
      }
      hash = hash * kFactor + flat.nodes[i] + 1;
      if (++run == length) by_hash[hash].push_back(i + 1 - length);
    }
    std::vector<Repeat> repeats;
    for (auto& [key, begins] : by_hash) {
      if (begins.size() < 2) continue;
      Repeat repeat{length, std::move(begins), 0};
      repeat.saved = saved_by(flat, repeat);
      if (repeat.saved >= kWorthAProcedure) repeats.push_back(std::move(repeat));
    }
    std::sort(repeats.begin(), repeats.end(), [](const Repeat& a, const Repeat& b) {
      return std::pair(-a.saved, a.begins.front()) < std::pair(-b.saved, b.begins.front());
    });
    return repeats;
  }

  static bool is_free(const std::vector<char>& taken, std::size_t begin, std::size_t length) {
    return std::none_of(taken.begin() + static_cast<std::ptrdiff_t>(begin),
                        taken.begin() + static_cast<std::ptrdiff_t>(begin + length),
                        [](char one) { return one != 0; });
  }

  // Leaves places that are taken or overlap, goes on as far as all places agree, takes them.
  static bool settle(const Flat& flat, std::vector<char>& taken, Repeat& repeat) {
    std::vector<std::size_t> kept;
    const auto nodes = [&](std::size_t begin) {
      return std::span(flat.nodes).subspan(begin, repeat.length);
    };
    for (const std::size_t begin : repeat.begins) {
      const bool overlaps = !kept.empty() && begin < kept.back() + repeat.length;
      if (overlaps || !is_free(taken, begin, repeat.length)) continue;
      if (kept.empty() || std::ranges::equal(nodes(begin), nodes(kept.front())))
        kept.push_back(begin);
    }
    repeat.begins = std::move(kept);
    if (repeat.begins.size() < 2) return false;
    while (can_grow(flat, taken, repeat)) ++repeat.length;
    if (saved_by(flat, repeat) < kWorthAProcedure) return false;
    for (const std::size_t begin : repeat.begins)
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(begin), repeat.length, 1);
    return true;
  }

  static bool can_grow(const Flat& flat, const std::vector<char>& taken, const Repeat& repeat) {
    const std::uint32_t next = flat.nodes[repeat.begins.front() + repeat.length];
    for (std::size_t i = 0; i < repeat.begins.size(); ++i) {
      const std::size_t end = repeat.begins[i] + repeat.length;
      const bool meets = i + 1 < repeat.begins.size() && repeat.begins[i + 1] == end;
      if (next == kNone || flat.nodes[end] != next || taken[end] != 0 || meets) return false;
    }
    return true;
  }

  // The node that calls it. One whose whole body is one of the places is it already.
  std::uint32_t procedure_of(const Flat& flat, Repeat& repeat) {
    for (auto begin = repeat.begins.begin(); begin != repeat.begins.end(); ++begin) {
      const std::uint32_t list = flat.lists[*begin];
      const auto known = call_of_body_.find(list);
      if (known == call_of_body_.end() || lists_[list].size() != repeat.length) continue;
      repeat.begins.erase(begin);
      return known->second;
    }
    return add_procedure(flat, repeat);
  }

  std::uint32_t add_procedure(const Flat& flat, const Repeat& repeat) {
    const auto first = flat.nodes.begin() + static_cast<std::ptrdiff_t>(repeat.begins.front());
    lists_.emplace_back(first, first + static_cast<std::ptrdiff_t>(repeat.length));
    Node node;
    node.head = {InvokeStatement{}};
    node.procedure = static_cast<std::uint32_t>(procedures_.size());
    procedures_.push_back(static_cast<std::uint32_t>(lists_.size() - 1));
    nodes_.push_back(std::move(node));
    const auto call = static_cast<std::uint32_t>(nodes_.size() - 1);
    call_of_body_.emplace(procedures_.back(), call);
    return call;
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

  // Procedures come into the text when they are first called, behind those that they call.
  std::string name_of(std::uint32_t procedure) {
    if (numbers_[procedure] == kNone) {
      std::vector<Statement> body = statements_of(procedures_[procedure]);
      numbers_[procedure] = static_cast<std::uint32_t>(text_.procedures.size() + 1);
      text_.procedures.push_back({"part_" + std::to_string(numbers_[procedure]), std::move(body)});
    }
    return "part_" + std::to_string(numbers_[procedure]);
  }

  std::vector<Statement> statements_of(std::uint32_t list) {
    std::vector<Statement> statements;
    for (const std::uint32_t index : lists_[list]) {
      const Node& node = nodes_[index];
      Statement statement = node.head;
      if (node.procedure != kNone) statement = {InvokeStatement{name_of(node.procedure)}};
      if (auto* loop = std::get_if<LoopStatement>(&statement.is))
        loop->body = statements_of(node.list);
      if (auto* guard = std::get_if<GuardStatement>(&statement.is))
        guard->body = statements_of(node.list);
      statements.push_back(std::move(statement));
    }
    return statements;
  }

  LogicalText text_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<std::uint32_t> roots_; // lists of the parts
  std::vector<std::uint32_t> procedures_; // lists of their bodies
  std::map<std::uint32_t, std::uint32_t> call_of_body_; // list of a procedure -> node
  std::vector<std::uint32_t> numbers_; // of the procedures in the text
  std::vector<std::int64_t> lines_; // of the nodes
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_lists_;
  std::unordered_map<std::string, std::uint32_t> known_nodes_;
};

class Expander {
public:
  explicit Expander(const LogicalText& text) {
    for (const Procedure& procedure : text.procedures)
      bodies_.emplace(procedure.name, body(procedure.statements));
  }

  std::vector<Statement> body(const std::vector<Statement>& statements) const {
    std::vector<Statement> result;
    for (const Statement& statement : statements) {
      if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
        const std::vector<Statement>& all = bodies_.at(invoke->name);
        result.insert(result.end(), all.begin(), all.end());
        continue;
      }
      result.push_back(statement);
      if (auto* loop = std::get_if<LoopStatement>(&result.back().is)) loop->body = body(loop->body);
      if (auto* guard = std::get_if<GuardStatement>(&result.back().is))
        guard->body = body(guard->body);
    }
    return result;
  }

private:
  std::unordered_map<std::string, std::vector<Statement>> bodies_;
};

class LineCounter {
public:
  explicit LineCounter(const LogicalText& text) {
    for (const Procedure& procedure : text.procedures)
      lines_[procedure.name] = of(procedure.statements);
  }

  // Stays at kMost, so that texts of procedures that double do not overflow.
  std::uint64_t of(const std::vector<Statement>& statements) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    std::uint64_t lines = 0;
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        lines += 1 + of(loop->body);
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        lines += 1 + of(guard->body);
      } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
        lines += lines_.at(invoke->name);
      } else {
        ++lines;
      }
      lines = std::min(lines, kMost);
    }
    return lines;
  }

private:
  std::unordered_map<std::string, std::uint64_t> lines_;
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
  LogicalText shorter = Factoring(text).run();
  if (shorter.records() <= text.records()) return shorter;
  std::uint64_t lines = 0;
  for (const Procedure& procedure : shorter.procedures)
    lines += 1 + lines_written(procedure.statements);
  for (const LogicalText::Part& part : shorter.parts) lines += lines_written(part.statements);
  return lines + kWorthMoreRecords <= lines_expanded(text) ? std::move(shorter) : std::move(text);
}

std::uint64_t lines_expanded(const LogicalText& text) {
  const LineCounter counter(text);
  std::uint64_t lines = 0;
  for (const LogicalText::Part& part : text.parts) lines += counter.of(part.statements);
  for (const Procedure& procedure : text.procedures)
    lines = std::max(lines, counter.of(procedure.statements));
  return lines;
}

LogicalText expanded(const LogicalText& text) {
  if (text.procedures.empty()) return text;
  const Expander expander(text);
  LogicalText result = text;
  result.procedures.clear();
  for (LogicalText::Part& part : result.parts) part.statements = expander.body(part.statements);
  return result;
}

} // namespace rondo::logical
