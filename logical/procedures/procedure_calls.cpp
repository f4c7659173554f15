// SPDX-License-Identifier: Apache-2.0
// A text with procedures as it is without: their bodies in the place of their calls.
#include "rondo/logical/procedures.hpp"

#include "logical/procedures/procedure_calls.hpp"
#include "logical/procedures/value_slots.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace rondo::logical {
namespace {

using internal::ValuesOfParameters;

class Expander {
public:
  using Chooses = std::function<bool(const std::string& procedure)>;

  /// @param chooses  calls of which are written out; the others stay
  Expander(const LogicalText& text, Chooses chooses) : chooses_(std::move(chooses)) {
    for (const Procedure& procedure : text.procedures)
      procedures_.emplace(procedure.name, &procedure);
  }

  std::vector<Statement> of(std::span<const Statement> statements) const {
    std::vector<Statement> result;
    add(statements, {}, result);
    return result;
  }

private:
  void add(std::span<const Statement> statements, const ValuesOfParameters& values,
           std::vector<Statement>& to) const {
    for (const Statement& statement : statements) {
      const auto* invoke = std::get_if<InvokeStatement>(&statement.is);
      if (invoke != nullptr && chooses_(invoke->name)) {
        ValuesOfParameters inner;
        for (const Argument& argument : invoke->arguments)
          inner.emplace(argument.name, internal::with_values(argument.value, values));
        add(procedures_.at(invoke->name)->statements, inner, to);
      } else {
        to.push_back(one(statement, values));
      }
    }
  }

  Statement one(const Statement& statement, const ValuesOfParameters& values) const {
    const auto said = [&](const std::string& text) { return internal::with_values(text, values); };
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      LoopStatement result{said(loop->count), {}, loop->is_by_rank};
      add(loop->body, values, result.body);
      return {std::move(result)};
    }
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      GuardStatement result{said(guard->condition), {}};
      add(guard->body, values, result.body);
      return {std::move(result)};
    }
    Statement result = statement;
    if (auto* call = std::get_if<CallStatement>(&result.is); call != nullptr && !values.empty()) {
      call->what = said(call->what);
      for (std::string& remark : call->remarks) remark = said(remark);
      for (SaidWord& word : call->words) word.text = said(word.text);
    }
    if (auto* invoke = std::get_if<InvokeStatement>(&result.is)) {
      for (Argument& argument : invoke->arguments) argument.value = said(argument.value);
    }
    return result;
  }

  Chooses chooses_;
  std::unordered_map<std::string, const Procedure*> procedures_;
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

// What procedures save, as the text is now.
class Worth {
public:
  explicit Worth(const LogicalText& text) : text_(text) {
    for (const Procedure& procedure : text.procedures)
      lines_[procedure.name] = count(procedure.statements);
    for (const LogicalText::Part& part : text.parts) count(part.statements);
  }

  std::set<std::string> poor() const {
    std::set<std::string> result;
    for (const Procedure& procedure : text_.procedures) {
      const auto calls = calls_.find(procedure.name);
      const std::int64_t times = calls == calls_.end() ? 0 : calls->second;
      const bool is_call = procedure.statements.size() == 1 &&
                           std::holds_alternative<InvokeStatement>(procedure.statements.front().is);
      if (is_call || lines_.at(procedure.name) * (times - 1) <= times + 1)
        result.insert(procedure.name);
    }
    return result;
  }

private:
  std::int64_t count(const std::vector<Statement>& statements) {
    std::int64_t lines = 0;
    for (const Statement& statement : statements) {
      ++lines;
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) lines += count(loop->body);
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
        lines += count(guard->body);
      if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) ++calls_[invoke->name];
    }
    return lines;
  }

  const LogicalText& text_;
  std::map<std::string, std::int64_t> lines_; // of its body
  std::map<std::string, std::int64_t> calls_;
};

// Calls of some procedures in their place; all else stays as it is.
void write_out(std::vector<Statement>& statements, const Expander& expander,
               const Expander::Chooses& chooses) {
  for (std::size_t i = 0; i < statements.size();) {
    Statement& statement = statements[i];
    if (auto* loop = std::get_if<LoopStatement>(&statement.is))
      write_out(loop->body, expander, chooses);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      write_out(guard->body, expander, chooses);
    const auto* invoke = std::get_if<InvokeStatement>(&statement.is);
    if (invoke == nullptr || !chooses(invoke->name)) {
      ++i;
      continue;
    }
    std::vector<Statement> body = expander.of({&statement, 1});
    const auto at = statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    statements.insert(at, std::make_move_iterator(body.begin()),
                      std::make_move_iterator(body.end()));
    i += body.size();
  }
}

void rename_calls_in(std::vector<Statement>& statements,
                     const std::map<std::string, std::string>& names) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) rename_calls_in(loop->body, names);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      rename_calls_in(guard->body, names);
    if (auto* invoke = std::get_if<InvokeStatement>(&statement.is))
      invoke->name = names.at(invoke->name);
  }
}

void number_anew(LogicalText& text) {
  std::map<std::string, std::string> names;
  for (Procedure& procedure : text.procedures) {
    std::string name = "part_" + std::to_string(names.size() + 1);
    names.emplace(procedure.name, name);
    rename_calls_in(procedure.statements, names);
    procedure.name = std::move(name);
  }
  for (LogicalText::Part& part : text.parts) rename_calls_in(part.statements, names);
}

} // namespace

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
  const Expander expander(text, [](const std::string&) { return true; });
  LogicalText result = text;
  result.procedures.clear();
  for (std::size_t i = 0; i < text.parts.size(); ++i)
    result.parts[i].statements = expander.of(text.parts[i].statements);
  return result;
}

namespace internal {

LogicalText without_poor_procedures(LogicalText text) {
  while (true) {
    const std::set<std::string> poor = Worth(text).poor();
    if (poor.empty()) break;
    const auto is_poor = [&](const std::string& name) { return poor.contains(name); };
    LogicalText all; // that calls of poor ones are written out from
    all.procedures = std::move(text.procedures);
    text.procedures.clear();
    const Expander expander(all, is_poor);
    for (Procedure& procedure : all.procedures) {
      if (is_poor(procedure.name)) continue;
      write_out(procedure.statements, expander, is_poor);
      text.procedures.push_back({procedure.name, procedure.parameters, {}});
      text.procedures.back().statements = std::move(procedure.statements);
    }
    for (LogicalText::Part& part : text.parts) write_out(part.statements, expander, is_poor);
  }
  number_anew(text);
  return text;
}

} // namespace internal

} // namespace rondo::logical
