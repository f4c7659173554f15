// SPDX-License-Identifier: Apache-2.0
// When every call of a stream began and how long it took, in little memory: blocks of some thousand
// calls, each compressed by itself. Lossless. They stand beside the folded program, whose calls are
// in the same order.
//
//   TimeStampReader reader(*trace.stamps_of(rank));
//   while (const auto time = reader.next()) use(time->start_ns, time->inside_ns);
//
// Thread rule: TimeStamps may be read by any number of threads; copies share their blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::trace {

struct CallTime {
  std::uint64_t start_ns = 0; // since the rank entered MPI_Init
  std::uint64_t computation_ns = 0; // before the call, as histograms have it: without the recorder
  std::uint64_t inside_ns = 0; // in the call
  std::uint64_t end_ns() const { return start_ns + inside_ns; }
  friend bool operator==(const CallTime&, const CallTime&) = default;
};

/// A block, which may stand in a larger piece of memory; copies share it.
struct StampBlock {
  std::string_view bytes; // docs/formats/rondo.md
  std::shared_ptr<const void> owner; // of the memory
};
StampBlock stamp_block(std::string bytes);

/// Those of one stream. Where times were given up along the way, they end before the calls do.
struct TimeStamps {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  // When the rank entered MPI_Init, by one clock for all ranks as far as hosts were compared
  // (RankClock), else by its host's; 0 unknown.
  std::int64_t origin_unix_ns = 0;
  std::int64_t gain_ppt = 0; // of that clock on the stamps, in 10^-12
  std::uint64_t calls = 0; // in all blocks
  std::vector<StampBlock> blocks;

  std::uint64_t bytes() const;
  /// Adds what came after these, of the same stream.
  void append(TimeStamps&& later);
};

/// The number of calls in a block; nothing if it is none by its first bytes.
std::optional<std::uint64_t> calls_of_block(std::string_view block);

class TimeStampWriter {
public:
  TimeStampWriter();
  ~TimeStampWriter();
  TimeStampWriter(TimeStampWriter&&) noexcept;
  TimeStampWriter& operator=(TimeStampWriter&&) noexcept;

  /// Calls come in order, with times that fit together: a call starts when the one before has
  /// ended, plus its computation, plus what neither counts (the recorder's own time, pauses).
  /// @complexity O(1), some 10 ns, compressing included
  void add(const CallTime& time);

  /// All so far; rank, thread and origin are left open.
  TimeStamps snapshot() const;
  /// The same, after which the writer goes on without them.
  TimeStamps take();
  /// Memory in use, estimated, in bytes.
  std::size_t memory() const;

private:
  struct Block;
  std::unique_ptr<Block> open_;
  TimeStamps done_;
  std::uint64_t end_ns_ = 0; // of the call before
};

class TimeStampReader {
public:
  /// `stamps` must outlive the reader.
  explicit TimeStampReader(const TimeStamps& stamps) : stamps_(&stamps) {}

  /// The next call's times; nothing at the end, or where a block is damaged.
  std::optional<CallTime> next();
  /// The same on the clock for all ranks: what may be compared with other ranks' times. Computation
  /// stays as it was measured.
  std::optional<CallTime> next_on_common_clock();
  bool is_damaged() const { return is_damaged_; }

private:
  bool open_block();
  std::uint64_t take_bits(int bits);
  std::uint64_t value(std::size_t column);

  const TimeStamps* stamps_;
  std::size_t block_ = 0; // to be opened next
  std::string bins_[3];
  std::string_view bits_; // of the open block, not yet taken
  unsigned bit_ = 0; // of the first byte
  std::size_t at_ = 0; // in the open block
  std::size_t size_ = 0;
  std::uint64_t end_ns_ = 0;
  bool is_damaged_ = false;
};

} // namespace rondo::trace
