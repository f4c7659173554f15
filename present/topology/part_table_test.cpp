// SPDX-License-Identifier: Apache-2.0
#include "present/topology/part_table.hpp"

#include "rondo/matrix/trace_traffic.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rondo::present {
namespace {

using support::Caller;

// A solver: an exchange on a grid of 4x3, and beside it one message from everywhere to everywhere
// near; and a tree up which many empty messages say that it is done.
trace::Trace solver() {
  return support::recorded(12, [](Caller& s) {
    const std::int64_t column = s.rank % 3;
    for (int i = 0; i < 10; ++i) {
      s.site = 1;
      if (column > 0) s.send(s.rank - 1, 1000);
      if (column < 2) s.send(s.rank + 1, 1000);
      if (s.rank >= 3) s.send(s.rank - 3, 1000);
      if (s.rank < 9) s.send(s.rank + 3, 1000);
      if (i == 0) s.send((s.rank * 5 + 2) % 12, 1);
      s.site = 2;
      for (int k = 0; k < 5; ++k)
        if (s.rank > 0) s.send(s.rank & (s.rank - 1), 0);
    }
  });
}

topology::Recognition whole_of(const trace::Trace& trace) {
  const auto sent = matrix::matrix_of(trace, {});
  if (!sent) throw std::runtime_error(sent.error().text());
  return topology::recognize(topology::Graph::from_matrix(sent->matrix), {});
}

TEST(SitesOfMixture, SayWhatANameLeavesOut) {
  const trace::Trace trace = solver();
  const topology::Recognition whole = whole_of(trace);
  ASSERT_LT(whole.accuracy(topology::WeightMeasure::kMessages), 0.75);
  const PartTable table = sites_of_mixture(trace, whole, {});
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[0].topology, "4x3 grid");
  EXPECT_EQ(table.rows[1].topology, "binomial tree of 12 ranks");
}

// A name of which light pairs are left out is not that of all of the part's messages.
TEST(PartTable, SaysHowMuchOfAPartItsNameExplains) {
  const trace::Trace trace = support::recorded(12, [](Caller& s) {
    s.site = 1;
    for (int i = 0; i < 4; ++i) s.send((s.rank + 1) % 12, 1000);
    s.send((s.rank * 5 + 2) % 12, 1);
  });
  const PartTable table = part_table(trace, TopologyBy::kSite, {});
  ASSERT_EQ(table.rows.size(), 1);
  EXPECT_EQ(table.rows[0].topology, "ring of 12 ranks (explains 80 %)");
}

TEST(SitesOfMixture, AreNotShownWhereTheNameSaysMostOfIt) {
  const trace::Trace trace = support::recorded(6, [](Caller& s) {
    for (int i = 0; i < 10; ++i) {
      s.site = 1;
      s.send((s.rank + 1) % 6, 10);
      s.site = 2;
      s.send((s.rank + 5) % 6, 10);
    }
  });
  EXPECT_TRUE(sites_of_mixture(trace, whole_of(trace), {}).rows.empty());
}

} // namespace
} // namespace rondo::present
