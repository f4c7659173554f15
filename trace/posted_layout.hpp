// SPDX-License-Identifier: Apache-2.0
// Which words of a call say what it sends, receives, starts or completes.
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>

namespace rondo::trace::internal {

enum class PostAct : std::uint8_t {
  kNone,
  kTransfer, // sends, receives or both; at once, or at each start of its request
  kMatchedProbe,
  kCollective,
  kComplete,
  kStart,
  kCancel,
  kFree,
};

struct PostLayout {
  PostAct act = PostAct::kNone;
  bool makes_request = false;
  bool is_started_later = false; // its request is named by a slot
  bool is_partitioned = false;
  // Indices of words, -1 where the function has no such argument.
  int dest = -1;
  int send_tag = -1;
  int send_count = -1;
  int send_type = -1;
  int partitions = -1;
  int source = -1;
  int receive_tag = -1;
  int comm = -1;
  int status = -1; // the first of three, or the word of an array
  int request = -1;
  int requests = -1;
  int flag = -1;
  int index = -1;
  int indices = -1;
};

/// @complexity O(1)
const PostLayout& post_layout_of(const Function& function);

} // namespace rondo::trace::internal
