// SPDX-License-Identifier: Apache-2.0
// A trace, whole or in the making, as FlatBuffers. Archives and parts share it.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// A number of a table's field that may be kNothing, as the schema has it.
constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

struct Image {
  trace::Trace trace; // tables and programs; classes are the reader's business
  std::vector<std::int64_t> rank_ids; // of trace.ranks
};

// Numbers that are kept of each rank, in the order in which they are written. Packed fields cannot
// grow: what came later stands in a field of its own.
using RankFact = std::uint64_t trace::RankFacts::*;
inline constexpr RankFact kFacts[] = {
    &trace::RankFacts::calls,       &trace::RankFacts::computation_ns,
    &trace::RankFacts::inside_ns,   &trace::RankFacts::span_ns,
    &trace::RankFacts::recorder_ns, &trace::RankFacts::recorder_bytes};
inline constexpr RankFact kUsage[] = {
    &trace::RankFacts::startup_ns, &trace::RankFacts::recorder_apart_ns, &trace::RankFacts::cpu_ns,
    &trace::RankFacts::waited_ns, &trace::RankFacts::displaced_ns};

inline constexpr RankFact kCosts[] = {&trace::RankFacts::recorder_start_ns,
                                      &trace::RankFacts::recorder_end_ns};
inline constexpr std::int64_t trace::RankClock::*kClock[] = {
    &trace::RankClock::correction_ns,  &trace::RankClock::gain_ppt,
    &trace::RankClock::origin_unix_ns, &trace::RankClock::origin_host_ns,
    &trace::RankClock::to_common_ns,   &trace::RankClock::to_common_gain_ppt};
inline constexpr std::uint64_t trace::RankClock::*kClockNumbers[] = {&trace::RankClock::error_ns,
                                                                     &trace::RankClock::host};

using TimesOfClasses = std::vector<std::vector<trace::PlaceTimes>>;

std::string encode_program_section(const Image& image);
/// The same for parts, which are written within the traced program and often: the programs as they
/// are, as a model of them costs megabytes and time.
std::string encode_plain_program_section(const Image& image);
/// @param times   of each class
std::string encode_times_section(const std::vector<const std::vector<trace::PlaceTimes>*>& times);
/// The same for a file, which has many places in fewer bytes: see pack_foretold_times().
std::string encode_short_times_section(const std::vector<trace::RankClass>& classes);
/// Where numbers of another kind begin in a section of times, ascending: a compressor does well to
/// begin anew there. None if the bytes are no such section.
std::vector<std::size_t> borders_in_times(std::string_view section);

/// Of the sites of a program section, in their order.
std::string encode_names_section(const std::vector<trace::SiteName>& names);
/// @param sites   how many there are
std::optional<std::vector<trace::SiteName>>
decode_names_section(std::string_view bytes, std::size_t sites, Budget* budget = nullptr);

/// The section of full times, which may be large: in pieces, most of them the blocks themselves.
class StampsSection {
public:
  /// `stamps` must outlive it.
  explicit StampsSection(const std::vector<trace::TimeStamps>& stamps);
  const std::vector<std::string_view>& pieces() const { return pieces_; }
  std::string bytes() const;

private:
  std::string heads_; // all that is not a block
  std::vector<std::string_view> pieces_;
};

/// Nothing if the bytes are not what encode_* makes, or if they are not worth what they cost: then
/// the budget is spent. Indices are not checked: see is_consistent.
std::optional<Image> decode_program_section(std::string_view bytes, Budget* budget = nullptr);
/// @param classes  of a file: those that the times are of
std::optional<TimesOfClasses>
decode_times_section(std::string_view bytes, Budget* budget = nullptr,
                     const std::vector<trace::RankClass>& classes = {});
/// Blocks stay where they are if the bytes have an owner; else they are copied.
bool decode_stamps_section(std::string_view bytes, const std::shared_ptr<const void>& owner,
                           std::vector<trace::TimeStamps>& stamps, Budget* budget = nullptr);

/// The calls of a stream, or nothing if there is no such stream.
using CallsOfStream =
    std::function<std::optional<std::uint64_t>(std::int64_t rank, std::uint32_t thread)>;
/// Whether the time stamps are in order, and of streams that have so many calls at least. Their
/// blocks are looked into when they are read.
bool are_stamps_consistent(const std::vector<trace::TimeStamps>& stamps,
                           const CallsOfStream& calls_of);

/// The version of the format that a file with these programs has.
std::uint32_t version_of_programs(std::string_view program_section);
/// The same for the times.
std::uint32_t version_of_times(std::string_view times_section);

/// What encode_program_section gives, taken apart: the packed programs, one behind the other, and
/// the rest.
struct ProgramSection {
  std::string programs; // as they stand in the section
  std::string tables;
  std::uint64_t packed_programs = 0; // bytes that the programs have when they are packed only
};
ProgramSection split_program_section(std::string_view bytes);

/// Whether the tables of objects and hosts name ranks of a run of this size only.
bool are_tables_consistent(const trace::Trace& trace, std::int64_t ranks);

} // namespace rondo::archive
