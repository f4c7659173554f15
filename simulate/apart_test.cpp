// SPDX-License-Identifier: Apache-2.0
#include "simulate/apart.hpp"
#include "simulate/transport/pass.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

namespace rondo::simulate::internal {
namespace {

const Tell kNobody = [](std::string_view) {};

TEST(Apart, GivesBackWhatTheWorkReturnsAndWhatItTells) {
  const std::string large(std::size_t{1} << 22, 'x'); // more than a pipe holds
  int here = 1;
  std::vector<std::string> heard;
  const auto answer = run_apart(
      [&](const Tell& tell) {
        here = 2;
        tell("half");
        tell("");
        return large;
      },
      [&](std::string_view text) { heard.emplace_back(text); });
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(*answer, large);
  EXPECT_EQ(heard, (std::vector<std::string>{"half", ""}));
  EXPECT_EQ(here, 1);
}

TEST(Apart, AnEndWithoutAnAnswerIsAnErrorWithTheLastWords) {
  const auto aborted = run_apart(
      [](const Tell&) -> std::string {
        std::fputs("this host\nhas no link\n", stderr);
        std::abort();
      },
      kNobody);
  ASSERT_FALSE(aborted);
  EXPECT_EQ(aborted.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(aborted.error().message, "has no link");
  const auto thrown = run_apart(
      [](const Tell&) -> std::string { throw std::runtime_error("no such host"); }, kNobody);
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().message, "no such host");
  const auto left = run_apart([](const Tell&) -> std::string { std::_Exit(0); }, kNobody);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().message, "it ended without a word");
}

TEST(Pass, ItsBytesHaveEveryBitOfIt) {
  Pass pass;
  pass.prediction = {0.1 + 0.2, {{1e-300, 2, 3, 4, 5, 9}}, {{1, 2, 1.0 / 3}}, {}, 6, 7, 8,
                     {"\xff"},  {{16, 2, 3, 4.5}}};
  pass.prediction.path =
      CriticalPath{3, 4, 5, std::numeric_limits<double>::infinity(), {{1, 2, 3, 4}}};
  pass.path = {1, 2, {{{1, 2}}, {}}, {{{3, 4}, {5, 6, 7, 8}}}};
  const auto again = pass_of(bytes_of(pass));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->prediction.seconds, 0.1 + 0.2);
  EXPECT_EQ(again->prediction.ranks[0].computing_s, 1e-300);
  EXPECT_EQ(again->prediction.ranks[0].start_s, 9);
  EXPECT_EQ(again->prediction.waits[0].seconds, 1.0 / 3);
  EXPECT_EQ(again->prediction.remarks, std::vector<std::string>{"\xff"});
  EXPECT_EQ(again->prediction.bytes, 8u);
  ASSERT_EQ(again->prediction.spawned.size(), 1u);
  EXPECT_EQ(again->prediction.spawned[0].start_s, 4.5);
  ASSERT_TRUE(again->prediction.path);
  EXPECT_EQ(again->prediction.path->communicating_s, std::numeric_limits<double>::infinity());
  EXPECT_EQ(again->prediction.path->shares[0].site, 2u);
  ASSERT_EQ(again->path.own.size(), 2u);
  EXPECT_EQ(again->path.own[0][0].to, 2);
  EXPECT_EQ(again->path.shares.at({3, 4}).communicating_s, 8);
}

TEST(Pass, BytesThatWereCutOffAreAnError) {
  Pass pass;
  pass.prediction.remarks = {"one", "two"};
  const std::string bytes = bytes_of(pass);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = pass_of(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::kIo) << size;
  }
}

TEST(Pass, ItsErrorComesOverWithItsPlace) {
  const auto again =
      pass_of(bytes_of(fail(ErrorCode::kFormat, "is no platform", {"rack.xml", {}, 17u, 3u})));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFormat);
  EXPECT_EQ(again.error().message, "is no platform");
  EXPECT_EQ(again.error().place.file, "rack.xml");
  EXPECT_FALSE(again.error().place.rank);
  EXPECT_EQ(again.error().place.offset, 17u);
  EXPECT_EQ(again.error().place.line, 3u);
}

} // namespace
} // namespace rondo::simulate::internal
