// SPDX-License-Identifier: Apache-2.0
// Collective operations of one rank, and the calls that make communicators, in which all meet.
#pragma once

#include "rondo/trace/collective_part.hpp"
#include "simulate/ranks/rank_activity.hpp"

#include <cstdint>
#include <span>

namespace rondo::simulate::internal {

/// Why no model plays a call, as Stage::unsupported has it behind the function's name.
constexpr const char* kOtherProcesses = "starts or meets processes outside the run";

class RankCollectives {
public:
  /// @param rank  must outlive the object
  explicit RankCollectives(RankActivity& rank) : rank_(rank) {}

  /// @param slot  of the persistent request that is started, or nullptr
  void collective(const trace::CallView& call, OpenRequests::Slot* slot);
  void make_comm(const trace::CallView& call);
  void start_processes(const trace::CallView& call);
  /// Of a file that was seen being opened: a barrier where all wait, if nothing takes time.
  /// @return  whether the request that the call makes, if it does, is made
  bool file_call();
  /// As a barrier does.
  void meet_all(std::int64_t comm, bool is_background);

private:
  CollectivePart part_of(const trace::CollectiveWords& where, std::span<const std::int64_t> words,
                         std::int64_t comm);
  double formula_cost(std::int64_t ranks, std::uint64_t bytes);
  Request* meet_behind(std::int64_t comm);
  bool is_inter(std::int64_t comm) const; // and known
  Request* play_behind(std::vector<Step>&& steps, std::uint32_t id, std::int64_t tag);
  bool access_file(RankObjects::File& file);
  void play_part(CollectivePart part, std::int64_t comm, bool is_background,
                 OpenRequests::Slot* slot, std::uint32_t line);
  Request* come_for_formula(const CollectivePart& part, std::int64_t comm, std::int64_t tag);
  void keep(Request* request, OpenRequests::Slot* slot);

  RankActivity& rank_;
};

} // namespace rondo::simulate::internal
