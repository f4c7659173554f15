// SPDX-License-Identifier: Apache-2.0
// A trace whose ranks have files of their own, read by one process or by several that were started
// for it. Each reads a range of ranks and hands what it merged to another one, along a binomial
// tree, until the first process has it all. The same comes out for any number of processes.
#pragma once

#include "convert/calls/each_rank.hpp"
#include "convert/calls/merge_forest.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rondo::convert::internal {

/// The ranks [first, end) that one process reads, and where their parts go.
struct Share {
  std::size_t first = 0;
  std::size_t end = 0;
  MergeForest& parts;
};

/// Adds a part for each rank of the share.
/// @return  what else is to be known of these ranks
using ReadShare = std::function<Result<nlohmann::json>(const Share&)>;

/// All ranks.
struct Whole {
  fold::RecordingPart part;
  std::vector<nlohmann::json> said; // by the processes, in the order of their ranks
};

/// @return  nothing in processes other than the first
/// @error   in the first process that of the least rank, whoever met it; in others none but of what
///          they hand on: kIo, kNotFound for a process that does not answer
Result<std::optional<Whole>> read_together(const ImportOptions& options, std::size_t ranks,
                                           const ReadShare& read);

/// Of files, one a rank, those of the share; what is no file counts nothing.
std::uint64_t bytes_of(const std::vector<std::string>& files, const Share& share);

/// All ranks last as long as the run.
void set_span(fold::RecordingPart& whole, std::uint64_t span_ns);

/// Counts of what the readers of a share left open, as read_together() hands them on.
template <class Counts> nlohmann::json said_counts(const Counts& counts) {
  nlohmann::json said = nlohmann::json::array();
  for (const auto member : Counts::members()) said.push_back(counts.*member);
  if constexpr (requires { Counts::by_name(); })
    for (const auto member : Counts::by_name()) said.push_back(counts.*member);
  return said;
}

template <class Counts> Counts heard_counts(const nlohmann::json& said) {
  Counts counts;
  std::size_t next = 0;
  for (const auto member : Counts::members()) counts.*member = said[next++];
  if constexpr (requires { Counts::by_name(); })
    for (const auto member : Counts::by_name()) counts.*member = said[next++];
  return counts;
}

} // namespace rondo::convert::internal
