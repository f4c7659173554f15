// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/alike.hpp"

#include "logical/joining/joined_words.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace rondo::logical::internal {
namespace {

// The bodies of the loops or guards that stand at `at` in all bodies.
Bodies inner_bodies(const Bodies& bodies, std::size_t at) {
  Bodies inner;
  for (const Body body : bodies) {
    const Statement& statement = body[at];
    const auto* loop = std::get_if<LoopStatement>(&statement.is);
    inner.push_back(loop != nullptr ? loop->body : std::get<GuardStatement>(statement.is).body);
  }
  return inner;
}

std::vector<const CallStatement*> calls_at(const Bodies& bodies, std::size_t at) {
  std::vector<const CallStatement*> calls;
  for (const Body body : bodies) calls.push_back(&std::get<CallStatement>(body[at].is));
  return calls;
}

// "+1" of "if +1:", a direction.
std::vector<SaidWord> conditions_at(const Bodies& bodies, std::size_t at) {
  std::vector<SaidWord> words;
  for (const Body body : bodies)
    words.push_back(
        {SaidWord::Kind::kPeer, "", std::get<GuardStatement>(body[at].is).condition, ""});
  return words;
}

Words pointers_to(const std::vector<SaidWord>& words) {
  Words pointers;
  for (const SaidWord& word : words) pointers.push_back(&word);
  return pointers;
}

// What the bodies have in the place of a guard's condition, if it is not the same in all of them.
struct Conditions {
  Conditions(const Bodies& bodies, std::size_t at) {
    if (std::holds_alternative<GuardStatement>(bodies[0][at].is)) words = conditions_at(bodies, at);
    differ = !words.empty() && !are_equal(pointers_to(words));
  }
  std::vector<SaidWord> words; // none: no guard stands there
  bool differ = false;
};

bool differs_in_conditions(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (std::holds_alternative<CallStatement>(bodies[0][at].is)) continue;
    if (Conditions(bodies, at).differ || differs_in_conditions(inner_bodies(bodies, at)))
      return true;
  }
  return false;
}

Words words_at(const std::vector<const CallStatement*>& calls, std::size_t at) {
  Words words;
  for (const CallStatement* call : calls) words.push_back(&call->words[at]);
  return words;
}

Statement joined_statement(const Bodies& bodies, std::size_t at, bool is_list,
                           const Weights& weights) {
  Statement result = bodies[0][at];
  if (auto* loop = std::get_if<LoopStatement>(&result.is)) {
    std::vector<std::string> counts;
    for (const Body body : bodies) {
      const auto& other = std::get<LoopStatement>(body[at].is);
      counts.push_back(other.count);
      loop->is_by_rank = loop->is_by_rank || other.is_by_rank;
    }
    loop->count = joined_counts(counts, is_list, weights);
    loop->body = join_alike(inner_bodies(bodies, at), false, weights);
  } else if (auto* guard = std::get_if<GuardStatement>(&result.is)) {
    const Conditions conditions(bodies, at);
    if (conditions.differ)
      guard->condition = *directions_in_turn(pointers_to(conditions.words), weights);
    guard->body = join_alike(inner_bodies(bodies, at), is_list, weights);
  } else {
    auto& call = std::get<CallStatement>(result.is);
    const std::vector<const CallStatement*> calls = calls_at(bodies, at);
    for (std::size_t i = 1; i < calls.size(); ++i) add_executions_of(call, *calls[i]);
    for (std::size_t word = 0; word < call.words.size(); ++word)
      call.words[word] = joined_word(words_at(calls, word), is_list, weights);
    if (!call.words.empty()) put_words_together(call);
  }
  return result;
}

} // namespace

// "root 1 of split#1": on a communicator of some ranks a root is a number of a rank in it.
void put_words_together(CallStatement& call) {
  call.what.clear();
  call.remarks.clear();
  for (const SaidWord& word : call.words) {
    const bool is_of_root = word.remark == SaidWord::Remark::kComm && !call.remarks.empty() &&
                            call.remarks.back().starts_with("root ");
    if (is_of_root) {
      call.remarks.back() += " of " + word.text;
    } else if (word.is_remark) {
      call.remarks.push_back(word.before + word.text);
    } else {
      call.what += (call.what.empty() ? "" : " ") + word.before + word.text;
    }
  }
}

void add_executions_of_others(CallStatement& into, const CallStatement& call) {
  const std::uint64_t most = std::max(into.most_here, call.most_here);
  add_executions_of(into, call);
  into.most_here = most;
}

void add_executions_of(CallStatement& into, const CallStatement& call) {
  const auto a = static_cast<double>(into.executions);
  const auto b = static_cast<double>(call.executions);
  if (a + b > 0) {
    into.before_ns = (a * into.before_ns + b * call.before_ns) / (a + b);
    into.inside_ns = (a * into.inside_ns + b * call.inside_ns) / (a + b);
  }
  into.executions += call.executions;
  into.most_here += call.most_here; // of one rank it may be less
  into.place = std::min(into.place, call.place);
  into.shares.insert(into.shares.end(), call.shares.begin(), call.shares.end());
  std::set<std::size_t> peer_topologies(into.peer_topologies.begin(), into.peer_topologies.end());
  peer_topologies.insert(call.peer_topologies.begin(), call.peer_topologies.end());
  into.peer_topologies.assign(peer_topologies.begin(), peer_topologies.end());
  std::vector<std::uint32_t> sites;
  std::ranges::set_union(into.sites, call.sites, std::back_inserter(sites));
  into.sites = std::move(sites);
}

std::vector<Statement> join_alike(const Bodies& bodies, bool is_list, const Weights& weights) {
  std::vector<Statement> result;
  for (std::size_t at = 0; at < bodies[0].size(); ++at)
    result.push_back(joined_statement(bodies, at, is_list, weights));
  return result;
}

std::size_t differing_words(const Bodies& bodies) {
  std::size_t differing = 0;
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (const auto* loop = std::get_if<LoopStatement>(&bodies[0][at].is)) {
        differing += std::any_of(bodies.begin(), bodies.end(), [&](const Body body) {
          return std::get<LoopStatement>(body[at].is).count != loop->count;
        });
      }
      differing += Conditions(bodies, at).differ ? 1 : 0;
      differing += differing_words(inner_bodies(bodies, at));
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word)
      differing += are_equal(words_at(calls, word)) ? 0 : 1;
  }
  return differing;
}

std::optional<std::size_t> words_lost_in_list(const Bodies& bodies, bool lists_amounts,
                                              bool is_one_statement) {
  std::size_t lost = 0;
  const Weights once(bodies.size(), 1);
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      const Bodies inner = inner_bodies(bodies, at);
      if (const Conditions conditions(bodies, at); conditions.differ) {
        if (!directions_in_turn(pointers_to(conditions.words), once)) return std::nullopt;
        const auto lost_inside = words_lost_in_list(inner, lists_amounts, is_one_statement);
        if (!lost_inside) return std::nullopt;
        lost += *lost_inside;
        continue;
      }
      if (differs_in_directions(inner) || differs_in_conditions(inner)) return std::nullopt;
      lost += differing_words(inner);
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (are_equal(words) || (is_one_statement && communicators_in_turn(words, once))) continue;
      const bool is_peer = words[0]->kind == SaidWord::Kind::kPeer;
      if (is_peer && !directions_in_turn(words, once)) return std::nullopt;
      const bool is_amount = words[0]->kind == SaidWord::Kind::kNumber && !words[0]->is_remark;
      const bool may_list = !is_amount || lists_amounts || directions_count_on(bodies);
      if (is_peer || progression(words, once) || (may_list && numbers_in_turn(words, once)))
        continue;
      // What one statement says is summed up as in any loop of the source.
      const bool is_range = is_one_statement && is_amount && words[0]->least <= words[0]->most;
      if (!is_amount || (!is_range && joined_values(words).empty())) return std::nullopt;
      ++lost;
    }
  }
  return lost;
}

bool directions_count_on(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) continue;
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (words[0]->kind == SaidWord::Kind::kPeer && counts_on(words)) return true;
    }
  }
  return false;
}

bool are_on_one_topology(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (!are_on_one_topology(inner_bodies(bodies, at))) return false;
      continue;
    }
    const CallStatement* first = nullptr; // that follows any: nobody and itself are on none
    for (const CallStatement* call : calls_at(bodies, at)) {
      if (call->peer_topologies.empty()) continue;
      if (first != nullptr && call->peer_topologies != first->peer_topologies) return false;
      first = call;
    }
  }
  return true;
}

namespace {

// Amounts, of which there are few, or numbers of any kind, however many.
bool differs_in_numbers_only(const Bodies& bodies, bool in_few_amounts) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) return false;
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (are_equal(words)) continue;
      if (words[0]->kind != SaidWord::Kind::kNumber) return false;
      if (in_few_amounts && (words[0]->is_remark || joined_values(words).empty())) return false;
    }
  }
  return true;
}

} // namespace

bool differs_in_few_amounts(const Bodies& bodies) { return differs_in_numbers_only(bodies, true); }
bool differs_in_numbers(const Bodies& bodies) { return differs_in_numbers_only(bodies, false); }

bool differs_in_peers(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (Conditions(bodies, at).differ || differs_in_peers(inner_bodies(bodies, at))) return true;
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (words[0]->kind == SaidWord::Kind::kPeer && !are_equal(words)) return true;
    }
  }
  return false;
}

void DirectionsMet::add(Body body) {
  std::size_t at = 0;
  add(body, at);
}

void DirectionsMet::add(Body body, std::size_t& at) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) add(loop->body, at);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) add(guard->body, at);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    if (call == nullptr) continue;
    for (const SaidWord& word : call->words) {
      if (word.kind != SaidWord::Kind::kPeer) continue;
      if (at == peers_.size()) peers_.push_back({&word});
      Peer& peer = peers_[at++];
      peer.are_equal = peer.are_equal && word.text == peer.first->text;
      peer.are_directions = peer.are_directions && is_direction(word);
    }
  }
}

bool DirectionsMet::differ() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const Peer& peer) { return !peer.are_equal && peer.are_directions; });
}

bool differs_in_directions(const Bodies& bodies) {
  DirectionsMet met;
  for (const Body body : bodies) met.add(body);
  return met.differ();
}

std::uint64_t lines_of(Body statements) {
  std::uint64_t lines = 0;
  for (const Statement& statement : statements) {
    ++lines;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) lines += lines_of(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      lines += lines_of(guard->body);
  }
  return lines;
}

} // namespace rondo::logical::internal
