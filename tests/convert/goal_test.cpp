// SPDX-License-Identifier: Apache-2.0
// Hand-made GOAL schedules, what becomes of them, and what is written again.
#include "rondo/convert/goal.hpp"

#include "convert/goal/schedule.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/detect.hpp"
#include "tests/convert/ti_folder.hpp"
#include "tests/support/recorded.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <set>

namespace rondo::convert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Goal {
public:
  explicit Goal(const std::string& text) { folder_.write("run.goal", text); }

  Result<Imported> read() const { return read_goal(path(), {}); }
  Lines lines(std::int64_t rank) const {
    const auto imported = read();
    return imported ? lines_of(imported->trace, rank) : Lines{imported.error().text()};
  }
  std::string path(const std::string& name = "run.goal") const { return folder_.path(name); }

private:
  TiFolder folder_;
};

// An operation is what it does and what it requires, to any depth: so schedules are equal whatever
// their labels and the order of their lines. Of dependencies that others imply nothing is said.
std::vector<std::multiset<std::string>> graph_of(const std::string& path) {
  const auto schedule = internal::read_schedule(path, Budget(1 << 30, 1 << 30), {});
  if (!schedule) return {{schedule.error().text()}};
  std::vector<std::multiset<std::string>> ranks;
  for (const internal::GoalRank& rank : schedule->ranks) {
    std::vector<std::string> texts(rank.operations.size());
    const std::function<const std::string&(std::uint32_t)> text =
        [&](std::uint32_t index) -> const std::string& {
      if (!texts[index].empty()) return texts[index];
      const internal::GoalOperation& one = rank.operations[index];
      std::multiset<std::string> required;
      for (const auto& dependency : rank.dependencies) {
        if (dependency.later == index)
          required.insert((dependency.on_start ? "i" : "r") + text(dependency.earlier));
      }
      std::string made = std::to_string(static_cast<int>(one.kind)) + " " +
                         std::to_string(one.size) + " " + std::to_string(one.peer) + " " +
                         std::to_string(one.tag) + "(";
      for (const std::string& each : required) made += each + ",";
      return texts[index] = made + ")";
    };
    ranks.emplace_back();
    for (std::uint32_t i = 0; i < rank.operations.size(); ++i) ranks.back().insert(text(i));
  }
  return ranks;
}

void expect_round_trip(const Goal& goal) {
  const auto imported = goal.read();
  ASSERT_TRUE(imported) << imported.error().text();
  const auto written =
      write_goal(imported->trace, goal.path("again.goal"), false, Overwrite::kReplace);
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(graph_of(goal.path("again.goal")), graph_of(goal.path()));
}

constexpr const char* kPair = "num_ranks 2\n\nrank 0 {\nl1: calc 500\nl2: send 8b to 1 tag 7\n"
                              "l2 requires l1\n}\nrank 1 {\nl1: recv 8b from 0 tag 7\n"
                              "l2: calc 40\nl2 requires l1\n}\n";

TEST(GoalSchedule, WhatIsRequiredIsWaitedForAndComputationComesBefore) {
  const Goal goal(kPair);
  EXPECT_THAT(goal.lines(0),
              ElementsAre(HasSubstr("MPI_Isend(count=8, datatype=MPI_BYTE, dest=1, tag=7, "
                                    "comm=MPI_COMM_WORLD"),
                          HasSubstr("MPI_Wait("), HasSubstr("MPI_Finalize(")));
  EXPECT_THAT(goal.lines(1), ElementsAre(HasSubstr("MPI_Irecv(count=8"), HasSubstr("MPI_Wait("),
                                         HasSubstr("MPI_Finalize(")));
  const auto imported = goal.read();
  EXPECT_EQ(imported->trace.ranks[0].computation_ns, 500u);
  EXPECT_EQ(imported->trace.ranks[1].computation_ns, 40u);
  EXPECT_TRUE(imported->trace.run.complete);
  EXPECT_TRUE(imported->remarks.empty());
}

TEST(GoalSchedule, SignsAndCommentsStandAsTheyLike) {
  const Goal goal("/* two\n lines */ // and one\nnum_ranks 1 rank 0 {\n"
                  "a:send 3 b to 0 nic 1 // to itself\nb :recv 3b from -1 tag -1 cpu 2\r\n"
                  "b irequires a\n}");
  EXPECT_THAT(goal.lines(0)[1], HasSubstr("source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG"));
  const auto imported = goal.read();
  EXPECT_EQ(imported->remarks.size(), 3u); // any source, a CPU, a network card
}

// In the order of its text, rank 0 would wait for a message that rank 1 sends only later.
TEST(GoalSchedule, ARankGoesOnWithWhatCanBegin) {
  const Goal goal("num_ranks 2\nrank 0 {\nr1: recv 1b from 1 tag 1\nr2: recv 1b from 1 tag 2\n"
                  "s1: send 1b to 1 tag 3\ns1 requires r1\ns2: send 1b to 1 tag 4\n"
                  "s2 requires r2\n}\nrank 1 {\na: send 1b to 0 tag 2\nb: recv 1b from 0 tag 4\n"
                  "c: send 1b to 0 tag 1\nc requires b\nd: recv 1b from 0 tag 3\n}\n");
  const Lines lines = goal.lines(0);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_THAT(lines[3], HasSubstr("tag=4"));
  EXPECT_THAT(lines[5], HasSubstr("tag=3"));
  EXPECT_TRUE(goal.read()->remarks.empty());
}

TEST(GoalSchedule, OperationsThatNeverBeginAreCounted) {
  const Goal goal("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n");
  const auto imported = goal.read();
  ASSERT_EQ(imported->remarks.size(), 1u);
  EXPECT_THAT(imported->remarks[0].text(), HasSubstr("can never begin: 1"));
  EXPECT_EQ(imported->trace.run.ranks, 2);
}

TEST(GoalSchedule, ComesBackAsTheSameGraph) {
  expect_round_trip(Goal(kPair));
  expect_round_trip(Goal("num_ranks 2\nrank 0 {\na: send 1b to 1 tag 1\nb: send 2b to 1 tag 2\n"
                         "c: calc 5\nc irequires a\nc irequires b\nd: recv 4b from 1 tag 3\n"
                         "d requires c\ne: calc 6\ne requires d\ne requires b\n}\n"
                         "rank 1 {\na: recv 1b from 0 tag 1\nb: recv 2b from 0 tag 2\n"
                         "c: send 4b to 0 tag 3\nc requires a\nc requires b\n}\n"));
}

TEST(GoalSchedule, ATreeOfLogGOPSimComesBackAsTheSameGraph) {
  const char* const data = std::getenv("RONDO_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const std::string path = std::string(data) + "/goal/binary_tree_32.goal";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const Goal goal(text);
  expect_round_trip(goal);
  const auto imported = goal.read();
  EXPECT_EQ(imported->trace.run.ranks, 32);
  EXPECT_EQ(detect_input(path), InputKind::kGoal);
}

TEST(GoalSchedule, ARunOfSweep3dComesBackAsTheSameText) {
  const char* const data = std::getenv("RONDO_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const std::string path = std::string(data) + "/liballprof/sweep3d-2x2";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  ImportOptions options;
  options.all_times = true;
  const auto run = read_allprof(path, options);
  ASSERT_TRUE(run) << run.error().text();
  const TiFolder folder;
  ASSERT_TRUE(write_goal(run->trace, folder.path("1.goal"), false, Overwrite::kRefuse));
  const auto again = read_goal(folder.path("1.goal"), options);
  ASSERT_TRUE(again) << again.error().text();
  ASSERT_TRUE(write_goal(again->trace, folder.path("2.goal"), false, Overwrite::kRefuse));
  const auto text_of = [&](const char* name) { // without comments
    const std::string text = read_file(folder.path(name)).value();
    return text.substr(text.find("num_ranks"));
  };
  EXPECT_EQ(text_of("1.goal"), text_of("2.goal"));
}

TEST(GoalSchedule, CollectiveOperationsAreMessagesByASaidAlgorithm) {
  const TiFolder folder;
  for (int rank = 0; rank < 5; ++rank)
    folder.write_rank(rank, {"bcast 10 2 0", "allreduce 3 0 0", "alltoall 4 4 0 0"});
  const auto imported = folder.read();
  ASSERT_TRUE(imported);
  const std::string path = folder.path("out.goal");
  const auto remarks = write_goal(imported->trace, path, false, Overwrite::kRefuse);
  ASSERT_TRUE(remarks) << remarks.error().text();
  EXPECT_THAT(*remarks, ::testing::Contains(HasSubstr("bcast: binomial tree (5 calls)")));
  const auto again = read_goal(path, {});
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(again->remarks.empty());
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent, received;
  const auto schedule = internal::read_schedule(path, Budget(1 << 30, 1 << 30), {});
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    for (const auto& one : schedule->ranks[static_cast<std::size_t>(rank)].operations) {
      const auto bytes = static_cast<std::int64_t>(one.size);
      if (one.kind == internal::GoalOperation::Kind::kSend) sent[{rank, one.peer}] += bytes;
      if (one.kind == internal::GoalOperation::Kind::kReceive) received[{one.peer, rank}] += bytes;
    }
  }
  EXPECT_EQ(sent, received);
  EXPECT_EQ((sent[{2, 3}]), 80 + 32); // a child of the root's, one of all
  EXPECT_EQ((sent[{2, 4}]), 80 + 24 + 32); // and a partner
}

// Requests are named by how many were made since, those of the program's own included.
TEST(GoalSchedule, RequestsOfTheProgramsOwnCount) {
  const auto graph = [](bool has_own) {
    const trace::Trace trace = support::recorded(2, [&](support::Caller& s) {
      if (s.rank == 0) {
        s.send(1, 10, support::kDouble, support::kWorld, "MPI_Isend");
        if (has_own) s.call("MPI_Grequest_start", {});
        s.call("MPI_Wait", {{"request", trace::request_by_age(has_own ? 1 : 0)}});
        s.send(1, 20);
      } else {
        for (int i = 0; i < 2; ++i) {
          s.call("MPI_Recv", {{"count", 20},
                              {"datatype", support::kDouble},
                              {"source", 0},
                              {"tag", 0},
                              {"comm", support::kWorld}});
        }
      }
    });
    const TiFolder folder;
    const std::string path = folder.path("own.goal");
    EXPECT_TRUE(write_goal(trace, path, false, Overwrite::kReplace).has_value());
    return graph_of(path);
  };
  EXPECT_EQ(graph(true), graph(false));
}

TEST(GoalSchedule, BadSchedulesAreErrorsWithTheirPlace) {
  const auto error = [](const std::string& text) {
    const auto imported = Goal(text).read();
    return imported ? std::string("none") : imported.error().text();
  };
  EXPECT_THAT(error("num_ranks 0\n"), HasSubstr("run.goal:1: has no ranks"));
  EXPECT_THAT(error("num_ranks 2\nnum_ranks 2\n"), HasSubstr(":2: num_ranks stands here a second"));
  EXPECT_THAT(error("num_ranks 2\nrank 2 {\n}\n"), HasSubstr(":2: found '2'; expected a rank"));
  EXPECT_THAT(error("num_ranks 2\nrank 0 {\n"), HasSubstr("ends within a rank"));
  EXPECT_THAT(error("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n"), HasSubstr("line 2 already"));
  EXPECT_THAT(error("num_ranks 2\nrank 0 {\nsend 1b from 1\n}\n"), HasSubstr(":3: found 'from'"));
  EXPECT_THAT(error("num_ranks 2\nrank 0 {\nsend 1b to 9\n}\n"), HasSubstr("found '9'"));
  EXPECT_THAT(error("num_ranks 2\nrank 0 {\na: calc 1\na requires b\n}\n"),
              HasSubstr(":4: the label 'b'"));
  EXPECT_THAT(error("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"),
              HasSubstr("require each other in a circle"));
  EXPECT_THAT(error("num_ranks 200000000\n"), HasSubstr("--limit"));
}

} // namespace
} // namespace rondo::convert
