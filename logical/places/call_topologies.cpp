// SPDX-License-Identifier: Apache-2.0
// Which of the topologies each call follows.
#include "logical/places/comm_ranks.hpp"
#include "logical/places/peer_topologies.hpp"
#include "logical/places/peer_words.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <array>
#include <map>
#include <set>
#include <tuple>

namespace rondo::logical::internal {
namespace {

using trace::Word;

// The values that a word of a call has, each as a word without a column.
std::vector<Word> values_of(const trace::Program& program, const Word& word) {
  if (!trace::is_column(word)) return {word};
  std::set<std::int64_t> values;
  trace::ColumnReader reader(program.columns[static_cast<std::size_t>(word.value)]);
  while (const auto value = reader.next()) values.insert(*value);
  std::vector<Word> result;
  for (const std::int64_t value : values) result.push_back(trace::word_at(word, value));
  return result;
}

// How many peers of each call each peer topology has a direction for.
class Coverage {
public:
  Coverage(const trace::Trace& trace, const std::vector<PeerTopology>& peer_topologies)
      : trace_(trace), peer_topologies_(peer_topologies) {}

  std::vector<std::vector<std::size_t>> run() {
    count_leads();
    for (const trace::RankClass& c : trace_.classes) {
      const std::vector<Peers> peers = peers_of(*c.program);
      for (const std::int64_t rank : c.ranks.ranks()) add_rank(c, peers, rank);
    }
    std::vector<std::vector<std::size_t>> best;
    for (const trace::RankClass& c : trace_.classes) {
      best.emplace_back(c.program->calls.size(), 0);
      for (const Peers& peers : peers_of(*c.program)) {
        best.back()[peers.symbol] = best_of(covered_[peers.kind]);
      }
    }
    return best;
  }

private:
  // Calls that should follow one peer topology: which of them are one call of the merged program
  // depends on the numbers of the ranks, this does not.
  using KindOfCall = std::array<std::int64_t, 4>; // function, site, communicator, constant tag

  struct Peers { // of one word of a call
    std::size_t symbol;
    KindOfCall kind;
    std::int64_t comm;
    std::vector<Word> values;
  };

  static std::vector<Peers> peers_of(const trace::Program& program) {
    std::vector<Peers> result;
    for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol) {
      const trace::Call& call = program.calls[symbol];
      const trace::Function& function = *trace::find_function(call.function);
      for_each_rank_word(function, [&](std::size_t word, const trace::Field& field) {
        if (field.kind != trace::FieldKind::kRank) return;
        result.push_back({symbol, kind_of(function, call), comm_of(function, call),
                          values_of(program, call.words[word])});
      });
    }
    return result;
  }

  static KindOfCall kind_of(const trace::Function& function, const trace::Call& call) {
    const int word = trace::meaning_of(function).tag();
    const bool has_tag =
        word >= 0 && call.words[static_cast<std::size_t>(word)].form == Word::Form::kConstant;
    return {function.id, call.site, comm_of(function, call),
            has_tag ? call.words[static_cast<std::size_t>(word)].value : trace::kNothing};
  }

  static std::int64_t comm_of(const trace::Function& function, const trace::Call& call) {
    const int word = function.comm_word();
    return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)].value;
  }

  struct Cover { // of a kind of call by one peer topology
    std::uint64_t peers = 0; // with a direction
    std::set<std::size_t> directions;
  };

  // Most peers; then fewest directions; then those that lead nowhere where the call is not made, as
  // the grid's do for a halo exchange that a dissemination covers as well.
  std::size_t best_of(const std::vector<Cover>& covers) const {
    std::size_t best = 0;
    const auto rank_of = [&](std::size_t g) {
      std::uint64_t leads = 0;
      for (const std::size_t d : covers[g].directions) leads += leads_[g][d];
      return std::tuple(~covers[g].peers, covers[g].directions.size(), leads);
    };
    for (std::size_t g = 1; g < covers.size(); ++g) {
      if (rank_of(g) < rank_of(best)) best = g;
    }
    return best;
  }

  void count_leads() {
    for (const PeerTopology& peer_topology : peer_topologies_) {
      std::vector<std::uint64_t>& leads = leads_.emplace_back(peer_topology.directions.size(), 0);
      for (const topology::Vertex cell : peer_topology.cells) {
        if (cell < 0) continue;
        for (const std::size_t direction : peer_topology.directions.from(cell)) ++leads[direction];
      }
    }
  }

  void add_rank(const trace::RankClass& c, const std::vector<Peers>& all, std::int64_t rank) {
    const trace::Positions positions(trace_, rank);
    std::set<std::pair<KindOfCall, std::int64_t>> seen;
    for (const Peers& peers : all) {
      std::vector<Cover>& covered = covered_[peers.kind];
      covered.resize(peer_topologies_.size());
      for (const Word& word : peers.values) {
        const auto peer =
            world_rank(positions, rank, peers.comm,
                       trace::value_of_word(*c.program, word, rank, positions.of(peers.comm)));
        if (!peer || !seen.emplace(peers.kind, *peer).second) continue;
        for (std::size_t g = 0; g < peer_topologies_.size(); ++g) {
          const auto direction = direction_between(peer_topologies_[g], rank, *peer);
          if (!direction) continue;
          ++covered[g].peers;
          covered[g].directions.insert(*direction);
        }
      }
    }
  }

  std::map<KindOfCall, std::vector<Cover>> covered_; // by peer topology
  std::vector<std::vector<std::uint64_t>>
      leads_; // by peer topology and direction: ranks that have it
  const trace::Trace& trace_;
  const std::vector<PeerTopology>& peer_topologies_;
};

} // namespace

std::vector<std::vector<std::size_t>>
peer_topologies_of_calls(const trace::Trace& trace,
                         const std::vector<PeerTopology>& peer_topologies) {
  if (peer_topologies.empty()) return {};
  return Coverage(trace, peer_topologies).run();
}

} // namespace rondo::logical::internal
