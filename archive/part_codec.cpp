// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/part_codec.hpp"

#include "archive/image.hpp"
#include "archive/program_codec.hpp"

namespace rondo::archive {
namespace {

// Parts name ranks before anyone knows how many there are.
constexpr std::int64_t kAnyRank = std::int64_t{1} << 30;

// Merging takes programs without guards, and columns as long as the calls are many.
bool is_class_consistent(const fold::PartClass& c, std::size_t sites) {
  if (!is_consistent(c.program, sites, kAnyRank) || c.program.table.sets.size() != 1) return false;
  const trace::Program first = project(c.program, nullptr, c.program.ranks().front()).program;
  return is_expandable(first) &&
         are_times_consistent(c.times, c.program.calls.size(), c.program.ranks().size());
}

} // namespace

std::string encode_part(const fold::Part& part) {
  Image image;
  image.trace = part.tables;
  image.trace.run = part.run;
  for (const auto& [rank, facts] : part.ranks) {
    image.rank_ids.push_back(rank);
    image.trace.ranks.push_back(facts);
  }
  TimesOfClasses times_of_classes;
  for (const fold::PartClass& c : part.classes) {
    // Borrowed for the encoding only: the part outlives it.
    image.trace.programs.emplace_back(std::shared_ptr<void>(), &c.program);
    times_of_classes.push_back(c.times);
  }
  const std::string programs = encode_program_section(image);
  const std::string times = encode_times_section(times_of_classes);
  // FlatBuffers read in place need 8-byte alignment: both parts start on it.
  std::string bytes(8, '\0');
  const std::uint64_t size = programs.size();
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(size >> (8 * i));
  bytes += programs;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes + times;
}

Result<fold::Part> decode_part(std::string_view bytes) {
  const auto damaged = fail(ErrorCode::kDamaged, "the recording of a group of ranks is damaged");
  if (bytes.size() < 8) return damaged;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i)
    size |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  if (size > bytes.size() - 8) return damaged;
  const std::size_t times = (8 + size + 7) / 8 * 8;
  auto image = decode_program_section(bytes.substr(8, size));
  if (!image || times > bytes.size()) return damaged;
  auto times_of_classes = decode_times_section(bytes.substr(times));
  if (!times_of_classes || times_of_classes->size() != image->trace.programs.size()) return damaged;
  fold::Part part;
  part.run = std::move(image->trace.run);
  for (std::size_t i = 0; i < image->rank_ids.size(); ++i) {
    part.ranks.emplace_back(image->rank_ids[i], image->trace.ranks[i]);
  }
  for (std::size_t i = 0; i < image->trace.programs.size(); ++i) {
    part.classes.push_back({*image->trace.programs[i], std::move((*times_of_classes)[i])});
    if (!is_class_consistent(part.classes.back(), image->trace.sites.size())) return damaged;
  }
  image->trace.programs.clear();
  image->trace.ranks.clear();
  part.tables = std::move(image->trace);
  return part;
}

} // namespace rondo::archive
