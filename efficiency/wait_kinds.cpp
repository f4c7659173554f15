// SPDX-License-Identifier: Apache-2.0
#include "efficiency/wait_kinds.hpp"

#include "efficiency/polls.hpp"
#include "rondo/trace/collective_steps.hpp"
#include "trace/mpi_names.hpp"

namespace rondo::efficiency {
namespace {

using internal::Polls;
using simulate::Met;
using trace::CollectiveKind;

WaitKind kind_of_collective(CollectiveKind operation) {
  switch (operation) {
  case CollectiveKind::kBarrier:
    return WaitKind::kBarrier;
  case CollectiveKind::kBcast:
  case CollectiveKind::kScatter:
  case CollectiveKind::kScatterv:
    return WaitKind::kLateBroadcast;
  case CollectiveKind::kGather:
  case CollectiveKind::kGatherv:
  case CollectiveKind::kReduce:
    return WaitKind::kEarlyReduce;
  case CollectiveKind::kScan:
  case CollectiveKind::kExscan:
    return WaitKind::kEarlyScan;
  case CollectiveKind::kNeighborAllgather:
  case CollectiveKind::kNeighborAlltoall:
    return WaitKind::kNeighbours;
  default:
    return WaitKind::kAllToAll;
  }
}

WaitKind kind_at_window(const trace::Function& function) {
  if (function.name == mpi::Win_fence) return WaitKind::kFence;
  if (function.name == mpi::Win_lock || function.name == mpi::Win_lock_all) return WaitKind::kLock;
  if (function.name == mpi::Win_wait) return WaitKind::kLateComplete;
  const bool is_made_or_freed = function.role == trace::Role::kWin &&
                                function.name != mpi::Win_start &&
                                function.name != mpi::Win_complete;
  return is_made_or_freed ? WaitKind::kWindow : WaitKind::kLatePost;
}

} // namespace

WaitKind internal::kind_of(const trace::Function& function, Met::For what) {
  if (Polls::is_poll(function)) return WaitKind::kPolling;
  if (function.role == trace::Role::kWin || function.role == trace::Role::kRma)
    return kind_at_window(function);
  if (function.role == trace::Role::kIo) return WaitKind::kFile;
  if (const auto operation = trace::collective_kind_of(function))
    return kind_of_collective(*operation);
  if (function.role == trace::Role::kComm || function.role == trace::Role::kTopo ||
      function.role == trace::Role::kProcess)
    return WaitKind::kAllToAll; // all members agree on a communicator
  if (what == Met::For::kReceiver) return WaitKind::kLateReceiver;
  return what == Met::For::kMessage ? WaitKind::kLateSender : WaitKind::kCompletion;
}

std::string_view text(WaitKind kind) {
  switch (kind) {
  case WaitKind::kLateSender:
    return "late sender";
  case WaitKind::kLateReceiver:
    return "late receiver";
  case WaitKind::kBarrier:
    return "wait at barrier";
  case WaitKind::kAllToAll:
    return "wait at all-to-all";
  case WaitKind::kLateBroadcast:
    return "late broadcast";
  case WaitKind::kEarlyReduce:
    return "early reduce";
  case WaitKind::kEarlyScan:
    return "early scan";
  case WaitKind::kNeighbours:
    return "wait for neighbours";
  case WaitKind::kCompletion:
    return "wait for completion";
  case WaitKind::kWindow:
    return "wait at window";
  case WaitKind::kWrongOrder:
    return "messages in wrong order";
  case WaitKind::kFence:
    return "wait at fence";
  case WaitKind::kLatePost:
    return "late post";
  case WaitKind::kLateComplete:
    return "late complete";
  case WaitKind::kLock:
    return "wait for lock";
  case WaitKind::kFile:
    return "wait at file";
  case WaitKind::kPolling:
    return "wait in polling loop";
  case WaitKind::kTarget:
    return "wait for target";
  }
  return "";
}

bool waits_for_messages(const WaitStates& waits) {
  constexpr double kLeast = 0.05;
  double seconds = 0;
  for (const WaitKind kind : {WaitKind::kLateSender, WaitKind::kLateReceiver, WaitKind::kWrongOrder,
                              WaitKind::kPolling, WaitKind::kNeighbours})
    seconds += waits.by_kind[static_cast<std::size_t>(kind)];
  return seconds > 0 && seconds >= kLeast * waits.seconds;
}

} // namespace rondo::efficiency
