// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/polls.hpp"

#include "generate/lower/calls.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <memory>

namespace rondo::generate::internal {

int poll_outcome(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  if (!means.may_find_nothing || means.act == trace::Act::kAskPartition) return -1;
  return means.flag >= 0 ? means.flag : means.outcount;
}

bool completes_some(const trace::Function& function) {
  const trace::Completes completes = trace::meaning_of(function).completes;
  return completes == trace::Completes::kAny || completes == trace::Completes::kSome;
}

Calls::Context Calls::only(const Context& context, int word, std::int64_t value) const {
  const auto& outcomes = context.words[static_cast<std::size_t>(word)];
  Context result = context;
  result.ranks.clear();
  result.domain.world.clear();
  result.domain.own.clear();
  for (auto& sequences : result.words) sequences.clear();
  for (std::size_t r = 0; r < context.ranks.size(); ++r) {
    const Sequence& outcome = outcomes[r];
    if (outcome.is_constant() && (outcome.constant != 0) != (value != 0)) continue;
    result.ranks.push_back(context.ranks[r]);
    result.domain.world.push_back(context.domain.world[r]);
    result.domain.own.push_back(context.domain.own[r]);
    if (!outcome.is_constant()) result.place = {};
    for (std::size_t w = 0; w < context.words.size(); ++w) {
      Sequence kept = context.words[w][r];
      if (!outcome.is_constant() && !kept.is_constant()) {
        std::vector<std::int64_t> values;
        for (std::size_t i = 0; i < kept.values->size(); ++i) {
          if ((outcome.at(i) != 0) == (value != 0)) values.push_back((*kept.values)[i]);
        }
        kept.values = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
      }
      result.words[w].push_back(std::move(kept));
    }
  }
  return result;
}

std::vector<Statement> Calls::poll(const Context& context, int outcome) {
  const auto& outcomes = context.words[static_cast<std::size_t>(outcome)];
  bool has[2] = {false, false};
  std::vector<Sequence> flags;
  for (const Sequence& s : outcomes) {
    Sequence flag{s.constant != 0 ? 1 : 0, nullptr, 0};
    if (s.is_constant()) {
      has[flag.constant] = true;
    } else {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < s.values->size(); ++i) {
        values.push_back(s.at(i) != 0 ? 1 : 0);
        has[values.back()] = true;
      }
      flag.values = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
    }
    flags.push_back(std::move(flag));
  }
  if (!has[0]) return {found(context)};
  if (!has[1]) return {not_found(context)};
  Statement either{.kind = Statement::Kind::kIf, .name = ""};
  const ValueKind kind{.hint = "found", .is_number = false, .leaf = number, .constant_name = {}};
  either.value = forms_.expression(context.domain, flags, context.place, kind);
  either.body.push_back(found(only(context, outcome, 1)));
  either.otherwise.push_back(not_found(only(context, outcome, 0)));
  return {either};
}

// Waits out of sight, so that the call finds what it found.
Statement Calls::found(const Context& context) {
  Statement statement = call_of(context);
  const trace::Act act = trace::meaning_of(*context.function).act;
  if (act != trace::Act::kComplete) {
    // What they wait for has to be evaluated once: a function of the runtime does both.
    statement.name = act == trace::Act::kProbe          ? "probe_found"
                     : act == trace::Act::kMatchedProbe ? "mprobe_found"
                                                        : "win_test_found";
    std::erase_if(statement.arguments,
                  [](const Argument& a) { return a.name == "flag" || a.name == "status"; });
    return statement;
  }
  for (Argument& argument : statement.arguments) {
    if (argument.name == "request") argument.value = call("finished", {argument.value});
    if (argument.name == "array_of_requests")
      argument.value = call("all_finished", {argument.value});
  }
  return statement;
}

// The same question about something that never happens.
Statement Calls::not_found(const Context& context) {
  Statement statement{.kind = Statement::Kind::kCall, .name = std::string(context.function->name)};
  const trace::CallMeaning& means = trace::meaning_of(*context.function);
  if (means.act == trace::Act::kEndExposure)
    return {.kind = Statement::Kind::kCompute, .name = "", .value = seconds(0)};
  for (const CArgument& argument : c_arguments(context.function->id)) {
    Expression value = number(0);
    if (argument.kind == ArgumentKind::kComm) {
      value = name("nowhere");
    } else if (argument.kind == ArgumentKind::kRequest) {
      value = address(name("never"));
      if (argument.is_array) value = call("never_all", {number(1)});
    } else if (argument.length_of >= 0) {
      value = number(1);
    } else if (argument.kind == ArgumentKind::kStatus) {
      value = name(std::string(argument.is_array ? mpi::STATUSES_IGNORE : mpi::STATUS_IGNORE));
    } else if (argument.kind == ArgumentKind::kMessage) {
      value = address(name("ignored_message"));
    } else if (argument.direction == Direction::kOut) {
      value = outcome(argument);
    }
    statement.arguments.push_back({std::string(argument.name), value});
  }
  if (means.keeps_request) statement.arguments.front().value = name("never");
  return statement;
}

} // namespace rondo::generate::internal
