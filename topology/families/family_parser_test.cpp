// SPDX-License-Identifier: Apache-2.0
// Family files: what expressions mean, and that wrong files are refused with the line.
#include "rondo/topology/family.hpp"

#include "tests/topology/family_files.hpp"
#include "tests/topology/graphs.hpp"
#include "topology/families/rank_expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace rondo::topology {
namespace {

using testing::families;
using ::testing::HasSubstr;

std::optional<std::int64_t> value(const std::string& text, std::int64_t n, std::int64_t r) {
  auto tokens = internal::Tokens::of(text);
  const auto expression = internal::Expression::parse(*tokens, {"n", "r"});
  EXPECT_TRUE(expression && tokens->at_end()) << text;
  internal::Values values{{n, r}, 1000};
  return expression->value(values);
}

TEST(RankExpression, ComputesAsWritten) {
  EXPECT_EQ(value("1 + 2 * 3 - 4", 0, 0), 3);
  EXPECT_EQ(value("(1 + 2) * 3", 0, 0), 9);
  EXPECT_EQ(value("2^3^2", 0, 0), 512);
  EXPECT_EQ(value("-2^2", 0, 0), -4);
  EXPECT_EQ(value("7 - 2 - 1", 0, 0), 4);
  EXPECT_EQ(value("(r - 1) mod n", 8, 0), 7);
  EXPECT_EQ(value("-7 / 2", 0, 0), -4); // down
  EXPECT_EQ(value("-7 mod 2", 0, 0), 1);
  EXPECT_EQ(value("r xor 1 << 2", 0, 5), 1);
  EXPECT_EQ(value("r bitand 6 bitor 8", 0, 5), 12);
  EXPECT_EQ(value("40 >> 3", 0, 0), 5);
  EXPECT_EQ(value("r xor 4 < n", 4, 5), 1); // numbers first, then the comparison
  EXPECT_EQ(value("r < 3 and not n = 4 or n = 5", 5, 7), 1);
  EXPECT_EQ(value("not r = 7", 0, 7), 0);
  EXPECT_EQ(value("log2(9) + sqrt(35) + abs(-3) + min(2, 5) + max(2, 5) + gcd(12, 18)", 0, 0),
            3 + 5 + 3 + 2 + 5 + 6);
}

TEST(RankExpression, HasNoValueWhereMathematicsHasNone) {
  for (const char* text : {"1 / 0", "1 mod 0", "2^-1", "2^64", "-(-9223372036854775807 - 1)",
                           "9223372036854775807 + 1", "1 << 63", "log2(0)", "sqrt(-1)",
                           "9223372036854775807 * 2", "(-9223372036854775807 - 1) / -1"}) {
    EXPECT_EQ(value(text, 0, 0), std::nullopt) << text;
  }
  EXPECT_EQ(value("n > 0 and 7 / n = 1", 0, 0), 0); // not looked at
}

struct Wrong {
  const char* text;
  std::uint64_t line;
  const char* says;
};

TEST(FamilyFile, IsRefusedWithTheLine) {
  for (const Wrong& w : std::vector<Wrong>{
           {"", 1, "begin with a line 'family NAME'"},
           {"# nothing\n\n", 1, "begin with a line 'family NAME'"},
           {"xor 1\n", 1, "put a line 'family NAME' before"},
           {"family\nxor 1\n", 1, "a name has letters"},
           {"family 4ever\nxor 1\n", 1, "a name has letters"},
           {"family a/b\nxor 1\n", 1, "a name has letters"},
           {"family a\n\n", 1, "does not say who talks to whom"},
           {"family a\nfamily b\nxor 1\n", 1, "does not say who talks to whom"},
           {"family a\nxor 1\nfamily a\nxor 2\n", 3, "stands in this file already"},
           {"family a\nxor 1\nmesh any open\n", 3, "described in one way"},
           {"family a\nxor\n", 2, "a mask is missing before the end of the line"},
           {"family a\nxor 0\n", 2, "a mask is 0; it must be from 1"},
           {"family a\nxor 99999999999999999999\n", 2, "too large"},
           {"family a\nmesh 0 open\n", 2, "must be from 1 to"},
           {"family a\nmesh any\n", 2, "'open', 'periodic' or 'either' is missing"},
           {"family a\nmesh any open any open\n", 2, "'any' is too much here"},
           {"family a\nmesh any open\n", 1, "add a line 'offsets"},
           {"family a\nmesh any open\nmesh any open\n", 3, "has a mesh already"},
           {"family a\noffsets (1)\n", 2, "offsets need a mesh"},
           {"family a\nmesh any open, any open\noffsets (1)\n", 3, "has 1 steps, the mesh has 2"},
           {"family a\nmesh any open\noffsets 1\n", 3, "'(' is missing before '1'"},
           {"family a\nmesh any open\noffsets (1\n", 3, "')' is missing before the end"},
           {"family a\nranks 1\n", 2, "must be from 2"},
           {"family a\nranks 4\n", 1, "no two ranks talk to each other"},
           {"family a\nranks 4\nranks 4\n", 3, "given already"},
           {"family a\nranks 4\n0 4\n", 3, "is 4; it must be from 0 to 3"},
           {"family a\nranks 4\n0\n", 3, "the second rank of the edge is missing"},
           {"family a\nranks 4\n2 2\n", 3, "rank 2 needs no edge to itself"},
           {"family a\nranks 4\n0 1 2\n", 3, "'2' is too much here"},
           {"family a\n0 1\n", 2, "put a line 'ranks 16' before"},
           {"family a\nhello\n", 2, "'hello' begins no line of a family"},
           {"family a\nneighbour q\n", 2, "'q' is not known here; known are n, r"},
           {"family a\nneighbour r +\n", 2, "missing before the end of the line"},
           {"family a\nneighbour (r\n", 2, "')' is missing before the end of the line"},
           {"family a\nneighbour r $ 2\n", 2, "'$' means nothing here"},
           {"family a\nneighbour r 2\n", 2, "'2' is too much here"},
           {"family a\nneighbour 1 < r < 3\n", 2, "cannot be chained"},
           {"family a\nneighbour min(r)\n", 2, "write min(a, b)"},
           {"family a\nneighbour r+k for k in 1\n", 2, "'..' is missing"},
           {"family a\nneighbour r+k for k in 1 .. k\n", 2, "depend on itself"},
           {"family a\nneighbour r for r in 1 .. 2\n", 2, "'r' has a meaning already"},
           {"family a\nneighbour r for mod in 1 .. 2\n", 2, "means something else"},
           {"family a\nneighbour r+k for k in 1 .. 2\nlet x = k\n", 3, "'k' is not known here"},
           {"family a\nonly if r = 1\nneighbour r+1\n", 2, "has no meaning here"},
           {"family a\nlet x = r+1\nparameter y in x .. 3\nneighbour r\n", 3, "no meaning here"},
           {"family a\nlet x = x\n", 2, "'x' depends on itself"},
           {"family a\nlet log2 = 3\n", 2, "means something else"},
           {"family a\nonly n\n", 2, "write 'only if n > 3'"},
           {"family a\nlet x = 3\nxor 1\n", 1, "go with neighbour lines"},
       }) {
    const auto parsed = parse_families(w.text, "x.family");
    ASSERT_FALSE(parsed) << w.text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kFormat) << w.text;
    EXPECT_EQ(parsed.error().place.line, w.line) << w.text;
    EXPECT_EQ(parsed.error().place.file, "x.family");
    EXPECT_THAT(parsed.error().message, HasSubstr(w.says)) << w.text;
  }
}

TEST(FamilyFile, TakesCommentsAndForeignLineEnds) {
  const auto known =
      families("# a\r\nfamily a b # name\r\n\txor 1 2 # masks\r\n\r\nfamily c\nranks 3\n0 1\n1 2");
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].name(), "a b");
  EXPECT_EQ(known[1].name(), "c");
}

// Damaged files are read or refused; what is read can be asked for members.
TEST(FamilyFile, SurvivesAnyDamage) {
  std::vector<std::string> seeds = {testing::kCgFamily};
  for (const testing::FamilyExample& example : testing::kFamilyExamples)
    seeds.emplace_back(example.text);
  seeds.push_back(*family_file("learnt", reference_graph(testing::mesh({3, 3}))));
  std::mt19937_64 random(1);
  const std::string alphabet = "0123456789 \n()+-*/^.,=<>!#abknr\"\\\x80\xff\t";
  int read = 0;
  int refused = 0;
  for (int trial = 0; trial < 30'000; ++trial) {
    std::string text = seeds[random() % seeds.size()];
    for (std::uint64_t k = 1 + random() % 3; k > 0 && !text.empty(); --k) {
      const std::size_t place = random() % text.size();
      switch (random() % 4) {
      case 0:
        text.erase(place, 1 + random() % 8);
        break;
      case 1:
        text.insert(place, 1, alphabet[random() % alphabet.size()]);
        break;
      case 2:
        text[place] = static_cast<char>(random());
        break;
      default:
        text.insert(place, text.substr(random() % text.size(), random() % 20));
      }
    }
    const auto parsed = parse_families(text, "damaged");
    if (!parsed) {
      ++refused;
      ASSERT_TRUE(parsed.error().place.line) << text;
      ASSERT_FALSE(parsed.error().message.empty());
      continue;
    }
    ++read;
    if (read % 20 != 0) continue; // graphs take longer than reading
    for (const Family& family : *parsed) {
      for (const Topology& t : family.topologies(12, {1, 66})) {
        ASSERT_EQ(reference_graph(t).vertices(), 12) << text;
      }
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
  const std::string deep(100'000, '(');
  EXPECT_FALSE(parse_families("family a\nneighbour " + deep, "deep"));
  EXPECT_FALSE(parse_families("family a\nneighbour r" + std::string(100'000, '-') + "1", "deep"));
}

TEST(FamilyFile, FoldersAreReadInTheOrderOfNames) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("rondo_families_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.family") << "family b\nxor 1\n";
  std::ofstream(folder / "a.family") << "family a\nxor 1\n";
  std::ofstream(folder / "notes.txt") << "not looked at";
  const auto read = read_families(folder.string());
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name(), "a");
  std::ofstream(folder / "c.family") << "family c\nxor x\n";
  const auto wrong = read_families(folder.string());
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text(), HasSubstr("c.family:2: "));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(read_families(folder.string()).error().code, ErrorCode::kNotFound);
}

TEST(FamilyFile, CostsWhatItIsWorth) {
  const auto error = [](const std::string& text) {
    const auto families = parse_families(text, "hurt.family");
    return families ? std::string() : families.error().message;
  };
  // A token would take 48 bytes; the brackets are refused at the hundredth.
  EXPECT_THAT(error("family a\nneighbour " + std::string(1 << 20, '(') + "\n"),
              HasSubstr("too many brackets"));
  std::string names = "family a\n";
  for (int i = 0; i < 2000; ++i) names += "let x" + std::to_string(i) + " = n\n";
  EXPECT_THAT(error(names + "neighbour r + 1\n"), HasSubstr("at most 1000 names"));
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "family a" + std::to_string(i) + "\nxor 1\n";
  EXPECT_EQ(error(many), ""); // each name is looked up among those before
  EXPECT_THAT(error(many + "family a77\nxor 1\n"), HasSubstr("stands in this file already"));
}

TEST(FamilyFile, EdgesThatAreSaidAgainTakeNoMemory) {
  const auto members = families("family a\nneighbour (r + k) mod n for k in 1 .. 400000\n")
                           .front()
                           .topologies(8, {28, 28});
  ASSERT_EQ(members.size(), 1U); // all pairs, said 400,000 times a rank
  const auto fewer = families("family a\nparameter p in 1 .. 2\n"
                              "neighbour (r + p * k) mod n for k in 1 .. 100000 * (p - 1) + 1\n")
                         .front()
                         .topologies(8, {8, 12});
  EXPECT_EQ(fewer.size(), 2U); // 8 of p = 1, and 12 of p = 2: two cliques of four
  const auto none = families("family a\nparameter p in 1 .. 2\n"
                             "neighbour (r + k) mod n for k in 1 .. 100000 * (2 - p) + 1\n")
                        .front()
                        .topologies(8, {8, 8});
  std::string masks = "family a\nxor";
  std::string offsets = "family a\nmesh any periodic\noffsets";
  for (int i = 0; i < 100'000; ++i) masks += " 1", offsets += " (1)";
  EXPECT_EQ(families(masks + "\n").front().topologies(8, {4, 4}).size(), 1U);
  EXPECT_EQ(families(offsets + "\n").front().topologies(8, {8, 8}).size(), 1U);
  EXPECT_EQ(families(offsets + "\n").front().topologies(8, {1, 7}).size(), 0U);
  EXPECT_EQ(none.size(), 1U); // p = 1 has too many edges, which does not end the search for p = 2
}

} // namespace
} // namespace rondo::topology
