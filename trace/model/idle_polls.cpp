// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/idle_polls.hpp"

#include "rondo/trace/call_meaning.hpp"

namespace rondo::trace {

int outcome_of_poll(const Function& function) {
  const CallMeaning& means = meaning_of(function);
  if (!means.may_find_nothing) return -1;
  return means.flag >= 0 ? means.flag : means.outcount;
}

bool is_idle_poll(const CallInstance& call) {
  const int outcome = outcome_of_poll(*call.function);
  return outcome >= 0 && call.error == 0 && call.words[static_cast<std::size_t>(outcome)] == 0;
}

} // namespace rondo::trace
