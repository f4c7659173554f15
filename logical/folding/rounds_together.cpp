// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/rounds_together.hpp"

#include "logical/text/rounds_text.hpp"

#include <iterator>
#include <utility>

namespace rondo::logical::internal {
namespace {

// If it is known in which rounds of the loop around it a statement comes.
LoopStatement* rounds_in(Statement& statement) {
  auto* loop = std::get_if<LoopStatement>(&statement.is);
  if (loop == nullptr || loop->is_by_rank || !is_condition(loop->count)) return nullptr;
  return is_in_some_rounds(loop->count) ? nullptr : loop;
}

// The same of a guard that has nothing else.
LoopStatement* guarded_rounds_in(Statement& statement) {
  auto* guard = std::get_if<GuardStatement>(&statement.is);
  return guard == nullptr || guard->body.size() != 1 ? nullptr : rounds_in(guard->body.front());
}

// "if west: { in every 4th round: send west }" as "in every 4th round: { if west: send west }".
void put_rounds_outside(Statement& statement) {
  LoopStatement* inner = guarded_rounds_in(statement);
  if (inner == nullptr) return;
  LoopStatement rounds = std::move(*inner);
  auto& guard = std::get<GuardStatement>(statement.is);
  guard.body = std::exchange(rounds.body, {});
  rounds.body.push_back(std::move(statement));
  statement.is = std::move(rounds);
}

bool come_together(Statement& a, Statement& b) {
  LoopStatement* const in_guard = guarded_rounds_in(a);
  LoopStatement* const first = in_guard != nullptr ? in_guard : rounds_in(a);
  LoopStatement* const in_next_guard = guarded_rounds_in(b);
  LoopStatement* const second = in_next_guard != nullptr ? in_next_guard : rounds_in(b);
  return first != nullptr && second != nullptr && first->count == second->count;
}

} // namespace

std::vector<Statement> with_rounds_together(std::vector<Statement> statements) {
  std::vector<Statement> result;
  for (Statement& statement : statements) {
    if (result.empty() || !come_together(result.back(), statement)) {
      result.push_back(std::move(statement));
      continue;
    }
    put_rounds_outside(result.back());
    put_rounds_outside(statement);
    std::vector<Statement>& body = std::get<LoopStatement>(result.back().is).body;
    std::vector<Statement>& more = std::get<LoopStatement>(statement.is).body;
    std::move(more.begin(), more.end(), std::back_inserter(body));
  }
  return result;
}

} // namespace rondo::logical::internal
