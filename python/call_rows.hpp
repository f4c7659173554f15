// SPDX-License-Identifier: Apache-2.0
// A stream's calls as rows of numbers, some columns of them, chunk by chunk. No Python here.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/matrix/call_bytes.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/time_stamps.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::python {

enum class Column : std::uint8_t {
  kFunction,
  kPeer,
  kTag,
  kComm,
  kBytes,
  kSite,
  kError,
  kStart,
  kComputation,
  kInside
};

struct ColumnFormat {
  std::string_view name; // "inside_ns"
  std::string_view format; // as NumPy has it: "u8"
  Column column;
  std::size_t size;
};

/// All there are, times last.
const std::vector<ColumnFormat>& all_columns();

class CallRows {
public:
  /// @param columns  of all_columns()
  /// @error  kNotFound for a rank and thread that the trace has not; kUsage for an unknown column;
  ///         kUnsupported for times in a trace that has not those of every call
  static Result<std::unique_ptr<CallRows>> open(std::shared_ptr<const trace::Trace> trace,
                                                std::int64_t rank, std::uint32_t thread,
                                                const std::vector<std::string>& columns);

  /// What a row has, in its order, without gaps.
  const std::vector<ColumnFormat>& columns() const { return columns_; }
  std::size_t row_size() const { return row_size_; }
  std::uint64_t left() const { return left_; }
  /// Of how many calls, the first ones, there are times; the others' are 0.
  std::uint64_t timed() const { return timed_; }

  /// Fills the next rows. @return how many there were, 0 at the end
  std::size_t fill(std::byte* rows, std::size_t most);
  /// Of whoever reads: several threads may.
  std::mutex& mutex() { return mutex_; }

private:
  struct Plan { // of a symbol
    std::vector<std::byte> row; // as it was last
    int peer = -1; // words
    int status = -1;
    int tag = -1;
    int comm = -1;
    bool varies = false;
    bool is_made = false;
  };
  struct TimePlace {
    std::uint64_t trace::CallTime::*field;
    std::size_t at; // in a row
  };
  CallRows(std::shared_ptr<const trace::Trace> trace, const trace::RankClass& c, std::int64_t rank);
  void add(const ColumnFormat& column);
  void plan(Plan& plan, const trace::CallInstance& call) const;
  void write_words(Plan& plan, const trace::CallInstance& call) const;
  void write_times(std::byte* row);

  std::shared_ptr<const trace::Trace> trace_;
  trace::CallReader reader_;
  matrix::CallBytes bytes_;
  std::optional<trace::TimeStampReader> stamps_;
  std::vector<ColumnFormat> columns_;
  std::vector<TimePlace> times_;
  std::vector<Plan> plans_; // by symbol
  std::size_t row_size_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t timed_ = 0;
  std::mutex mutex_;
};

} // namespace rondo::python
