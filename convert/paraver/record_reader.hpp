// SPDX-License-Identifier: Apache-2.0
// Reads the records of one Paraver trace behind its header, line by line, and hands them to the
// streams of their threads.
//
//   ParaverReader reader(header, options, budget);
//   if (auto opened = reader.open_streams(); !opened) return propagate(opened);
//   reader.set_names(names);
//   while (...) if (auto added = reader.add(line); !added) return propagate(added);
//   std::vector<fold::RecordingPart> ranks = reader.finish(hosts);
#pragma once

#include "convert/paraver/fields.hpp"
#include "convert/paraver/header.hpp"
#include "convert/paraver/names.hpp"
#include "convert/paraver/stream.hpp"
#include "rondo/base/budget.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

/// What a trace says behind the records that need it, or nowhere: it is read once more with that.
struct ParaverAmends {
  std::vector<std::string> comms; // lines, without "c:"
  bool gaps_compute = false; // no state is Running
  bool has_one_comm = false; // no collective operation says its communicator
};

class ParaverReader {
public:
  ParaverReader(ParaverHeader header, ImportOptions options, Budget budget);

  /// One for each rank. Those of further threads are opened with their first call.
  /// @error  kUnsupported
  Status open_streams();
  void set_names(const std::array<FunctionNames, kMpiEvents>& names);
  /// Before the first line. @error  as add()
  Status amend(const ParaverAmends& amends);

  /// @error  kFormat, kUnsupported without a place
  Status add(std::string_view line);

  /// The ranks' programs. The reader has only remarks() left.
  std::vector<fold::RecordingPart> finish(const std::vector<std::string>& node_names);
  std::vector<Remark> remarks() const;
  /// Nothing if reading it again would say no more.
  std::optional<ParaverAmends> amends() const;

private:
  struct NamedForm {
    CallForm form;
    std::string name; // empty: the trace has no name for the value
    std::uint64_t left_out = 0;
  };
  struct Where {
    std::size_t rank = 0;
    std::size_t thread = 0;
    bool is_of_run = false; // of the application that is read
  };

  Status add_comm(std::string_view line);
  Where read_where(Fields& fields);
  std::uint64_t read_time(Fields& fields) const;
  Status add_state(Fields& fields);
  Status add_event(Fields& fields);
  Status take_event(const Where& where, std::uint64_t time_ns, std::int64_t type,
                    std::int64_t value);
  Status take_call(const Where& where, std::uint64_t time_ns, std::size_t type, std::int64_t value);
  Status add_collective(Fields& fields);
  Status add_message(Fields& fields);
  Status give(const Where& from, const MessageEnd& sent, const Where& to,
              const MessageEnd& received);
  ParaverStream* find_stream(const Where& where);
  ParaverStream* open_stream(std::size_t rank, std::size_t thread);
  std::vector<trace::Host> hosts(const std::vector<std::string>& names) const;

  ParaverHeader header_;
  Budget budget_;
  ParaverRun run_;
  std::vector<std::vector<std::unique_ptr<ParaverStream>>> streams_; // by rank and thread
  std::array<std::vector<NamedForm>, kMpiEvents> forms_; // by value
  std::uint64_t unnamed_calls_ = 0;
  bool has_records_ = false;
  bool has_calls_ = false;
  bool says_comm_ = false; // a collective operation does
  std::vector<std::string> late_comms_; // lines behind records
};

} // namespace rondo::convert::internal
