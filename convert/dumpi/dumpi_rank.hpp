// SPDX-License-Identifier: Apache-2.0
// One rank's records of a DUMPI trace as its calls.
#pragma once

#include "convert/calls/object_slots.hpp"
#include "convert/calls/rank_program.hpp"
#include "convert/dumpi/dumpi_comms.hpp"
#include "convert/dumpi/dumpi_file.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// What the traces leave open and what was left out, over all ranks.
struct DumpiCounts {
  std::uint64_t unknown_comms = 0; // made by calls whose members nobody knows
  std::uint64_t unknown_sizes = 0;
  std::uint64_t unheard_requests = 0;
  std::uint64_t user_operations = 0;
  std::uint64_t user_functions = 0;
  std::uint64_t other_threads = 0;
  std::uint64_t untimed = 0;
  std::uint64_t unfinished_ranks = 0;
  std::map<std::string, std::uint64_t> left_out;

  static constexpr auto members() {
    using Counts = DumpiCounts;
    return std::array{&Counts::unknown_comms,   &Counts::unknown_sizes,   &Counts::unheard_requests,
                      &Counts::user_operations, &Counts::user_functions,  &Counts::other_threads,
                      &Counts::untimed,         &Counts::unfinished_ranks};
  }
  static constexpr auto by_name() { return std::array{&DumpiCounts::left_out}; }
  std::vector<Remark> remarks() const;
};

class DumpiRank {
public:
  DumpiRank(const ImportOptions& options, DumpiCounts& counts, const DumpiFile& file,
            std::int64_t rank, std::int64_t ranks, std::uint64_t base_ns);

  void add(const DumpiRecord& record);

  std::uint64_t end_ns() const { return free_ns_; }
  const std::string& command() const { return command_; }
  std::vector<DumpiCreation> take_creations() { return std::move(creations_); }
  fold::RecordingPart finish(std::uint64_t span_ns, std::int64_t start_unix_ns);

private:
  using Event = std::vector<std::int64_t>;
  struct Request {
    std::int64_t number = 0; // from 1; of a persistent one its slot
    bool is_persistent = false;
    bool is_receive = false;
    bool any_source = false;
    bool any_tag = false;
  };

  void fill(const trace::Function& function, const DumpiRecord& record, Event& event);
  void fill_field(const trace::Function& function, const DumpiField& field, Event& event);
  std::int64_t number_of(const DumpiField& field) const;
  std::int64_t array_of(const DumpiField& field);
  std::int64_t datatype_of(std::int64_t datatype);
  void release_object(const trace::Function& function, const DumpiRecord& record);
  std::int64_t operation_of(std::int64_t operation);
  std::int64_t comm_of(std::int64_t comm);
  std::int64_t reference_to(std::int64_t request);
  void scale_counts(const trace::Function& function, const DumpiRecord& record, Event& event);
  void scale_lists(const trace::Function& function, const DumpiRecord& record, Event& event);
  void fill_statuses(const trace::Function& function, const DumpiRecord& record, Event& event);
  void fill_status(const DumpiStatus& status, const Request& request, std::int64_t* words) const;
  Request request_of(const DumpiRecord& record) const;
  void note_request(const trace::Function& function, const DumpiRecord& record);
  void complete(const DumpiRecord& record);
  void note_comm(const DumpiRecord& record);
  CallSpan span_of(const DumpiRecord& record);

  DumpiCounts& counts_;
  const DumpiFile& file_;
  std::int64_t rank_;
  std::uint64_t base_ns_;
  RankProgram program_;
  std::uint64_t free_ns_ = 0;
  std::uint64_t computation_ns_ = 0;
  std::uint64_t first_cpu_ns_ = 0;
  std::uint64_t cpu_ns_ = 0;
  bool has_begun_ = false;
  bool has_cpu_ = false;
  std::string command_;
  std::unordered_map<std::int64_t, Request> requests_; // open, by the trace's number
  std::int64_t made_ = 0;
  std::vector<bool> slots_; // of persistent requests, taken
  std::unordered_map<std::int64_t, std::int64_t> comms_; // slots by the trace's number
  std::int64_t made_comms_ = 0;
  ObjectSlots windows_;
  ObjectSlots files_;
  std::vector<DumpiCreation> creations_;
  std::map<std::int64_t, std::string_view> datatypes_; // used: words to names
  std::map<std::int64_t, std::int64_t> sizes_; // of these
  bool is_finalized_ = false;
};

} // namespace rondo::convert::internal
