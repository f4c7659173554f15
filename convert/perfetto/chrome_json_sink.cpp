// SPDX-License-Identifier: Apache-2.0
#include "convert/perfetto/slices.hpp"

#include <fmt/core.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace rondo::convert::internal {
namespace {

// Any bytes become a string of JSON.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Chrome counts in microseconds.
std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class ChromeJsonSink : public TimelineSink {
public:
  void begin(const std::string& title, bool are_reconstructed, std::string& out) override {
    out += "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":" + json_text(title);
    if (are_reconstructed) out += ",\"times\":\"reconstructed from means, not measured\"";
    out += "},\n\"traceEvents\":[";
  }

  void track(const TimelineTrack& track, std::string& out) override {
    rank_ = track.rank;
    thread_ = track.thread;
    std::string name = fmt::format("rank {}", track.rank);
    if (!track.host.empty()) name += " on " + track.host;
    if (track.thread == 0) {
      metadata("process_name", "name", json_text(name), out);
      metadata("process_sort_index", "sort_index", std::to_string(rank_), out);
    }
    metadata("thread_name", "name",
             json_text(thread_ == 0 ? "MPI" : fmt::format("thread {}", thread_)), out);
  }

  void slice(const TimelineSlice& slice, std::string& out) override {
    next(out);
    fmt::format_to(std::back_inserter(out),
                   R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{)",
                   json_text(slice.name), json_text(slice.category), rank_, thread_,
                   microseconds(slice.begin_ns), microseconds(slice.end_ns - slice.begin_ns));
    const char* comma = "";
    const auto argument = [&](std::string_view key, const std::string& value) {
      out += comma + json_text(key) + ":" + value;
      comma = ",";
    };
    for (const auto& [key, value] : slice.numbers) argument(key, std::to_string(value));
    for (const auto& [key, value] : slice.texts) argument(key, json_text(value));
    if (slice.site != 0) {
      argument("function", json_text(slice.function));
      argument("file", json_text(slice.file));
      argument("line", std::to_string(slice.line));
    }
    out += "}}";
    for (const TimelineFlow& flow : slice.flows) {
      next(out);
      fmt::format_to(
          std::back_inserter(out),
          R"({{"ph":"{}","id":"{:x}","name":"message","cat":"message","pid":{},"tid":{},"ts":{}{}}})",
          flow.begins ? "s" : "f", flow.id, rank_, thread_,
          microseconds(flow.begins ? slice.begin_ns : slice.end_ns),
          flow.begins ? "" : ",\"bp\":\"e\"");
    }
  }

  void end(std::string& out) override { out += "\n]}\n"; }

private:
  void next(std::string& out) {
    out += is_first_ ? "\n" : ",\n";
    is_first_ = false;
  }
  void metadata(const char* what, const char* key, const std::string& value, std::string& out) {
    next(out);
    fmt::format_to(std::back_inserter(out),
                   R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what, rank_,
                   thread_, key, value);
  }

  std::int64_t rank_ = 0;
  std::uint32_t thread_ = 0;
  bool is_first_ = true;
};

} // namespace

std::unique_ptr<TimelineSink> chrome_json_sink() { return std::make_unique<ChromeJsonSink>(); }

} // namespace rondo::convert::internal
