// SPDX-License-Identifier: Apache-2.0
#include "present/run/archive_sizes.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {

std::uint64_t ArchiveSizes::raw_bytes() const {
  std::uint64_t sum = 0;
  for (const archive::SectionSize& part : contents) sum += part.raw_bytes;
  return sum;
}

double ArchiveSizes::bytes_per_call() const {
  return timed_calls == 0
             ? 0
             : static_cast<double>(full_times_bytes) / static_cast<double>(timed_calls);
}

Result<ArchiveSizes> archive_sizes(std::string_view bytes, const std::string& file,
                                   const trace::Trace& trace) {
  auto contents = archive::content_sizes(bytes, file);
  if (!contents) return propagate(contents);
  ArchiveSizes sizes;
  sizes.contents = std::move(*contents);
  for (archive::SectionSize& part : sizes.contents) {
    if (part.name != "full_times") continue;
    sizes.full_times_bytes = part.stored_bytes;
    part.raw_bytes = 0; // as three numbers of eight bytes a call
    for (const trace::TimeStamps& stamps : trace.stamps) part.raw_bytes += 24 * stamps.calls;
  }
  for (const trace::RankFacts& rank : trace.ranks) sizes.calls += rank.calls;
  for (const trace::TimeStamps& stamps : trace.stamps) sizes.timed_calls += stamps.calls;
  return sizes;
}

std::vector<std::string> size_lines(const ArchiveSizes& sizes) {
  std::vector<std::string> lines;
  for (const archive::SectionSize& part : sizes.contents) {
    std::string name = part.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    lines.push_back(fmt::format("{:<10} {:>8}, unpacked {:>8}", name,
                                human_bytes(static_cast<double>(part.stored_bytes)),
                                human_bytes(static_cast<double>(part.raw_bytes))));
    if (part.name == "full_times")
      lines.back() += fmt::format(", {:.2f} B a call", sizes.bytes_per_call());
  }
  if (sizes.timed_calls > 0 && sizes.timed_calls < sizes.calls) {
    lines.push_back(
        fmt::format("times of every call: for {} of {} calls", sizes.timed_calls, sizes.calls));
  }
  return lines;
}

void add_sizes(nlohmann::json& json, const ArchiveSizes& sizes) {
  for (const archive::SectionSize& part : sizes.contents) {
    json["contents"][part.name] = {{"stored_bytes", part.stored_bytes},
                                   {"raw_bytes", part.raw_bytes}};
  }
  if (sizes.timed_calls == 0) return;
  json["full_times"] = {{"calls", sizes.timed_calls}, {"bytes_per_call", sizes.bytes_per_call()}};
}

} // namespace rondo::present
