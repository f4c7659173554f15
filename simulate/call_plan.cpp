// SPDX-License-Identifier: Apache-2.0
#include "simulate/call_plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {
namespace {

using trace::Function;
using trace::Mode;
using trace::Role;

constexpr std::pair<std::string_view, Act> kActs[] = {
    {"MPI_Start", Act::kStart},
    {"MPI_Startall", Act::kStart},
    {"MPI_Request_free", Act::kFree},
    {"MPI_Cancel", Act::kCancel},
    {"MPI_Pready", Act::kReady},
    {"MPI_Pready_range", Act::kReady},
    {"MPI_Pready_list", Act::kReady},
    {"MPI_Grequest_start", Act::kRequestDone},
    {"MPI_Parrived", Act::kNothing},
    {"MPI_Comm_set_name", Act::kNothing},
    {"MPI_Comm_free", Act::kNothing},
    {"MPI_Comm_get_parent", Act::kNothing},
    {"MPI_Win_free", Act::kFreeWindow},
    {"MPI_Win_attach", Act::kNothing},
    {"MPI_Win_detach", Act::kNothing},
    {"MPI_Win_set_name", Act::kNothing},
    {"MPI_Win_fence", Act::kFence},
    {"MPI_Win_post", Act::kWindowPost},
    {"MPI_Win_start", Act::kWindowStart},
    {"MPI_Win_complete", Act::kWindowComplete},
    {"MPI_Win_wait", Act::kWindowWait},
    {"MPI_Win_test", Act::kWindowWait},
    {"MPI_Win_lock", Act::kLock},
    {"MPI_Win_lock_all", Act::kLock},
    {"MPI_Win_sync", Act::kNothing},
    {"MPI_Win_unlock", Act::kFlush},
    {"MPI_Win_unlock_all", Act::kFlush},
    {"MPI_Win_flush", Act::kFlush},
    {"MPI_Win_flush_all", Act::kFlush},
    {"MPI_Win_flush_local", Act::kFlush},
    {"MPI_Win_flush_local_all", Act::kFlush},
};

Act act_of(const Function& function) {
  const std::string_view name = function.name.ends_with("_c")
                                    ? function.name.substr(0, function.name.size() - 2)
                                    : function.name;
  for (const auto& [known, act] : kActs) {
    if (known == name) return act;
  }
  switch (function.role) {
  case Role::kSend:
  case Role::kSendrecv:
    return Act::kTransfer;
  case Role::kRecv:
    if (function.word_of("source") >= 0) return Act::kTransfer;
    return function.makes_request ? Act::kRequestDone : Act::kNothing; // the probe has received
  case Role::kProbe:
    return function.word_of("message") >= 0 ? Act::kMatchedProbe : Act::kProbe;
  case Role::kComplete:
    return Act::kComplete;
  case Role::kCollective:
  case Role::kNeighbor:
    return Act::kCollective;
  case Role::kComm:
  case Role::kTopo:
    return Act::kMakeComm;
  case Role::kWin:
    return Act::kMakeWindow;
  case Role::kRma:
    return Act::kOneSided;
  case Role::kIo:
    return function.makes_request ? Act::kRequestDone : Act::kFile;
  case Role::kProcess:
    return Act::kUnsupported;
  default:
    return Act::kNothing;
  }
}

SendMode mode_of(std::string_view name) {
  if (name.find("ssend") != std::string_view::npos || name.find("Ssend") != std::string_view::npos)
    return SendMode::kSynchronous;
  const bool is_buffered =
      name.find("bsend") != std::string_view::npos || name.find("Bsend") != std::string_view::npos;
  return is_buffered ? SendMode::kBuffered : SendMode::kStandard;
}

int first_of(const Function& function, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const int word = function.word_of(name); word >= 0) return word;
  }
  return -1;
}

CallPlan make_plan(const Function& function) {
  CallPlan plan;
  plan.act = act_of(function);
  plan.mode = mode_of(function.name);
  plan.is_started_later = function.mode == Mode::kPersistent || function.mode == Mode::kPartitioned;
  plan.is_partitioned = function.mode == Mode::kPartitioned;
  plan.keeps_request = function.name == "MPI_Request_get_status";
  const std::string_view name = function.name;
  plan.is_there_and_back = function.word_of("result_addr") >= 0 || name.starts_with("MPI_Get") ||
                           name.starts_with("MPI_Rget");
  if (plan.act == Act::kCollective) {
    if (!trace::collective_kind_of(function)) plan.act = Act::kUnsupported;
    plan.collective = trace::collective_words_of(function);
  }
  plan.dest = function.word_of("dest");
  plan.send_tag = first_of(function, {"sendtag", "tag"});
  plan.send_count = first_of(function, {"sendcount", "sendcounts", "count", "target_count"});
  plan.send_type = first_of(function, {"sendtype", "sendtypes", "target_datatype", "datatype"});
  plan.partitions = function.word_of("partitions");
  plan.source = function.word_of("source");
  plan.receive_tag = first_of(function, {"recvtag", "tag"});
  plan.receive_count = first_of(function, {"recvcount", "recvcounts"});
  plan.receive_type = first_of(function, {"recvtype", "recvtypes", "datatype"});
  plan.comm = function.comm_word();
  plan.new_comm = first_of(function, {"newcomm", "comm_cart", "comm_graph", "comm_dist_graph",
                                      "newintercomm", "newintracomm"});
  if (plan.act == Act::kMakeComm || plan.act == Act::kMakeWindow)
    plan.comm = first_of(function, {"comm", "comm_old", "local_comm", "intercomm"});
  plan.status = first_of(function, {"status", "array_of_statuses"});
  plan.request = function.word_of("request");
  plan.requests = function.word_of("array_of_requests");
  plan.flag = function.word_of("flag");
  plan.index = function.word_of("index");
  plan.indices = function.word_of("array_of_indices");
  plan.target = first_of(function, {"target_rank", "rank"});
  plan.window = function.word_of("win");
  plan.group = function.word_of("group");
  return plan;
}

} // namespace

const CallPlan& plan_of(const Function& function) {
  static const auto by_id = [] {
    std::vector<CallPlan> plans;
    for (const Function& f : trace::all_functions()) {
      if (f.id >= plans.size()) plans.resize(f.id + std::size_t{1});
      plans[f.id] = make_plan(f);
    }
    return plans;
  }();
  return by_id[function.id];
}

} // namespace rondo::simulate::internal
