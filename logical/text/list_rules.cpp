// SPDX-License-Identifier: Apache-2.0
#include "logical/text/list_rules.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/one_place.hpp"
#include "logical/places/conditions.hpp"
#include "logical/text/peer_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kFewestListed = 4; // directions, of which an equal step is no chance

class ListRules {
public:
  /// Both references must outlive this.
  ListRules(const LogicalProgram& logical, const Names& names) : logical_(logical), names_(names) {}

  /// @param rounds  of the loop around; 0: of none, or they vary
  void tell(std::vector<Statement>& statements, std::uint64_t rounds) {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<LoopStatement>(&statement.is))
        tell(loop->body, plain_count(loop->count).value_or(0));
      else if (auto* guard = std::get_if<GuardStatement>(&statement.is))
        tell(guard->body, rounds);
      else if (auto* call = std::get_if<CallStatement>(&statement.is))
        tell(*call, rounds);
    }
  }

private:
  void tell(CallStatement& call, std::uint64_t rounds) {
    if (rounds < kFewestListed) return;
    bool is_told = false;
    for (SaidWord& word : call.words) {
      if (word.kind != SaidWord::Kind::kPeer || word.text.find(", ") == std::string::npos) continue;
      const std::optional<std::string>& rule = rule_of(word.text, rounds);
      if (!rule) continue;
      word.text = *rule;
      is_told = true;
    }
    if (is_told) put_words_together(call);
  }

  const std::optional<std::string>& rule_of(const std::string& list, std::uint64_t rounds) {
    const auto [known, is_new] = known_.try_emplace({list, rounds});
    if (!is_new) return known->second;
    const std::vector<Peer> peers = peers_in(list);
    if (peers.size() != rounds) return known->second;
    if (rank_of_cell_.empty()) rank_of_cell_ = rank_of_cell(logical_);
    if (!where_) where_.emplace(logical_, rank_of_cell_);
    for (const PeerRule& rule : rules_of_equal_steps(where_->ranks())) {
      if (!holds(rule, peers)) continue;
      known->second = rule.text(names_, where_->ranks(), false);
      break;
    }
    return known->second;
  }

  // Empty if anything else is in the list.
  std::vector<Peer> peers_in(std::string_view list) {
    constexpr std::string_view kNext = ", ";
    if (directions_.empty()) {
      for (std::size_t g = 0; g < logical_.peer_topologies.size(); ++g) {
        for (std::size_t i = 0; i < logical_.peer_topologies[g].directions.size(); ++i) {
          const Peer peer{Peer::Form::kDirection, g, i};
          directions_.emplace(names_.direction(peer), peer);
        }
      }
    }
    std::vector<Peer> peers;
    for (std::size_t at = 0; at != std::string_view::npos;) {
      const std::size_t end = list.find(kNext, at);
      const auto found = directions_.find(list.substr(at, end - at));
      if (found == directions_.end()) return {};
      peers.push_back(found->second);
      at = end == std::string_view::npos ? end : end + kNext.size();
    }
    return peers;
  }

  bool holds(const PeerRule& rule, const std::vector<Peer>& peers) const {
    for (std::int64_t cell = 0; cell < where_->ranks(); ++cell) {
      for (std::size_t round = 0; round < peers.size(); ++round) {
        if (!rule.leads_to(*where_, cell, static_cast<std::int64_t>(round), peers[round]))
          return false;
      }
    }
    return true;
  }

  const LogicalProgram& logical_;
  const Names& names_;
  std::map<std::string, Peer, std::less<>> directions_; // of all peer topologies, by name
  std::map<std::pair<std::string, std::uint64_t>, std::optional<std::string>> known_;
  std::vector<std::size_t> rank_of_cell_; // made when it is needed, as is
  std::optional<Whereabouts> where_;
};

} // namespace

void tell_lists(std::vector<LogicalText::Part>& parts, const LogicalProgram& logical,
                const Names& names) {
  ListRules rules(logical, names);
  for (LogicalText::Part& part : parts) rules.tell(part.statements, 0);
}

} // namespace rondo::logical::internal
