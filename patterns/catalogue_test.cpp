// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include "tests/support/documented_patterns.hpp"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::DocumentedPattern;
using support::kWorld;
using support::Player;
using support::recorded;

std::vector<std::int64_t> numbering(std::int64_t ranks, bool is_shuffled) {
  std::vector<std::int64_t> number(static_cast<std::size_t>(ranks));
  std::iota(number.begin(), number.end(), 0);
  if (is_shuffled) std::shuffle(number.begin(), number.end(), std::mt19937(7));
  return number;
}

// Ten times, with a barrier behind each.
trace::Trace played(const std::function<void(Player&)>& play, std::int64_t ranks, bool is_shuffled,
                    bool noise) {
  const auto number = numbering(ranks, is_shuffled);
  return recorded(ranks, [&](Caller& s) {
    for (int i = 0; i < 10; ++i) {
      Player player(s, number, noise);
      play(player);
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
}

// Names of the phases of the pattern with most messages, joined.
std::string name_of(const trace::Trace& trace) {
  const CommunicationPatterns found = communication_patterns(trace, {});
  const auto most = std::max_element(
      found.patterns.begin(), found.patterns.end(),
      [](const auto& a, const auto& b) { return a.links.size() < b.links.size(); });
  if (most == found.patterns.end()) return "";
  std::string names;
  for (const NamedPhase& phase : documented(found, *most).phases)
    names += (names.empty() ? "" : ", ") + phase.name;
  return names;
}

bool is_named(const DocumentedPattern& pattern, const std::string& names) {
  return pattern.name == "transpose" ? names == "ring shift, transpose" : names == pattern.name;
}

TEST(Catalogue, NamesWhatIsDocumented) {
  std::printf("%-50s %-12s %-9s %-9s %s\n", "pattern", "ranks", "in order", "shuffled", "noise");
  for (const DocumentedPattern& pattern : support::documented_patterns()) {
    std::string ranks_text;
    int found[3] = {0, 0, 0};
    for (const std::int64_t ranks : pattern.ranks) {
      ranks_text += (ranks_text.empty() ? "" : ",") + std::to_string(ranks);
      for (int variant = 0; variant < 3; ++variant) {
        const auto names = name_of(played(pattern.play, ranks, variant > 0, variant > 1));
        found[variant] += is_named(pattern, names) ? 1 : 0;
        EXPECT_TRUE(is_named(pattern, names))
            << pattern.name << " " << pattern.how << " of " << ranks << " ranks, variant "
            << variant << ", is named: " << names;
      }
    }
    const auto all = pattern.ranks.size();
    const std::string title = pattern.name + (pattern.how.empty() ? "" : ": " + pattern.how);
    std::printf("%-50s %-12s %d of %zu    %d of %zu    %d of %zu\n", title.c_str(),
                ranks_text.c_str(), found[0], all, found[1], all, found[2], all);
  }
}

// One message goes to another rank than it should.
TEST(Catalogue, DoesNotNameWhatIsDamaged) {
  for (const DocumentedPattern& pattern : support::documented_patterns()) {
    for (const std::int64_t ranks : pattern.ranks) {
      const auto trace = played(pattern.play, ranks, false, false);
      const CommunicationPatterns found = communication_patterns(trace, {});
      ASSERT_FALSE(found.patterns.empty()) << pattern.name;
      const auto most = std::max_element(
          found.patterns.begin(), found.patterns.end(),
          [](const auto& a, const auto& b) { return a.links.size() < b.links.size(); });
      auto messages = messages_of(found, *most);
      PatternMessage& damaged = messages[messages.size() / 2];
      do {
        damaged.to = (damaged.to + 1) % ranks;
      } while (damaged.to == damaged.from);
      const Documentation known = documented(messages);
      for (const NamedPhase& phase : known.phases)
        EXPECT_TRUE(phase.name != pattern.name || phase.messages < messages.size())
            << phase.what << " " << pattern.how;
    }
  }
}

TEST(Catalogue, DoesNotNameWhatIsRandom) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const int ranks = 8 + round % 9;
    std::vector<PatternMessage> messages;
    for (int i = 0; i < 3 * ranks; ++i) {
      const auto from = static_cast<std::int64_t>(random() % static_cast<unsigned>(ranks));
      const auto step = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(ranks - 1));
      const auto when = static_cast<std::uint64_t>(i);
      messages.push_back({from, (from + step) % ranks, 2 * when, 2 * when + 1, 64, 1, -1, -1,
                          1 + static_cast<std::uint32_t>(i % 7)});
    }
    const Documentation known = documented(messages);
    EXPECT_FALSE(known.is_known()) << known.phases.front().what;
  }
}

// Half of a halo exchange on a ring of four ranks: two send, two receive.
TEST(Catalogue, TwoSourcesAreNoWavefront) {
  const Documentation known =
      documented({{1, 0, 0, 3, 8, 1}, {1, 2, 2, 3, 8, 1}, {3, 0, 0, 3, 8, 1}, {3, 2, 2, 3, 8, 1}});
  EXPECT_FALSE(known.is_known()) << known.phases.front().what;
  EXPECT_TRUE(
      documented({{0, 1, 0, 1, 8, 1}, {0, 2, 2, 1, 8, 1}, {1, 3, 2, 1, 8, 1}, {2, 3, 2, 3, 8, 1}})
          .is_known());
}

TEST(Catalogue, SaysWhatIsAnAllreduce) {
  const auto trace = played(
      [](Player& p) {
        for (const std::int64_t bit : {1, 2}) p.exchange(p.me ^ bit, p.me ^ bit);
      },
      16, false, false);
  const CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_FALSE(found.patterns.empty());
  const Documentation known = documented(found, found.patterns.front());
  ASSERT_EQ(known.phases.size(), 1u);
  EXPECT_EQ(known.phases[0].groups.size(), 4u);
  EXPECT_EQ(known.phases[0].rounds, 2u);
  ASSERT_EQ(known.advice.size(), 1u);
  EXPECT_EQ(known.advice[0], "this is what an allreduce does, within each of 4 groups of 4 ranks "
                             "(0-3; 4-7; 8-11; ...), in 2 rounds; consider MPI_Allreduce on a "
                             "communicator for each group");
}

// A reduction over a tree, and a broadcast over the same.
TEST(Catalogue, JoinsReductionAndBroadcast) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 1; rank < 7; ++rank) {
    const std::int64_t parent = (rank - 1) / 2;
    const auto turn = static_cast<std::uint64_t>(rank % 2);
    messages.push_back({rank, parent, 4, 1 + 2 * turn - (turn > 0 ? 1 : 0), 8, 1});
    messages.push_back({parent, rank, 8 + 2 * turn, 7, 8, 1});
  }
  const Documentation known = documented(messages);
  ASSERT_EQ(known.phases.size(), 2u);
  EXPECT_EQ(known.phases[0].name, "binary tree reduce");
  EXPECT_EQ(known.phases[1].name, "binary tree broadcast");
  ASSERT_EQ(known.advice.size(), 1u);
  EXPECT_EQ(known.advice[0], "a reduction and a broadcast in 4 rounds are an allreduce; consider "
                             "MPI_Allreduce");
}

TEST(Catalogue, KnowsNamesHoweverTheyAreWritten) {
  EXPECT_EQ(documented_name("Halo_Exchange"), "halo exchange");
  EXPECT_EQ(documented_name("master worker"), "master-worker");
  EXPECT_FALSE(documented_name("halo"));
}

} // namespace
} // namespace rondo::patterns
