// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/stage.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::simulate::internal {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

} // namespace

Prediction Stage::prediction() const {
  Prediction result;
  result.ranks = ledger.ranks;
  for (const RankPrediction& rank : result.ranks)
    result.seconds = std::max(result.seconds, rank.end_s);
  result.waits = ledger.waits();
  result.calls = calls;
  result.messages = transport.messages();
  result.bytes = transport.bytes();
  const auto remark = [&](std::string text) { result.remarks.push_back(std::move(text)); };
  for (const auto& [what, times] : free_calls)
    remark(fmt::format("{}: {} nothing", what, counted(times, "call costs", "calls cost")));
  if (unknown_sizes > 0)
    remark(counted(unknown_sizes, "message has a datatype", "messages have datatypes") +
           " without definition: 0 bytes");
  if (unknown_requests > 0) {
    remark(counted(unknown_requests, "wait for a request of a call that was not recorded costs",
                   "waits for requests of calls that were not recorded cost") +
           " nothing");
  }
  return result;
}

tl::unexpected<Error> list_unsupported(const Stage& stage) {
  std::string list;
  for (const auto& [what, times] : stage.unsupported)
    list += fmt::format("\n  {}, {}", what, counted(times, "time", "times"));
  return fail(ErrorCode::kUnsupported, "these calls can not be simulated:" + list);
}

} // namespace rondo::simulate::internal
