// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/units.hpp"

#include "rondo/base/shares.hpp"

#include <gtest/gtest.h>

namespace rondo {
namespace {

TEST(HumanUnits, BytesHaveTwoDigitsAndAUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(160), "160 B");
  EXPECT_EQ(human_bytes(1234), "1.2 kB");
  EXPECT_EQ(human_bytes(54234960), "54 MB");
  EXPECT_EQ(human_bytes(9.96e6), "10 MB");
  EXPECT_EQ(human_bytes(0.25), "0.2 B");
  EXPECT_EQ(human_bytes_per_second(1.25e9), "1.2 GB/s");
}

TEST(HumanUnits, NothingIsEverAThousandOfAUnit) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(999.6), "1.0 kB");
  EXPECT_EQ(human_bytes(999'600'000), "1.0 GB");
  EXPECT_EQ(compact_number(999'600), "1.0M");
  EXPECT_EQ(human_duration(999'600), "1.0 ms");
}

TEST(HumanUnits, SmallCountsAreExact) {
  EXPECT_EQ(human_count(805), "805");
  EXPECT_EQ(human_count(9999), "9999");
  EXPECT_EQ(human_count(15816), "16 k");
  EXPECT_EQ(human_count(2.4e6), "2.4 M");
  EXPECT_EQ(human_count(2.5), "2.5");
  EXPECT_EQ(human_count(37.5), "37.5");
  EXPECT_EQ(human_count(152.5), "153");
}

TEST(HumanUnits, PercentagesKeepTheEndsHonest) {
  EXPECT_EQ(human_percent(0), "0 %");
  EXPECT_EQ(human_percent(0.00001), "<0.1 %");
  EXPECT_EQ(human_percent(0.024), "2.4 %");
  EXPECT_EQ(human_percent(0.125), "13 %");
  EXPECT_EQ(human_percent(0.37), "37 %");
  EXPECT_EQ(human_percent(0.9999), "99.9 %");
  EXPECT_EQ(human_percent(1), "100 %");
}

// 5.2 of 5.3 would be 98 %.
TEST(HumanUnits, APartAndItsWholeSayWhatTheirShareSays) {
  using Texts = std::pair<std::string, std::string>;
  EXPECT_EQ(human_bytes_of(5.2490e9, 5.2540e9), Texts("5.25 GB", "5.25 GB"));
  EXPECT_EQ(human_bytes_of(2.65e6, 5.34e6), Texts("2.65 MB", "5.34 MB"));
  EXPECT_EQ(human_bytes_of(207'000, 208'250), Texts("207 kB", "208 kB"));
  EXPECT_EQ(human_bytes_of(4, 5.3e9), Texts("4 B", "5.3 GB"));
  EXPECT_EQ(human_bytes_of(0, 0), Texts("0 B", "0 B"));
  EXPECT_EQ(human_bytes_of(1.9e3, 1.9e3), Texts("1.9 kB", "1.9 kB"));
  EXPECT_EQ(human_duration_of(5.249e9, 5.254e9), Texts("5.25 s", "5.25 s"));
  EXPECT_EQ(human_duration_of(3e9, 12e9), Texts("3 s", "12 s"));
  EXPECT_EQ(human_duration_of(60e9, 120e9), Texts("60 s", "2 min 0 s"));
}

TEST(HumanUnits, DurationsToCompareHaveFourDigits) {
  EXPECT_EQ(precise_duration(0), "0 ns");
  EXPECT_EQ(precise_duration(28), "28.00 ns");
  EXPECT_EQ(precise_duration(999.96), "1.000 µs");
  EXPECT_EQ(precise_duration(9.9996e6), "10.00 ms");
  EXPECT_EQ(precise_duration(3.6042e9), "3.604 s");
  EXPECT_EQ(precise_duration(64'213'000), "64.21 ms");
  EXPECT_EQ(precise_duration(125.26e9), "125.3 s");
  EXPECT_EQ(precise_duration(125'250e9), "125250 s");
}

TEST(HumanUnits, DurationsGrowFromNanosecondsToHours) {
  EXPECT_EQ(human_duration(28), "28 ns");
  EXPECT_EQ(human_duration(1240), "1.2 µs");
  EXPECT_EQ(human_duration(12e9), "12 s");
  EXPECT_EQ(human_duration(125e9), "2 min 5 s");
  EXPECT_EQ(human_duration(3840e9), "1 h 4 min");
}

TEST(HumanUnits, BinarySizesAreExact) {
  EXPECT_EQ(binary_bytes(16), "16 B");
  EXPECT_EQ(binary_bytes(4096), "4 KiB");
  EXPECT_EQ(binary_bytes(67108864), "64 MiB");
  EXPECT_EQ(binary_bytes(1025), "1025 B");
}

TEST(HumanUnits, MeansDoNotLookLikeEnds) {
  EXPECT_EQ(compact_mean(0.3, 0, 1), "0.3");
  EXPECT_EQ(compact_mean(0.98, 0, 1), "0.98");
  EXPECT_EQ(compact_mean(0.9996, 0, 1), "0.9996");
  EXPECT_EQ(compact_mean(0.003, 0, 1), "0.003");
  EXPECT_EQ(compact_mean(9.2, 3, 17), "9.2");
  EXPECT_EQ(compact_mean(19.97, 19, 20), "19.97");
  EXPECT_EQ(compact_mean(1, 1, 1), "1");
  EXPECT_EQ(compact_mean(1260, 1200, 1300), "1.3k");
}

TEST(HumanUnits, CompactNumbersFitACell) {
  for (const double value : {0.0, 9.96, 99.6, 999.4, 999.6, 1e6, 123456789.0, 9.96e17}) {
    EXPECT_LE(compact_number(value).size(), 4u) << value;
  }
}

} // namespace
} // namespace rondo
