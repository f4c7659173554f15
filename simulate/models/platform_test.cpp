// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/network_model.hpp"

#include <gtest/gtest.h>

namespace rondo::simulate {
namespace {

TEST(Platform, ReadsTopologiesWithTheirLinks) {
  const auto torus = parse_network("torus 8x8x4, 100Gbps, 1us, rendezvous=64kB");
  ASSERT_TRUE(torus) << torus.error().text();
  ASSERT_TRUE(torus->platform);
  EXPECT_EQ(torus->platform->kind, Platform::Kind::kTorus);
  EXPECT_EQ(torus->platform->hosts(), 256u);
  EXPECT_DOUBLE_EQ(torus->platform->bandwidth, 12.5e9);
  EXPECT_DOUBLE_EQ(torus->platform->latency_s, 1e-6);
  EXPECT_EQ(torus->eager_bytes, 64000u);
  EXPECT_LT(torus->handshake_s, 0);
  EXPECT_EQ(parse_network("fat tree 4x4;1x2, 1us, 1GB/s")->platform->parents,
            (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(parse_network("fat tree 4x4, 1us, 1GB/s")->platform->hosts(), 16u);
  EXPECT_EQ(parse_network("dragonfly 4x3x2x2, 1us, inf")->platform->hosts(), 48u);
  EXPECT_EQ(parse_network("rack.xml,overhead=1us")->platform->file, "rack.xml");
}

TEST(Platform, OfAFileHasTheLinksOfTheFileUnlessTheyAreGiven) {
  auto model = parse_network("rack.xml");
  EXPECT_LT(model->link_latency_s(), 0);
  EXPECT_LT(model->link_bandwidth(), 0);
  model->set_latency(3e-6);
  EXPECT_DOUBLE_EQ(model->link_latency_s(), 3e-6);
  EXPECT_LT(model->link_bandwidth(), 0);
  model->set_bandwidth(2e9);
  EXPECT_EQ(*parse_network("rack.xml, 2GB/s, 3us"), *model);
}

TEST(Platform, ANewLatencyIsThatOfTheHandshakeUnlessItWasGiven) {
  auto plain = parse_network("latency=5us,bandwidth=1GB/s");
  plain->set_latency(1e-6);
  EXPECT_EQ(*plain, *parse_network("latency=1us,bandwidth=1GB/s"));
  auto other = parse_network("latency=5us,bandwidth=1GB/s,handshake=7us");
  other->set_latency(1e-6);
  EXPECT_DOUBLE_EQ(other->handshake_s, 7e-6);
  auto torus = parse_network("torus 4, 1GB/s, 5us");
  torus->set_latency(1e-6);
  torus->set_bandwidth(2e9);
  EXPECT_EQ(*torus, *parse_network("torus 4, 2GB/s, 1us"));
}

TEST(Platform, ItsTextReadsAsTheSame) {
  for (const char* text : {"torus 8x8x4, 100Gbps, 1us, rendezvous=64kB", "fat tree 4x4;1x2, inf, 0",
                           "dragonfly 4x3x2x2, 1GB/s, 5ns, overhead=1us", "crossbar 5, 1GB/s, 1us",
                           "complete 5, 1GB/s, 1us, handshake=3us", "rack.xml", "rack.xml, 1us",
                           "rack.xml, inf, 0, rendezvous=1kB"}) {
    const auto model = parse_network(text);
    ASSERT_TRUE(model) << text;
    const auto again = parse_network(model->text());
    ASSERT_TRUE(again) << model->text();
    EXPECT_EQ(*again, *model) << model->text();
  }
}

TEST(Platform, RefusesWhatHasNotTheSizesOrLinksItNeeds) {
  for (const char* text :
       {"torus, 1GB/s, 1us", "torus 0x2, 1GB/s, 1us", "torus 4", "torus 4, 1GB/s",
        "torus 4;2, 1GB/s, 1us", "crossbar 4x4, 1GB/s, 1us", "dragonfly 4x4, 1GB/s, 1us",
        "fat tree 2x2;1, 1GB/s, 1us", "complete 100000, 1GB/s, 1us",
        "torus 99999x99999x99999, 1GB/s, 1us", "torus 4, 1GB/s, 1us, G=1ns",
        "torus 4, 1GB/s, 1us, 2us", "rack.xml, 1us, 2us", "torus 4, 1GB/s, 1us, rendezvous=much"}) {
    const auto model = parse_network(text);
    ASSERT_FALSE(model) << text;
    EXPECT_EQ(model.error().code, ErrorCode::kUsage);
  }
}

} // namespace
} // namespace rondo::simulate
