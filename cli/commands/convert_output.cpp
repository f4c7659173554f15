// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/convert_output.hpp"

#include "cli/common.hpp"
#include "cli/walk.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/convert/goal.hpp"
#include "rondo/convert/json.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/simulate/network_model.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <string_view>
#include <vector>

namespace rondo::cli {
namespace {

// An error that says no file is about the trace.
template <class Written>
tl::unexpected<Error> in_input(const Written& written, const ConvertOptions& options) {
  Error error = written.error();
  if (error.place.file.empty()) error.place.file = options.input;
  return tl::unexpected<Error>(std::move(error));
}

Status write_csv(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  const auto made = matrix::matrix_of(trace, matrix::shown_by_default());
  if (!made) return propagate(made);
  warn(options.input, made->loss.sentences());
  return write_file(options.output, matrix::to_csv(made->matrix), overwrite);
}

Status write_ti(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto written = convert::write_simgrid_ti(
      trace, options.output, {options.flops_per_second, options.approximates}, overwrite);
  if (!written) return in_input(written, options);
  warn(options.input, written->remarks);
  return {};
}

Status write_otf2(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto window = timeline_options(options);
  if (!window) return propagate(window);
  const auto written = convert::write_otf2(
      trace, options.output,
      {window->ranks, window->from_ns, window->until_ns, options.approximates}, overwrite);
  if (!written) return in_input(written, options);
  warn(options.input, *written);
  return {};
}

Status write_goal(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto written = convert::write_goal(trace, options.output, options.approximates, overwrite);
  if (!written) return in_input(written, options);
  warn(options.input, *written);
  return {};
}

Status write_paraver(const trace::Trace& trace, const ConvertOptions& options,
                     Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto window = timeline_options(options);
  if (!window) return propagate(window);
  const auto written = convert::write_paraver(
      trace, options.output,
      {window->ranks, window->from_ns, window->until_ns, options.approximates}, overwrite);
  if (!written) return in_input(written, options);
  warn(options.input, *written);
  return {};
}

Status write_dimemas(const trace::Trace& trace, const ConvertOptions& options,
                     Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto written =
      convert::write_dimemas(trace, options.output, options.approximates, overwrite);
  if (!written) return in_input(written, options);
  warn(options.input, *written);
  return {};
}

Status write_timeline(const trace::Trace& trace, convert::TimelineFormat format,
                      const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  auto wanted = timeline_options(options);
  if (!wanted) return propagate(wanted);
  wanted->format = format;
  const auto written = convert::write_timeline(trace, options.output, *wanted, overwrite);
  if (!written) return propagate(written);
  warn(options.input, *written);
  return {};
}

// "0-3,8"
Result<trace::RankSet> parse_rank_list(std::string_view text) {
  constexpr std::int64_t kMostRanks = std::int64_t{1} << 31;
  const auto wrong = [whole = text] {
    return fail(ErrorCode::kUsage,
                fmt::format("--ranks is a list such as 0-3,8, and not '{}'", whole));
  };
  std::vector<std::int64_t> ranks;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    std::int64_t first = 0;
    const char* const end = part.data() + part.size();
    std::from_chars_result read = std::from_chars(part.data(), end, first);
    std::int64_t last = first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || read.ptr != end || first < 0 || last < first ||
        last >= kMostRanks)
      return wrong();
    if (last - first >= std::int64_t{1} << 24) return wrong();
    for (; first <= last; ++first) ranks.push_back(first);
  }
  if (ranks.empty()) return wrong();
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return trace::RankSet::of(ranks);
}

Result<std::uint64_t> parse_ns(const char* option, const std::string& text,
                               std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  const auto seconds = simulate::parse_seconds(text);
  if (seconds && *seconds >= 0 && *seconds < 9e9) return static_cast<std::uint64_t>(*seconds * 1e9);
  return fail(ErrorCode::kUsage,
              fmt::format("{} is a time such as 1.5s or 20ms, and not '{}'", option, text));
}

Status check_ranks(const trace::Trace& trace, const ConvertOptions& options) {
  if (options.ranks.empty()) return {};
  const auto ranks = parse_rank_list(options.ranks);
  if (!ranks) return propagate(ranks);
  if (ranks->back() < trace.run.ranks) return {};
  return fail(
      ErrorCode::kUsage,
      fmt::format("has no rank {}; its ranks are 0 to {}", ranks->back(), trace.run.ranks - 1),
      {options.input, {}, {}, {}});
}

} // namespace

Status write_converted(const trace::Trace& trace, convert::OutputKind kind,
                       const ConvertOptions& options, Overwrite overwrite) {
  if (auto has_them = check_ranks(trace, options); !has_them) return has_them;
  switch (kind) {
  case convert::OutputKind::kRondo:
    return archive::write(trace, options.output, overwrite);
  case convert::OutputKind::kJson: // columns are written as values
    if (auto allowed = allow_walk(trace, options.input, Walk::kVarying); !allowed) return allowed;
    return write_file(options.output, convert::to_json(trace), overwrite);
  case convert::OutputKind::kSimgridTi:
    return write_ti(trace, options, overwrite);
  case convert::OutputKind::kOtf2:
    return write_otf2(trace, options, overwrite);
  case convert::OutputKind::kGoal:
    return write_goal(trace, options, overwrite);
  case convert::OutputKind::kParaver:
    return write_paraver(trace, options, overwrite);
  case convert::OutputKind::kDimemas:
    return write_dimemas(trace, options, overwrite);
  case convert::OutputKind::kPerfetto:
    return write_timeline(trace, convert::TimelineFormat::kPerfetto, options, overwrite);
  case convert::OutputKind::kChrome:
    return write_timeline(trace, convert::TimelineFormat::kChromeJson, options, overwrite);
  case convert::OutputKind::kCsv:
    break;
  }
  return write_csv(trace, options, overwrite);
}

Result<convert::TimelineOptions> timeline_options(const ConvertOptions& options) {
  convert::TimelineOptions wanted;
  if (!options.ranks.empty()) {
    auto ranks = parse_rank_list(options.ranks);
    if (!ranks) return propagate(ranks);
    wanted.ranks = std::move(*ranks);
  }
  const auto from = parse_ns("--from", options.from, wanted.from_ns);
  if (!from) return propagate(from);
  const auto until = parse_ns("--until", options.until, wanted.until_ns);
  if (!until) return propagate(until);
  wanted.from_ns = *from;
  wanted.until_ns = *until;
  return wanted;
}

} // namespace rondo::cli
