// SPDX-License-Identifier: Apache-2.0
// How long a logical program is, in the paper's records.
#include "logical/text/rounds_text.hpp"
#include "rondo/logical/logical_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rondo::logical {
namespace {

// What statements say, without trip counts, as numbers: equal ones have one number, so that a list
// of statements is a list of numbers.
class Gists {
public:
  using Number = std::uint32_t;
  using Numbers = std::vector<Number>;

  // Statements, and all below them.
  void add(std::span<const Statement> statements) {
    for (const Statement& statement : statements) of_statement_[&statement] = number_of(statement);
  }

  Number of(const Statement& statement) const { return of_statement_.at(&statement); }

  // Each by what it says; a phase says nothing of its own.
  Numbers of_each(std::span<const Statement> statements) const {
    Numbers numbers;
    numbers.reserve(statements.size());
    for (const Statement& statement : statements) numbers.push_back(of(statement));
    return numbers;
  }

  Number of_body(std::span<const Statement> statements) {
    Numbers numbers = of_each(statements);
    std::erase(numbers, kPhase); // a phase tells what the calls say too
    const auto next = static_cast<Number>(bodies_.size());
    return bodies_.try_emplace(std::move(numbers), next).first->second;
  }

private:
  static constexpr Number kPhase = 0;

  Number number_of(const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      add(loop->body);
      const char* const kind = internal::is_condition(loop->count) ? "in rounds " : "loop ";
      return number_of(kind + std::to_string(of_body(loop->body)));
    }
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      add(guard->body);
      return number_of("if " + std::to_string(of_body(guard->body)) + " " + guard->condition);
    }
    if (const auto* call = std::get_if<CallStatement>(&statement.is))
      return number_of("is " + call->text());
    const auto* invoke = std::get_if<InvokeStatement>(&statement.is);
    if (invoke == nullptr) return kPhase;
    std::string text = "call " + invoke->name;
    for (const Argument& argument : invoke->arguments) text += " " + argument.value;
    return number_of(std::move(text));
  }

  Number number_of(std::string text) {
    const auto next = static_cast<Number>(texts_.size()) + 1;
    return texts_.try_emplace(std::move(text), next).first->second;
  }

  std::unordered_map<const Statement*, Number> of_statement_;
  std::unordered_map<std::string, Number> texts_;
  std::map<Numbers, Number> bodies_;
};

class Records {
public:
  explicit Records(const std::vector<Statement>& statements) {
    gists_.add(statements);
    collect(statements);
  }

  // What is done once, and is elsewhere the body of a loop, is a loop too that goes round once.
  std::size_t among(std::span<const Statement> statements) {
    const Gists::Numbers gists = gists_.of_each(statements);
    std::size_t records = 0;
    for (std::size_t i = 0; i < statements.size();) {
      const std::size_t length = body_at(gists, i);
      if (length == 0) {
        records += of(statements[i++]);
        continue;
      }
      records += of_body(statements.subspan(i, length));
      i += length;
    }
    return records;
  }

private:
  void collect(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        if (loop->body.size() > 1 && !internal::is_condition(loop->count)) {
          Gists::Numbers gists = gists_.of_each(loop->body);
          bodies_[gists.front()].insert(std::move(gists));
        }
        collect(loop->body);
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        collect(guard->body);
      }
    }
  }

  // How many statements from here on are the longest body of a loop, but not all of them.
  std::size_t body_at(const Gists::Numbers& gists, std::size_t at) const {
    const auto bodies = bodies_.find(gists[at]);
    if (bodies == bodies_.end()) return 0;
    std::size_t longest = 0;
    for (const Gists::Numbers& body : bodies->second) {
      if (body.size() <= longest || body.size() > gists.size() - at || body.size() == gists.size())
        continue;
      const auto from = gists.begin() + static_cast<std::ptrdiff_t>(at);
      if (std::equal(body.begin(), body.end(), from)) longest = body.size();
    }
    return longest;
  }

  std::size_t of(const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      return internal::is_condition(loop->count) ? among(loop->body) : of_body(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) return among(guard->body);
    return std::holds_alternative<PhaseStatement>(statement.is) ? 0 : 1;
  }

  std::size_t of_body(std::span<const Statement> body) {
    return seen_.insert(gists_.of_body(body)).second ? 1 + among(body) : 0;
  }

  Gists gists_;
  // Of all loops, by the first of each: programs of many statements have many loops.
  std::unordered_map<Gists::Number, std::set<Gists::Numbers>> bodies_;
  std::unordered_set<Gists::Number> seen_;
};

} // namespace

std::size_t records_of(const std::vector<Statement>& statements) {
  return Records(statements).among(statements);
}

} // namespace rondo::logical
