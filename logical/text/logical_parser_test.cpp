// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/logical_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace rondo::logical {
namespace {

using ::testing::HasSubstr;

// The page's example.
constexpr const char* kExample = R"(program lu.B.16  # 16 ranks, 5 records
  on 4x4 grid: north, west, east, south
  bcast 1 int  root 0
  loop 249:
    if not north:
      barrier
    recv west 120..130 double  tag 2  # 1.2 ms before
    send east 5 double  tag 1
# off topology: 12 of 340 point-to-point calls, 96 of 12000 bytes; left out
)";

// The page's second example.
constexpr const char* kPhases = R"(program mixed  # 16 ranks, 6 records
  on 4x4 torus: north, west, east, south
  on star of 16 ranks: centre, leaf 0..14
  phase 1: on star of 16 ranks
  recv centre 1 long  tag 1
  loop 10:
    phase 2: on 4x4 torus, in copy of world
    sendrecv east 8 long west 8 long  tag 2  tag 2  on copy of world
    sendrecv south 8 long north 8 long  tag 3  tag 3  on copy of world
    phase 3: on star of 16 ranks
    send centre 8 long  tag 4
  rank 0:
    barrier
# beyond the topology: 1 record, 1 of 486 calls (0.2 %), 0 of 1200 bytes
#   rank 0: 1 record, 1 call, 0 bytes
# off topology: 0 of 485 point-to-point calls, 0 of 1200 bytes
)";

Error error_of(const std::string& text) {
  const auto read = parse_logical_text(text, "x.txt");
  if (!read) return read.error();
  ADD_FAILURE() << "was read:\n" << text;
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LogicalParser, ReadsWhatTheTextSays) {
  const auto read = parse_logical_text(kExample, "x.txt");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->program, "lu.B.16");
  EXPECT_EQ(read->ranks, 16);
  ASSERT_EQ(read->peer_topologies.size(), 1U);
  EXPECT_EQ(read->peer_topologies[0].directions.size(), 4U);
  EXPECT_EQ(read->outside.calls, 12U);
  EXPECT_EQ(read->all.bytes, 12000U);
  const auto& top = read->parts.at(0).statements;
  ASSERT_EQ(top.size(), 2U);
  const auto& loop = std::get<LoopStatement>(top[1].is);
  EXPECT_EQ(loop.count, "249");
  const auto& recv = std::get<CallStatement>(loop.body.at(1).is);
  EXPECT_EQ(recv.what, "west 120..130 double");
  EXPECT_EQ(recv.remarks, std::vector<std::string>{"tag 2"});
  EXPECT_DOUBLE_EQ(recv.before_ns, 1.2e6);
}

TEST(LogicalParser, WritesTheSameTextAgain) {
  const auto read = parse_logical_text(kExample, "x.txt");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(logical_text(*read), kExample);
}

TEST(LogicalParser, ReadsPartsOfRanks) {
  const std::string text =
      "program a  # 3 ranks, 2 records\nranks 0-1:\n  barrier\n"
      "rank 2:\n  barrier\n"
      "# beyond the topology: 2 records, 3 of 3 calls (100 %), 0 of 0 bytes\n"
      "#   ranks 0-1: 1 record, 2 calls, 0 bytes\n#   rank 2: 1 record, 1 call, 0 bytes\n"
      "# off topology: no point-to-point calls\n";
  const auto read = parse_logical_text(text, "x.txt");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->parts.size(), 2U);
  EXPECT_EQ(read->parts[1].ranks, "rank 2");
  EXPECT_EQ(logical_text(*read), text);
}

TEST(LogicalParser, SaysWhichLineIsWrong) {
  struct Case {
    std::string from, to;
    std::uint64_t line;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"program lu", "programme lu", 1, "no logical program"},
      {"16 ranks", "x ranks", 1, "N ranks, M records"},
      {"5 records", "6 records", 1, "says 6 records, but there are 5"},
      {"on 4x4 grid: ", "on 4x4 grid", 2, "no topology"},
      {"bcast", "bcost", 3, "'bcost' is no MPI call"},
      {"  loop 249:", "\tloop 249:", 4, "tab"},
      {"loop 249:", "loop:", 4, "opens neither"},
      {"      barrier", "    barrier", 6, "something inside"},
      {"      barrier", "        barrier", 6, "deeper"},
      {"      barrier", "     barrier", 6, "odd number"},
      {"      barrier", "      barrier ", 6, "ends in a blank"},
      {"1.2 ms before", "1.2 ms after", 7, "no '# TIME before, at PLACES'"},
      {"1.2 ms before", "1.23 ms before", 7, "has a time that is none"},
      {"send east", "\nsend east", 8, "empty line"},
      {"# off", "# on", 9, "the last line is"},
      {"; left out", "", 9, "left out"},
      {"left out\n", "left out\nmore\n", 10, "goes on"},
      {"left out\n", "left out", 9, "middle of a line"},
  };
  for (const Case& c : cases) {
    const Error error = error_of(replaced(kExample, c.from, c.to));
    EXPECT_EQ(error.code, ErrorCode::kFormat) << c.to;
    EXPECT_EQ(error.place.line, c.line) << c.to << ": " << error.text();
    EXPECT_THAT(error.message, HasSubstr(c.message)) << c.to;
  }
}

TEST(LogicalParser, ReadsPhasesAndWhatIsBeyondTheTopology) {
  const auto read = parse_logical_text(kPhases, "x.txt");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(logical_text(*read), kPhases);
  const auto& top = read->parts.at(0).statements;
  EXPECT_EQ(std::get<PhaseStatement>(top.at(0).is).topologies.at(0), "star of 16 ranks");
  const auto& loop = std::get<LoopStatement>(top.at(2).is);
  EXPECT_EQ(std::get<PhaseStatement>(loop.body.at(0).is).communicators.at(0), "copy of world");
  ASSERT_EQ(read->beyond.sets.size(), 1U);
  EXPECT_EQ(read->beyond.sets[0].ranks, "rank 0");
  EXPECT_EQ(read->beyond.all_calls, 486U);
}

TEST(LogicalParser, SaysWhatIsWrongWithPhasesAndWhatIsBeyondTheTopology) {
  struct Case {
    std::string from, to;
    std::uint64_t line;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"phase 2: on 4x4 torus", "phase 2: on 5x5 torus", 7, "is no phase"},
      {"phase 2", "phase 3", 7, "should be phase 2"},
      {"# beyond the topology: 1 record", "# beyond the topology: 2 records", 14, "does not write"},
      {"# beyond the topology: 1 record, 1 of 486 calls (0.2 %), 0 of 1200 bytes\n", "", 14,
       "neither"},
      {"#   rank 0: 1 record, 1 call", "#   rank 0: 2 records, 1 call", 16, "have 1"},
      {"#   rank 0: 1 record, 1 call", "#   west: 1 record, 1 call", 15, "neither"},
      {"#   rank 0: 1 record, 1 call, 0 bytes\n",
       "#   rank 0: 1 record, 1 call, 0 bytes\n  barrier\n", 16, "behind '# beyond"},
  };
  for (const Case& c : cases) {
    const Error error = error_of(replaced(kPhases, c.from, c.to));
    EXPECT_EQ(error.place.line, c.line) << c.to << ": " << error.text();
    EXPECT_THAT(error.message, HasSubstr(c.message)) << c.to;
  }
}

TEST(LogicalParser, RefusesACutTextAtEveryLength) {
  for (const std::string text : {kExample, kPhases}) {
    for (std::size_t length = 0; length < text.size(); ++length)
      EXPECT_FALSE(parse_logical_text(text.substr(0, length), "x.txt")) << length;
  }
}

TEST(LogicalParser, RefusesDeepNesting) {
  std::string text = "program a  # 1 rank, 1001 records\n";
  for (std::size_t depth = 1; depth <= 1000; ++depth)
    text += std::string(2 * depth, ' ') + "loop 2:\n";
  EXPECT_THAT(error_of(text).message, HasSubstr("200 levels"));
}

// A changed text is either refused, or a text that is written as it was read.
TEST(LogicalParser, TakesNoTextForAnother) {
  std::mt19937 random(7);
  const std::string bytes = " :#|\n\t0a.,-;";
  std::size_t refused = 0;
  constexpr std::size_t kTexts = 20000;
  for (std::size_t i = 0; i < kTexts; ++i) {
    std::string text = i % 2 == 0 ? kExample : kPhases;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 4);
        break;
      default:
        text.insert(at, 1, bytes[random() % bytes.size()]);
      }
    }
    const auto read = parse_logical_text(text, "x.txt");
    if (read) {
      EXPECT_EQ(logical_text(*read), text);
    } else {
      ++refused;
      EXPECT_FALSE(read.error().message.empty());
    }
  }
  EXPECT_GT(refused, kTexts / 10); // both happen
  EXPECT_LT(refused, kTexts);
}

// One-sided messages have bytes, and are no point-to-point calls.
TEST(LogicalParser, KeepsBytesOfProgramsWithoutPointToPointCalls) {
  const std::string text = R"(program queue  # 4 ranks, 2 records
  loop rank == 0 ? 4 : 2:
    fetch_and_op centre long sum
# beyond the topology: 0 records, 0 of 80 calls, 0 of 192 bytes
#   loop counts: 1 loop, 8 calls more than the least
# off topology: no point-to-point calls
)";
  const auto read = parse_logical_text(text, "text");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(logical_text(*read), text);
}

} // namespace
} // namespace rondo::logical
