// SPDX-License-Identifier: Apache-2.0
#include "present/run/endings.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/call_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using trace::Ending;

std::string signal_name(std::int64_t signal) {
  const char* name = ::sigabbrev_np(static_cast<int>(signal));
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string how(const trace::RankEnding& ending, bool was_recorded) {
  switch (ending.kind) {
  case Ending::kFinalized:
    return "passed MPI_Finalize";
  case Ending::kUnknown:
    return was_recorded ? "killed or lost" : "no MPI_Finalize in the trace";
  case Ending::kSignal:
    return signal_name(ending.detail);
  case Ending::kAborted:
    return fmt::format("MPI_Abort with error code {}", ending.detail);
  case Ending::kExited:
    return "exit without MPI_Finalize";
  case Ending::kFatalError:
    if (ending.detail == 0) return "ended by its MPI library, as where the launcher was stopped";
    return fmt::format("MPI ended it for {}",
                       trace::error_class_name(static_cast<std::uint16_t>(ending.detail)));
  case Ending::kUnheard:
    break;
  }
  return "killed or lost before any of its calls was written";
}

// Fields that say with whom a call is: what somebody who looks at a run that hangs asks first.
bool says_where(trace::FieldKind kind) {
  return kind == trace::FieldKind::kRank || kind == trace::FieldKind::kRoot ||
         kind == trace::FieldKind::kTag || kind == trace::FieldKind::kComm;
}

std::string word_text(trace::FieldKind kind, std::int64_t word,
                      const trace::CommunicatorNames& comms) {
  const bool is_comm = kind == trace::FieldKind::kComm && !trace::is_special(word);
  return is_comm ? comms.of(word) : trace::special_text(kind, word);
}

// One value for all, or how it follows from the rank, or the different ones.
// @param size   of the communicator that values are ranks of, 0 if these are not the trace's ranks
std::string value_text(trace::FieldKind kind, const std::vector<std::int64_t>& values,
                       const std::vector<std::int64_t>& ranks, std::int64_t size,
                       const trace::CommunicatorNames& comms) {
  std::vector<std::int64_t> different = values;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() == 1) return word_text(kind, different.front(), comms);
  const bool is_rank = kind == trace::FieldKind::kRank && size > 0;
  const auto follows = [&](auto same) {
    for (std::size_t i = 1; is_rank && i < values.size(); ++i)
      if (trace::is_special(values[i]) || !same(values[i] - ranks[i], values[0] - ranks[0]))
        return false;
    return is_rank && !trace::is_special(values[0]);
  };
  const std::int64_t step = values[0] - ranks[0];
  if (follows([](std::int64_t a, std::int64_t b) { return a == b; }))
    return fmt::format("rank{:+}", step);
  if (follows([&](std::int64_t a, std::int64_t b) { return (a - b) % size == 0; }))
    return fmt::format("(rank{:+}) % {}",
                       step > size / 2      ? step - size
                       : step < -(size / 2) ? step + size
                                            : step,
                       size);
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < different.size() && i < kMost; ++i)
    text += (i == 0 ? "" : "|") + word_text(kind, different[i], comms);
  return different.size() > kMost ? text + "|..." : text;
}

bool same_place(const trace::RankEnding& a, const trace::RankEnding& b) {
  return a.kind == b.kind && a.detail == b.detail && a.function == b.function && a.site == b.site;
}

} // namespace

std::vector<EndingGroup> endings_of(const trace::Trace& trace) {
  std::vector<EndingGroup> groups;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const trace::RankEnding& ending = *trace.ranks[rank].ending;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const EndingGroup& known) {
      return same_place(known.ending, ending);
    });
    if (group == groups.end()) group = groups.insert(group, {{}, ending});
    group->ranks.push_back(static_cast<std::int64_t>(rank));
    group->words.push_back(ending.words);
    if (group->ending.in_call_ns < ending.in_call_ns) group->ending = ending;
  }
  sort_stably(groups.begin(), groups.end(), [](const EndingGroup& a, const EndingGroup& b) {
    return a.ranks.size() > b.ranks.size();
  });
  return groups;
}

std::vector<std::pair<std::string, std::string>>
open_arguments(const EndingGroup& group, std::int64_t ranks,
               const trace::CommunicatorNames& comms) {
  const trace::Function* function = trace::find_function(group.ending.function);
  std::vector<std::pair<std::string, std::string>> arguments;
  if (function == nullptr) return arguments;
  const int comm = function->comm_word();
  for (std::size_t i = 0; i < function->fields.size(); ++i) {
    const trace::Field& field = function->fields[i];
    if (!says_where(field.kind)) continue;
    std::vector<std::int64_t> values;
    bool in_world = comm < 0;
    for (const auto& words : group.words) {
      if (i >= words.size()) return arguments;
      values.push_back(words[i]);
      in_world = in_world || words[static_cast<std::size_t>(comm)] == trace::kWorldSlot;
    }
    arguments.emplace_back(
        field.name, value_text(field.kind, values, group.ranks, in_world ? ranks : 0, comms));
  }
  return arguments;
}

bool is_import(const trace::RunFacts& run) {
  return run.recorder.find(" from ") != run.recorder.npos;
}

std::string ending_text(const EndingGroup& group, sites::Resolver& resolver,
                        const trace::RunFacts& run, const trace::CommunicatorNames& comms) {
  const trace::RankEnding& ending = group.ending;
  std::string text = how(ending, !is_import(run));
  const bool is_between_calls = ending.kind == Ending::kAborted && ending.function == 0;
  if (ending.kind == Ending::kFinalized || ending.kind == Ending::kUnheard || is_between_calls)
    return text;
  const trace::Function* function = trace::find_function(ending.function);
  if (function == nullptr) {
    if (ending.kind == Ending::kFatalError && ending.detail != 0)
      return text + ", in a function that is not recorded";
    // A checkpoint is made between calls, so it does not tell in which one a process was killed.
    return ending.kind == Ending::kUnknown ? text : text + ", between MPI calls";
  }
  std::string given;
  for (const auto& [name, value] : open_arguments(group, run.ranks, comms))
    given += fmt::format("{}{}={}", given.empty() ? "" : ", ", name, value);
  text += fmt::format(", in {}{}", function->name, given.empty() ? "" : "(" + given + ")");
  if (ending.in_call_ns > 0)
    text += fmt::format(" for {}", human_duration(static_cast<double>(ending.in_call_ns)));
  const std::string place = resolver.text(ending.site);
  return place.empty() ? text : text + ", " + place;
}

std::string spawning_remark(const std::vector<EndingGroup>& groups, const trace::RunFacts& run) {
  const bool could_not = std::any_of(groups.begin(), groups.end(), [](const EndingGroup& group) {
    const trace::Function* function = trace::find_function(group.ending.function);
    return group.ending.kind == Ending::kFatalError && function != nullptr &&
           (function->name == mpi::Comm_spawn || function->name == mpi::Comm_spawn_multiple);
  });
  if (!could_not || !run.mpi.starts_with("MPICH")) return "";
  return "MPICH could not start processes; Debian's build of it never can, recorded or not: try "
         "the "
         "program without rondo";
}

const char* keyword_of(Ending ending) {
  switch (ending) {
  case Ending::kFinalized:
    return "finalized";
  case Ending::kUnknown:
    return "unknown";
  case Ending::kSignal:
    return "signal";
  case Ending::kAborted:
    return "aborted";
  case Ending::kExited:
    return "exited";
  case Ending::kFatalError:
    return "fatal_error";
  case Ending::kUnheard:
    break;
  }
  return "unheard";
}

} // namespace rondo::present
