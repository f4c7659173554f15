// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/extrae_values.hpp"

#include "trace/mpi_names.hpp"

#include <map>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::Mode;
using trace::Role;

constexpr std::string_view kExtraeFunctions[] = {
    mpi::Send,
    mpi::Recv,
    mpi::Isend,
    mpi::Irecv,
    mpi::Wait,
    mpi::Waitall,
    mpi::Bcast,
    mpi::Barrier,
    mpi::Reduce,
    mpi::Allreduce,
    mpi::Alltoall,
    mpi::Alltoallv,
    mpi::Gather,
    mpi::Gatherv,
    mpi::Scatter,
    mpi::Scatterv,
    mpi::Allgather,
    mpi::Allgatherv,
    mpi::Comm_rank,
    mpi::Comm_size,
    mpi::Comm_create,
    mpi::Comm_dup,
    mpi::Comm_split,
    "",
    mpi::Comm_free,
    "",
    "",
    "",
    "",
    mpi::Scan,
    mpi::Init,
    mpi::Finalize,
    mpi::Bsend,
    mpi::Ssend,
    mpi::Rsend,
    mpi::Ibsend,
    mpi::Issend,
    mpi::Irsend,
    mpi::Test,
    mpi::Cancel,
    mpi::Sendrecv,
    mpi::Sendrecv_replace,
    mpi::Cart_create,
    "",
    "",
    "",
    "",
    "",
    mpi::Cart_sub,
    "",
    "",
    "",
    "",
    mpi::Graph_create,
    "",
    "",
    "",
    "",
    mpi::Waitany,
    mpi::Waitsome,
    mpi::Probe,
    mpi::Iprobe,
    mpi::Win_create,
    mpi::Win_free,
    mpi::Put,
    mpi::Get,
    mpi::Accumulate,
    mpi::Win_fence,
    mpi::Win_start,
    mpi::Win_complete,
    mpi::Win_post,
    mpi::Win_wait,
    mpi::Win_test,
    mpi::Win_lock,
    mpi::Win_unlock,
    mpi::Pack,
    mpi::Unpack,
    mpi::Op_create,
    mpi::Op_free,
    mpi::Reduce_scatter,
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
    mpi::Intercomm_create,
    mpi::Intercomm_merge,
    "",
    "",
    mpi::Abort,
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
    mpi::Bsend_init,
    "",
    "",
    mpi::Request_free,
    mpi::Recv_init,
    mpi::Send_init,
    "",
    "",
    "",
    mpi::Rsend_init,
    mpi::Ssend_init,
    mpi::Start,
    mpi::Startall,
    mpi::Testall,
    mpi::Testany,
    mpi::Test_cancelled,
    mpi::Testsome,
    mpi::Type_commit,
    mpi::Type_contiguous,
    "",
    mpi::Type_free,
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
    return function.name.starts_with(mpi::Wait) ? kWait : kTestOrProbe;
  case Role::kCollective:
  case Role::kNeighbor:
    return function.name == mpi::Barrier ? kSynchronization : kGroupCommunication;
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
