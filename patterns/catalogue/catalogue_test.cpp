// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include "tests/support/documented_patterns.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
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

// What the pattern with most messages is.
Documentation known_of(const trace::Trace& trace) {
  const CommunicationPatterns found = communication_patterns(trace, {});
  const auto most = std::max_element(
      found.patterns.begin(), found.patterns.end(),
      [](const auto& a, const auto& b) { return a.links.size() < b.links.size(); });
  return most == found.patterns.end() ? Documentation{} : documented(found, *most);
}

// Names of its phases, joined.
std::string name_of(const Documentation& known) {
  std::string names;
  for (const NamedPhase& phase : known.phases)
    names += (names.empty() ? "" : ", ") + std::string(to_text(phase.name));
  return names;
}

// The same in full, with what has no name.
std::string whats_of(const Documentation& known) {
  std::string whats;
  for (const NamedPhase& phase : known.phases) whats += phase.what + "; ";
  return whats + std::to_string(known.unnamed) + " messages fit nothing";
}

// What could be called instead; nothing for shapes that are no collective.
std::string collective_for(const std::string& name) {
  static const std::map<std::string, std::string> kCollectives{
      {"butterfly", "MPI_Allreduce"},
      {"binomial tree broadcast", "MPI_Bcast"},
      {"binary tree broadcast", "MPI_Bcast"},
      {"binomial tree reduce", "MPI_Reduce"},
      {"binary tree reduce", "MPI_Reduce"},
      {"scatter", "MPI_Scatter"},
      {"gather", "MPI_Gather"},
      {"pairwise all-to-all", "MPI_Alltoall"},
      {"Bruck all-to-all", "MPI_Alltoall"},
      {"dissemination barrier", "MPI_Barrier"}};
  const auto found = kCollectives.find(name);
  return found == kCollectives.end() ? "" : found->second;
}

std::string documented_table() {
  const char* source = std::getenv("RONDO_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/docs/patterns.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of shuffled ranks that exchange in pairs nobody can tell whether they transpose.
bool is_named(const DocumentedPattern& pattern, const Documentation& known, bool is_shuffled) {
  const std::string names = name_of(known);
  if (pattern.name != "transpose") return names == pattern.name && known.unnamed == 0;
  if (pattern.how.starts_with("rows")) return names == "ring shift, transpose";
  if (!is_shuffled) return names == "transpose";
  return names == "pair exchange" &&
         known.phases[0].what.find(", fits a transpose of ") != std::string::npos;
}

TEST(Catalogue, NamesWhatIsDocumented) {
  const std::string table = documented_table();
  for (const DocumentedPattern& pattern : support::documented_patterns()) {
    std::string row = "| " + pattern.name + (pattern.how.empty() ? "" : ": " + pattern.how) + " | ";
    for (const std::int64_t ranks : pattern.ranks)
      row += (ranks == pattern.ranks.front() ? "" : ", ") + std::to_string(ranks);
    for (int variant = 0; variant < 3; ++variant) {
      std::size_t found = 0;
      for (const std::int64_t ranks : pattern.ranks) {
        const auto known = known_of(played(pattern.play, ranks, variant > 0, variant > 1));
        const bool is_found = is_named(pattern, known, variant > 0);
        found += is_found ? 1 : 0;
        EXPECT_TRUE(is_found) << pattern.name << " " << pattern.how << " of " << ranks
                              << " ranks, variant " << variant << ", is named: " << whats_of(known);
        const std::string wanted = collective_for(pattern.name);
        EXPECT_TRUE(wanted.empty() ||
                    (known.advice.size() == 1 && known.advice[0].find(wanted) != std::string::npos))
            << pattern.name << " of " << ranks
            << " ranks: " << (known.advice.empty() ? "no advice" : known.advice[0]);
      }
      row += " | " + std::to_string(found) + " of " + std::to_string(pattern.ranks.size());
    }
    EXPECT_NE(table.find(row + " |\n"), std::string::npos) << "docs/patterns.md lacks\n" << row;
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
        EXPECT_TRUE(to_text(phase.name) != pattern.name || phase.messages < messages.size())
            << phase.what << " " << pattern.how;
    }
  }
}

TEST(Catalogue, DoesNotNameWhatIsRandom) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const int ranks = 8 + round % 9;
    std::vector<PatternMessage> messages;
    PatternSurroundings others; // all ranks, with collectives between any two messages
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      others.ranks.push_back(rank);
      for (std::uint64_t i = 0; i < 3 * static_cast<std::uint64_t>(ranks); ++i)
        others.collectives[rank].push_back(2 * i + 1);
    }
    for (int i = 0; i < 3 * ranks; ++i) {
      const auto from = static_cast<std::int64_t>(random() % static_cast<unsigned>(ranks));
      const auto step = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(ranks - 1));
      const auto when = static_cast<std::uint64_t>(i);
      messages.push_back({from, (from + step) % ranks, 2 * when, 2 * when + 1, 64, 1, -1, -1,
                          1 + static_cast<std::uint32_t>(i % 7)});
    }
    const Documentation known = documented(messages, others);
    EXPECT_FALSE(known.is_known()) << known.phases.front().what;
  }
}

// Ranks that exchange in pairs, the others nothing.
std::vector<PatternMessage> pairing(const std::vector<std::int64_t>& numbers, std::size_t pairs) {
  std::vector<PatternMessage> messages;
  for (std::size_t i = 0; i < 2 * pairs; ++i)
    messages.push_back({numbers[i], numbers[i ^ 1], 0, 1, 8, 1});
  return messages;
}

TEST(Catalogue, APairingMayFitATranspose) {
  std::mt19937 random(5);
  PatternSurroundings others;
  others.ranks = numbering(16, false);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::int64_t> numbers = others.ranks;
    std::shuffle(numbers.begin(), numbers.end(), random);
    const Documentation six = documented(pairing(numbers, 6), others);
    EXPECT_EQ(name_of(six), "pair exchange");
    EXPECT_TRUE(six.phases.at(0).what.ends_with(", fits a transpose of 4x4 ranks"));
    const Documentation seven = documented(pairing(numbers, 7), others);
    EXPECT_EQ(name_of(seven), "pair exchange");
    EXPECT_EQ(seven.phases.at(0).what.find("transpose"), std::string::npos);
  }
}

// Each two neighbours of a chain exchange, as soon as the pair before has done so: not red-black.
TEST(Catalogue, ExchangesDownAChainAreInTurn) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 0; rank < 7; ++rank) {
    messages.push_back({rank, rank + 1, 2, 1, 8, 1});
    messages.push_back({rank + 1, rank, 0, 3, 8, 1});
  }
  const Documentation known = documented(messages);
  ASSERT_EQ(name_of(known), "halo exchange");
  EXPECT_EQ(known.phases[0].scope, "over 8 ranks, one neighbour after the other");
  EXPECT_EQ(known.phases[0].evidence[0], "1 to 2 neighbours: ranks wait for those before them; the "
                                         "longest way takes 7 exchanges");
}

// Up a chain and down again: what comes back has waited for what went there.
TEST(Catalogue, SweepsThereAndBackAreNoExchange) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 0; rank < 7; ++rank) {
    messages.push_back({rank, rank + 1, 1, 0, 8, 1});
    messages.push_back({rank + 1, rank, 3, 2, 8, 1});
  }
  for (const NamedPhase& phase : documented(messages).phases)
    EXPECT_NE(phase.name, PatternName::kHaloExchange) << phase.what;
}

// Even ranks of a chain send to both sides and hear from both, odd ones the other way round.
TEST(Catalogue, RanksInTurnAreRedBlack) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 0; rank < 9; ++rank) {
    const std::uint64_t sent = rank % 2 == 0 ? 0 : 2;
    for (const std::int64_t to : {rank - 1, rank + 1}) {
      if (to >= 0 && to < 9) messages.push_back({rank, to, sent, rank % 2 == 0 ? 1u : 3u, 8, 1});
    }
  }
  const Documentation known = documented(messages);
  ASSERT_EQ(name_of(known), "halo exchange");
  EXPECT_EQ(known.phases[0].evidence[0],
            "1 to 2 neighbours: every other rank sends first, then the ranks between them");
}

// Even ranks send east and hear from the west, odd ones the other way round; then west likewise.
TEST(Catalogue, OneDirectionAfterTheOtherInTurnsIsAnExchange) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 0; rank < 6; ++rank) {
    const bool is_even = rank % 2 == 0;
    // What an even rank sends first the odd one behind it receives first.
    messages.push_back({rank, rank + 1, is_even ? 0u : 1u, is_even ? 0u : 1u, 8, 1});
    messages.push_back({rank + 1, rank, is_even ? 3u : 2u, is_even ? 3u : 2u, 8, 1});
  }
  const Documentation known = documented(messages);
  ASSERT_EQ(name_of(known), "halo exchange");
  EXPECT_EQ(known.phases[0].evidence[0],
            "1 to 2 neighbours, with messages both ways, one direction after the other; no message "
            "waits for more than one before it");
}

// Both ways round a ring of three: as Bruck's allgather, with as many bytes.
TEST(Catalogue, BothNeighboursOfThreeAreNoAllgather) {
  const Documentation known = documented({{0, 1, 0, 1, 640, 1},
                                          {1, 2, 0, 1, 640, 1},
                                          {2, 0, 0, 1, 640, 1},
                                          {0, 2, 2, 3, 640, 1},
                                          {1, 0, 2, 3, 640, 1},
                                          {2, 1, 2, 3, 640, 1}});
  ASSERT_EQ(name_of(known), "pairwise all-to-all");
  EXPECT_EQ(known.phases[0].also, "halo exchange on a ring of 3 ranks");
}

// The same by two statements, one for each side: nobody writes an all-to-all so.
TEST(Catalogue, TwoStatementsOfThreeRanksThatEachGoOneWayAreAnExchange) {
  const auto name_with = [](std::uint32_t there, std::uint32_t back) {
    std::vector<PatternMessage> messages;
    for (std::int64_t rank = 0; rank < 3; ++rank) {
      messages.push_back({rank, (rank + 1) % 3, 0, 1, 640, 1, -1, -1, 1, there});
      messages.push_back({rank, (rank + 2) % 3, 2, 3, 640, 1, -1, -1, 2, back});
    }
    return name_of(documented(messages));
  };
  EXPECT_EQ(name_with(7, 8), "halo exchange");
  EXPECT_EQ(name_with(7, 7), "pairwise all-to-all");
}

// A plane of three rows of four ranks, periodic across the rows: first along them, then across.
TEST(Catalogue, RingsOfThreeAcrossOtherExchangesAreExchanges) {
  for (const double bytes : {8.0, 640.0}) {
    std::vector<PatternMessage> messages;
    const auto exchange = [&](std::int64_t from, std::int64_t to, std::uint64_t time,
                              std::uint32_t place) {
      messages.push_back({from, to, time, time + 1, bytes, 1, -1, -1, place});
    };
    for (std::int64_t rank = 0; rank < 12; ++rank) {
      if (rank % 4 < 3) exchange(rank, rank + 1, 0, 1);
      if (rank % 4 > 0) exchange(rank, rank - 1, 2, 2);
      exchange(rank, (rank + 4) % 12, 4, 3);
      exchange(rank, (rank + 8) % 12, 6, 4);
    }
    const Documentation known = documented(messages);
    ASSERT_EQ(known.phases.size(), 2U);
    for (const NamedPhase& phase : known.phases)
      EXPECT_EQ(phase.name, PatternName::kHaloExchange) << phase.what;
    EXPECT_FALSE(known.phases[1].also.empty());
    EXPECT_TRUE(known.advice.empty());
  }
}

// A ring of eight ranks, then every other one over twice the distance; and perhaps the ring again.
std::vector<PatternMessage> two_levels(bool comes_back) {
  std::vector<PatternMessage> messages;
  const auto exchange = [&](std::int64_t distance, std::uint64_t time, std::uint32_t place) {
    for (std::int64_t rank = 0; rank < 8; rank += distance) {
      for (const std::int64_t to : {(rank + distance) % 8, (rank + 8 - distance) % 8})
        messages.push_back({rank, to, time, time + 1, 8, 1, -1, -1, place});
    }
  };
  exchange(1, 0, 1);
  exchange(2, 2, 2);
  if (comes_back) exchange(1, 4, 3);
  return messages;
}

TEST(Catalogue, AVCycleComesBack) {
  const Documentation known = documented(two_levels(true));
  ASSERT_EQ(name_of(known), "V-cycle");
  EXPECT_EQ(known.unnamed, 0u);
  EXPECT_EQ(known.phases[0].what, "V-cycle over 8 ranks, on a ring of 8 ranks");
  ASSERT_EQ(known.phases[0].evidence.size(), 3u);
  EXPECT_EQ(known.phases[0].evidence[1], "then among 4 ranks (0-6:2), neighbours 2 apart: 8 B");
  EXPECT_EQ(name_of(documented(two_levels(false))).find("V-cycle"), std::string::npos);
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
                             "communicator for each row (MPI_Comm_split by rank / 4)");
}

// Recursive halving, then doubling, of so many bytes, five times with nothing between them.
trace::Trace halvings(std::int64_t ranks, std::int64_t least_bytes) {
  const auto number = numbering(ranks, false);
  return recorded(ranks, [&](Caller& s) {
    Player p(s, number, false);
    s.call("MPI_Barrier", {{"comm", kWorld}});
    for (int i = 0; i < 5; ++i) {
      for (std::int64_t bit = ranks / 2, bytes = least_bytes * ranks; bit > 0; bit /= 2, bytes /= 2)
        p.exchange(p.me ^ bit, p.me ^ bit, bytes);
      for (std::int64_t bit = 1, bytes = 2 * least_bytes; bit < ranks; bit *= 2, bytes *= 2)
        p.exchange(p.me ^ bit, p.me ^ bit, bytes);
    }
  });
}

TEST(Catalogue, KnowsRabenseifnersAllreduceThatComesAgainAtOnce) {
  for (const std::int64_t ranks : {8, 16}) {
    const Documentation known = known_of(halvings(ranks, 64));
    const std::string rounds = ranks == 8 ? "6" : "8";
    EXPECT_EQ(whats_of(known), "butterfly with recursive halving, then doubling, over " +
                                   std::to_string(ranks) + " ranks, in " + rounds +
                                   " rounds; 0 messages fit nothing");
    ASSERT_EQ(known.advice.size(), 1u);
    EXPECT_NE(known.advice[0].find("what an allreduce does"), std::string::npos);
  }
}

TEST(Catalogue, ServersOfUnequallyManyAreOneGather) {
  std::vector<PatternMessage> messages;
  for (std::int64_t rank = 0; rank < 7; ++rank)
    messages.push_back({rank, 7 + rank % 2, 0, static_cast<std::uint64_t>(rank + 1), 8, 1});
  EXPECT_EQ(
      whats_of(documented(messages)),
      "gather within each of 2 groups of 4 to 5 ranks (0-4:2,6-7; 1-5:2,8), by point-to-point "
      "messages; 0 messages fit nothing");
}

// Pairs along the dimensions of a 2x2 grid, `bytes` in each round.
std::vector<PatternMessage> swaps(const std::vector<std::pair<std::int64_t, double>>& rounds) {
  std::vector<PatternMessage> messages;
  std::uint64_t time = 0;
  for (const auto& [bit, bytes] : rounds) {
    for (std::int64_t rank = 0; rank < 4; ++rank)
      messages.push_back({rank, rank ^ bit, time, time + 1, bytes, 1});
    time += 2;
  }
  return messages;
}

TEST(Catalogue, OnAGridOfTheProgramSwapsAreAHaloExchange) {
  const auto messages = swaps({{1, 8}, {2, 8}});
  const Documentation plain = documented(messages);
  ASSERT_EQ(name_of(plain), "butterfly");
  EXPECT_TRUE(has_name(plain.phases[0], PatternName::kButterfly));
  EXPECT_FALSE(
      has_name(plain.phases[0], PatternName::kHaloExchange)); // nobody calls an allreduce so
  EXPECT_EQ(plain.phases[0].also, "");
  EXPECT_FALSE(has_name(plain.phases[0], PatternName::kTranspose));
  PatternSurroundings others;
  others.grids = {{{{2, false}, {2, false}}, {0, 1, 2, 3}}};
  const Documentation known = documented(messages, others);
  ASSERT_EQ(known.phases.size(), 1u);
  EXPECT_EQ(known.phases[0].what, "halo exchange over 4 ranks, on a 2x2 grid");
  EXPECT_EQ(known.phases[0].evidence.back(), "also a butterfly over 4 ranks, in 2 rounds");
  EXPECT_TRUE(has_name(known.phases[0], PatternName::kButterfly));
}

TEST(Catalogue, SizesOfNoCollectiveAreAHaloExchange) {
  const Documentation known = documented(swaps({{1, 800}, {2, 300}}));
  ASSERT_EQ(known.phases.size(), 1u);
  EXPECT_EQ(known.phases[0].what, "halo exchange over 4 ranks, on a 2x2 grid");
  EXPECT_TRUE(has_name(known.phases[0], PatternName::kButterfly));
}

// Six swaps on a torus of 3x2x2 ranks, as LAMMPS makes them.
TEST(Catalogue, SwapsOfAllDimensionsAreOnePattern) {
  std::vector<PatternMessage> messages;
  std::uint64_t time = 0;
  const auto swap = [&](auto to, double bytes) {
    for (std::int64_t rank = 0; rank < 12; ++rank)
      messages.push_back({rank, to(rank), time, time + 1, bytes + static_cast<double>(rank), 1});
    time += 2;
  };
  for (int again = 0; again < 2; ++again) {
    for (const std::int64_t bit : {1, 2}) {
      swap([&](std::int64_t rank) { return rank ^ bit; }, 100);
    }
    swap([](std::int64_t rank) { return (rank + 4) % 12; }, 200);
    swap([](std::int64_t rank) { return (rank + 8) % 12; }, 200);
  }
  PatternSurroundings others;
  others.grids = {{{{3, true}, {2, false}, {2, false}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}};
  const Documentation known = documented(messages, others);
  ASSERT_EQ(known.phases.size(), 1u) << whats_of(known);
  EXPECT_EQ(known.phases[0].what, "halo exchange over 12 ranks, on a 3x2x2 torus");
  EXPECT_EQ(known.unnamed, 0u);
}

// Some ranks swap once more than others.
TEST(Catalogue, SwapsThatAreLeftOverAreOfTheSameExchange) {
  std::vector<PatternMessage> messages;
  std::uint64_t time = 0;
  for (const std::int64_t step : {1, 4, 1}) {
    for (std::int64_t rank = step == 1 && time > 0 ? 2 : 0; rank < 5; ++rank)
      messages.push_back({rank, (rank + step) % 5, time, time + 1, 100, 1});
    time += 2;
  }
  PatternSurroundings others;
  others.grids = {{{{5, true}}, {0, 1, 2, 3, 4}}};
  const Documentation known = documented(messages, others);
  ASSERT_EQ(known.phases.size(), 1u) << whats_of(known);
  EXPECT_EQ(known.phases[0].what, "halo exchange over 5 ranks, on a ring of 5 ranks");
  EXPECT_EQ(known.unnamed, 0u);
}

// One dimension of it: of three ranks on a ring each has to do with each.
TEST(Catalogue, AnExchangeAlongADimensionOfTheGridIsNoAllToAll) {
  std::vector<PatternMessage> messages;
  std::uint64_t time = 0;
  for (const std::int64_t step : {1, 2}) {
    for (std::int64_t rank = 0; rank < 6; ++rank)
      messages.push_back({rank, rank / 3 * 3 + (rank + step) % 3, time, time + 1, 100, 1});
    time += 2;
  }
  ASSERT_EQ(name_of(documented(messages)), "pairwise all-to-all");
  PatternSurroundings others;
  others.grids = {{{{2, false}, {3, true}}, {0, 1, 2, 3, 4, 5}}};
  const Documentation known = documented(messages, others);
  ASSERT_EQ(known.phases.size(), 1u) << whats_of(known);
  EXPECT_EQ(known.phases[0].what,
            "halo exchange within each of 2 groups of 3 ranks (0-2; 3-5), along dimension 1 of a "
            "2x3 torus");
  EXPECT_TRUE(has_name(known.phases[0], PatternName::kPairwiseAllToAll));
  EXPECT_EQ(known.phases[0].groups.size(), 2u);
}

TEST(Catalogue, AdvisesEachCollectiveApart) {
  const Documentation known = documented(swaps({{1, 8}, {2, 8}, {2, 28'000}, {1, 28'000}}));
  ASSERT_EQ(name_of(known), "butterfly, butterfly") << whats_of(known);
  ASSERT_EQ(known.advice.size(), 2u);
  EXPECT_TRUE(known.advice[0].starts_with("messages of 8 B: this is what an allreduce does"))
      << known.advice[0];
  EXPECT_TRUE(known.advice[1].starts_with("messages of 28 kB: this is what an allreduce does"))
      << known.advice[1];
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
  EXPECT_EQ(known.phases[0].name, PatternName::kBinaryTreeReduce);
  EXPECT_EQ(known.phases[1].name, PatternName::kBinaryTreeBroadcast);
  ASSERT_EQ(known.advice.size(), 1u);
  EXPECT_EQ(known.advice[0], "a reduction and a broadcast in 4 rounds are an allreduce; consider "
                             "MPI_Allreduce");
}

// Rank 0 hears from all others, and then all hear from it.
std::vector<PatternMessage> gathered_and_scattered(std::int64_t ranks) {
  std::vector<PatternMessage> messages;
  const auto first = static_cast<std::uint64_t>(2 * ranks);
  for (std::int64_t rank = 1; rank < ranks; ++rank) {
    const auto at = static_cast<std::uint64_t>(2 * rank);
    messages.push_back({.from = rank, .to = 0, .sent = 0, .received = at + 1, .bytes = 8});
    messages.push_back({.from = 0, .to = rank, .sent = first + at, .received = 3, .bytes = 8});
  }
  return messages;
}

TEST(Catalogue, DoesNotAdviseAnAllreduceToWhoTakesWhatComesFirst) {
  const auto messages = gathered_and_scattered(7);
  EXPECT_EQ(name_of(documented(messages)), "gather, scatter");
  ASSERT_EQ(documented(messages).advice.size(), 1U);
  EXPECT_NE(documented(messages).advice[0].find("MPI_Allreduce"), std::string::npos);
  PatternSurroundings others;
  others.takers = {{0, false}};
  const Documentation equal = documented(messages, others);
  EXPECT_EQ(name_of(equal), "gather, scatter");
  for (const std::string& advice : equal.advice)
    EXPECT_EQ(advice.find("MPI_Allreduce or"), std::string::npos) << advice;
  EXPECT_EQ(equal.advice.size(), 2U); // each by itself: from whom it comes first matters to neither
}

TEST(Catalogue, CallsWhoAnswersSomeMoreOftenAMaster) {
  PatternSurroundings others;
  others.takers = {{0, true}};
  const Documentation known = documented(gathered_and_scattered(7), others);
  EXPECT_EQ(name_of(known), "master-worker");
  EXPECT_TRUE(known.advice.empty());
  EXPECT_EQ(known.phases[0].what, "master and workers over 7 ranks, rank 0 being the root");
  EXPECT_EQ(known.phases[0].messages, 12U);
}

// Three ranks that all talk to each other, and one that talks to two of them; each posts its
// receives first, sends at its own time and waits in the end.
TEST(Catalogue, ExchangesOfFewRanksInTurnAreNoScatters) {
  std::vector<PatternMessage> messages;
  const std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {
      {0, 1}, {0, 2}, {1, 2}, {3, 1}, {3, 2}};
  std::uint32_t place = 0;
  for (const auto& [a, b] : pairs) {
    ++place;
    const auto at = static_cast<std::uint64_t>(2 * place);
    messages.push_back(
        {.from = a, .to = b, .sent = at, .received = 41, .bytes = 8, .place = place});
    messages.push_back(
        {.from = b, .to = a, .sent = at, .received = 41, .bytes = 8, .place = place});
  }
  for (const NamedPhase& phase : documented(messages).phases) {
    EXPECT_NE(phase.name, PatternName::kScatter);
    EXPECT_NE(phase.name, PatternName::kGather);
  }
}

// The rank in the middle of a chain of three hears from one, answers, and turns to the other; or
// each side has a statement of its own.
TEST(Catalogue, AChainOfThreeIsNoGather) {
  const auto message = [](std::int64_t from, std::int64_t to, std::uint64_t sent,
                          std::uint64_t received, std::uint32_t site) {
    return PatternMessage{.from = from,
                          .to = to,
                          .sent = sent,
                          .received = received,
                          .bytes = 8,
                          .place = site,
                          .site = site};
  };
  const auto has_star = [](const std::vector<PatternMessage>& messages) {
    const Documentation known = documented(messages);
    return std::any_of(known.phases.begin(), known.phases.end(), [](const NamedPhase& phase) {
      return phase.name == PatternName::kScatter || phase.name == PatternName::kGather;
    });
  };
  EXPECT_FALSE(has_star({message(0, 1, 1, 2, 1), message(1, 0, 3, 4, 1), message(2, 1, 1, 5, 1),
                         message(1, 2, 6, 7, 1)}));
  EXPECT_FALSE(has_star({message(0, 1, 1, 2, 1), message(2, 1, 1, 3, 2), message(1, 0, 4, 5, 3),
                         message(1, 2, 6, 7, 4)}));
  EXPECT_TRUE(has_star({message(0, 1, 1, 2, 1), message(2, 1, 1, 3, 1), message(1, 0, 4, 5, 2),
                        message(1, 2, 6, 7, 2)}));
}

TEST(Catalogue, KnowsNamesHoweverTheyAreWritten) {
  EXPECT_EQ(documented_name("Halo_Exchange"), PatternName::kHaloExchange);
  EXPECT_EQ(documented_name("master worker"), PatternName::kMasterWorker);
  EXPECT_FALSE(documented_name("halo"));
}

} // namespace
} // namespace rondo::patterns
