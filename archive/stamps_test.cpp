// SPDX-License-Identifier: Apache-2.0
// Times of every call in archives and parts.
#include "archive/image.hpp"
#include "archive/packed.hpp"
#include "archive/sections.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_codec.hpp"
#include "tests/support/spmd.hpp"
#include "tests/support/stamp_sums.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <numeric>

namespace rondo::archive {
namespace {

using support::Pattern;
using testing::IsEmpty;
using trace::TimeStamps;
using trace::Trace;

Trace timed_run(Pattern pattern, std::int64_t size, int rounds = 20) {
  std::vector<fold::RecordingPart> parts;
  for (const auto& rank : support::run(pattern, size, rounds))
    parts.push_back(rank->part_with_stamps());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return fold::resolve(support::merged(std::move(parts), order));
}

TEST(FullTimes, AddUpToTheHistogramsAfterARoundTrip) {
  for (const Pattern pattern : support::kPatterns) {
    const Trace trace = timed_run(pattern, 9, 600);
    EXPECT_THAT(support::disagreements(trace), IsEmpty()) << support::name_of(pattern);
    const auto read = decode(encode(trace));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->stamps.size(), 9U);
    EXPECT_THAT(support::disagreements(*read), IsEmpty()) << support::name_of(pattern);
    EXPECT_EQ(encode(*read), encode(trace)) << "a second round changes nothing";
  }
}

TEST(FullTimes, AreASectionOfTheirOwn) {
  const auto sizes = section_sizes(encode(timed_run(Pattern::kRing, 4)));
  ASSERT_TRUE(sizes);
  ASSERT_EQ(sizes->size(), 3U);
  EXPECT_EQ(sizes->back().name, "full_times");
}

TEST(FullTimes, AreInPartsToo) {
  for (const auto& rank : support::run(Pattern::kHalo, 4, 5)) {
    const fold::RecordingPart part = rank->part_with_stamps();
    const auto read = decode_part(encode_part(part));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->stamps.size(), 1U);
    EXPECT_EQ(encode_part(*read), encode_part(part));
  }
}

TEST(FullTimes, PartsThatAreCutAreRefusedOrLoseThem) {
  const std::string bytes =
      encode_part(support::run(Pattern::kHalo, 4, 5).front()->part_with_stamps());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto part = decode_part(std::string_view(bytes).substr(0, size));
    EXPECT_TRUE(!part || part->stamps.empty()) << size;
  }
}

TEST(ContradictoryFullTimes, AreRefused) {
  const Trace sound = timed_run(Pattern::kRing, 4);
  const std::function<void(std::vector<TimeStamps>&)> changes[] = {
      [](auto& stamps) { std::swap(stamps[0], stamps[1]); },
      [](auto& stamps) { stamps[3].rank = 4; },
      [](auto& stamps) { stamps[3].rank = -4; },
      [](auto& stamps) { stamps[1].rank = 0; },
      [](auto& stamps) { stamps[0].thread = 1; },
      [](auto& stamps) { stamps[0].append(TimeStamps(stamps[1])); },
      [](auto& stamps) { stamps[0].blocks[0] = trace::stamp_block(""); },
      [](auto& stamps) { stamps[0].blocks[0] = trace::stamp_block("\xff\xff\xff\xff\x0f"); },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    Trace trace = sound;
    changes[i](trace.stamps);
    const auto read = decode(encode(trace));
    ASSERT_FALSE(read) << "case " << i;
    EXPECT_EQ(read.error().code, ErrorCode::kDamaged);
  }
}

// Behind correct checksums, any byte may be wrong: nothing bad comes of it.
TEST(ContradictoryFullTimes, AreReadAsFarAsTheyMakeSense) {
  const Trace trace = timed_run(Pattern::kRing, 2, 3);
  const std::string bytes = StampsSection(trace.stamps).bytes();
  const std::string program = encode_program_section({trace, {0, 1}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {0x01, 0x55, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      const auto read = decode(
          join_sections({{SectionKind::kProgram, program}, {SectionKind::kStamps, changed}}));
      if (!read) continue;
      for (const TimeStamps& stamps : read->stamps) {
        trace::TimeStampReader reader(stamps);
        std::uint64_t calls = 0;
        while (reader.next()) ++calls;
        EXPECT_TRUE(calls == stamps.calls || reader.is_damaged());
      }
    }
  }
}

} // namespace
} // namespace rondo::archive
