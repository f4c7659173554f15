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

TEST(Platform, ItsTextReadsAsTheSame) {
  for (const char* text : {"torus 8x8x4, 100Gbps, 1us, rendezvous=64kB", "fat tree 4x4;1x2, inf, 0",
                           "dragonfly 4x3x2x2, 1GB/s, 5ns, overhead=1us", "crossbar 5, 1GB/s, 1us",
                           "complete 5, 1GB/s, 1us, handshake=3us", "rack.xml"}) {
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
        "torus 4, 1GB/s, 1us, 2us", "torus 4, 1GB/s, 1us, rendezvous=much"}) {
    const auto model = parse_network(text);
    ASSERT_FALSE(model) << text;
    EXPECT_EQ(model.error().code, ErrorCode::kUsage);
  }
}

} // namespace
} // namespace rondo::simulate
