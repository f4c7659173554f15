// SPDX-License-Identifier: Apache-2.0
#include "present/run/shared_sites.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using support::Caller;

// A layer has two sites for all barriers; its callers come in an order that nothing repeats.
trace::Trace with_layer(int callers) {
  trace::Trace trace = support::recorded(2, [&](Caller& s) {
    std::uint32_t random = 1;
    for (int caller = 0; caller < callers; ++caller) {
      random = random * 1103515245U + 12345U;
      s.site = 2 + (random >> 16) % 12;
      s.send(1 - s.rank, 8);
      for (const std::uint32_t of_layer : {1U, 14U}) {
        s.site = of_layer;
        s.call("MPI_Barrier", {{"comm", support::kWorld}});
      }
    }
  });
  trace.run.command = "./solver -n 2";
  for (trace::CallSite& site : trace.sites) site.module = "/opt/solver";
  for (const std::size_t site : {1, 14}) trace.sites[site].module = "/usr/lib/liblayer.so";
  return trace;
}

TEST(SharedSites, AreThoseOfALibraryThatManyPlacesComeTo) {
  const SharedSites shared = shared_sites(with_layer(60));
  EXPECT_EQ(shared.library, "liblayer.so");
  EXPECT_EQ(shared.sites, 2U);
  EXPECT_EQ(shared_sites_text(shared),
            "67 % of the calls come through 2 call sites in liblayer.so: if callers share them, "
            "rondo record --callstack 4 tells these apart");
}

TEST(SharedSites, AreOfTheProgramWhereEachIsAFunctionOfItsOwn) {
  trace::Trace own = with_layer(60);
  for (trace::CallSite& site : own.sites) site.module = "/opt/solver";
  own.names.resize(own.sites.size());
  for (trace::SiteName& name : own.names) name.function = "solve";
  for (const std::size_t site : {1, 14}) own.names[site].function = site == 1 ? "meet" : "join";
  const SharedSites shared = shared_sites(own);
  EXPECT_EQ(shared.functions, (std::vector<std::string>{"meet", "join"}));
  EXPECT_EQ(shared_sites_text(shared),
            "67 % of the calls come through meet, join: if callers share them, rondo record "
            "--callstack 4 tells these apart");
  own.names[2].function = "meet"; // which does more than to pass calls on
  EXPECT_FALSE(shared_sites(own).are_there());
  own.names[2].function = "solve";
  EXPECT_TRUE(shared_sites(own).are_there());
  own.names[1].function = "main"; // which leaves one
  EXPECT_FALSE(shared_sites(own).are_there());
}

TEST(SharedSites, AreNoneOfFewPlacesOfTheProgramItselfOrWithCallers) {
  EXPECT_FALSE(shared_sites(with_layer(3)).are_there());
  trace::Trace own = with_layer(60);
  for (trace::CallSite& site : own.sites) site.module = "/opt/solver";
  EXPECT_FALSE(shared_sites(own).are_there());
  trace::Trace python = with_layer(60);
  for (trace::CallSite& site : python.sites) {
    if (site.module != "/opt/solver") site.module = "/usr/lib/MPI.cpython-311-x86_64-linux-gnu.so";
  }
  EXPECT_FALSE(shared_sites(python).are_there());
  trace::Trace known = with_layer(60);
  known.sites[3].caller = 1;
  EXPECT_FALSE(shared_sites(known).are_there());
  EXPECT_EQ(shared_sites_text({}), "");
}

} // namespace
} // namespace rondo::present
