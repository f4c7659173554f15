// SPDX-License-Identifier: Apache-2.0
#include "convert/allprof/call_line.hpp"

#include "convert/text/tokens.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <unordered_map>

namespace rondo::convert::internal {
namespace {

// Microseconds with a fraction; "-" is unknown, and so is a time that cannot be.
bool parse_stamp(std::string_view field, std::optional<std::uint64_t>& ns) {
  if (field == "-") return true;
  constexpr std::uint64_t kMost_us = 9'000'000'000'000'000; // 285 years
  const std::size_t point = std::min(field.find('.'), field.size());
  std::uint64_t us = 0;
  if (!parse(field.substr(0, point), us) || us > kMost_us) return false;
  std::uint64_t rest_ns = 0;
  const std::string_view digits = field.substr(std::min(point + 1, field.size()), 3);
  if (!digits.empty() && !parse(digits, rest_ns)) return false;
  for (std::size_t i = digits.size(); i < 3; ++i) rest_ns *= 10;
  ns = us * 1000 + rest_ns;
  return true;
}

} // namespace

std::string_view allprof_layout(std::string_view function) {
  static const std::unordered_map<std::string_view, std::string_view> kLayouts = {
      {mpi::Send, "bntDgC"},      {mpi::Ssend, "bntDgC"},          {mpi::Bsend, "bntDgC"},
      {mpi::Rsend, "bntDgC"},     {mpi::Isend, "bntDgCq"},         {mpi::Issend, "bntDgCq"},
      {mpi::Ibsend, "bntDgCq"},   {mpi::Irsend, "bntDgCq"},        {mpi::Recv, "bNTSGCs"},
      {mpi::Irecv, "bNTSGCq"},    {mpi::Sendrecv, "bntDgbNTSGCs"}, {mpi::Wait, "qs"},
      {mpi::Test, "qfs"},         {mpi::Waitall, "#Qs"},           {mpi::Barrier, "C"},
      {mpi::Bcast, "bntrC"},      {mpi::Reduce, "bbntorC"},        {mpi::Allreduce, "bbntoC"},
      {mpi::Scan, "bbntoC"},      {mpi::Exscan, "bbntoC"},         {mpi::Gather, "bntbNTrC"},
      {mpi::Scatter, "bntbNTrC"}, {mpi::Allgather, "bntbNTC"},     {mpi::Alltoall, "bntbNTC"},
  };
  const auto found = kLayouts.find(function);
  return found == kLayouts.end() ? "" : found->second;
}

Result<AllprofLine> parse_allprof_line(std::string_view line) {
  AllprofLine call;
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(':', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  const bool is_call = fields.size() >= 3 && fields.front().starts_with("MPI_") &&
                       parse_stamp(fields[1], call.begin_ns) &&
                       parse_stamp(fields.back(), call.end_ns);
  if (!is_call) {
    return bad(sentence("found ", shown(line),
                        "; expected MPI_FUNCTION:BEGIN:ARGUMENT:...:END, with times in "
                        "microseconds, or a line that begins with #"));
  }
  call.function = fields.front();
  call.fields.assign(fields.begin() + 2, fields.end() - 1);
  return call;
}

std::array<std::int64_t, 3> allprof_triple(std::string_view field) {
  std::array<std::int64_t, 3> numbers{-1, -1, -1};
  for (std::int64_t& number : numbers) {
    const std::size_t end = std::min(field.find(','), field.size());
    if (!parse(field.substr(0, end), number)) number = -1;
    if (end == field.size()) break;
    field.remove_prefix(end + 1);
  }
  return numbers;
}

} // namespace rondo::convert::internal
