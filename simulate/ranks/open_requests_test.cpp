// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/open_requests.hpp"

#include <gtest/gtest.h>

namespace rondo::simulate::internal {
namespace {

constexpr std::int64_t by_age(std::int64_t age) { return age * 2; }
constexpr std::int64_t by_slot(std::int64_t slot) { return slot * 2 + 1; }

TEST(OpenRequests, AgesCountFromTheOneMadeLast) {
  Request first, second;
  OpenRequests open;
  open.add(&first);
  EXPECT_EQ(open.find(by_age(0)), &first);
  open.add(&second);
  EXPECT_EQ(open.find(by_age(0)), &second);
  EXPECT_EQ(open.find(by_age(1)), &first);
  EXPECT_EQ(open.find(by_age(2)), nullptr);
}

TEST(OpenRequests, AgesStayWhereOthersAreCompleted) {
  Request first, second, third;
  OpenRequests open;
  for (Request* each : {&first, &second, &third}) open.add(each);
  open.close(by_age(2));
  EXPECT_EQ(open.find(by_age(2)), nullptr);
  EXPECT_EQ(open.find(by_age(1)), &second);
  open.free(by_age(0));
  EXPECT_EQ(open.find(by_age(1)), &second);
  EXPECT_FALSE(open.is_empty());
  open.close(by_age(1));
  EXPECT_TRUE(open.is_empty());
}

TEST(OpenRequests, APersistentOneStaysUntilItIsFreed) {
  Request active;
  OpenRequests open;
  open.add(OpenRequests::Slot{});
  EXPECT_EQ(open.find(by_slot(0)), nullptr);
  open.slot(by_slot(0))->active = &active;
  EXPECT_EQ(open.find(by_slot(0)), &active);
  EXPECT_FALSE(open.is_empty());
  open.close(by_slot(0));
  EXPECT_TRUE(open.is_empty());
  EXPECT_NE(open.slot(by_slot(0)), nullptr);
  open.free(by_slot(0));
  EXPECT_EQ(open.slot(by_slot(0)), nullptr);
}

TEST(OpenRequests, WhatNamesNoRequestFindsNone) {
  Request request;
  OpenRequests open;
  open.add(&request);
  for (const std::int64_t reference :
       {trace::kNull, trace::kNothing, trace::kUnrecorded,
        trace::request_of_thread({.thread = 1, .persistent = false, .number = 0})}) {
    open.close(reference);
    EXPECT_EQ(open.find(reference), nullptr) << reference;
  }
  EXPECT_EQ(open.find(by_age(0)), &request);
}

} // namespace
} // namespace rondo::simulate::internal
