// SPDX-License-Identifier: Apache-2.0
// Fuzz target of what ranks of a live run say: Inbox and LiveCalls.
#include "simulate/live/live_calls.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  rondo::trace::live::Inbox inbox;
  inbox.append(reinterpret_cast<const char*>(bytes), size);
  rondo::simulate::internal::LiveCommunicators comms;
  rondo::simulate::internal::LiveCalls calls(comms, 0, {.ranks = 4}, true);
  while (const auto item = inbox.next()) {
    if (!calls.take(*item)) break;
  }
  calls.end();
  for (const auto& [number, thread] : calls.threads()) {
    while (thread->next() == rondo::simulate::internal::CallSource::Next::kCall) {
      thread->held_up_s(0);
      thread->ended(0, 1);
    }
  }
  return 0;
}
