// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/matrix_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace rondo::matrix {
namespace {

using testing::HasSubstr;

const CommunicationMatrix kRing =
    CommunicationMatrix::from_entries(4, {{0, 1, 5, 500}, {1, 2, 5, 500}, {2, 0, 1, 0}});

CommunicationMatrix parsed(const std::string& text) {
  auto matrix = parse_csv(text, "in.csv");
  EXPECT_TRUE(matrix) << matrix.error().text();
  return matrix.value_or(CommunicationMatrix());
}

void expect_error(const std::string& text, std::uint64_t line, const std::string& words) {
  const auto matrix = parse_csv(text, "in.csv");
  ASSERT_FALSE(matrix) << text;
  EXPECT_EQ(matrix.error().code, ErrorCode::kFormat);
  EXPECT_EQ(matrix.error().place.line, line) << text;
  EXPECT_THAT(matrix.error().text(), HasSubstr("in.csv:" + std::to_string(line) + ": "));
  EXPECT_THAT(matrix.error().message, HasSubstr(words));
}

TEST(Csv, ReadsWhatItWrites) { EXPECT_EQ(parsed(to_csv(kRing)), kRing); }

TEST(Csv, WritesRanksThenHeaderThenPairs) {
  EXPECT_EQ(to_csv(kRing), "# ranks=4\nsrc,dst,messages,bytes\n0,1,5,500\n1,2,5,500\n2,0,1,0\n");
}

TEST(Csv, KeepsRanksThatNeverTalk) { EXPECT_EQ(parsed("# ranks=9\n0,1,1,1\n").ranks(), 9); }

TEST(Csv, InfersRanksFromTheLargest) { EXPECT_EQ(parsed("7,1,1,1\n0,3,1,1\n").ranks(), 8); }

TEST(Csv, AHeaderAloneIsAMatrixOfNobody) {
  EXPECT_EQ(parsed("src,dst,messages,bytes\n").ranks(), 0);
  EXPECT_EQ(parsed("# ranks=16\nsrc,dst,messages,bytes\n").ranks(), 16);
}

TEST(Csv, TakesTheHeaderInOtherSpellingsOrNotAtAll) {
  const CommunicationMatrix want = CommunicationMatrix::from_entries(2, {{0, 1, 2, 3}});
  EXPECT_EQ(parsed("0,1,2,3"), want);
  EXPECT_EQ(parsed("Source, Destination, Messages, Bytes\n0,1,2,3\n"), want);
  EXPECT_EQ(parsed("\"src\",\"dst\",\"messages\",\"bytes\"\n0,1,2,3\n"), want);
}

TEST(Csv, PassesOverBlanksCommentsLineEndsAndByteOrderMark) {
  const std::string text = "\xEF\xBB\xBF# made by hand\r\n\r\n  0 ,\t1, 2 ,3  \r\n# the end\r\n";
  EXPECT_EQ(parsed(text), CommunicationMatrix::from_entries(2, {{0, 1, 2, 3}}));
}

TEST(Csv, AddsUpLinesOfOnePair) {
  EXPECT_EQ(parsed("0,1,2,3\n0,1,4,5\n"), CommunicationMatrix::from_entries(2, {{0, 1, 6, 8}}));
}

TEST(Csv, PassesOverTheRateItWrites) {
  const Measure rate{Quantity::kBytesPerSecond, 8};
  const std::string text = to_csv(kRing, rate);
  EXPECT_THAT(text, HasSubstr("messages,bytes,bytes_per_second\n0,1,5,500,62.5\n"));
  EXPECT_EQ(parsed(text), kRing);
}

TEST(Csv, SaysWhichLineIsBadAndWhatIsExpected) {
  const std::string expected = "expected src,dst,messages,bytes as whole numbers";
  expect_error("0,1,1,1\n0,1,1\n", 2, expected);
  expect_error("0,1,1,1\n\n# note\n0,1,1,1,1\n", 4, expected);
  expect_error("src,dst,messages,bytes\n0,1,1,x\n", 2, "found '0,1,1,x'");
  expect_error("0;1;1;1\n", 1, expected);
  expect_error("0,1,1.5,1\n", 1, expected);
  expect_error("0,1,-1,1\n", 1, expected);
  expect_error("0,1,1,99999999999999999999\n", 1, expected);
  expect_error("0,1,1,1\nsrc,dst,messages,bytes\n", 2, expected);
  expect_error("0,1,1,1\x01\n", 1, "found '0,1,1,1\\x01'");
}

TEST(Csv, RefusesAForeignHeader) {
  expect_error("from,to,n\n0,1,1\n", 1, "expected the header src,dst,messages,bytes");
}

TEST(Csv, RefusesRanksThatCannotBe) {
  expect_error("-1,1,1,1\n", 1, "found -1");
  expect_error("0,1,1,1\n0,3000000000,1,1\n", 2, "found 3000000000");
  expect_error("# ranks=2\n0,1,1,1\n0,2,1,1\n", 3, "rank 2 is not among the matrix's 2 ranks");
  expect_error("# ranks=many\n", 1, "like # ranks=16");
}

TEST(Csv, RefusesBytesWithoutAMessage) { expect_error("0,1,0,8\n", 1, "bytes without a message"); }

TEST(Csv, RefusesRanksThatAFewBytesAreNotWorth) {
  for (const char* text :
       {"0,16000000,1,1\n", "0,2147483646,1,1\n", "# ranks=2147483647\n0,1,1,1\n"}) {
    const auto matrix = parse_csv(text, "in.csv");
    ASSERT_FALSE(matrix) << text;
    EXPECT_THAT(matrix.error().text(), HasSubstr("--limit"));
    EXPECT_THAT(matrix.error().text(), HasSubstr("in.csv"));
  }
}

TEST(Csv, RefusesSumsThatAreNoNumber) {
  expect_error("0,1,1,18446744073709551615\n0,1,1,1\n", 2, "add up");
}

TEST(Csv, RefusesAnEmptyFile) {
  const auto matrix = parse_csv("", "in.csv");
  ASSERT_FALSE(matrix);
  EXPECT_EQ(matrix.error().code, ErrorCode::kFormat);
  EXPECT_EQ(matrix.error().text(), "in.csv: is empty; expected lines src,dst,messages,bytes");
}

TEST(Csv, TheCallersRanksCountMostAndAreChecked) {
  EXPECT_EQ(parse_csv("0,1,1,1\n", "in.csv", {.ranks = 16})->ranks(), 16);
  EXPECT_FALSE(parse_csv("0,16,1,1\n", "in.csv", {.ranks = 16}));
}

TEST(Csv, SurvivesDamage) {
  std::mt19937 random(7);
  const std::string good = to_csv(kRing);
  for (int i = 0; i < 5000; ++i) {
    std::string bad = good.substr(0, random() % (good.size() + 1));
    for (unsigned flips = random() % 4; flips > 0 && !bad.empty(); --flips) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    const auto matrix = parse_csv(bad, "in.csv");
    if (!matrix) continue;
    for (const MatrixEntry& entry : matrix->entries()) {
      ASSERT_LT(std::max(entry.source, entry.destination), matrix->ranks());
    }
  }
}

} // namespace
} // namespace rondo::matrix
