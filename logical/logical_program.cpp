// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/logical_program.hpp"

#include "logical/grounds.hpp"
#include "logical/peer_words.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/matrix/layers.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace rondo::logical {
namespace {

using internal::direction_between;
using internal::world_rank;
using trace::Trace;

constexpr std::int64_t kMostDirections = std::int64_t{1} << 24; // of a ground
constexpr std::int64_t kOutsideBase = std::int64_t{1} << 48;

std::int64_t comm_of(const trace::CallInstance& call) {
  const int word = call.function->comm_word();
  return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)];
}

// Ranks in the order of the first ground's copies and cells, those outside of it last.
std::vector<std::int64_t> number_cells(const std::vector<Ground>& grounds, std::int64_t ranks) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (!grounds.empty()) {
    const Ground& ground = grounds.front();
    const auto place = [&](std::int64_t rank) {
      const auto i = static_cast<std::size_t>(rank);
      const topology::Vertex copy = ground.copy_of.empty() ? 0 : ground.copy_of[i];
      return std::tuple{ground.cells[i] < 0, copy, ground.cells[i]};
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
  }
  std::vector<std::int64_t> cell_of_rank(order.size());
  for (std::size_t cell = 0; cell < order.size(); ++cell)
    cell_of_rank[static_cast<std::size_t>(order[cell])] = static_cast<std::int64_t>(cell);
  return cell_of_rank;
}

class Logicalizer {
public:
  Logicalizer(const Trace& trace, const LogicalizeOptions& options, DirectionOptions directions)
      : trace_(trace), options_(options) {
    result_.grounds = internal::grounds_of(trace, directions);
    ground_of_ = internal::grounds_of_calls(trace, result_.grounds);
    result_.cell_of_rank = number_cells(result_.grounds, trace.run.ranks);
    result_.accuracy.outside_of_ranks.resize(static_cast<std::size_t>(trace.run.ranks));
  }

  LogicalProgram run() {
    fold::Recasting recasting;
    recasting.new_rank = result_.cell_of_rank;
    recasting.words = [&](const trace::RankClass& of, std::int64_t rank,
                          const trace::CallInstance& call,
                          std::span<std::int64_t> words) { change(of, rank, call, words); };
    result_.cells = fold::recast(trace_, recasting, {}, options_.progress).trace;
    count_bytes();
    return std::move(result_);
  }

private:
  void change(const trace::RankClass& of, std::int64_t rank, const trace::CallInstance& call,
              std::span<std::int64_t> words) {
    const std::int64_t comm = comm_of(call);
    const trace::Positions& positions = positions_of(rank);
    const std::int64_t own = comm == trace::kWorldSlot
                                 ? result_.cell_of_rank[static_cast<std::size_t>(rank)]
                                 : positions.of(comm).rank;
    bool is_outside = false;
    internal::for_each_rank_word(*call.function, [&](std::size_t word, const trace::Field& field) {
      const auto peer = world_rank(positions, rank, comm, words[word]);
      if (!peer) return;
      if (field.kind == trace::FieldKind::kRoot) {
        if (comm == trace::kWorldSlot)
          words[word] = result_.cell_of_rank[static_cast<std::size_t>(*peer)];
        return;
      }
      const std::size_t ground =
          ground_of_.empty() ? 0 : ground_of_[of.merged][of.calls[call.symbol]];
      const Peer found = peer_between(rank, *peer, ground);
      is_outside = is_outside || found.form == Peer::Form::kOutside;
      words[word] = own + code_of(found);
    });
    if (options_.detail == Detail::kPaper) internal::blank_for_paper(*call.function, words);
    if (!internal::is_point_to_point(*call.function)) return;
    ++result_.accuracy.all.calls;
    if (!is_outside) return;
    ++result_.accuracy.outside.calls;
    ++result_.accuracy.outside_of_ranks[static_cast<std::size_t>(rank)].calls;
  }

  // By the ground that the call follows, or else by any.
  Peer peer_between(std::int64_t from, std::int64_t to, std::size_t preferred) const {
    if (from == to) return {};
    const auto& grounds = result_.grounds;
    for (std::size_t i = 0; i < grounds.size(); ++i) {
      const std::size_t g = (preferred + i) % grounds.size();
      if (const auto direction = direction_between(grounds[g], from, to))
        return {Peer::Form::kDirection, g, *direction, 0};
    }
    return {Peer::Form::kOutside, 0, 0,
            result_.cell_of_rank[static_cast<std::size_t>(to)] -
                result_.cell_of_rank[static_cast<std::size_t>(from)]};
  }

  const trace::Positions& positions_of(std::int64_t rank) {
    if (!positions_ || positions_rank_ != rank) {
      positions_.emplace(trace_, rank);
      positions_rank_ = rank;
    }
    return *positions_;
  }

  void count_bytes() {
    for (const matrix::Layer& layer : matrix::layers_of(trace_).layers) {
      for (const matrix::MatrixEntry& entry : layer.entries) {
        result_.accuracy.all.bytes += entry.bytes;
        if (peer_between(entry.source, entry.destination, 0).form != Peer::Form::kOutside) continue;
        result_.accuracy.outside.bytes += entry.bytes;
        result_.accuracy.outside_of_ranks[static_cast<std::size_t>(entry.source)].bytes +=
            entry.bytes;
      }
    }
  }

  const Trace& trace_;
  const LogicalizeOptions& options_;
  LogicalProgram result_;
  std::vector<std::vector<std::size_t>> ground_of_; // by merged program and call
  std::optional<trace::Positions> positions_;
  std::int64_t positions_rank_ = -1;
};

std::size_t terms_of(const LogicalProgram& logical) {
  std::size_t terms = 0;
  for (const auto& program : logical.cells.programs) terms += program->terms();
  return terms;
}

bool has_twos(const LogicalProgram& logical) {
  return std::any_of(logical.grounds.begin(), logical.grounds.end(), [](const Ground& ground) {
    return std::any_of(ground.topology.dimensions.begin(), ground.topology.dimensions.end(),
                       [](const topology::Dimension& d) { return d.size == 2; });
  });
}

} // namespace

std::int64_t code_of(const Peer& peer) {
  switch (peer.form) {
  case Peer::Form::kSelf:
    return 0;
  case Peer::Form::kDirection:
    return 1 + static_cast<std::int64_t>(peer.ground) * kMostDirections +
           static_cast<std::int64_t>(peer.direction);
  case Peer::Form::kOutside:
    return kOutsideBase + peer.distance;
  }
  return 0;
}

Peer peer_of(std::int64_t code) {
  if (code == 0) return {};
  if (code >= kOutsideBase / 2) return {Peer::Form::kOutside, 0, 0, code - kOutsideBase};
  return {Peer::Form::kDirection, static_cast<std::size_t>((code - 1) / kMostDirections),
          static_cast<std::size_t>((code - 1) % kMostDirections), 0};
}

// Two ranks in an open dimension are a swap in some programs and two borders in others: the shorter
// text says which.
LogicalProgram logicalize(const Trace& trace, const LogicalizeOptions& options) {
  LogicalProgram across = Logicalizer(trace, options, {.across_twos = true}).run();
  if (!has_twos(across)) return across;
  LogicalProgram there_and_back = Logicalizer(trace, options, {.across_twos = false}).run();
  return terms_of(there_and_back) < terms_of(across) ? std::move(there_and_back)
                                                     : std::move(across);
}

Expansion::Expansion(const Trace& trace, const LogicalProgram& program, std::int64_t rank,
                     std::uint32_t thread)
    : program_(program), rank_(rank), rank_of_cell_(program.cell_of_rank.size()),
      positions_(trace, rank),
      reader_(program.cells,
              *program.cells.class_of(program.cell_of_rank[static_cast<std::size_t>(rank)], thread),
              program.cell_of_rank[static_cast<std::size_t>(rank)]) {
  for (std::size_t old = 0; old < rank_of_cell_.size(); ++old)
    rank_of_cell_[static_cast<std::size_t>(program.cell_of_rank[old])] =
        static_cast<std::int64_t>(old);
}

const trace::CallInstance* Expansion::next() {
  const trace::CallInstance* logical = reader_.next();
  if (logical == nullptr) return nullptr;
  call_ = *logical;
  const std::int64_t comm = comm_of(call_);
  const std::int64_t own = comm == trace::kWorldSlot
                               ? program_.cell_of_rank[static_cast<std::size_t>(rank_)]
                               : positions_.of(comm).rank;
  internal::for_each_rank_word(*call_.function, [&](std::size_t word, const trace::Field& field) {
    std::int64_t& value = call_.words[word];
    if (trace::is_special(value) || value < 0) return;
    if (field.kind == trace::FieldKind::kRoot) {
      if (comm == trace::kWorldSlot) value = rank_of_cell_[static_cast<std::size_t>(value)];
      return;
    }
    if (comm == trace::kSelfSlot) return;
    value = internal::local_rank(positions_, comm, world_rank_of(peer_of(value - own)));
  });
  return &call_;
}

std::int64_t Expansion::world_rank_of(const Peer& peer) const {
  const auto own = static_cast<std::size_t>(rank_);
  if (peer.form == Peer::Form::kSelf) return rank_;
  if (peer.form == Peer::Form::kOutside)
    return rank_of_cell_[static_cast<std::size_t>(program_.cell_of_rank[own] + peer.distance)];
  const Ground& ground = program_.grounds[peer.ground];
  const auto cell = ground.directions.target(ground.cells[own], peer.direction);
  if (!cell) return -1;
  if (&ground == &program_.grounds.front()) { // whose copies and cells number the ranks
    const std::int64_t step = *cell - ground.cells[own];
    return rank_of_cell_[static_cast<std::size_t>(program_.cell_of_rank[own] + step)];
  }
  for (std::size_t rank = 0; rank < ground.cells.size(); ++rank) {
    const bool same_copy = ground.copy_of.empty() || ground.copy_of[rank] == ground.copy_of[own];
    if (same_copy && ground.cells[rank] == *cell) return static_cast<std::int64_t>(rank);
  }
  return -1;
}

} // namespace rondo::logical
