// SPDX-License-Identifier: Apache-2.0
#include "logical/text/call_words.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/joined_words.hpp"
#include "logical/places/answers.hpp"
#include "logical/places/peer_words.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::FieldKind;
using trace::Word;

constexpr std::uint64_t kLongestTurn = 12; // rounds

// "count=", where a number alone would not say what it is.
std::string name_in_front(const trace::Field& field, const trace::MergedCall& merged) {
  const bool is_plain = field.name.find("count") != std::string_view::npos ||
                        is_point_to_point(*trace::find_function(merged.call.function));
  return is_plain ? "" : std::string(field.name) + "=";
}

// "sendrecv east 1 double west 1 double  tag 7": of the message that comes in, too.
bool has_tag_of_send(const trace::Call& call, std::size_t word) {
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
  return means.send_tag >= 0 && means.receive_tag == static_cast<int>(word) &&
         call.words[static_cast<std::size_t>(means.send_tag)] == call.words[word];
}

std::string choice_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  std::string text;
  if (names.size() > kMostNames) text = distances_text(names);
  if (!text.empty()) return text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : "|") + names[i];
  return names.size() > kMostNames ? text + "|..." : text;
}

} // namespace

// From the cell.
std::string CallWords::name_of(const Peer& peer, std::int64_t cell) const {
  switch (peer.form) {
  case Peer::Form::kSelf:
    return "itself";
  case Peer::Form::kDirection:
    return names_.direction(peer);
  case Peer::Form::kUnknown:
    return names_.other_process(comm_) + " " + std::to_string(peer.distance);
  case Peer::Form::kOutside:
    if (const auto steps = steps_to(cell, cell + peer.distance)) return "rank" + *steps;
    const std::int64_t distance =
        round_the_end(distance_in_ranks(cell, cell + peer.distance), cell, cell + peer.distance);
    return "rank" + std::string(distance < 0 ? "" : "+") + std::to_string(distance);
  }
  return {};
}

// As the text numbers them.
std::int64_t CallWords::distance_in_ranks(std::int64_t from, std::int64_t to) const {
  if (logical_.says_cells) return to - from;
  return static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(to)]) -
         static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(from)]);
}

// On a ring of all ranks in their order, the shorter way: "rank-2" of the first ranks as of others.
std::int64_t CallWords::round_the_end(std::int64_t distance, std::int64_t from,
                                      std::int64_t to) const {
  if (logical_.peer_topologies.empty()) return distance;
  const PeerTopology& peer_topology = logical_.peer_topologies.front();
  const auto& dimensions = peer_topology.topology.dimensions;
  const auto ranks = static_cast<std::int64_t>(rank_of_cell_.size());
  if (dimensions.size() != 1 || !dimensions[0].periodic || dimensions[0].size != ranks)
    return distance;
  const auto cell = [&](std::int64_t of) {
    return peer_topology.cells[rank_of_cell_[static_cast<std::size_t>(of)]];
  };
  if ((cell(to) - cell(from) - distance) % ranks != 0) return distance;
  const std::int64_t up = (distance % ranks + ranks) % ranks;
  return 2 * up > ranks ? up - ranks : up;
}

// In the first topology, if both cells are in one copy of it. Along a line the numbers of the ranks
// say as much.
std::optional<std::string> CallWords::steps_to(std::int64_t from, std::int64_t to) const {
  if (logical_.peer_topologies.empty()) return std::nullopt;
  const PeerTopology& peer_topology = logical_.peer_topologies.front();
  if (peer_topology.topology.dimensions.size() == 1) return std::nullopt;
  const std::size_t a = rank_of_cell_[static_cast<std::size_t>(from)];
  const std::size_t b = rank_of_cell_[static_cast<std::size_t>(to)];
  if (!peer_topology.copy_of.empty() && peer_topology.copy_of[a] != peer_topology.copy_of[b])
    return std::nullopt;
  return peer_topology.directions.steps_between(peer_topology.cells[a], peer_topology.cells[b]);
}

CallStatement CallWords::say(std::uint32_t index, std::optional<std::uint32_t> place,
                             std::uint64_t rounds) {
  const trace::MergedCall& merged = program_.calls[index];
  const trace::Function& function = *trace::find_function(merged.call.function);
  CallStatement result;
  place_ = place;
  rounds_ = rounds;
  said_ = 0;
  said_peer_topologies_.clear();
  remarks_.clear();
  result.name = short_name(function.name);
  result.makes_comm = makes_comm_ =
      std::any_of(function.fields.begin(), function.fields.end(), [](const trace::Field& field) {
        return field.is_outcome && field.kind == FieldKind::kComm && !field.is_array;
      });
  const int comm_word = function.comm_word();
  comm_ = comm_word < 0 ? trace::kWorldSlot
                        : merged.call.words[static_cast<std::size_t>(comm_word)].value;
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
    if (!field.is_outcome || field.kind == FieldKind::kRank || field.kind == FieldKind::kComm)
      argument(result, index, field, word);
    word += is_status ? 3 : 1;
  }
  if (merged.call.error != 0)
    remarks_.push_back({SaidWord::Kind::kOther, "error ",
                        std::string(trace::error_class_name(merged.call.error)), "", true});
  std::move(remarks_.begin(), remarks_.end(), std::back_inserter(result.words));
  put_words_together(result);
  result.peer_topologies.assign(said_peer_topologies_.begin(), said_peer_topologies_.end());
  return result;
}

std::vector<CallStatement> CallWords::say_in_turn(std::uint32_t index,
                                                  std::optional<std::uint32_t> place,
                                                  std::uint64_t rounds, std::uint64_t executions,
                                                  std::uint64_t statements) {
  const trace::MergedCall& merged = program_.calls[index];
  const bool is_collective =
      trace::find_function(merged.call.function)->role == trace::Role::kCollective;
  if (!is_collective || !has_amount_in_turn(merged, executions, statements)) return {};
  std::vector<CallStatement> result;
  statements_ = statements;
  for (turn_ = 0; turn_ < statements; ++turn_)
    result.push_back(say(index, place, rounds / statements));
  statements_ = 0;
  return result;
}

// Whether an amount comes back with each `statements`-th call, and not before.
bool CallWords::has_amount_in_turn(const trace::MergedCall& merged, std::uint64_t executions,
                                   std::uint64_t statements) {
  const trace::Function& function = *trace::find_function(merged.call.function);
  const int comm_word = function.comm_word();
  const std::int64_t comm = comm_word < 0
                                ? trace::kWorldSlot
                                : merged.call.words[static_cast<std::size_t>(comm_word)].value;
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const Word& said = merged.call.words[word];
    const bool is_amount = field.kind == FieldKind::kInteger && !field.is_array &&
                           !field.is_outcome && said.form == Word::Form::kColumn &&
                           values_.length(said.value) == executions;
    std::set<std::int64_t> different;
    const auto note = [&](std::int64_t, std::int64_t, std::size_t, std::int64_t value) {
      different.insert(value);
      return true;
    };
    if (is_amount && values_.each_in_turn(merged, word, comm, statements, note) &&
        different.size() == statements)
      return true;
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  return false;
}

void CallWords::argument(CallStatement& result, std::uint32_t index, const trace::Field& field,
                         std::size_t word) {
  using Kind = SaidWord::Kind;
  using Remark = SaidWord::Remark;
  const trace::MergedCall& merged = program_.calls[index];
  const auto remark = [&](Remark what, const std::string& before, std::string text,
                          const char* name) {
    if (text.empty()) return;
    remarks_.push_back({Kind::kOther, before, std::move(text), name, true});
    remarks_.back().remark = what;
  };
  const bool is_number = field.kind == FieldKind::kInteger || field.kind == FieldKind::kTag ||
                         field.kind == FieldKind::kRoot || field.kind == FieldKind::kOp ||
                         field.kind == FieldKind::kColor;
  if (is_number && logical_.detail == Detail::kPaper) return;
  switch (field.kind) {
  case FieldKind::kRank:
    if (!field.is_array) say_first(result, peers(index, word));
    return;
  case FieldKind::kInteger:
  case FieldKind::kColor:
    if (field.is_array) return;
    return amount(result.words, index, field, word);
  case FieldKind::kDatatype:
  case FieldKind::kOp:
    if (field.is_array) return;
    if (std::string text = object(merged, field, word); !text.empty())
      result.words.push_back(
          {Kind::kObject, "", std::move(text), field.kind == FieldKind::kOp ? "op" : "type"});
    return;
  case FieldKind::kTag:
    if (has_tag_of_send(merged.call, word)) return;
    return number(remarks_, "tag ", index, field, word);
  case FieldKind::kRoot:
    return number(remarks_, "root ", index, field, word);
  case FieldKind::kComm:
    if (field.is_outcome) {
      if (logical_.detail == Detail::kPaper || field.is_array) return;
      if (const std::string text = object(merged, field, word); !text.empty() && text != "none")
        remark(Remark::kNewComm, "makes ", text + names_.role(merged.call.words[word].value),
               "new_comm");
      return;
    }
    if (merged.call.words[word] == Word{Word::Form::kConstant, trace::kWorldSlot}) return;
    remark(Remark::kComm, "on ", object(merged, field, word), "comm");
    return;
  default:
    return;
  }
}

// A peer stands in front of the numbers and datatypes that go to it.
void CallWords::say_first(CallStatement& result, std::string peers) {
  const char* name = said_ == 0 && result.name.find("send") != std::string::npos ? "to" : "from";
  if (!peers.empty()) {
    const auto at = static_cast<std::ptrdiff_t>(std::min(said_, result.words.size()));
    result.words.insert(result.words.begin() + at,
                        {SaidWord::Kind::kPeer, "", std::move(peers), name});
  }
  said_ = result.words.size();
}

// "west|nobody, east|nobody" of a loop that turns to one direction after the other, the same on all
// ranks; nothing if it does not.
std::optional<std::string> CallWords::peers_in_turn(std::uint32_t index, std::size_t word) {
  if (rounds_ < 2 || rounds_ > kLongestTurn || place_values_.at(place_, word) != nullptr)
    return std::nullopt;
  std::vector<std::optional<Peer>> turns(rounds_);
  std::vector<bool> or_nobody(rounds_, false);
  const bool is_one_each = values_.each_in_turn(
      program_.calls[index], word, comm_, rounds_,
      [&](std::int64_t, std::int64_t own, std::size_t turn, std::int64_t value) {
        if (value == trace::kProcNull) {
          or_nobody[turn] = true;
          return true;
        }
        if (trace::is_special(value)) return false;
        const Peer peer = peer_of(value - own);
        if (peer.form != Peer::Form::kDirection || (turns[turn] && *turns[turn] != peer))
          return false;
        turns[turn] = peer;
        return true;
      });
  const bool is_list =
      is_one_each && std::find(turns.begin(), turns.end(), std::nullopt) == turns.end() &&
      std::any_of(turns.begin(), turns.end(), [&](const auto& peer) { return *peer != *turns[0]; });
  if (!is_list) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    text += (i == 0 ? "" : ", ") + names_.direction(*turns[i]) + (or_nobody[i] ? "|nobody" : "");
    said_peer_topologies_.insert(turns[i]->peer_topology);
  }
  only_peer_.erase(index);
  return text;
}

std::string CallWords::peers(std::uint32_t index, std::size_t word) {
  if (told_ != nullptr && told_->words.contains({index, word})) {
    said_peer_topologies_.insert(told_->peer_topologies.begin(), told_->peer_topologies.end());
    only_peer_.erase(index);
    return told_->words.at({index, word});
  }
  if (auto in_turn = peers_in_turn(index, word)) return *in_turn;
  std::vector<std::string> names;
  std::optional<Peer> only;
  std::string hidden; // off the topology, where this is left out
  bool is_one = true;
  std::set<std::int64_t> asking; // cells that receive from any source
  std::optional<RankOfRank> outside; // by rank, if all peers are one
  outside.emplace();
  values_.each(
      program_.calls[index], word, comm_,
      [&](std::int64_t cell, std::int64_t own, std::int64_t value) {
        std::string name;
        if (value == trace::kAnySource) {
          asking.insert(cell);
          outside.reset();
          is_one = false;
          return;
        } else if (value == trace::kProcNull) {
          name = "nobody";
          outside.reset();
          is_one = false;
        } else if (trace::is_special(value)) {
          return;
        } else {
          const Peer peer = peer_of(value - own);
          if (outside && !is_only_outside(peer, cell, *outside)) outside.reset();
          const bool is_known = peer.form == Peer::Form::kDirection && only && *only == peer;
          if (is_known) return; // as of most ranks
          name = name_of(peer, cell);
          const bool is_hidden = !left_out_.empty() && peer.form == Peer::Form::kOutside;
          if (is_hidden) {
            hidden = name;
            is_one = false;
            return;
          }
          if (peer.form == Peer::Form::kDirection) said_peer_topologies_.insert(peer.peer_topology);
          is_one = is_one && peer.form == Peer::Form::kDirection && (!only || *only == peer);
          only = peer;
        }
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      },
      place_values_.at(place_, word));
  for (const char* last : {"itself", "nobody"}) { // whoever comes first
    const auto found = std::find(names.begin(), names.end(), last);
    if (found != names.end()) std::rotate(found, found + 1, names.end());
  }
  if (!asking.empty()) names.insert(names.begin(), any_of(program_.calls[index], asking, comm_));
  if (names.empty() && !hidden.empty()) names.push_back(hidden); // of a call that has other peers
  if (is_one && only) only_peer_.insert_or_assign(index, *only);
  if (!is_one) only_peer_.erase(index);
  if (outside && names.size() > 1) {
    if (auto formula = numbers_.peers(*outside)) return *formula;
  }
  return choice_text(names);
}

// Notes the one peer of a rank that no direction leads to; false if it has others.
bool CallWords::is_only_outside(const Peer& peer, std::int64_t cell, RankOfRank& outside) const {
  if (peer.form != Peer::Form::kOutside) return false;
  const auto rank_at = [&](std::int64_t at) {
    return static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(at)]);
  };
  const std::int64_t to = rank_at(cell + peer.distance);
  return outside.emplace(rank_at(cell), to).first->second == to;
}

// "any of west|east": by who answered in the run. All that there are in an all-to-all are any.
std::string CallWords::any_of(const trace::MergedCall& merged, const std::set<std::int64_t>& asking,
                              std::int64_t comm) {
  const trace::Function& function = *trace::find_function(merged.call.function);
  const int tag_word = trace::meaning_of(function).receive_tag;
  if (logical_.answers.empty() || tag_word < 0) return "any";
  std::vector<std::string> names;
  std::set<std::size_t> answering_on; // peer topologies
  bool is_known = true;
  const auto add = [&](std::int64_t cell, std::int64_t, std::int64_t tag) {
    if (!is_known || !asking.contains(cell)) return;
    const auto rank = static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(cell)]);
    const auto answering = senders(logical_.answers, rank, comm, tag);
    for (const Peer& peer : peers_in_text(logical_, rank, answering)) {
      is_known = is_known && peer.form == Peer::Form::kDirection;
      if (!is_known) return;
      said_peer_topologies_.insert(peer.peer_topology);
      answering_on.insert(peer.peer_topology);
      std::string name = name_of(peer, cell);
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  };
  values_.each(merged, static_cast<std::size_t>(tag_word), comm, add);
  if (!is_known || names.empty()) return "any";
  const PeerTopology& on = logical_.peer_topologies[*answering_on.begin()];
  const bool is_everybody = answering_on.size() == 1 && names.size() > 2 &&
                            names.size() == on.directions.size() &&
                            on.topology.kind == topology::TopologyKind::kComplete;
  return is_everybody ? "any" : "any of " + choice_text(names);
}

void CallWords::amount(std::vector<SaidWord>& to, std::uint32_t index, const trace::Field& field,
                       std::size_t word) {
  const trace::MergedCall& merged = program_.calls[index];
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(merged.call.function));
  const std::size_t words = to.size();
  number(to, name_in_front(field, merged), index, field, word);
  const bool is_buffer = means.source >= 0 && means.receive_count == static_cast<int>(word);
  if (is_buffer && to.size() > words) say_what_came(to.back(), index);
}

void CallWords::number(std::vector<SaidWord>& to, const std::string& before, std::uint32_t index,
                       const trace::Field& field, std::size_t word) {
  const bool is_remark = &to == &remarks_;
  const bool is_amount = !is_remark && before.empty();
  SaidWord said{SaidWord::Kind::kNumber, before, "",
                is_amount ? "count" : before.substr(0, before.size() - 1), is_remark};
  if (field.kind == FieldKind::kTag) said.remark = SaidWord::Remark::kTag;
  if (told_ != nullptr && told_->words.contains({index, word})) {
    said.text = told_->words.at({index, word});
    return to.push_back(std::move(said));
  }
  if (field.kind == FieldKind::kTag) {
    if (auto in_turn = tags_in_turn(index, word)) {
      said.text = std::move(*in_turn);
      return to.push_back(std::move(said));
    }
  }
  const std::set<std::int64_t>* only = place_values_.at(place_, word);
  const Word& value = program_.calls[index].call.words[word];
  std::set<std::int64_t> of_turn;
  if (statements_ > 0 && value.form == Word::Form::kColumn) {
    of_turn = values_.of_turn(value.value, statements_, turn_);
    only = &of_turn;
  }
  numbers_.say(said, program_.calls[index], field, word, comm_, only, makes_comm_);
  if (!said.text.empty()) to.push_back(std::move(said));
}

// "0,1..5" of a loop that goes through the same tags each time, on all ranks.
std::optional<std::string> CallWords::tags_in_turn(std::uint32_t index, std::size_t word) {
  if (rounds_ < 2 || rounds_ > kLongestTurn || place_values_.at(place_, word) != nullptr)
    return std::nullopt;
  std::vector<SaidWord> turns(rounds_);
  std::set<std::int64_t> different;
  const bool is_one_each =
      values_.each_in_turn(program_.calls[index], word, comm_, rounds_,
                           [&](std::int64_t, std::int64_t, std::size_t turn, std::int64_t value) {
                             SaidWord& said = turns[turn];
                             if (value < 0 || (!said.text.empty() && said.least != value))
                               return false;
                             said.text = std::to_string(value);
                             said.least = said.most = value;
                             different.insert(value);
                             return true;
                           });
  if (!is_one_each || different.size() < 2) return std::nullopt;
  Words words;
  for (const SaidWord& said : turns) words.push_back(&said);
  const Weights once(words.size(), 1);
  auto text = progression(words, once);
  return text ? text : numbers_in_turn(words, once);
}

std::string CallWords::object(const trace::MergedCall& merged, const trace::Field& field,
                              std::size_t word) const {
  const Word& value = merged.call.words[word];
  if (value.form != Word::Form::kConstant) return "any of several";
  if (value.value < 0) {
    const auto names = trace::predefined_objects(field.kind);
    const auto i = static_cast<std::size_t>(-1 - value.value);
    if (value.value == trace::kNothing) return "";
    return !trace::is_special(value.value) && i < names.size() ? short_name(names[i]) : "none";
  }
  if (field.kind == FieldKind::kComm) return names_.communicator(value.value);
  if (field.kind == FieldKind::kDatatype && value.value == logical_.bytes_of_types)
    return "bytes of a type";
  const char* kind = field.kind == FieldKind::kDatatype ? "type#" : "op#";
  return kind + std::to_string(value.value + 1); // as `rondo print` numbers them
}

std::optional<Peer> CallWords::only_peer(std::uint32_t index) const {
  const auto found = only_peer_.find(index);
  return found == only_peer_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace rondo::logical::internal
