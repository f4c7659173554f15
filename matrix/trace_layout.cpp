// SPDX-License-Identifier: Apache-2.0
#include "matrix/trace_layout.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::matrix::internal {
namespace {

using trace::Function;

constexpr std::pair<std::string_view, Amount> kAmounts[] = {
    {"barrier", Amount::kNothing},
    {"bcast", Amount::kRootsBlock},
    {"gather", Amount::kOwnBlock},
    {"gatherv", Amount::kOwnBlockOfMany},
    {"scatter", Amount::kBlockForEachRank},
    {"scatterv", Amount::kListedBlocks},
    {"allgather", Amount::kOwnBlock},
    {"allgatherv", Amount::kOwnBlockOfMany},
    {"alltoall", Amount::kBlockForEachRank},
    {"alltoallv", Amount::kListedBlocks},
    {"alltoallw", Amount::kListedBlocks},
    {"reduce", Amount::kReduceBlock},
    {"allreduce", Amount::kOwnBlock},
    {"reduce_scatter_block", Amount::kBlockForEachMember},
    {"reduce_scatter", Amount::kReceivedBlocks},
    {"scan", Amount::kOwnBlock},
    {"exscan", Amount::kOwnBlock},
    {"neighbor_allgather", Amount::kOwnBlock},
    {"neighbor_allgatherv", Amount::kOwnBlock},
    {"neighbor_alltoall", Amount::kBlockForEachNeighbor},
    {"neighbor_alltoallv", Amount::kListedBlocks},
    {"neighbor_alltoallw", Amount::kListedBlocks},
};

Amount amount_of(const Function& function) {
  if (is_send(function) || is_file_access(function)) return Amount::kMessage;
  if (is_one_sided(function)) return Amount::kOneSided;
  if (!is_collective(function)) return Amount::kNothing;
  const std::string operation = trace::collective_name_of(function);
  const auto found = std::find_if(std::begin(kAmounts), std::end(kAmounts),
                                  [&](const auto& entry) { return entry.first == operation; });
  return found == std::end(kAmounts) ? Amount::kNothing : found->second;
}

int first_of(const Function& function, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const int word = function.word_of(name); word >= 0) return word;
  }
  return Layout::kNone;
}

// A compare-and-swap carries the new value and the one to compare.
void lay_out_one_sided(const Function& function, Layout& layout) {
  layout.dest = function.word_of("target_rank");
  layout.window = function.word_of("win");
  layout.op = function.word_of("op");
  layout.send_count = function.word_of("origin_count");
  layout.send_type = first_of(function, {"origin_datatype", "datatype"});
  layout.receive_count = first_of(function, {"result_count", "origin_count"});
  layout.receive_type = first_of(function, {"result_datatype", "origin_datatype", "datatype"});
  const bool gets = function.name == "MPI_Get" || function.name == "MPI_Rget";
  const bool gives_back = gets || function.word_of("result_addr") >= 0;
  layout.elements_there = gets ? 0 : function.word_of("compare_addr") >= 0 ? 2 : 1;
  layout.elements_back = gives_back ? 1 : 0;
}

Layout make_layout(const Function& function) {
  Layout layout;
  layout.amount = amount_of(function);
  layout.operation = trace::collective_kind_of(function);
  layout.comm = function.comm_word();
  if (is_one_sided(function)) {
    lay_out_one_sided(function, layout);
    return layout;
  }
  layout.send_count = first_of(function, {"sendcount", "sendcounts", "count"});
  layout.send_type = first_of(function, {"sendtype", "sendtypes", "datatype"});
  if (is_send(function) || is_file_access(function)) {
    layout.dest = function.word_of("dest");
    layout.partitions = function.word_of("partitions");
    return layout;
  }
  layout.root = function.word_of("root");
  layout.send_buffer = function.word_of("sendbuf");
  layout.receive_count = first_of(function, {"recvcount", "recvcounts"});
  layout.receive_type = first_of(function, {"recvtype", "recvtypes", "datatype"});
  layout.has_type_arrays = function.word_of("sendtypes") >= 0;
  return layout;
}

} // namespace

const Layout& layout_of(const Function& function) {
  static const auto by_id = [] {
    std::vector<Layout> layouts;
    for (const Function& f : trace::all_functions()) {
      if (f.id >= layouts.size()) layouts.resize(f.id + std::size_t{1});
      if (has_traffic(f)) layouts[f.id] = make_layout(f);
    }
    return layouts;
  }();
  return by_id[function.id];
}

} // namespace rondo::matrix::internal
