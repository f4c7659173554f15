// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/matrix_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

using testing::HasSubstr;

const std::string kBanner = "%%MatrixMarket matrix coordinate integer general\n";

const CommunicationMatrix kMarketPairs =
    CommunicationMatrix::from_entries(3, {{0, 1, 5, 500}, {2, 0, 7, 0}});

CommunicationMatrix parsed_market(const std::string& text) {
  auto matrix = parse_matrix_market(text, "in.mtx");
  EXPECT_TRUE(matrix) << matrix.error().text();
  return matrix.value_or(CommunicationMatrix());
}

void expect_market_error(const std::string& text, std::uint64_t line, const std::string& words,
                         ErrorCode code = ErrorCode::kFormat) {
  const auto matrix = parse_matrix_market(text, "in.mtx");
  ASSERT_FALSE(matrix) << text;
  EXPECT_EQ(matrix.error().code, code);
  EXPECT_EQ(matrix.error().place.line, line) << text;
  EXPECT_THAT(matrix.error().message, HasSubstr(words));
}

TEST(MatrixMarket, WritesOneQuantityCountedFromOne) {
  EXPECT_EQ(to_matrix_market(kMarketPairs, {Quantity::kMessages}),
            kBanner + "% quantity: messages\n% row: source rank + 1, column: destination rank + 1\n"
                      "3 3 2\n1 2 5\n3 1 7\n");
}

TEST(MatrixMarket, KeepsTheQuantityItWrote) {
  EXPECT_EQ(parsed_market(to_matrix_market(kMarketPairs, {Quantity::kMessages})),
            CommunicationMatrix::from_entries(3, {{0, 1, 5, 0}, {2, 0, 7, 0}}));
  EXPECT_EQ(parsed_market(to_matrix_market(kMarketPairs, {Quantity::kBytes})),
            CommunicationMatrix::from_entries(3, {{0, 1, 1, 500}, {2, 0, 1, 0}}));
}

TEST(MatrixMarket, ReadsSymmetricPatterns) {
  EXPECT_EQ(parsed_market("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n"),
            CommunicationMatrix::from_entries(2, {{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}}));
}

TEST(MatrixMarket, RoundsReals) {
  EXPECT_EQ(parsed_market("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 2.5e3\n"),
            CommunicationMatrix::from_entries(2, {{0, 1, 1, 2500}}));
}

TEST(MatrixMarket, SaysWhichLineIsBad) {
  EXPECT_EQ(parse_matrix_market("", "in.mtx").error().code, ErrorCode::kFormat);
  expect_market_error("3 3 1\n1 2 5\n", 1, "expected %%MatrixMarket");
  expect_market_error(kBanner, 1, "ends before the line with rows");
  expect_market_error(kBanner + "3 3\n", 2, "expected rows, columns and entries");
  expect_market_error(kBanner + "3 4 1\n1 2 5\n", 2, "as many rows as columns");
  expect_market_error(kBanner + "3 3 1\n1 4 5\n", 3, "from 1 to 3");
  expect_market_error(kBanner + "3 3 1\n0 1 5\n", 3, "from 1 to 3");
  expect_market_error(kBanner + "3 3 1\n1 2 -5\n", 3, "a number from 0");
  expect_market_error(kBanner + "3 3 1\n1 2.5\n", 3, "a number from 0");
  expect_market_error(kBanner + "3 3 1\n1 2 nan\n", 3, "a number from 0");
  expect_market_error(kBanner + "3 3 1\n1 2\n", 3, "a number from 0");
  expect_market_error(kBanner + "3 3 2\n1 2 5\n", 3, "ends after 1 entries");
  expect_market_error(kBanner + "3 3 18446744073709551615\n1 2 5\n", 3, "ends after 1 entries");
}

TEST(MatrixMarket, NamesWhatItCannotRead) {
  const auto code = ErrorCode::kUnsupported;
  expect_market_error("%%MatrixMarket matrix array real general\n", 1, "coordinate", code);
  expect_market_error("%%MatrixMarket matrix coordinate complex general\n", 1, "integer, real",
                      code);
  expect_market_error("%%MatrixMarket matrix coordinate real skew-symmetric\n", 1, "symmetric",
                      code);
  expect_market_error(to_matrix_market(kMarketPairs, {Quantity::kBytesPerSecond, 2}), 2,
                      "bytes per second", code);
}

} // namespace
} // namespace rondo::matrix
