// SPDX-License-Identifier: Apache-2.0
// A timeline as what viewers show: tracks, and slices on them. A format of a timeline is a sink.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

struct TimelineTrack {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  std::string host; // empty if nobody knows
};

struct TimelineFlow {
  std::uint64_t id = 0;
  bool begins = false; // else it ends here
};

struct TimelineSlice {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::string_view name;
  std::string_view category;
  std::vector<std::pair<std::string_view, std::int64_t>> numbers;
  std::vector<std::pair<std::string_view, std::string>> texts;
  std::vector<TimelineFlow> flows;
  std::uint32_t site = 0; // 0 unless the place in the source is known
  std::string_view function; // of the place
  std::string_view file;
  std::uint64_t line = 0;
};

/// Appends to a text, which the caller empties now and then.
class TimelineSink {
public:
  TimelineSink() = default;
  TimelineSink(const TimelineSink&) = delete;
  TimelineSink& operator=(const TimelineSink&) = delete;
  virtual ~TimelineSink() = default;

  /// @param title   of the whole, with what is to be known of its times
  virtual void begin(const std::string& title, bool are_reconstructed, std::string& out) = 0;
  virtual void track(const TimelineTrack& track, std::string& out) = 0;
  /// On the track that came last, in the order of time.
  virtual void slice(const TimelineSlice& slice, std::string& out) = 0;
  virtual void end(std::string& out) = 0;
};

/// nullptr in a build without the library.
std::unique_ptr<TimelineSink> perfetto_sink();
std::unique_ptr<TimelineSink> chrome_json_sink();

} // namespace rondo::convert::internal
