// SPDX-License-Identifier: Apache-2.0
#include "present/program/packed_lists.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using nlohmann::json;

struct Packed {
  json document;
  std::string columns;
};

// Of documents whose JSON is shorter than 128 bytes.
Packed parts_of(const json& document) {
  const std::string bytes = packed(document);
  const auto size = static_cast<unsigned char>(bytes[0]);
  EXPECT_LT(size, 128);
  return {json::parse(bytes.substr(1, size)), bytes.substr(1 + std::size_t{size})};
}

template <typename Make> json list_of(int count, Make make) {
  json list = json::array();
  for (int i = 0; i < count; ++i) list.push_back(make(i));
  return list;
}

TEST(PackedLists, ARuleIsWhatItFoldsTo) {
  const Packed result = parts_of({{"x", list_of(20, [](int i) { return i; })}});
  EXPECT_EQ(result.document, json({{"x", {{"column", 0}}}}));
  EXPECT_EQ(result.columns,
            std::string("\x03\x14\x01\0\x01\x02\x01\x01\x01\x01\0\0\x01\x26\x01", 15));
}

TEST(PackedLists, WhatHasNoRuleIsWrittenOut) {
  std::uint32_t number = 1;
  const Packed result = parts_of(list_of(1000, [&number](int) {
    number = number * 1664525U + 1013904223U;
    return number >> 26; // a byte each
  }));
  EXPECT_EQ(result.columns.size(), 1003U);
  EXPECT_EQ(result.columns[0], 0);
}

TEST(PackedLists, LargeNumbersWithSmallStepsAreDifferences) {
  std::uint32_t number = 1;
  const Packed result = parts_of(list_of(100, [&number](int i) {
    number = number * 1664525U + 1013904223U;
    return 1'000'000'000 + 10 * i + static_cast<int>(number % 7);
  }));
  EXPECT_EQ(result.columns[0], 1);
  EXPECT_LT(result.columns.size(), 110U);
}

TEST(PackedLists, FractionsThatComeAgainAreIndices) {
  const Packed result =
      parts_of(list_of(1000, [](int i) { return i % 2 == 0 ? json(0.5) : json(nullptr); }));
  EXPECT_EQ(result.columns[0], 4);
  EXPECT_LT(result.columns.size(), 40U);
}

TEST(PackedLists, OtherFractionsAreDoubles) {
  const Packed result = parts_of(list_of(16, [](int i) { return 0.1 * i * i; }));
  EXPECT_EQ(result.columns.size(), 2U + 8U * 16U);
  EXPECT_EQ(result.columns[0], 2);
}

TEST(PackedLists, PairsAreOneList) {
  const Packed result = parts_of(list_of(1000, [](int i) {
    return json::array({i / 10, i % 10});
  }));
  EXPECT_EQ(result.document, json({{"column", 0}, {"width", 2}}));
}

TEST(PackedLists, RowsThatArePackedAlreadyAreTheSame) {
  const json pairs = list_of(1000, [](int i) { return json::array({i / 10, i % 10}); });
  std::vector<std::int64_t> flat;
  for (int i = 0; i < 1000; ++i) flat.push_back(i / 10);
  for (int i = 0; i < 1000; ++i) flat.push_back(i % 10);
  EXPECT_EQ(packed({{"x", pairs}}), packed({{"x", packed_rows(2, flat)}}));
}

TEST(PackedLists, ColumnsStandInTheOrderOfTheText) {
  const json list = list_of(16, [](int) { return 7; });
  const Packed result = parts_of({{"a", list}, {"b", {{"c", list}}}, {"d", {1, 2}}});
  EXPECT_EQ(result.document, json::parse(R"({"a":{"column":0},"b":{"c":{"column":1}},"d":[1,2]})"));
}

TEST(PackedLists, OtherListsStay) {
  const json words = list_of(20, [](int) { return "w"; });
  EXPECT_EQ(parts_of(words).document, words);
  EXPECT_EQ(parts_of(words).columns, "");
  const json uneven = json(std::vector<json>(30, json::array()));
  EXPECT_EQ(parts_of(uneven).document, uneven);
  const Packed large = parts_of(list_of(16, [](int) { return (std::int64_t{1} << 60) + 1; }));
  EXPECT_EQ(large.columns[0], 4); // no double has it: the nearest one
}

} // namespace
} // namespace rondo::present
