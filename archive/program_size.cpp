// SPDX-License-Identifier: Apache-2.0
#include "archive/program_size.hpp"

#include "archive/program_codec.hpp"

#include <string>

namespace rondo::archive {
namespace {

constexpr std::uint64_t kLargest = (std::uint64_t{1} << 31) - (1 << 24); // tables take some, too
constexpr std::uint64_t kLongestNumber = 11; // bytes, with an escape

std::uint64_t numbers_in(const trace::Column& column);

std::uint64_t numbers_in(const trace::Nest& nest) {
  std::uint64_t numbers = 4 * nest.loops().size() + nest.terms() + 2;
  for (const trace::Loop& loop : nest.loops()) numbers += numbers_in(loop.trip_counts);
  return numbers;
}

std::uint64_t numbers_in(const trace::Column& column) {
  const std::uint64_t nest = column.nest() == nullptr ? 0 : numbers_in(*column.nest());
  return 4 + 2 * column.runs().size() + column.dictionary().size() + column.values().size() + nest;
}

// What depends on the rank takes no more than a few numbers for each.
std::uint64_t most_bytes_of(const trace::MergedProgram& program) {
  const auto ranks = static_cast<std::uint64_t>(program.ranks().size());
  std::uint64_t numbers =
      8 + program.terms() + 4 * program.loops.size() +
      (program.table.sets.size() + 4 * program.table.functions.size()) * (8 + 3 * ranks);
  for (const trace::MergedCall& call : program.calls) numbers += 4 + 2 * call.call.words.size();
  for (const trace::Column& column : program.columns) numbers += numbers_in(column);
  for (const auto& array : program.arrays) numbers += 1 + array.size();
  std::uint64_t text = 0;
  for (const std::string& one : program.texts) text += one.size() + kLongestNumber;
  return numbers * kLongestNumber + text;
}

std::uint64_t bytes_of(const trace::MergedProgram& program) {
  Packer packed;
  pack(packed, program);
  return packed.bytes().size();
}

} // namespace

Status check_programs_fit(const trace::Trace& trace) {
  std::uint64_t most = 0;
  for (const auto& program : trace.programs) most += most_bytes_of(*program);
  if (most <= kLargest) return {};
  std::uint64_t bytes = 0;
  for (const auto& program : trace.programs) bytes += bytes_of(*program);
  if (bytes <= kLargest) return {};
  return fail(ErrorCode::kUnsupported,
              "the calls repeat too little: folded they take " + std::to_string(bytes >> 20) +
                  " MiB, and an archive holds 2 GiB; leave some calls out (rondo record --only, "
                  "--skip), or take a shorter run");
}

} // namespace rondo::archive
