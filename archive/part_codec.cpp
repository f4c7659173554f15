// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/part_codec.hpp"

#include "archive/image.hpp"
#include "archive/program_codec.hpp"

#include <optional>

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

std::optional<std::uint64_t> calls_of_stream(const fold::RecordingPart& part, std::int64_t rank,
                                             std::uint32_t thread) {
  for (const fold::PartClass& c : part.classes) {
    if (c.program.thread != thread || !c.program.ranks().contains(rank)) continue;
    const trace::Program program = project(c.program, nullptr, rank).program;
    std::uint64_t calls = 0;
    for (const std::uint64_t n : program.nest.occurrences(program.calls.size())) calls += n;
    return calls;
  }
  return std::nullopt;
}

constexpr std::size_t kHead = 16; // sizes of the programs and of the times; then these, then stamps

// FlatBuffers read in place need 8-byte alignment.
std::size_t aligned(std::size_t size) { return (size + 7) / 8 * 8; }

struct Sections {
  std::string_view programs;
  std::string_view times;
  std::string_view stamps;
};

std::optional<Sections> split_part(std::string_view bytes) {
  if (bytes.size() < kHead) return std::nullopt;
  std::uint64_t sizes[2] = {};
  for (std::size_t i = 0; i < kHead; ++i)
    sizes[i / 8] |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * (i % 8));
  const std::size_t left = bytes.size() - kHead;
  if (sizes[0] > left || aligned(sizes[0]) > left || sizes[1] > left - aligned(sizes[0]))
    return std::nullopt;
  const std::size_t times = kHead + aligned(sizes[0]);
  const std::size_t stamps = times + aligned(sizes[1]);
  if (stamps > bytes.size()) return std::nullopt;
  return Sections{bytes.substr(kHead, sizes[0]), bytes.substr(times, sizes[1]),
                  bytes.substr(stamps)};
}

std::string encode(const fold::RecordingPart& part, trace::Trace tables) {
  Image image;
  image.trace = std::move(tables);
  image.trace.run = part.run;
  for (const auto& [rank, facts] : part.ranks) {
    image.rank_ids.push_back(rank);
    image.trace.ranks.push_back(facts);
  }
  std::vector<const std::vector<trace::PlaceTimes>*> times_of_classes;
  for (const fold::PartClass& c : part.classes) {
    // Borrowed for the encoding only: the part outlives it.
    image.trace.programs.emplace_back(std::shared_ptr<void>(), &c.program);
    times_of_classes.push_back(&c.times);
  }
  const std::string programs = encode_plain_program_section(image);
  const std::string times = encode_times_section(times_of_classes);
  const std::string stamps = part.stamps.empty() ? "" : StampsSection(part.stamps).bytes();
  std::string bytes;
  bytes.reserve(kHead + aligned(programs.size()) + aligned(times.size()) + stamps.size());
  for (const std::string* section : {&programs, &times}) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes += static_cast<char>(std::uint64_t{section->size()} >> shift);
  }
  for (const std::string* section : {&programs, &times}) {
    bytes += *section;
    bytes.resize(aligned(bytes.size()), '\0');
  }
  bytes += stamps;
  return bytes;
}

} // namespace

std::string encode_part(const fold::RecordingPart& part) { return encode(part, part.tables); }

std::string encode_part(fold::RecordingPart&& part) { return encode(part, std::move(part.tables)); }

Result<fold::RecordingPart> decode_part(std::string_view bytes,
                                        const std::shared_ptr<const void>& owner, Budget* budget) {
  const auto damaged = fail(ErrorCode::kDamaged, "the recording of a group of ranks is damaged");
  const auto split = split_part(bytes);
  if (!split) return damaged;
  auto image = decode_program_section(split->programs, budget);
  auto times_of_classes = decode_times_section(split->times, budget);
  if (!image || !times_of_classes || times_of_classes->size() != image->trace.programs.size())
    return damaged;
  fold::RecordingPart part;
  part.run = std::move(image->trace.run);
  for (std::size_t i = 0; i < image->rank_ids.size(); ++i) {
    part.ranks.emplace_back(image->rank_ids[i], image->trace.ranks[i]);
  }
  for (std::size_t i = 0; i < image->trace.programs.size(); ++i) {
    part.classes.push_back({*image->trace.programs[i], std::move((*times_of_classes)[i])});
    if (!is_class_consistent(part.classes.back(), image->trace.sites.size())) return damaged;
  }
  if (!split->stamps.empty() && !decode_stamps_section(split->stamps, owner, part.stamps, budget))
    return damaged;
  const auto calls_of = [&](std::int64_t rank, std::uint32_t thread) {
    return calls_of_stream(part, rank, thread);
  };
  if (!are_stamps_consistent(part.stamps, calls_of)) return damaged;
  image->trace.programs.clear();
  image->trace.ranks.clear();
  part.tables = std::move(image->trace);
  return part;
}

} // namespace rondo::archive
