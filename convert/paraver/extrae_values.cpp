// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/extrae_values.hpp"

#include <map>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::Mode;
using trace::Role;

constexpr std::string_view kExtraeFunctions[] = {
    "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Bcast",
    "MPI_Barrier",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_create",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "",
    "MPI_Comm_free",
    "",
    "",
    "",
    "",
    "MPI_Scan",
    "MPI_Init",
    "MPI_Finalize",
    "MPI_Bsend",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Ibsend",
    "MPI_Issend",
    "MPI_Irsend",
    "MPI_Test",
    "MPI_Cancel",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Cart_create",
    "",
    "",
    "",
    "",
    "",
    "MPI_Cart_sub",
    "",
    "",
    "",
    "",
    "MPI_Graph_create",
    "",
    "",
    "",
    "",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Probe",
    "MPI_Iprobe",
    "MPI_Win_create",
    "MPI_Win_free",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "MPI_Pack",
    "MPI_Unpack",
    "MPI_Op_create",
    "MPI_Op_free",
    "MPI_Reduce_scatter",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "",
    "",
    "MPI_Abort",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "MPI_Bsend_init",
    "",
    "",
    "MPI_Request_free",
    "MPI_Recv_init",
    "MPI_Send_init",
    "",
    "",
    "",
    "MPI_Rsend_init",
    "MPI_Ssend_init",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Test_cancelled",
    "MPI_Testsome",
    "MPI_Type_commit",
    "MPI_Type_contiguous",
    "",
    "MPI_Type_free",
};

constexpr std::int64_t kOwnValues = 1000; // behind all of Extrae's

// Numbers of states as the .pcf names them.
enum ExtraeState : int {
  kBlockingReceive = 3,
  kBlockingSend = 4,
  kSynchronization = 5,
  kTestOrProbe = 6,
  kWait = 8,
  kImmediateSend = 10,
  kImmediateReceive = 11,
  kInputOutput = 12,
  kGroupCommunication = 13,
  kOther = 15,
  kSendReceive = 16,
  kOneSided = 25,
};

std::int64_t type_of(const Function& function) {
  switch (function.role) {
  case Role::kSend:
  case Role::kRecv:
  case Role::kSendrecv:
  case Role::kProbe:
  case Role::kComplete:
  case Role::kRequest:
    return kFirstMpiEvent;
  case Role::kCollective:
  case Role::kNeighbor:
    return kFirstMpiEvent + 1;
  case Role::kRma:
  case Role::kWin:
    return kFirstMpiEvent + 3;
  case Role::kIo:
    return kFirstMpiEvent + 4;
  default:
    return kFirstMpiEvent + 2;
  }
}

int state_of(const Function& function) {
  const bool is_init = function.mode == Mode::kPersistent || function.mode == Mode::kPartitioned;
  if (is_init) return kOther;
  const bool is_immediate = function.makes_request;
  switch (function.role) {
  case Role::kSend:
    return is_immediate ? kImmediateSend : kBlockingSend;
  case Role::kRecv:
    return is_immediate ? kImmediateReceive : kBlockingReceive;
  case Role::kSendrecv:
    return kSendReceive;
  case Role::kProbe:
    return kTestOrProbe;
  case Role::kComplete:
    return function.name.starts_with("MPI_Wait") ? kWait : kTestOrProbe;
  case Role::kCollective:
  case Role::kNeighbor:
    return function.name == "MPI_Barrier" ? kSynchronization : kGroupCommunication;
  case Role::kRma:
  case Role::kWin:
    return kOneSided;
  case Role::kIo:
    return kInputOutput;
  default:
    return kOther;
  }
}

} // namespace

std::span<const std::string_view> extrae_functions() { return kExtraeFunctions; }

ExtraeCall extrae_call(const Function& function) {
  static const std::map<std::string_view, std::int64_t> kValues = [] {
    std::map<std::string_view, std::int64_t> values;
    std::int64_t value = 0;
    for (const std::string_view name : kExtraeFunctions) {
      ++value;
      if (!name.empty()) values.emplace(name, value);
    }
    return values;
  }();
  const auto known = kValues.find(function.name);
  const std::int64_t value = known == kValues.end() ? kOwnValues + function.id : known->second;
  return {type_of(function), value, state_of(function)};
}

} // namespace rondo::convert::internal
