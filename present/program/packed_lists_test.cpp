// SPDX-License-Identifier: Apache-2.0
#include "present/program/packed_lists.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using nlohmann::json;

json packed(json document) {
  pack_lists(document);
  return document;
}

TEST(PackedLists, ARuleIsALine) {
  json list = json::array();
  for (int i = 0; i < 1000; ++i) list.push_back(i % 10);
  const json result = packed({{"x", list}})["x"];
  EXPECT_EQ(result["count"], 1000);
  EXPECT_LT(result.dump().size(), 300U);
}

TEST(PackedLists, FractionsAreIndices) {
  json list = json::array();
  for (int i = 0; i < 1000; ++i) list.push_back(i % 2 == 0 ? json(0.5) : json(nullptr));
  const json result = packed(list);
  EXPECT_EQ(result["of"], json::array({0.5, nullptr}));
}

TEST(PackedLists, PairsAreOneList) {
  json list = json::array();
  for (int i = 0; i < 1000; ++i) list.push_back({i / 10, i % 10});
  const json result = packed(list);
  EXPECT_EQ(result["width"], 2);
  EXPECT_EQ(result["count"], 2000);
}

TEST(PackedLists, WhatHasNoRuleStays) {
  json list = json::array();
  std::uint32_t number = 1;
  for (int i = 0; i < 1000; ++i) list.push_back(number = number * 1664525U + 1013904223U);
  EXPECT_EQ(packed(list), list);
}

TEST(PackedLists, OtherListsStay) {
  json words = json::array();
  for (int i = 0; i < 1000; ++i) words.push_back("word");
  EXPECT_EQ(packed(words), words);
  json large = json::array(); // no double has it
  for (int i = 0; i < 1000; ++i) large.push_back((std::int64_t{1} << 60) + 1);
  EXPECT_NE(packed(large)["of"], json::array({1}));
  const json uneven = json(std::vector<json>(500, json::array()));
  EXPECT_EQ(packed(uneven), uneven);
}

} // namespace
} // namespace rondo::present
