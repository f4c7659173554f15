// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/rank_program.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <tbb/parallel_invoke.h>
#include <unordered_map>
#include <utility>

namespace rondo::convert::internal {
namespace {

fold::RecordingPart merge_range(std::vector<fold::RecordingPart>& parts, std::size_t first,
                                std::size_t count, bool merges) {
  if (count == 1) return std::move(parts[first]);
  const std::size_t left_count = std::bit_floor(count - 1);
  fold::RecordingPart left;
  fold::RecordingPart right;
  tbb::parallel_invoke(
      [&] { left = merge_range(parts, first, left_count, merges); },
      [&] { right = merge_range(parts, first + left_count, count - left_count, merges); });
  fold::merge(left, std::move(right), merges);
  return left;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

const std::unordered_map<std::string, std::string_view>& functions_by_lower_case() {
  static const auto kFunctions = [] {
    std::unordered_map<std::string, std::string_view> all;
    for (const trace::Function& function : trace::all_functions())
      all.emplace(lower_case(function.name), function.name);
    return all;
  }();
  return kFunctions;
}

} // namespace

RankProgram::RankProgram(const ImportOptions& options, std::int64_t rank, std::uint32_t thread,
                         std::int64_t ranks)
    : builder_(options.program), rank_(rank), thread_(thread) {
  builder_.set_position(trace::kWorldSlot, rank, ranks);
  builder_.set_position(trace::kSelfSlot, 0, 1);
  if (options.all_times) stamps_.emplace();
}

void RankProgram::record(const std::vector<std::int64_t>& event, const CallSpan& span) {
  static const std::uint16_t kFinalize = trace::find_function(mpi::Finalize)->id;
  const std::uint64_t inside_ns = span.end_ns - span.begin_ns;
  builder_.record(event.data(), event.size(), span.computation_ns, inside_ns);
  if (stamps_) stamps_->add({span.begin_ns, span.computation_ns, inside_ns});
  facts_.computation_ns += span.computation_ns;
  facts_.inside_ns += inside_ns;
  is_finalized_ = is_finalized_ || (event.front() & 0xffff) == kFinalize;
}

fold::RecordingPart RankProgram::finish(Finish&& how) {
  facts_.calls = builder_.calls();
  facts_.span_ns = how.span_ns;
  if (!is_finalized_) facts_.ending.edit().kind = trace::Ending::kUnknown;
  fold::RecordingPart part;
  part.run.complete = is_finalized_;
  part.classes.push_back(fold::class_of_stream(rank_, thread_, builder_.finish()));
  part.ranks.emplace_back(rank_, facts_);
  part.tables.sites.emplace_back(); // unknown
  for (trace::CallSite& site : how.sites) part.tables.sites.push_back(std::move(site));
  part.tables.datatypes.push_back(
      {byte_datatype(), std::string(mpi::BYTE), 1, 1, trace::RankSet::of({rank_})});
  if (stamps_) {
    part.stamps.push_back(stamps_->take());
    part.stamps.back().rank = rank_;
    part.stamps.back().thread = thread_;
    part.stamps.back().origin_unix_ns = how.origin_unix_ns;
  }
  return part;
}

void RankProgram::end_in(const std::vector<std::int64_t>& event, std::uint64_t in_call_ns) {
  trace::RankEnding& ending = facts_.ending.edit();
  ending.function = static_cast<std::uint16_t>(event.front() & 0xffff);
  ending.site = static_cast<std::uint32_t>(event[1]);
  ending.in_call_ns = in_call_ns;
}

void add_thread(fold::RecordingPart& rank, fold::RecordingPart&& thread) {
  for (auto& one : thread.classes) rank.classes.push_back(std::move(one));
  for (auto& one : thread.stamps) rank.stamps.push_back(std::move(one));
  // What a rank computes is told of its first thread, but calls are those of all.
  rank.ranks.front().second.calls += thread.ranks.front().second.calls;
}

fold::RecordingPart merge_parts(std::vector<fold::RecordingPart>& parts, bool merges) {
  return merge_range(parts, 0, parts.size(), merges);
}

NamedCall call_of_name(std::string_view name, Objects objects) {
  std::string lower = lower_case(name.substr(0, name.find('(')));
  while (!lower.empty() && (lower.back() == ' ' || lower.back() == '_')) lower.pop_back();
  if (lower.starts_with("pmpi_")) lower.erase(0, 1);
  if (!lower.starts_with("mpi_")) return {};
  const auto found = functions_by_lower_case().find(lower);
  if (found == functions_by_lower_case().end()) return {{}, std::string(name)};
  return {call_form(found->second, objects), std::string(found->second)};
}

} // namespace rondo::convert::internal
