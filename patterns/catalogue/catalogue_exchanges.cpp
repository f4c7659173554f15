// SPDX-License-Identifier: Apache-2.0
// Shapes in which every rank sends in every round: butterfly, dissemination, all-to-all.
#include "patterns/message_group.hpp"
#include "rondo/base/units.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <iterator>
#include <map>
#include <set>

namespace rondo::patterns::internal {
namespace {

using Permutation = std::vector<Vertex>;

bool are_pairs(const Permutation& map) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (index(map[i]) == i || map[index(map[i])] != static_cast<Vertex>(i)) return false;
  }
  return !map.empty();
}

// One map for each depth; empty if a round is none, or messages are left.
std::vector<Permutation> rounds_of(const MessageGroup& group) {
  std::vector<Permutation> rounds;
  if (!group.in_order || group.messages.size() != group.depth * group.ranks.size()) return {};
  for (std::size_t depth = 1; depth <= group.depth; ++depth) {
    rounds.push_back(group.permutation_at(depth));
    if (rounds.back().empty()) return {};
  }
  return rounds;
}

// Mean bytes of each round; empty if they differ within one.
std::vector<double> bytes_by_round(const MessageGroup& group) {
  std::vector<double> bytes(group.depth, -1);
  for (const GroupMessage& m : group.messages) {
    double& of_round = bytes[m.depth - 1];
    if (of_round >= 0 && of_round != m.bytes) return {};
    of_round = m.bytes;
  }
  return bytes;
}

// Messages of several sizes, with the same smallest and largest ones everywhere.
bool sizes_vary_alike(const MessageGroup& group) {
  const GroupMessage& first = group.messages.front();
  return first.most_bytes > 0 &&
         std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
           return m.least_bytes == first.least_bytes && m.most_bytes == first.most_bytes;
         });
}

bool has_several_sizes(const MessageGroup& group) {
  return std::any_of(group.messages.begin(), group.messages.end(),
                     [](const GroupMessage& m) { return m.most_bytes >= 0; });
}

bool grows_by(const std::vector<double>& bytes, double factor) {
  if (bytes.size() < 2 || bytes.front() <= 0) return false;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] != bytes[i - 1] * factor) return false;
  }
  return true;
}

// Whether the rounds flip the bits of a number that each rank can be given.
bool flips_bits(const std::vector<Permutation>& rounds) {
  const std::size_t size = rounds.front().size();
  if (size != std::size_t{1} << rounds.size()) return false;
  std::vector<std::size_t> rank_of(size);
  std::vector<bool> is_met(size);
  is_met[0] = true;
  for (std::size_t number = 1; number < size; ++number) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(number));
    rank_of[number] = index(rounds[bit][rank_of[number & (number - 1)]]);
    if (is_met[rank_of[number]]) return false;
    is_met[rank_of[number]] = true;
  }
  for (std::size_t number = 0; number < size; ++number) {
    for (std::size_t bit = 0; bit < rounds.size(); ++bit) {
      if (index(rounds[bit][rank_of[number]]) != rank_of[number ^ (std::size_t{1} << bit)])
        return false;
    }
  }
  return true;
}

std::string distances_text(const MessageGroup& group, const std::vector<Permutation>& rounds) {
  std::string text;
  for (const Permutation& map : rounds) {
    const std::int64_t distance = std::abs(group.ranks[index(map[0])] - group.ranks[0]);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (std::abs(group.ranks[index(map[i])] - group.ranks[i]) != distance)
        return "partners of a round are at several distances in rank numbers";
    }
    text += fmt::format("{}{}", text.empty() ? "distances in rank numbers " : ", ", distance);
  }
  return text;
}

void say_sizes(const MessageGroup& group, std::size_t first_half, Shape& shape) {
  const auto bytes = bytes_by_round(group);
  const std::string sizes = bytes_text(group);
  if (sizes_vary_alike(group)) {
    shape.collective = mpi::Allreduce;
    shape.evidence.push_back(
        fmt::format("sizes from {} to {}, the same in all rounds, as in recursive doubling; "
                    "--envelope peer,size tells the executions apart",
                    human_bytes(group.messages.front().least_bytes),
                    human_bytes(group.messages.front().most_bytes)));
  } else if (bytes.empty()) {
    shape.evidence.push_back("sizes differ within rounds: " + sizes);
  } else if (first_half == 0 && has_several_sizes(group)) {
    shape.evidence.push_back("sizes differ from execution to execution, and not alike in all "
                             "rounds; --envelope peer,size tells the executions apart");
  } else if (first_half > 0) {
    shape.collective = mpi::Allreduce;
    shape.evidence.push_back("the second half of the rounds goes back through the first: " + sizes);
  } else if (grows_by(bytes, 1)) {
    shape.collective = bytes.front() > 0 ? mpi::Allreduce : mpi::Barrier;
    shape.evidence.push_back("the same size in all rounds, as in recursive doubling: " + sizes);
  } else if (grows_by(bytes, 2)) {
    shape.collective = mpi::Allgather;
    shape.evidence.push_back("sizes double from round to round: " + sizes);
  } else if (grows_by(bytes, 0.5)) {
    shape.collective = mpi::Reduce_scatter_block;
    shape.evidence.push_back("sizes halve from round to round (recursive halving): " + sizes);
  } else {
    shape.evidence.push_back("sizes neither stay, double nor halve: " + sizes);
  }
}

// Mean bytes of a message in each round, as far back from the end as from the start: what is halved
// on the way there is doubled on the way back. Two operations one after the other are not alike.
bool sizes_mirror(const MessageGroup& group) {
  std::vector<double> bytes(group.depth, 0);
  for (const GroupMessage& m : group.messages) bytes[m.depth - 1] += m.bytes;
  for (std::size_t i = 0; 2 * i < bytes.size(); ++i) {
    const double there = bytes[i];
    const double back = bytes[bytes.size() - 1 - i];
    if (std::max(there, back) > 2 * std::min(there, back)) return false;
  }
  return true;
}

// Rounds at the end that go back through those before, all of them. The last one before is the
// first one back: if both are one event it is executed for both.
std::size_t rounds_back(const MessageGroup& group, const std::vector<Permutation>& rounds) {
  constexpr double kNear = 0.02; // of an execution: at borders there may be others
  if (rounds.size() < 3 || !std::equal(rounds.begin(), rounds.end(), rounds.rbegin())) return 0;
  if (rounds.size() % 2 == 0 && !sizes_mirror(group)) return 0;
  if (rounds.size() % 2 == 0) return rounds.size() / 2;
  const std::size_t middle = rounds.size() / 2 + 1;
  std::vector<double> times(rounds.size() + 1);
  for (const GroupMessage& m : group.messages) times[m.depth] = m.times;
  const double there = times[1];
  const double back = times[rounds.size()];
  const bool is_both =
      std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
        const double wanted = m.depth < middle ? there : m.depth > middle ? back : there + back;
        return std::abs(m.times - wanted) <= kNear * wanted;
      });
  return is_both ? rounds.size() / 2 : 0;
}

// Rounds at the end that go back through those before, but for the first: it comes last, and is one
// event with the first of the next time round, as the round in the middle is one for both ways.
std::size_t rounds_back_and_on(const MessageGroup& group, const std::vector<Permutation>& rounds) {
  constexpr double kNear = 0.02; // as above
  const std::size_t middle = rounds.size() / 2; // its index
  if (rounds.size() < 4 || rounds.size() % 2 != 0) return 0;
  for (std::size_t i = 1; i < middle; ++i) {
    if (rounds[middle + i] != rounds[middle - i]) return 0;
  }
  std::vector<double> times(rounds.size() + 1);
  for (const GroupMessage& m : group.messages) times[m.depth] = m.times;
  const double once = times[2];
  const bool is_both =
      std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
        if (m.depth == 1) return m.times == times[1] && m.times > once && m.times <= 2 * once;
        const double wanted = m.depth == middle + 1 ? 2 * once : once;
        return std::abs(m.times - wanted) <= kNear * wanted;
      });
  return is_both ? middle - 1 : 0;
}

// On the way there; back they double, as the rounds are the same.
bool halve_on_the_way(const MessageGroup& group, std::size_t rounds) {
  std::vector<double> bytes = bytes_by_round(group);
  if (bytes.size() < rounds) return false;
  const std::vector<double> all = bytes;
  bytes.resize(rounds);
  for (std::size_t i = rounds; i < all.size(); ++i) {
    const std::size_t back =
        all.size() % 2 == 0 && all.size() == 2 * rounds ? 2 * rounds - 1 - i : 2 * (rounds - 1) - i;
    if (all[i] != bytes[back]) return false;
  }
  return grows_by(bytes, 0.5);
}

// Two operations, the second in the opposite order: the round between them is one event for both.
void say_two(const MessageGroup& group, std::size_t rounds, Shape& shape) {
  const auto bytes_at = [&](std::size_t depth) {
    MessageGroup round;
    std::copy_if(group.messages.begin(), group.messages.end(), std::back_inserter(round.messages),
                 [&](const GroupMessage& m) { return m.depth == depth; });
    const auto [least, most] = bytes_range(round);
    const std::string low = human_bytes(least);
    const std::string high = human_bytes(most);
    return low == high ? low : low + " to " + high;
  };
  shape.how = fmt::format("twice in {} rounds: of {}, then of {}", rounds, bytes_at(1),
                          bytes_at(group.depth));
  shape.collective = mpi::Allreduce;
  shape.evidence.push_back("the second goes through the rounds in the opposite order");
}

std::optional<Shape> whole_butterfly(const MessageGroup& group) {
  auto rounds = rounds_of(group);
  if (rounds.size() < 2 || !std::all_of(rounds.begin(), rounds.end(), are_pairs)) return {};
  std::size_t back = rounds_back(group, rounds);
  const bool goes_on = back == 0 && rounds_back_and_on(group, rounds) > 0;
  if (goes_on) back = rounds_back_and_on(group, rounds);
  rounds.resize(rounds.size() - back);
  if (rounds.size() < 2 || !flips_bits(rounds)) return {};
  const std::size_t passed = back > 0 ? 2 * rounds.size() : rounds.size();
  Shape shape{
      PatternName::kButterfly, "butterfly", fmt::format("in {} rounds", passed), {}, "", -1};
  shape.evidence.push_back(
      "in each round, after the one before, all ranks exchange in pairs; partners "
      "differ in one bit of a numbering");
  shape.evidence.push_back(distances_text(group, rounds));
  if (back > 0 && halve_on_the_way(group, rounds.size())) {
    shape.what = "butterfly with recursive halving, then doubling,";
    shape.collective = mpi::Allreduce;
    shape.evidence.push_back("sizes halve from round to round and double on the way back through "
                             "the rounds, as in Rabenseifner's allreduce: " +
                             bytes_text(group));
  } else if (goes_on) {
    return {};
  } else if (back > 0 && !sizes_mirror(group)) {
    say_two(group, rounds.size(), shape);
  } else {
    say_sizes(group, back, shape);
  }
  // Sizes that no collective has: a grid of twos explains the partners (see catalogue_halos.cpp).
  // Of other butterflies nobody would say so.
  if (rounds.size() <= 3 && back == 0 && shape.collective.empty()) {
    shape.also =
        rounds.size() == 2 ? "halo exchange on a 2x2 grid" : "halo exchange on a 2x2x2 grid";
  }
  return shape;
}

// Ranks that hand over to one of the others first, and hear from it last; -1 for those that do not.
std::vector<Vertex> folded_ranks(const MessageGroup& group) {
  const std::size_t size = group.ranks.size();
  std::vector<std::vector<const GroupMessage*>> in(size);
  std::vector<std::vector<const GroupMessage*>> out(size);
  for (const GroupMessage& m : group.messages) {
    out[index(m.from)].push_back(&m);
    in[index(m.to)].push_back(&m);
  }
  std::vector<Vertex> partner(size, -1);
  for (std::size_t i = 0; i < size; ++i) {
    if (in[i].size() != 1 || out[i].size() != 1) continue;
    const GroupMessage& first = *out[i].front();
    const GroupMessage& last = *in[i].front();
    if (first.to != last.from || first.sent >= last.received) continue;
    const auto other = index(first.to);
    const bool comes_first = std::all_of(out[other].begin(), out[other].end(),
                                         [&](const auto* m) { return m->sent > first.received; });
    const bool goes_last = std::all_of(in[other].begin(), in[other].end(),
                                       [&](const auto* m) { return m->received < last.sent; });
    if (comes_first && goes_last) partner[i] = first.to;
  }
  return partner;
}

std::optional<Shape> folded_butterfly(const MessageGroup& group) {
  const auto partner = folded_ranks(group);
  const auto folded = static_cast<std::size_t>(
      std::count_if(partner.begin(), partner.end(), [](Vertex v) { return v >= 0; }));
  const std::size_t core = group.ranks.size() - folded;
  if (folded == 0 || folded >= core || !std::has_single_bit(core)) return {};
  std::set<Vertex> partners;
  std::vector<PatternMessage> rest;
  for (std::size_t i = 0; i < partner.size(); ++i) {
    if (partner[i] < 0) continue;
    if (partner[index(partner[i])] >= 0 || !partners.insert(partner[i]).second) return {};
  }
  for (const GroupMessage& m : group.messages) {
    if (partner[index(m.from)] < 0 && partner[index(m.to)] < 0)
      rest.push_back({group.ranks[index(m.from)], group.ranks[index(m.to)], m.sent, m.received,
                      m.bytes, m.times});
  }
  const auto groups = groups_of(rest, depths_of(rest));
  if (groups.size() != 1 || groups[0].ranks.size() != core) return {};
  auto shape = whole_butterfly(groups[0]);
  if (!shape) return {};
  shape->how = fmt::format("in {} rounds", groups[0].depth + 2);
  shape->evidence.insert(
      shape->evidence.begin(),
      folded == 1 ? "the rank beyond the power of two hands over to a partner first and gets the "
                    "result last"
                  : fmt::format("{} ranks beyond the power of two hand over to a partner first and "
                                "get the result last",
                                folded));
  return shape;
}

Permutation power(const Permutation& step, std::size_t times) {
  Permutation result(step.size());
  for (std::size_t i = 0; i < step.size(); ++i) {
    Vertex at = static_cast<Vertex>(i);
    for (std::size_t k = 0; k < times; ++k) at = step[index(at)];
    result[i] = at;
  }
  return result;
}

bool is_one_cycle(const Permutation& step) {
  std::size_t length = 0;
  Vertex at = 0;
  do {
    at = step[index(at)];
    ++length;
  } while (at != 0 && length <= step.size());
  return length == step.size();
}

bool doubles_distance(const std::vector<Permutation>& rounds) {
  if (!is_one_cycle(rounds.front())) return false;
  for (std::size_t k = 1; k < rounds.size(); ++k) {
    if (rounds[k] != power(rounds.front(), std::size_t{1} << k)) return false;
  }
  return true;
}

// What Bruck's all-to-all sends in a round: one block for each number below `size` with that bit.
bool has_bruck_sizes(const std::vector<double>& bytes, std::size_t size) {
  std::vector<double> blocks(bytes.size());
  for (std::size_t number = 0; number < size; ++number) {
    for (std::size_t bit = 0; bit < bytes.size(); ++bit) blocks[bit] += (number >> bit) & 1;
  }
  const double block = bytes.front() / blocks.front();
  if (block < 1 || block != std::floor(block)) return false;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] != block * blocks[k]) return false;
  }
  return true;
}

// Of Bruck's allgather: all that a rank has, but no more than is missing.
bool has_allgather_sizes(const std::vector<double>& bytes, std::size_t size) {
  if (bytes.front() <= 0) return false;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const std::size_t has = std::size_t{1} << k;
    if (bytes[k] != bytes.front() * static_cast<double>(std::min(has, size - has))) return false;
  }
  return true;
}

constexpr double kToken = 8; // bytes that may stand for "I am here"

// False: nothing that is documented.
bool say_what_disseminates(const std::vector<double>& bytes, std::size_t size, Shape& shape) {
  const bool is_same = !bytes.empty() && grows_by(bytes, 1);
  if (!bytes.empty() && (bytes.back() == 0 || (is_same && bytes.front() <= kToken))) {
    shape.name = PatternName::kDisseminationBarrier;
    shape.what = "dissemination barrier";
    shape.collective = mpi::Barrier;
  } else if (!bytes.empty() && has_allgather_sizes(bytes, size)) {
    shape.name = PatternName::kBruckAllToAll;
    shape.what = "Bruck allgather";
    shape.collective = mpi::Allgather;
    shape.evidence.push_back("sizes double from round to round, the last is what is missing");
  } else if (!bytes.empty() && has_bruck_sizes(bytes, size)) {
    shape.name = PatternName::kBruckAllToAll;
    shape.what = "Bruck all-to-all";
    shape.collective = mpi::Alltoall;
    shape.evidence.push_back(
        "sizes are a block for each rank whose distance has the bit of the round");
  } else {
    return false;
  }
  return true;
}

} // namespace

std::optional<Shape> butterfly(const MessageGroup& group) {
  if (group.size() < 4) return {};
  if (auto shape = whole_butterfly(group)) return shape;
  return folded_butterfly(group);
}

std::optional<Shape> dissemination(const MessageGroup& group) {
  const std::size_t size = group.ranks.size();
  if (size < 3) return {};
  auto rounds = rounds_of(group);
  if (rounds.size() < 2 || rounds.size() != std::bit_width(size - 1)) return {};
  auto bytes = bytes_by_round(group);
  if (!doubles_distance(rounds)) {
    std::reverse(rounds.begin(), rounds.end());
    std::reverse(bytes.begin(), bytes.end());
    if (!doubles_distance(rounds)) return {};
  }
  // On three ranks Bruck's sizes are those of an exchange with both neighbours, or of all with all.
  const bool is_any = size == 3 && !bytes.empty() && bytes.front() > kToken && grows_by(bytes, 1);
  if (is_any) return {};
  Shape shape{
      PatternName::kDisseminationBarrier, "", fmt::format("in {} rounds", group.depth), {}, "", -1};
  shape.evidence.push_back("all ranks send around one circle, over distances 1, 2, 4, ...: in each "
                           "round twice as far, after the round before");
  if (!say_what_disseminates(bytes, size, shape)) return {};
  shape.evidence.push_back("messages of " + bytes_text(group));
  return shape;
}

namespace {

// Of three ranks each is a neighbour of each. Two statements, each of which sends one way round,
// are an exchange with both sides; one that sends to all others is none.
bool are_both_ways_round(const MessageGroup& group) {
  std::map<std::uint32_t, std::set<Vertex>> steps; // by site
  for (const GroupMessage& m : group.messages) steps[m.site].insert((m.to - m.from + 3) % 3);
  return group.size() == 3 && steps.size() == 2 && !steps.contains(0) &&
         std::all_of(steps.begin(), steps.end(),
                     [](const auto& of_site) { return of_site.second.size() == 1; });
}

} // namespace

std::optional<Shape> all_to_all(const MessageGroup& group) {
  const std::size_t size = group.ranks.size();
  if (are_both_ways_round(group)) return {};
  if (size < 3 || group.messages.size() != size * (size - 1)) return {};
  std::set<std::pair<Vertex, Vertex>> pairs;
  for (const GroupMessage& m : group.messages) pairs.emplace(m.from, m.to);
  if (pairs.size() != group.messages.size()) return {};
  const auto rounds = rounds_of(group);
  Shape shape{PatternName::kPairwiseAllToAll, "all-to-all", "all at once", {}, "", -1};
  shape.collective = group.same_bytes() ? mpi::Alltoall : mpi::Alltoallv;
  shape.evidence.push_back("each rank sends once to each other one: " + bytes_text(group));
  if (rounds.size() == size - 1) {
    shape.what = "pairwise all-to-all";
    shape.how = fmt::format("in {} rounds", rounds.size());
    const bool in_pairs = std::all_of(rounds.begin(), rounds.end(), are_pairs);
    shape.evidence.push_back(in_pairs ? "in each round ranks exchange in pairs"
                                      : "in each round every rank sends to one and gets from one");
  } else if (group.depth > 1 || !group.in_order) {
    return {};
  }
  if (size == 3) {
    shape.also = "halo exchange on a ring of 3 ranks";
    shape.evidence.push_back("an exchange with both neighbours on a ring of 3 is the same");
  }
  return shape;
}

std::optional<Shape> pair(const MessageGroup& group) {
  const auto there = std::count_if(group.messages.begin(), group.messages.end(),
                                   [](const GroupMessage& m) { return m.from == 0; });
  if (group.size() != 2 || 2 * static_cast<std::size_t>(there) != group.messages.size() ||
      (there > 1 && group.depth != 1))
    return {};
  const bool answers = group.in_order && group.depth > 1;
  Shape shape{PatternName::kPairExchange, "exchange", "", {}, "", -1};
  shape.evidence.push_back(answers          ? "one rank sends, the other one answers"
                           : group.in_order ? "both ranks send without waiting for the other"
                                            : "each of the two sends to the other");
  shape.evidence.push_back("messages of " + bytes_text(group));
  return shape;
}

} // namespace rondo::patterns::internal
