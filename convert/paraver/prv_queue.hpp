// SPDX-License-Identifier: Apache-2.0
// The lines of a Paraver trace in the order of time, of which some have to wait: the record of a
// message stands where it is sent, and says when it came. What comes behind it waits too, up to a
// limit; then messages are written behind where they belong.
//
//   PrvQueue queue(file);
//   queue.add(line);
//   queue.send(id, {prefix, begin_ns, bytes, tag, true});
//   queue.receive(id, {prefix, posted_ns, end_ns, true});
//   if (auto written = queue.spill(); !written) ...
//   return queue.finish();
#pragma once

#include "convert/text/growing_file.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rondo::convert::internal {

/// "12:34": appended without a way round over a string of its own.
void append_number(std::string& text, std::int64_t number);

class PrvQueue {
public:
  struct Sent {
    std::string_view prefix; // of the stream, which outlives the queue
    std::uint64_t begin_ns = 0;
    std::uint64_t bytes = 0;
    std::int64_t tag = 0;
    bool is_wanted = false; // the call is written
  };
  struct Received {
    std::string_view prefix;
    std::uint64_t posted_ns = 0;
    std::uint64_t end_ns = 0;
    bool is_wanted = false;
  };
  /// @param most_bytes   that wait for messages; memory follows it
  explicit PrvQueue(GrowingFile& file, std::size_t most_bytes = kMostBytes)
      : file_(file), most_bytes_(most_bytes) {}

  /// Where whole lines are appended that come next.
  std::string& text();
  void send(std::uint64_t id, const Sent& sent);
  void receive(std::uint64_t id, const Received& received);
  /// Writes what waits for nothing. @error  kIo
  Status spill();
  /// Writes the rest; messages that nobody received are left out. @error  kIo
  Status finish();

  std::uint64_t written() const { return written_; } // messages
  std::uint64_t late() const { return late_; } // of these, behind their place
  std::uint64_t lost() const { return lost_; } // only one end is there; known at the end

private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  struct Chunk {
    std::string text; // plain lines
    std::uint64_t id = 0; // then this message; 0 none
    bool is_open = false; // its receive is still to come
    Sent sent{};
    Received received{};
  };
  struct Waiting {
    std::uint64_t chunk = 0; // number of it, from the beginning
    Sent sent{};
  };

  void put(const Sent& sent, const Received& received);
  void release(bool by_force);

  GrowingFile& file_;
  std::size_t most_bytes_;
  std::deque<Chunk> chunks_;
  std::uint64_t first_ = 0; // number of the first chunk
  std::size_t bytes_ = 0; // of plain lines that wait
  std::unordered_map<std::uint64_t, Waiting> sent_; // without a receive so far, by id
  std::unordered_map<std::uint64_t, Received> early_; // whose send comes later in the file
  std::uint64_t written_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t lost_ = 0;
};

} // namespace rondo::convert::internal
