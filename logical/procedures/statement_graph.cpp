// SPDX-License-Identifier: Apache-2.0
#include "logical/procedures/statement_graph.hpp"

namespace rondo::logical::internal {
namespace {

std::string line_of_head(const Statement& head) {
  if (const auto* loop = std::get_if<LoopStatement>(&head.is)) return "loop " + loop->count;
  if (const auto* guard = std::get_if<GuardStatement>(&head.is)) return "if " + guard->condition;
  if (const auto* phase = std::get_if<PhaseStatement>(&head.is))
    return "phase " + std::to_string(phase->number);
  return std::get<CallStatement>(head.is).text();
}

// Of the text as a whole, see line_counts.hpp: nothing here, where statements are copied often.
void forget_counts(CallStatement& call) {
  call.shares = {};
  call.sites = {};
}

} // namespace

std::uint32_t StatementGraph::add_list(const std::vector<Statement>& statements) {
  std::vector<std::uint32_t> list;
  list.reserve(statements.size());
  for (const Statement& statement : statements) list.push_back(node_of(statement));
  const auto [found, is_new] =
      known_lists_.try_emplace(list, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.push_back(std::move(list));
  return found->second;
}

std::uint32_t StatementGraph::node_of(const Statement& statement) {
  std::uint32_t list = kNone;
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    list = add_list(loop->body);
  } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    list = add_list(guard->body);
  }
  const auto [known, is_new] =
      known_nodes_.try_emplace(line_of_head(statement) + "\n" + std::to_string(list), kNone);
  if (!is_new) return known->second;
  std::uint32_t& node = known->second; // stays where it is
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    node = add_node({LoopStatement{loop->count, {}, loop->is_by_rank}}, list);
  } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    node = add_node({GuardStatement{guard->condition, {}}}, list);
  } else {
    Statement head = statement;
    if (auto* call = std::get_if<CallStatement>(&head.is)) forget_counts(*call);
    node = add_node(std::move(head), list);
  }
  return node;
}

void StatementGraph::end_lists() {
  known_nodes_.clear();
  known_lists_.clear();
}

std::uint32_t StatementGraph::add_node(Statement head, std::uint32_t list,
                                       std::uint32_t procedure) {
  auto added = std::make_shared<Head>();
  std::string shape = shape_without_values(head, [&](std::string& value, const std::string& name) {
    added->values.emplace_back(value);
    added->names.push_back(name);
  });
  if (procedure != kNone) shape = "call " + std::to_string(procedure);
  head_shapes_.push_back(
      known_head_shapes_
          ->try_emplace(std::move(shape), static_cast<std::uint32_t>(known_head_shapes_->size()))
          .first->second);
  added->statement = std::move(head);
  nodes_.push_back({std::move(added), list, procedure});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t StatementGraph::add_procedure(std::vector<std::uint32_t> list,
                                            std::vector<std::string> parameters) {
  lists_.push_back(std::move(list));
  procedures_.push_back({static_cast<std::uint32_t>(lists_.size() - 1), std::move(parameters)});
  numbers_.push_back(kNone);
  return static_cast<std::uint32_t>(procedures_.size() - 1);
}

std::uint32_t StatementGraph::add_call(std::uint32_t procedure,
                                       const std::vector<std::string>& arguments) {
  InvokeStatement invoke;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    invoke.arguments.push_back({procedures_[procedure].parameters[i], arguments[i]});
  return add_node({std::move(invoke)}, kNone, procedure);
}

std::uint32_t StatementGraph::add_common(const std::vector<std::uint32_t>& nodes,
                                         std::span<const std::string>& values) {
  const Node node = nodes_[nodes.front()];
  Statement head = node.head->statement;
  for_each_value(head, [&](std::string& value, const std::string&) {
    value = values.front();
    values = values.subspan(1);
  });
  if (node.list != kNone) {
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < lists_[node.list].size(); ++i) {
      std::vector<std::uint32_t> inner;
      for (const std::uint32_t one : nodes) inner.push_back(lists_[nodes_[one].list][i]);
      list.push_back(add_common(inner, values));
    }
    lists_.push_back(std::move(list));
    return add_node(std::move(head), static_cast<std::uint32_t>(lists_.size() - 1), node.procedure);
  }
  return add_node(std::move(head), kNone, node.procedure);
}

void StatementGraph::add_values(std::uint32_t node, ValuesAt& values,
                                std::vector<std::string>* names) const {
  const Head& head = *nodes_[node].head;
  for (const Value& value : head.values) values.push_back(&value);
  if (names != nullptr) names->insert(names->end(), head.names.begin(), head.names.end());
  if (nodes_[node].list == kNone) return;
  for (const std::uint32_t inner : lists_[nodes_[node].list]) add_values(inner, values, names);
}

void StatementGraph::measure() {
  lines_.assign(nodes_.size(), 0);
  shapes_.assign(nodes_.size(), kNone);
  known_shapes_.clear();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) measure(node);
  known_shapes_.clear(); // copies are cheap then
}

void StatementGraph::measure(std::uint32_t node) {
  if (lines_[node] != 0) return;
  lines_[node] = 1;
  std::vector<std::uint32_t> shape{head_shapes_[node]};
  if (nodes_[node].list != kNone) {
    for (const std::uint32_t inner : lists_[nodes_[node].list]) {
      measure(inner);
      lines_[node] += lines_[inner];
      shape.push_back(shapes_[inner]);
    }
  }
  shapes_[node] =
      known_shapes_.try_emplace(std::move(shape), static_cast<std::uint32_t>(known_shapes_.size()))
          .first->second;
}

std::string StatementGraph::name_of(std::uint32_t procedure, LogicalText& text) {
  if (numbers_[procedure] == kNone) {
    std::vector<Statement> body = statements_of(procedures_[procedure].list, text);
    numbers_[procedure] = static_cast<std::uint32_t>(text.procedures.size() + 1);
    text.procedures.push_back({"part_" + std::to_string(numbers_[procedure]),
                               procedures_[procedure].parameters, std::move(body)});
  }
  return "part_" + std::to_string(numbers_[procedure]);
}

std::vector<Statement> StatementGraph::statements_of(std::uint32_t list, LogicalText& text) {
  std::vector<Statement> statements;
  for (const std::uint32_t index : lists_[list]) {
    const Node& node = nodes_[index];
    Statement statement = node.head->statement;
    if (auto* invoke = std::get_if<InvokeStatement>(&statement.is))
      invoke->name = name_of(node.procedure, text);
    if (auto* loop = std::get_if<LoopStatement>(&statement.is))
      loop->body = statements_of(node.list, text);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      guard->body = statements_of(node.list, text);
    statements.push_back(std::move(statement));
  }
  return statements;
}

} // namespace rondo::logical::internal
