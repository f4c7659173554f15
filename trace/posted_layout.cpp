// SPDX-License-Identifier: Apache-2.0
#include "trace/posted_layout.hpp"

#include <vector>

namespace rondo::trace::internal {
namespace {

int either(const Function& function, std::string_view a, std::string_view b) {
  const int word = function.word_of(a);
  return word >= 0 ? word : function.word_of(b);
}

PostAct act_of(const Function& function) {
  switch (function.role) {
  case Role::kSend:
  case Role::kSendrecv:
    return PostAct::kTransfer;
  case Role::kRecv: // MPI_Mrecv has no source: the probe has received
    return function.word_of("source") >= 0 ? PostAct::kTransfer : PostAct::kNone;
  case Role::kProbe:
    return function.word_of("message") >= 0 ? PostAct::kMatchedProbe : PostAct::kNone;
  case Role::kCollective:
  case Role::kNeighbor:
    return PostAct::kCollective;
  case Role::kComplete:
    return either(function, "status", "array_of_statuses") >= 0 ? PostAct::kComplete
                                                                : PostAct::kNone;
  case Role::kRequest:
    if (function.name == "MPI_Start" || function.name == "MPI_Startall") return PostAct::kStart;
    if (function.name == "MPI_Cancel") return PostAct::kCancel;
    return function.name == "MPI_Request_free" ? PostAct::kFree : PostAct::kNone;
  default:
    return PostAct::kNone;
  }
}

PostLayout make_layout(const Function& function) {
  PostLayout layout;
  layout.act = act_of(function);
  layout.makes_request = function.makes_request;
  layout.is_started_later =
      function.mode == Mode::kPersistent || function.mode == Mode::kPartitioned;
  layout.is_partitioned = function.mode == Mode::kPartitioned;
  layout.dest = function.word_of("dest");
  layout.send_tag = either(function, "sendtag", "tag");
  layout.send_count = either(function, "sendcount", "count");
  layout.send_type = either(function, "sendtype", "datatype");
  layout.partitions = function.word_of("partitions");
  layout.source = function.word_of("source");
  layout.receive_tag = either(function, "recvtag", "tag");
  layout.comm = function.comm_word();
  layout.status = either(function, "status", "array_of_statuses");
  layout.request = function.word_of("request");
  layout.requests = function.word_of("array_of_requests");
  layout.flag = function.word_of("flag");
  layout.index = function.word_of("index");
  layout.indices = function.word_of("array_of_indices");
  return layout;
}

} // namespace

const PostLayout& post_layout_of(const Function& function) {
  static const auto by_id = [] {
    std::vector<PostLayout> layouts;
    for (const Function& f : all_functions()) {
      if (f.id >= layouts.size()) layouts.resize(f.id + std::size_t{1});
      layouts[f.id] = make_layout(f);
    }
    return layouts;
  }();
  return by_id[function.id];
}

} // namespace rondo::trace::internal
