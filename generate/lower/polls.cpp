// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/polls.hpp"

#include "generate/lower/arguments/argument_values.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/idle_polls.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace rondo::generate::internal {

int poll_outcome(const trace::Function& function) {
  const bool asks_for_part = trace::meaning_of(function).act == trace::Act::kAskPartition;
  return asks_for_part ? -1 : trace::outcome_of_poll(function);
}

bool completes_some(const trace::Function& function) {
  const trace::Completes completes = trace::meaning_of(function).completes;
  return completes == trace::Completes::kAny || completes == trace::Completes::kSome;
}

std::vector<Statement> Polls::statements(const CallContext& context, int outcome) {
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
  either.body.push_back(found(context.only(outcome, 1)));
  either.otherwise.push_back(not_found(context.only(outcome, 0)));
  return {either};
}

// Waits out of sight, so that the call finds what it found.
Statement Polls::found(const CallContext& context) {
  Statement statement = arguments_.call_of(context);
  const std::span<const CArgument> given = c_arguments(context.function->id); // in the same order
  const trace::Act act = trace::meaning_of(*context.function).act;
  if (act != trace::Act::kComplete) {
    // What they wait for has to be evaluated once: a function of the runtime does both.
    statement.name = act == trace::Act::kProbe          ? "probe_found"
                     : act == trace::Act::kMatchedProbe ? "mprobe_found"
                                                        : "win_test_found";
    std::size_t next = 0;
    std::erase_if(statement.arguments, [&](const Argument&) {
      const ArgumentKind kind = given[next++].kind;
      return kind == ArgumentKind::kStatus || kind == ArgumentKind::kLogical;
    });
    return statement;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    Expression& value = statement.arguments[i].value;
    if (given[i].kind == ArgumentKind::kRequest)
      value = call(given[i].is_array ? "all_finished" : "finished", {value});
  }
  return statement;
}

// The same question about something that never happens.
Statement Polls::not_found(const CallContext& context) {
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
      value = ignored_argument(argument);
    }
    statement.arguments.push_back({std::string(argument.name), value});
  }
  if (means.keeps_request) statement.arguments.front().value = name("never");
  return statement;
}

} // namespace rondo::generate::internal
