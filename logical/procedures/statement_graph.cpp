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
  if (is_new) add_new_list(std::move(list));
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
    node = add_node(head_of({LoopStatement{loop->count, {}, loop->is_by_rank}}), list);
  } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    node = add_node(head_of({GuardStatement{guard->condition, {}}}), list);
  } else {
    Statement head = statement;
    if (auto* call = std::get_if<CallStatement>(&head.is)) forget_counts(*call);
    node = add_node(head_of(std::move(head)), list);
  }
  return node;
}

void StatementGraph::end_lists() {
  known_nodes_.clear();
  known_lists_.clear();
}

const StatementGraph::Head* StatementGraph::head_of(Statement statement, std::uint32_t procedure) {
  Head head;
  std::string shape =
      shape_without_values(statement, [&](std::string& value, const std::string& name) {
        head.values.push_back(shared_->values.number_of(value));
        head.names.push_back(name);
      });
  if (procedure != kNone) shape = "call " + std::to_string(procedure);
  const auto number = static_cast<std::uint32_t>(shared_->shapes.size());
  head.shape = shared_->shapes.try_emplace(std::move(shape), number).first->second;
  head.statement = std::move(statement);
  return &shared_->heads.emplace_back(std::move(head));
}

// The same values are put into a head in many ways of choosing procedures.
const StatementGraph::Head* StatementGraph::with_values(const Head* head,
                                                        std::span<const std::string>& values,
                                                        std::uint32_t procedure) {
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(head));
  for (const std::string& value : values.first(head->values.size())) key += '\n' + value;
  const auto [known, is_new] = shared_->common.try_emplace(std::move(key), nullptr);
  if (!is_new) {
    values = values.subspan(head->values.size());
    return known->second;
  }
  Statement statement = head->statement;
  for_each_value(statement, [&](std::string& value, const std::string&) {
    value = values.front();
    values = values.subspan(1);
  });
  return known->second = head_of(std::move(statement), procedure);
}

std::uint32_t StatementGraph::add_node(const Head* head, std::uint32_t list,
                                       std::uint32_t procedure) {
  nodes_.push_back({head, list, procedure});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t StatementGraph::add_new_list(std::vector<std::uint32_t> list) {
  lists_.push_back(kept(std::move(list)));
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

std::uint32_t StatementGraph::add_procedure(std::vector<std::uint32_t> list,
                                            std::vector<std::string> parameters) {
  procedures_.push_back({add_new_list(std::move(list)), std::move(parameters)});
  numbers_.push_back(kNone);
  return static_cast<std::uint32_t>(procedures_.size() - 1);
}

std::uint32_t StatementGraph::add_call(std::uint32_t procedure,
                                       const std::vector<std::string>& arguments) {
  InvokeStatement invoke;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    invoke.arguments.push_back({procedures_[procedure].parameters[i], arguments[i]});
  return add_node(head_of({std::move(invoke)}, procedure), kNone, procedure);
}

std::uint32_t StatementGraph::add_common(std::uint32_t node, std::span<const std::string>& values) {
  const Node common = nodes_[node];
  const Head* head = with_values(common.head, values, common.procedure);
  if (common.list == kNone) return add_node(head, kNone, common.procedure);
  std::vector<std::uint32_t> list;
  for (const std::uint32_t inner : *lists_[common.list]) list.push_back(add_common(inner, values));
  return add_node(head, add_new_list(std::move(list)), common.procedure);
}

void StatementGraph::add_values(std::uint32_t node, ValuesAt& values,
                                std::vector<std::string>* names) const {
  const Head& head = *nodes_[node].head;
  values.insert(values.end(), head.values.begin(), head.values.end());
  if (names != nullptr) names->insert(names->end(), head.names.begin(), head.names.end());
  if (nodes_[node].list == kNone) return;
  for (const std::uint32_t inner : *lists_[nodes_[node].list]) add_values(inner, values, names);
}

void StatementGraph::measure_anew() { measures_.assign(nodes_.size(), {}); }

void StatementGraph::forget_measures() {
  measures_.clear();
  known_shapes_.clear();
}

StatementGraph::Measure StatementGraph::measured(std::uint32_t node) {
  if (measures_[node].lines != 0) return measures_[node];
  Measure result{1, nodes_[node].head->shape};
  if (nodes_[node].list != kNone) {
    std::vector<std::uint32_t> shape{result.shape};
    for (const std::uint32_t inner : *lists_[nodes_[node].list]) {
      const Measure of_inner = measured(inner);
      result.lines += of_inner.lines;
      shape.push_back(of_inner.shape);
    }
    const auto next = static_cast<std::uint32_t>(shared_->shapes.size() + known_shapes_.size());
    result.shape = known_shapes_.try_emplace(std::move(shape), next).first->second;
  }
  return measures_[node] = result;
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
  for (const std::uint32_t index : *lists_[list]) {
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
