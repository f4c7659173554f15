// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_stamps.hpp"

#include <gtest/gtest.h>
#include <random>

namespace rondo::trace {
namespace {

// A stream's times with the recorder's own between the calls.
std::vector<CallTime> times_of(std::size_t calls, std::uint64_t largest = 10'000) {
  std::mt19937_64 random(5);
  std::vector<CallTime> times;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < calls; ++i) {
    CallTime time{0, random() % largest, random() % largest};
    time.start_ns = end + time.computation_ns + random() % 50;
    end = time.end_ns();
    times.push_back(time);
  }
  return times;
}

void add(TimeStampWriter& writer, const std::vector<CallTime>& times) {
  for (const CallTime& time : times) writer.add(time);
}

std::vector<CallTime> read(const TimeStamps& stamps) {
  std::vector<CallTime> times;
  TimeStampReader reader(stamps);
  while (const auto time = reader.next()) times.push_back(*time);
  EXPECT_FALSE(reader.is_damaged());
  return times;
}

TEST(TimeStamps, ComeBackAsTheyWere) {
  for (const std::size_t calls : {0, 1, 2, 4095, 4096, 4097, 50'000}) {
    const std::vector<CallTime> times = times_of(calls);
    TimeStampWriter writer;
    add(writer, times);
    const TimeStamps stamps = writer.snapshot();
    EXPECT_EQ(stamps.calls, calls);
    EXPECT_EQ(read(stamps), times);
  }
}

TEST(TimeStamps, NumbersOfAllSizesComeBack) {
  std::vector<CallTime> times;
  std::uint64_t end = 0;
  for (int bit = 0; bit < 64; ++bit) {
    for (const int more : {-1, 0, 1}) {
      const std::uint64_t number = (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(more);
      times.push_back({end + number + 3, number, 0});
      times.push_back({times.back().end_ns(), 0, number});
      end = times.back().end_ns();
    }
  }
  TimeStampWriter writer;
  add(writer, times);
  EXPECT_EQ(read(writer.take()), times);
}

// The clock's ticks are rounded twice: a call may seem to start before the computation is over.
TEST(TimeStamps, StartsMayBeEarlierThanTheSumOfWhatCameBefore) {
  TimeStampWriter writer;
  const std::vector<CallTime> times = {{0, 0, 99}, {198, 100, 5}, {202, 0, 7}};
  add(writer, times);
  EXPECT_EQ(read(writer.take()), times);
}

TEST(TimeStamps, GoOnAfterTheyWereTaken) {
  const std::vector<CallTime> times = times_of(10'000);
  TimeStampWriter writer;
  TimeStamps all;
  for (std::size_t i = 0; i < times.size(); ++i) {
    writer.add(times[i]);
    if (i % 1234 == 0) all.append(writer.take());
  }
  all.append(writer.take());
  EXPECT_EQ(writer.snapshot().calls, 0u);
  EXPECT_EQ(read(all), times);
}

TEST(TimeStamps, TakeLittleMoreThanTheirBits) {
  TimeStampWriter writer;
  add(writer, times_of(100'000, 256)); // 8 + 8 + 6.6 bits are random, and the rest is signed
  EXPECT_LT(static_cast<double>(writer.snapshot().bytes()) / 100'000, 3.4);
}

TEST(TimeStamps, DamageEndsReading) {
  TimeStampWriter writer;
  add(writer, times_of(300));
  const TimeStamps sound = writer.take();
  const std::string bytes(sound.blocks.front().bytes);
  for (std::size_t i = 0; i < 2 * bytes.size(); ++i) {
    std::string damaged = i < bytes.size() ? bytes.substr(0, i) : bytes;
    if (i >= bytes.size()) damaged[i - bytes.size()] ^= 0x55;
    TimeStamps stamps = sound;
    stamps.blocks = {stamp_block(damaged)};
    TimeStampReader reader(stamps);
    std::size_t calls = 0;
    while (reader.next()) ++calls;
    EXPECT_LE(calls, std::size_t{1} << 16);
    if (i < bytes.size()) {
      EXPECT_TRUE(reader.is_damaged()) << "cut at " << i;
    }
  }
}

} // namespace
} // namespace rondo::trace
