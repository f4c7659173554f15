// SPDX-License-Identifier: Apache-2.0
// Who takes part in a Paraver trace that is written: processors, nodes, tasks with their threads,
// and communicators, each by its number in the file. All count from 1; node and processor 0 stand
// for what nobody knows.
#pragma once

#include "rondo/trace/communicators.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

class PrvPlaces {
public:
  /// Both must outlive the object.
  PrvPlaces(const trace::Trace& trace, const trace::Communicators& comms);

  /// "PROCESSOR:1:TASK:THREAD:" of a stream.
  std::string prefix(std::int64_t rank, std::uint32_t thread) const;
  std::uint32_t threads_of(std::int64_t rank) const {
    return threads_[static_cast<std::size_t>(rank)];
  }

  /// A communicator's number; 0 for one that is not defined, or that has two groups.
  std::uint64_t comm_id(std::int64_t rank, std::int64_t slot) const {
    return number_of(rank, views_.of(rank, slot).id);
  }
  /// The same by trace::Communicators' number of it.
  std::uint64_t number_of(std::int64_t rank, std::uint32_t shared) const;
  struct Comm {
    std::uint64_t id = 0;
    std::vector<std::int64_t> members; // world ranks
  };
  /// MPI_COMM_WORLD, MPI_COMM_SELF of each rank, and those that the program made, by number.
  std::vector<Comm> comms() const;
  std::size_t comm_count() const { return 1 + threads_.size() + made_.size(); }

  /// "1(4):1:4(1:1,1:1,1:1,1:1),5": what the header says behind the duration.
  std::string header() const;
  /// The .row.
  std::string row() const;

private:
  std::uint64_t processor(std::int64_t rank, std::uint32_t thread) const;

  const trace::Trace& trace_;
  const trace::Communicators& views_;
  std::vector<std::uint32_t> threads_; // by rank
  std::vector<std::uint64_t> first_processor_; // by rank
  std::vector<std::uint64_t> node_; // by rank
  std::vector<std::uint64_t> processors_; // by node
  std::map<std::uint32_t, std::pair<std::uint64_t, const trace::CommDefinition*>>
      made_; // by number that all ranks share
};

} // namespace rondo::convert::internal
