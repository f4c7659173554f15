// SPDX-License-Identifier: Apache-2.0
#include "cli/endings.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using trace::Ending;

std::string signal_name(std::int64_t signal) {
  const char* name = ::sigabbrev_np(static_cast<int>(signal));
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string how(const trace::RankEnding& ending) {
  switch (ending.kind) {
  case Ending::kFinalized:
    return "passed MPI_Finalize";
  case Ending::kUnknown:
    return "killed or lost";
  case Ending::kSignal:
    return signal_name(ending.detail);
  case Ending::kAborted:
    return fmt::format("MPI_Abort with error code {}", ending.detail);
  case Ending::kExited:
    return "exit without MPI_Finalize";
  case Ending::kFatalError:
    return fmt::format("MPI ended it for {}",
                       trace::error_class_name(static_cast<std::uint16_t>(ending.detail)));
  case Ending::kUnheard:
    break;
  }
  return "nothing was left of these calls";
}

bool same_place(const trace::RankEnding& a, const trace::RankEnding& b) {
  return a.kind == b.kind && a.detail == b.detail && a.function == b.function && a.site == b.site;
}

} // namespace

std::vector<EndingGroup> endings_of(const trace::Trace& trace) {
  std::vector<EndingGroup> groups;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const trace::RankEnding& ending = trace.ranks[rank].ending;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const EndingGroup& known) {
      return same_place(known.ending, ending);
    });
    if (group == groups.end()) group = groups.insert(group, {{}, ending});
    group->ranks.push_back(static_cast<std::int64_t>(rank));
    if (group->ending.in_call_ns < ending.in_call_ns) group->ending = ending;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const EndingGroup& a, const EndingGroup& b) {
    return a.ranks.size() > b.ranks.size();
  });
  return groups;
}

std::string ending_text(const trace::RankEnding& ending, sites::Resolver& resolver) {
  std::string text = how(ending);
  const bool is_between_calls = ending.kind == Ending::kAborted && ending.function == 0;
  if (ending.kind == Ending::kFinalized || ending.kind == Ending::kUnheard || is_between_calls)
    return text;
  const trace::Function* function = trace::find_function(ending.function);
  if (function == nullptr) {
    // A checkpoint is made between calls, so it does not tell in which one a process was killed.
    return ending.kind == Ending::kUnknown ? text : text + ", between MPI calls";
  }
  text += fmt::format(", in {}", function->name);
  if (ending.in_call_ns > 0)
    text += fmt::format(" for {}", human_duration(static_cast<double>(ending.in_call_ns)));
  const std::string place = resolver.text(ending.site);
  return place.empty() ? text : text + ", " + place;
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

} // namespace rondo::cli
