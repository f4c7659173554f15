// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/traffic_share.hpp"

#include "present/matrix/other_table.hpp"
#include "present/words.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/shares.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/statistics.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/collective_steps.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <vector>

namespace rondo::present {
namespace {

using matrix::CollectiveCounting;
using matrix::Statistics;

std::string bytes_text(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

bool is_neighborhood(const matrix::CollectiveCount& count) {
  const auto* function = trace::find_function(count.function);
  return function != nullptr && trace::is_neighborhood(*function);
}

// The collective operations whose messages are not shown.
std::vector<matrix::CollectiveCount> left_out(const Statistics& run, CollectiveCounting counting) {
  if (counting > CollectiveCounting::kNeighbors) return {};
  std::vector<matrix::CollectiveCount> all = run.collectives;
  if (counting == CollectiveCounting::kNeighbors) std::erase_if(all, is_neighborhood);
  return all;
}

std::uint64_t collective_bytes(const std::vector<matrix::CollectiveCount>& collectives) {
  std::uint64_t bytes = 0;
  for (const matrix::CollectiveCount& each : collectives) bytes += each.bytes;
  return bytes;
}

// The functions that carry most, as their names are read aloud.
std::string main_collectives(std::vector<matrix::CollectiveCount> all) {
  constexpr std::size_t kMost = 3;
  sort_stably(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    if (i > 0 && all[i].bytes == 0) break;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", all[i].function, bytes_text(all[i].bytes));
  }
  return all.size() > kMost ? text + ", ..." : text;
}

std::string percent_of(std::uint64_t part, std::uint64_t all) {
  if (all == 0) return "";
  return fmt::format(" ({})", human_percent(static_cast<double>(part) / static_cast<double>(all)));
}

// What the messages of the matrix are.
std::string kinds_text(const Statistics& run, const matrix::TrafficOptions& options) {
  const bool has_one_sided = options.one_sided && run.one_sided_messages > 0;
  if (!has_one_sided) return "point-to-point messages";
  return options.point_to_point ? "point-to-point and one-sided messages" : "one-sided messages";
}

std::uint64_t handed_to_mpi(const Statistics& run) {
  return run.point_to_point_bytes + run.one_sided_bytes + run.collective_bytes +
         run.bytes_to_others;
}

std::string files_text(const Statistics& run) {
  const std::uint64_t bytes = run.files.bytes();
  return fmt::format(
      "{} to and from files, {} of messages, collectives and files together; "
      "rondo matrix --layers files says who",
      bytes_text(bytes),
      human_percent(static_cast<double>(bytes) / static_cast<double>(bytes + handed_to_mpi(run))));
}

bool has_collectives_with_others(const Statistics& run) {
  return std::any_of(run.others.layers.begin(), run.others.layers.end(),
                     [](const matrix::OtherLayer& layer) { return layer.collective_calls > 0; });
}

// What collective operations with processes of another recording hand over goes to no rank of
// this one, so no way of counting adds it.
std::string elsewhere_text(const Statistics& run, CollectiveCounting counting) {
  std::vector<std::string> parts;
  const bool counts_collectives = counting > CollectiveCounting::kNeighbors;
  const std::vector<matrix::CollectiveCount> collectives = left_out(run, counting);
  std::uint64_t calls = 0;
  for (const matrix::CollectiveCount& each : collectives) calls += each.calls;
  const bool has_collectives = has_collectives_with_others(run);
  if (calls > 0)
    parts.push_back(fmt::format("{}: {}; --collectives pairs adds them{}",
                                counted(calls, "collective call", "collective calls"),
                                main_collectives(collectives),
                                has_collectives ? " as far as they stay among the ranks" : ""));
  if (run.messages_to_others > 0 || (counts_collectives && has_collectives))
    parts.push_back(described(run.others, counts_collectives) +
                    "; rondo matrix --layers spawned says who");
  if (run.files.bytes() > 0) parts.push_back(files_text(run));
  return joined(parts, "; ");
}

bool has_one_sided(const trace::Trace& trace) {
  const auto is_one_sided = [](const trace::Call& call) {
    return trace::meaning_of(*trace::find_function(call.function)).act == trace::Act::kOneSided;
  };
  return std::any_of(trace.classes.begin(), trace.classes.end(), [&](const trace::RankClass& c) {
    return std::any_of(c.program->calls.begin(), c.program->calls.end(), is_one_sided);
  });
}

} // namespace

TrafficShare traffic_share(const trace::Trace& trace, const matrix::CommunicationMatrix& shown,
                           const matrix::TrafficOptions& options) {
  return traffic_share(matrix::statistics_of(trace).statistics, shown, options);
}

TrafficShare traffic_share(const Statistics& run, const matrix::CommunicationMatrix& shown,
                           const matrix::TrafficOptions& options) {
  TrafficShare share;
  const std::uint64_t all = handed_to_mpi(run);
  share.json = {
      {"point_to_point_bytes", run.point_to_point_bytes},
      {"one_sided_bytes", run.one_sided_bytes},
      {"collective_bytes", run.collective_bytes},
      {"collective_bytes_not_counted", collective_bytes(left_out(run, options.collectives))},
      {"collective_calls", run.collective_calls},
      {"messages_to_other_processes", run.messages_to_others},
      {"bytes_to_other_processes", run.bytes_to_others},
      {"other_processes", nlohmann::json::parse(other_table_json(run.others))},
      {"file_bytes", run.files.bytes()}};
  const std::uint64_t here = shown.total_bytes();
  share.elsewhere = elsewhere_text(run, options.collectives);
  if (left_out(run, options.collectives).size() < run.collectives.size()) {
    const bool counts_all = options.collectives > CollectiveCounting::kNeighbors;
    share.here = fmt::format("{}, messages of {}collectives among them", bytes_text(here),
                             counts_all ? "" : "neighbourhood ");
    return share;
  }
  if (all == 0) {
    share.here = "the run handed nothing to MPI to send";
    return share;
  }
  const auto [some, whole] = human_bytes_of(static_cast<double>(here), static_cast<double>(all));
  const std::string part = here == all ? "all " + whole : some + " of the " + whole;
  share.here = fmt::format("{} that the run handed to MPI{}: {}", part,
                           here == all ? "" : percent_of(here, all), kinds_text(run, options));
  return share;
}

std::string traffic_share_text(const TrafficShare& share) {
  std::string text;
  if (!share.here.empty()) text += fmt::format("{:<12} {}\n", "speaks of", share.here);
  if (!share.elsewhere.empty()) text += fmt::format("{:<12} {}\n", "not counted", share.elsewhere);
  return text;
}

std::string traffic_with_others(const trace::Trace& trace) {
  return described(matrix::other_traffic_of(trace));
}

std::string share_of_one_sided(const trace::Trace& trace) {
  if (!has_one_sided(trace)) return "";
  const Statistics run = matrix::statistics_of(trace).statistics;
  if (run.one_sided_messages == 0) return "";
  const double share = static_cast<double>(run.one_sided_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(handed_to_mpi(run), 1));
  return fmt::format(
      "{} ({}), {} of what the run handed to MPI; rondo topology and rondo logical say who with "
      "whom",
      counted(run.one_sided_messages, "one-sided message", "one-sided messages"),
      bytes_text(run.one_sided_bytes), human_percent(share));
}

std::string share_of_files(const trace::Trace& trace) {
  if (matrix::file_traffic_of(trace).bytes() == 0) return "";
  return files_text(matrix::statistics_of(trace).statistics);
}

} // namespace rondo::present
