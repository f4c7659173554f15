// SPDX-License-Identifier: Apache-2.0
// Real programs are resolved in tests/cli/sites_test.py; here is what needs none.
#include "rondo/sites/resolver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::sites {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SourcePlaces, AreSaidAsFarAsTheyAreKnown) {
  EXPECT_EQ(text({"solve", "", "/src/lu.f90", 231, 0, "", 0}), "solve at lu.f90:231");
  EXPECT_EQ(text({"swap", "main", "a.cpp", 5, 0, "", 0}), "swap at a.cpp:5, inlined in main");
  EXPECT_EQ(text({"solve", "", "", 0, 18, "/bin/lu", 99}), "solve+0x12");
  EXPECT_EQ(text({"", "", "", 0, 0, "/bin/lu", 0x1234}), "lu+0x1234");
  EXPECT_EQ(text(SourcePlace{}), "");
}

TEST(Resolver, UnderstandsPlacesThatAnotherToolNamed) {
  trace::Trace trace;
  trace.sites = {{}, {"a.c:12", 0}, {"noline", 0}};
  Resolver resolver(trace);
  EXPECT_EQ(resolver.text(0), "");
  EXPECT_EQ(resolver.text(1), "a.c:12");
  EXPECT_EQ(resolver.place(1).line, 12U);
  EXPECT_EQ(resolver.text(2), "noline+0x0");
  EXPECT_EQ(resolver.text(99), "");
  EXPECT_THAT(resolver.remarks(), IsEmpty());
}

TEST(Resolver, SaysOnceThatAFileIsMissing) {
  trace::Trace trace;
  trace.sites = {{"/no/such/app", 16}, {"/no/such/app", 32}};
  Resolver resolver(trace);
  EXPECT_EQ(resolver.text(0), "app+0x10");
  EXPECT_EQ(resolver.text(1), "app+0x20");
  EXPECT_THAT(resolver.remarks(), ElementsAre(HasSubstr("/no/such/app is not here")));
}

TEST(Resolver, DoesNotWaitForAPipe) {
  const std::string pipe = testing::TempDir() + "rondo_sites_pipe" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  trace::Trace trace;
  trace.sites = {{pipe, 16}, {"/dev/zero", 16}, {testing::TempDir(), 16}};
  Resolver resolver(trace);
  for (std::uint32_t site = 0; site < 3; ++site) resolver.text(site);
  EXPECT_EQ(resolver.remarks().size(), 3U);
  ::unlink(pipe.c_str());
}

TEST(Resolver, OpensNothingIfItMayNot) {
  allow_modules(Modules::kNone);
  trace::Trace trace;
  trace.sites = {{"/proc/self/exe", 16}};
  Resolver resolver(trace);
  EXPECT_EQ(resolver.text(0), "exe+0x10");
  EXPECT_THAT(resolver.remarks(), ElementsAre(HasSubstr("--resolve")));
  allow_modules(Modules::kOfNameless);
}

TEST(Resolver, TakesStoredNamesAndOpensNothingBesides) {
  trace::Trace trace;
  trace.sites = {{"/proc/self/exe", 16}, {"/no/such/app", 32}};
  trace.names = {{"solve", "", "lu.f90", 231, 0}, {}};
  Resolver resolver(trace);
  EXPECT_EQ(resolver.text(0), "solve at lu.f90:231");
  EXPECT_EQ(resolver.text(1), "app+0x20");
  EXPECT_THAT(resolver.remarks(), IsEmpty());
}

// exchange is called by step, which two loops of main call, and by the last line of main.
TEST(Resolver, TellsAStackByTheCallersThatDiffer) {
  trace::Trace trace;
  trace.sites = {{},
                 {"app", 1}, // start of main
                 {"app", 2, 2}, // main calls solve,
                 {"app", 3, 2}, // again,
                 {"app", 4, 2}, // and exchange
                 {"app", 5, 3}, // solve calls step
                 {"app", 5, 4},
                 {"app", 6, 6}, // step calls exchange
                 {"app", 6, 7},
                 {"app", 7, 8}, // the send
                 {"app", 7, 9},
                 {"app", 7, 5},
                 {"app", 8, 8}}; // a receive that only one way leads to
  Resolver resolver(trace, Modules::kNone);
  EXPECT_EQ(resolver.text(9), "app+0x7 < app+0x6 < app+0x5 < app+0x2 < app+0x1");
  EXPECT_EQ(resolver.short_text(9), "app+0x7 < app+0x6 < ... < app+0x2 < ...");
  EXPECT_EQ(resolver.short_text(10), "app+0x7 < app+0x6 < ... < app+0x3 < ...");
  EXPECT_EQ(resolver.short_text(11), "app+0x7 < app+0x4 < ...");
  EXPECT_EQ(resolver.short_text(12), "app+0x8 < ...");
  EXPECT_EQ(resolver.short_text(1), "app+0x1");
  EXPECT_EQ(resolver.short_text(0), "");
}

TEST(Resolver, TellsTheFirstFunctionThatHasAName) {
  trace::Trace trace;
  trace.sites = {{}, {"app", 1}, {"app", 2, 2}, {"libx.so", 3, 3}, {"libx.so", 4, 4}};
  trace.names = {{}, {"main", "", "a.c", 9, 0}, {"run", "", "a.c", 5, 0}, {}, {}};
  Resolver resolver(trace, Modules::kNone);
  EXPECT_EQ(resolver.short_text(4), "libx.so+0x4 < ... < run (a.c:5) < ...");
}

TEST(Resolver, LooksUpWhatHasNoNameIfAsked) {
  trace::Trace trace;
  trace.sites = {{"/no/such/app", 16}, {"/no/such/app", 32}};
  trace.names = {{"solve", "", "lu.f90", 231, 0}, {}};
  Resolver resolver(trace, Modules::kAll);
  EXPECT_EQ(resolver.text(0), "solve at lu.f90:231");
  EXPECT_THAT(resolver.remarks(), IsEmpty());
  EXPECT_EQ(resolver.text(1), "app+0x20");
  EXPECT_THAT(resolver.remarks(), ElementsAre(HasSubstr("/no/such/app is not here")));
}

TEST(NamesOfSites, AreThoseThatThereAreAndThoseThatAreFound) {
  trace::Trace trace;
  trace.sites = {{}, {"/no/such/app", 16}, {"a.c:12", 0}};
  EXPECT_THAT(name_sites(trace).names, IsEmpty());
  trace.names = {{}, {"solve", "", "", 0, 4}, {}};
  const Naming naming = name_sites(trace);
  EXPECT_EQ(naming.names, trace.names);
  EXPECT_EQ(naming.known, 1U);
  EXPECT_EQ(naming.found, 0U);
}

TEST(Resolver, WritesCallersBehindTheCall) {
  trace::Trace trace;
  trace.sites = {{"a.c:40", 0}, {"a.c:12", 0, 1}, {"a.c:7", 0, 2}};
  Resolver resolver(trace);
  EXPECT_THAT(resolver.stack(2), ElementsAre(2, 1, 0));
  EXPECT_EQ(resolver.text(2), "a.c:7 < a.c:12 < a.c:40");
  EXPECT_EQ(resolver.text(0), "a.c:40");
}

} // namespace
} // namespace rondo::sites
