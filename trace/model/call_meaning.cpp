// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/call_meaning.hpp"

#include <array>

namespace rondo::trace {
namespace {

#include "trace/call_meanings.inc" // all_meanings(); generated from record/mpi_calls.toml

constexpr std::array<CallMeaning, kLastId + 1> kMeanings = all_meanings();

} // namespace

const CallMeaning& meaning_of(const Function& function) { return kMeanings[function.id]; }

std::string_view name_of(Collective operation) {
  static constexpr std::array<std::string_view, 23> kNames = {"",
                                                              "barrier",
                                                              "bcast",
                                                              "gather",
                                                              "gatherv",
                                                              "scatter",
                                                              "scatterv",
                                                              "allgather",
                                                              "allgatherv",
                                                              "alltoall",
                                                              "alltoallv",
                                                              "alltoallw",
                                                              "reduce",
                                                              "allreduce",
                                                              "reduce_scatter",
                                                              "reduce_scatter_block",
                                                              "scan",
                                                              "exscan",
                                                              "neighbor_allgather",
                                                              "neighbor_allgatherv",
                                                              "neighbor_alltoall",
                                                              "neighbor_alltoallv",
                                                              "neighbor_alltoallw"};
  return kNames[static_cast<std::size_t>(operation)];
}

} // namespace rondo::trace
