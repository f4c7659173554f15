// SPDX-License-Identifier: Apache-2.0
#include "present/topology/headline.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

TEST(Headline, SaysPartsOfOneNameOnce) {
  Headline headline;
  headline.mixture = {"ring of 5 ranks", "star of 5 ranks", "ring of 5 ranks"};
  EXPECT_EQ(title(headline), "ring of 5 ranks (2 different ones) and star of 5 ranks");
  headline.mixture = {"ring of 5 ranks", "star of 5 ranks"};
  EXPECT_EQ(title(headline), "ring of 5 ranks and star of 5 ranks");
}

} // namespace
} // namespace rondo::present
