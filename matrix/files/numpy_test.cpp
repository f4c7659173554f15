// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/matrix_files.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

const CommunicationMatrix kSavedPairs =
    CommunicationMatrix::from_entries(3, {{0, 1, 5, 500}, {2, 0, 7, 1}});

template <class Number> Number at(const std::string& npy, std::size_t index) {
  Number number{};
  std::memcpy(&number, npy.data() + 128 + index * sizeof number, sizeof number);
  return number;
}

TEST(NumPy, HeaderSaysTypeOrderAndShape) {
  const std::string npy = *to_npy(kSavedPairs);
  EXPECT_EQ(npy.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(npy.substr(10, 60), "{'descr': '<u8', 'fortran_order': False, 'shape': (3, 3), } ");
  EXPECT_EQ(npy[127], '\n');
  EXPECT_EQ(npy.size(), 128 + 9 * 8u);
}

TEST(NumPy, RowsAreSources) {
  const std::string npy = *to_npy(kSavedPairs);
  EXPECT_EQ(at<std::uint64_t>(npy, 0 * 3 + 1), 500u);
  EXPECT_EQ(at<std::uint64_t>(npy, 2 * 3 + 0), 1u);
  EXPECT_EQ(at<std::uint64_t>(npy, 1 * 3 + 0), 0u);
  EXPECT_EQ(at<std::uint64_t>(*to_npy(kSavedPairs, {Quantity::kMessages}), 6), 7u);
}

TEST(NumPy, RatesAreReal) {
  const std::string npy = *to_npy(kSavedPairs, {Quantity::kBytesPerSecond, 8});
  EXPECT_THAT(npy, testing::HasSubstr("'<f8'"));
  EXPECT_DOUBLE_EQ(at<double>(npy, 1), 62.5);
}

TEST(NumPy, RefusesADenseMatrixThatFillsTheMachine) {
  const auto npy = to_npy(CommunicationMatrix::from_entries(1000000, {}));
  ASSERT_FALSE(npy);
  EXPECT_EQ(npy.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(npy.error().message, testing::HasSubstr("8.0 TB"));
}

} // namespace
} // namespace rondo::matrix
