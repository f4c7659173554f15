// SPDX-License-Identifier: Apache-2.0
#include "tests/support/documented_patterns.hpp"

#include <bit>
#include <cmath>

namespace rondo::support {
namespace {

std::int64_t bits_of(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value)));
}

// Rows of a grid that is as square as it can be.
std::int64_t rows_of(std::int64_t ranks) {
  auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return rows;
}

void halo(Player& p, bool periodic) {
  const std::int64_t rows = rows_of(p.ranks);
  const std::int64_t columns = p.ranks / rows;
  std::vector<std::int64_t> neighbours;
  const auto add = [&](std::int64_t row, std::int64_t column) {
    if (periodic) {
      neighbours.push_back((row + rows) % rows * columns + (column + columns) % columns);
    } else if (row >= 0 && row < rows && column >= 0 && column < columns) {
      neighbours.push_back(row * columns + column);
    }
  };
  const std::int64_t row = p.me / columns;
  const std::int64_t column = p.me % columns;
  add(row - 1, column);
  add(row + 1, column);
  add(row, column - 1);
  add(row, column + 1);
  for (const std::int64_t n : neighbours) p.start_receive(n);
  for (const std::int64_t n : neighbours) p.start_send(n);
  p.wait();
}

void halo_by_dimension(Player& p) {
  const std::int64_t left = p.me - 1;
  const std::int64_t right = p.me + 1;
  if (left >= 0) p.start_receive(left);
  if (right < p.ranks) p.send(right);
  if (left >= 0) p.wait();
  if (right < p.ranks) p.start_receive(right);
  if (left >= 0) p.send(left);
  if (right < p.ranks) p.wait();
}

void wavefront(Player& p) {
  const std::int64_t columns = p.ranks / rows_of(p.ranks);
  if (p.me >= columns) p.receive(p.me - columns);
  if (p.me % columns > 0) p.receive(p.me - 1);
  if (p.me + columns < p.ranks) p.send(p.me + columns);
  if (p.me % columns + 1 < columns) p.send(p.me + 1);
}

void ring_shift(Player& p) {
  p.send((p.me + 1) % p.ranks);
  p.receive((p.me + p.ranks - 1) % p.ranks);
}

void pipeline(Player& p) {
  if (p.me > 0) p.receive(p.me - 1);
  if (p.me + 1 < p.ranks) p.send(p.me + 1);
}

// By recursive doubling; ranks beyond the power of two are folded in.
void butterfly(Player& p) {
  const std::int64_t core = std::int64_t{1} << (bits_of(p.ranks) - 1);
  const std::int64_t surplus = p.ranks - core;
  if (p.me >= core) {
    p.send(p.me - core);
    p.receive(p.me - core);
    return;
  }
  if (p.me < surplus) p.receive(p.me + core);
  for (std::int64_t bit = 1; bit < core; bit *= 2) p.exchange(p.me ^ bit, p.me ^ bit);
  if (p.me < surplus) p.send(p.me + core);
}

// Halving, and doubling back.
void halving_and_doubling(Player& p) {
  std::int64_t bytes = 1024;
  for (std::int64_t bit = p.ranks / 2; bit > 0; bit /= 2)
    p.exchange(p.me ^ bit, p.me ^ bit, bytes /= 2);
  for (std::int64_t bit = 1; bit < p.ranks; bit *= 2, bytes *= 2)
    p.exchange(p.me ^ bit, p.me ^ bit, bytes);
}

using Children = std::vector<std::int64_t>;

void down(Player& p, std::int64_t parent, const Children& children) {
  if (p.me > 0) p.receive(parent);
  for (const std::int64_t child : children) p.send(child);
}

void up(Player& p, std::int64_t parent, const Children& children) {
  for (const std::int64_t child : children) p.receive(child);
  if (p.me > 0) p.send(parent);
}

std::int64_t binomial_parent(const Player& p) { return p.me & (p.me - 1); }

Children binomial_children(const Player& p) {
  Children children;
  for (std::int64_t bit = 1; bit < p.ranks && (p.me & bit) == 0; bit *= 2) {
    if (p.me + bit < p.ranks) children.push_back(p.me + bit);
  }
  return children;
}

std::int64_t binary_parent(const Player& p) { return (p.me - 1) / 2; }

Children binary_children(const Player& p) {
  Children children;
  for (const std::int64_t child : {2 * p.me + 1, 2 * p.me + 2}) {
    if (child < p.ranks) children.push_back(child);
  }
  return children;
}

void scatter(Player& p) {
  if (p.me > 0) return p.receive(0);
  for (std::int64_t to = 1; to < p.ranks; ++to) p.send(to);
}

void gather(Player& p) {
  if (p.me > 0) return p.send(0);
  for (std::int64_t from = 1; from < p.ranks; ++from) p.receive(from);
}

void pairwise(Player& p) {
  const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(p.ranks));
  for (std::int64_t step = 1; step < p.ranks; ++step) {
    if (is_power)
      p.exchange(p.me ^ step, p.me ^ step);
    else
      p.exchange((p.me + step) % p.ranks, (p.me + p.ranks - step) % p.ranks);
  }
}

void all_at_once(Player& p) {
  for (std::int64_t step = 1; step < p.ranks; ++step) p.start_receive((p.me + step) % p.ranks);
  for (std::int64_t step = 1; step < p.ranks; ++step) p.start_send((p.me + step) % p.ranks);
  p.wait();
}

void bruck(Player& p) {
  for (std::int64_t bit = 1; bit < p.ranks; bit *= 2) {
    std::int64_t blocks = 0;
    for (std::int64_t distance = 0; distance < p.ranks; ++distance)
      blocks += (distance & bit) / bit;
    p.exchange((p.me + bit) % p.ranks, (p.me + p.ranks - bit) % p.ranks, 24 * blocks);
  }
}

void dissemination(Player& p) {
  for (std::int64_t bit = 1; bit < p.ranks; bit *= 2)
    p.exchange((p.me + bit) % p.ranks, (p.me + p.ranks - bit) % p.ranks, 0);
}

void master_worker(Player& p) {
  if (p.me > 0) {
    p.send(0, 8);
    return p.receive(0);
  }
  for (std::int64_t worker = 1; worker < p.ranks; ++worker) {
    p.receive(worker, 8);
    p.send(worker);
  }
}

// Pairs of neighbours, and then the pairs between them.
void red_black(Player& p) {
  const std::int64_t first = p.me % 2 == 0 ? p.me + 1 : p.me - 1;
  const std::int64_t second = p.me % 2 == 0 ? p.me - 1 : p.me + 1;
  for (const std::int64_t other : {first, second}) {
    if (other >= 0 && other < p.ranks) p.exchange(other, other);
  }
}

void exchange_around(Player& p, std::int64_t distance, std::int64_t bytes) {
  const std::int64_t right = (p.me + distance) % p.ranks;
  const std::int64_t left = (p.me + p.ranks - distance) % p.ranks;
  for (const std::int64_t other : {left, right}) p.start_receive(other, bytes);
  for (const std::int64_t other : {left, right}) p.start_send(other, bytes);
  p.wait();
}

// A ring of ranks, of which every other one is on the coarse level and works for its neighbour,
// too.
void ring_v_cycle(Player& p) {
  exchange_around(p, 1, 1024);
  if (p.me % 2 == 0) {
    p.receive(p.me + 1, 512);
    exchange_around(p, 2, 256);
    p.send(p.me + 1, 512);
  } else {
    p.send(p.me - 1, 512);
    p.receive(p.me - 1, 512);
  }
  exchange_around(p, 1, 1024);
}

void exchange_along(Player& p, std::int64_t step, std::int64_t bytes) {
  for (const std::int64_t other : {p.me - step, p.me + step}) {
    if (other >= 0 && other < p.ranks) p.start_receive(other, bytes);
  }
  for (const std::int64_t other : {p.me - step, p.me + step}) {
    if (other >= 0 && other < p.ranks) p.start_send(other, bytes);
  }
  p.wait();
}

// A chain on all levels: of each two ranks one works on the next level for both.
// @param is_f  of several visits to the next level only the first one is such a cycle, the others
//              are V-cycles
void chain_cycle(Player& p, std::int64_t step, int visits, bool is_f = false) {
  const std::int64_t bytes = 4096 / step;
  exchange_along(p, step, bytes);
  if (2 * step >= p.ranks) return;
  for (int visit = 0; visit < visits; ++visit) {
    const bool goes_on = p.me % (2 * step) == 0;
    const bool has_guest = goes_on && p.me + step < p.ranks;
    if (!goes_on) p.send(p.me - step, bytes / 2);
    if (has_guest) p.receive(p.me + step, bytes / 2);
    if (goes_on) chain_cycle(p, 2 * step, is_f && visit > 0 ? 1 : visits, is_f);
    if (has_guest) p.send(p.me + step, bytes / 2);
    if (!goes_on) p.receive(p.me - step, bytes / 2);
  }
  exchange_along(p, step, bytes);
}

// Each pair splits what it has; on the coarsest level all share a number.
void hypercube_v_cycle(Player& p) {
  std::int64_t bytes = 1024;
  for (std::int64_t bit = 1; bit < p.ranks; bit *= 2)
    p.exchange(p.me ^ bit, p.me ^ bit, bytes /= 2);
  p.collective();
  for (std::int64_t bit = p.ranks / 2; bit > 0; bit /= 2, bytes *= 2)
    p.exchange(p.me ^ bit, p.me ^ bit, bytes);
}

void transpose(Player& p) {
  const std::int64_t side = rows_of(p.ranks);
  const std::int64_t across = p.me % side * side + p.me / side;
  if (across != p.me) p.exchange(across, across);
}

// Around each row, and then with the partner across the diagonal.
void rows_and_transpose(Player& p) {
  const std::int64_t side = rows_of(p.ranks);
  const std::int64_t row = p.me / side;
  const std::int64_t column = p.me % side;
  p.exchange(row * side + (column + 1) % side, row * side + (column + side - 1) % side);
  if (row != column) p.exchange(column * side + row, column * side + row);
}

} // namespace

Player::Player(Caller& caller, const std::vector<std::int64_t>& number, bool noise)
    : ranks(caller.ranks), caller_(caller), number_(number), noise_(noise) {
  while (number_[static_cast<std::size_t>(me)] != caller.rank) ++me;
}

// Differs from rank to rank.
void Player::disturb() {
  if (!noise_ || (++calls_ + me) % 3 != 0) return;
  caller_.call("MPI_Allreduce", {{"count", 1 + calls_ % 2}, {"datatype", kInt}, {"comm", kSelf}});
}

void Player::envelope(const char* function, const char* peer, std::int64_t place,
                      std::int64_t bytes) {
  disturb();
  caller_.call(function, {{"count", bytes / 4},
                          {"datatype", kInt},
                          {peer, number_[static_cast<std::size_t>(place)]},
                          {"tag", 0},
                          {"comm", kWorld}});
}

void Player::send(std::int64_t to, std::int64_t bytes) { envelope("MPI_Send", "dest", to, bytes); }
void Player::receive(std::int64_t from, std::int64_t bytes) {
  envelope("MPI_Recv", "source", from, bytes);
}
void Player::start_send(std::int64_t to, std::int64_t bytes) {
  envelope("MPI_Isend", "dest", to, bytes);
}
void Player::start_receive(std::int64_t from, std::int64_t bytes) {
  envelope("MPI_Irecv", "source", from, bytes);
}
void Player::wait() { caller_.call("MPI_Waitall", {}); }
void Player::collective() {
  caller_.call("MPI_Allreduce", {{"count", 1}, {"datatype", kDouble}, {"comm", kWorld}});
}

void Player::exchange(std::int64_t to, std::int64_t from, std::int64_t bytes) {
  disturb();
  caller_.call("MPI_Sendrecv", {{"sendcount", bytes / 4},
                                {"sendtype", kInt},
                                {"dest", number_[static_cast<std::size_t>(to)]},
                                {"sendtag", 0},
                                {"recvcount", bytes / 4},
                                {"recvtype", kInt},
                                {"source", number_[static_cast<std::size_t>(from)]},
                                {"recvtag", 0},
                                {"comm", kWorld}});
}

std::vector<DocumentedPattern> documented_patterns() {
  using Ranks = std::vector<std::int64_t>;
  const Ranks any{5, 8, 11, 16};
  return {
      {"halo exchange", "grid", {6, 12, 16, 25}, [](Player& p) { halo(p, false); }},
      {"halo exchange", "torus", {9, 12, 16, 25}, [](Player& p) { halo(p, true); }},
      {"halo exchange", "chain, right then left", any, halo_by_dimension},
      {"halo exchange", "chain, red-black", any, red_black},
      {"wavefront", "2-D", {4, 6, 12, 16}, wavefront},
      {"ring shift", "", any, ring_shift},
      {"pipeline", "", any, pipeline},
      {"butterfly", "recursive doubling", {6, 8, 11, 16}, butterfly},
      {"butterfly", "halving and doubling", {8, 16}, halving_and_doubling},
      {"binomial tree broadcast", "", any,
       [](Player& p) { down(p, binomial_parent(p), binomial_children(p)); }},
      {"binomial tree reduce", "", any,
       [](Player& p) { up(p, binomial_parent(p), binomial_children(p)); }},
      {"binary tree broadcast",
       "",
       {7, 8, 12, 16},
       [](Player& p) { down(p, binary_parent(p), binary_children(p)); }},
      {"binary tree reduce",
       "",
       {7, 8, 12, 16},
       [](Player& p) { up(p, binary_parent(p), binary_children(p)); }},
      {"scatter", "", any, scatter},
      {"gather", "", any, gather},
      {"pairwise all-to-all", "in rounds", {5, 6, 8, 16}, pairwise},
      {"pairwise all-to-all", "all at once", {5, 8}, all_at_once},
      {"Bruck all-to-all", "", any, bruck},
      {"dissemination barrier", "", any, dissemination},
      {"master-worker", "", any, master_worker},
      {"transpose", "rows, then columns", {9, 16, 25}, rows_and_transpose},
      {"transpose", "alone (shuffled: a pair exchange that fits one)", {9, 16, 25}, transpose},
      {"V-cycle", "ring, every other rank on the coarse level", {8, 12, 16}, ring_v_cycle},
      {"V-cycle", "chain, on all levels", {7, 12, 16, 32}, [](Player& p) { chain_cycle(p, 1, 1); }},
      {"W-cycle", "chain, on all levels", {12, 16}, [](Player& p) { chain_cycle(p, 1, 2); }},
      {"F-cycle", "chain, on all levels", {16, 32}, [](Player& p) { chain_cycle(p, 1, 2, true); }},
      {"V-cycle", "hypercube, halving, with a collective", {8, 16}, hypercube_v_cycle},
  };
}

} // namespace rondo::support
