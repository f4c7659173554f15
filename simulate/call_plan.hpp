// SPDX-License-Identifier: Apache-2.0
// What playing each MPI function means, and which of a call's words say so.
#pragma once

#include "rondo/trace/collective_part.hpp"
#include "rondo/trace/functions.hpp"
#include "simulate/collective_steps.hpp"
#include "simulate/transport.hpp"

#include <cstdint>

namespace rondo::simulate::internal {

enum class Act : std::uint8_t {
  kNothing, // costs nothing
  kTransfer, // sends, receives or both
  kProbe,
  kMatchedProbe, // receives
  kRequestDone, // makes a request that is over at once (files; MPI_Imrecv)
  kComplete,
  kStart,
  kReady, // a partition
  kFree,
  kCollective,
  kMakeComm, // everybody of a communicator meets; a process topology may come of it
  kMakeWindow,
  kFreeWindow,
  kFence,
  kOneSided,
  kFlush,
  kWindowPost,
  kWindowStart,
  kWindowComplete,
  kWindowWait,
  kLock,
  kFile,
  kCancel,
  kUnsupported,
};

struct CallPlan {
  Act act = Act::kNothing;
  SendMode mode = SendMode::kStandard;
  bool is_started_later = false; // its request is named by a slot
  bool is_partitioned = false;
  bool is_there_and_back = false; // one-sided, with an answer
  bool keeps_request = false; // MPI_Request_get_status
  // Indices of words, -1 where the function has no such argument.
  int dest = -1, send_tag = -1, send_count = -1, send_type = -1, partitions = -1;
  int source = -1, receive_tag = -1, receive_count = -1, receive_type = -1;
  int comm = -1, new_comm = -1;
  int status = -1, request = -1, requests = -1, flag = -1, index = -1, indices = -1;
  int target = -1, window = -1, group = -1;
  trace::CollectiveWords collective{};
};

/// @complexity O(1)
const CallPlan& plan_of(const trace::Function& function);

} // namespace rondo::simulate::internal
