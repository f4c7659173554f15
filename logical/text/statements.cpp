// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/alike.hpp"
#include "logical/folding/disorder.hpp"
#include "logical/folding/guards.hpp"
#include "logical/places/answers.hpp"
#include "logical/places/names.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/places/place_values.hpp"
#include "logical/text/number_text.hpp"
#include "logical/text/word_values.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/trace/function_groups.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace rondo::logical {
namespace {

using internal::Names;
using internal::short_name;
using internal::Values;
using trace::FieldKind;
using trace::MergedProgram;
using trace::RankSet;
using trace::Term;
using trace::Trace;
using trace::Word;

class StatementWriter {
public:
  StatementWriter(const LogicalProgram& logical, const Names& names, std::size_t index,
                  const std::vector<bool>& left_out, const matrix::LayeredTraffic& layered)
      : logical_(logical), names_(names), places_(layered.places[index]), trace_(logical.cells),
        program_(*logical.cells.programs[index]),
        sites_(logical.sites.empty() ? nullptr : &logical.sites[index]),
        places_of_calls_(logical.places.empty() ? nullptr : &logical.places[index]),
        values_(logical.cells, program_), left_out_(left_out),
        rank_of_cell_(internal::rank_of_cell(logical)),
        numbers_(logical, program_, values_, rank_of_cell_),
        presence_(internal::presence_of(logical, names)) {
    sum_up(index);
    for (const matrix::Layer& layer : layered.layers) {
      if (layer.program == index) add_bytes(layer);
    }
    for (std::uint32_t place = 1; place < places_.size(); ++place)
      place_of_.emplace(std::pair{places_[place].parent, places_[place].term}, place);
    deal_out_executions();
    place_values_.emplace(trace_, index, 0,
                          [&](auto at, std::uint32_t term) { return place_in(at, term); });
  }

  std::vector<Statement> run() { return body(program_.top, program_.ranks(), 0); }

private:
  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ranks = 0;
    std::uint64_t least = 0; // executions of a rank that has any
    trace::Durations before;
    trace::Durations inside;
  };

  void sum_up(std::size_t index) {
    sums_.resize(program_.calls.size());
    for (const trace::RankClass& c : trace_.classes) {
      if (c.merged != index) continue;
      const auto executions = c.program->nest.occurrences(c.program->calls.size());
      const auto ranks = static_cast<std::uint64_t>(c.ranks.size());
      std::map<std::uint32_t, std::uint64_t> of_rank; // several symbols may be one merged call
      for (std::size_t symbol = 0; symbol < executions.size(); ++symbol)
        of_rank[c.calls[symbol]] += executions[symbol];
      for (const auto& [call, count] : of_rank) {
        Sums& sums = sums_[call];
        sums.least = sums.ranks == 0 ? count : std::min(sums.least, count);
        sums.ranks += ranks;
        sums.executions += count * ranks;
      }
      for (const trace::PlaceTimes& place : c.program->times) {
        sums_[c.calls[place.call]].before.add(place.computation);
        sums_[c.calls[place.call]].inside.add(place.inside);
      }
    }
  }

  // A call that stands at several places is known by its sum over all ranks, and a place by how
  // often one rank comes to it: each gets its part of the sum, and the parts add up.
  void deal_out_executions() {
    std::vector<double> whole(sums_.size());
    for (const matrix::ProgramPlace& place : places_) {
      if (place.what && !place.what->is_loop()) whole[place.what->index()] += weight_of(place);
    }
    std::vector<double> dealt(sums_.size());
    for (const matrix::ProgramPlace& place : places_) {
      executions_here_.push_back(0);
      if (!place.what || place.what->is_loop() || whole[place.what->index()] == 0) continue;
      const std::size_t call = place.what->index();
      const auto up_to = [&](double weight) {
        const double part = weight / whole[call] * static_cast<double>(sums_[call].executions);
        return static_cast<std::uint64_t>(std::llround(part));
      };
      const std::uint64_t before = up_to(dealt[call]);
      executions_here_.back() = up_to(dealt[call] += weight_of(place)) - before;
    }
  }

  double weight_of(const matrix::ProgramPlace& place) const {
    return static_cast<double>(place.executions) * static_cast<double>(set_of(*place.what).size());
  }

  void add_bytes(const matrix::Layer& layer) {
    const auto& what = places_[layer.place].what;
    if (!what || what->is_loop()) return;
    for (const matrix::MatrixEntry& entry : layer.entries)
      sums_[what->index()].bytes += entry.bytes;
  }

  std::vector<Statement> body(const std::vector<Term>& terms, const RankSet& around,
                              std::optional<std::uint32_t> at) {
    std::vector<internal::Guarded> guarded;
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      const Term term = terms[i];
      if (is_left_out(term)) continue;
      const RankSet& set = set_of(term);
      std::vector<Statement> one = statements_of_term(term, place_in(at, i));
      const bool is_free = set == around || is_implied_by_direction(term, around);
      guarded.push_back({set, std::move(one), is_free, was_moved(term)});
    }
    if (logical_.is_in_source_order) sum_up_moved(guarded, entries_of(at));
    const auto condition = [&](const RankSet& set) {
      const auto ranks = [&](const RankSet& of) { return internal::ranks_text(logical_, of); };
      if (set == around) return ranks(set);
      return internal::condition_of(set, around, presence_, ranks);
    };
    return internal::statements_under_guards(
        std::move(guarded), around, condition, [&](const auto& of) { return numbers_.by_rank(of); },
        logical_.sums_up_disorder ? std::optional(entries_of(at)) : std::nullopt);
  }

  bool was_moved(Term term) const {
    if (!logical_.is_in_source_order) return false;
    if (!term.is_loop())
      return internal::was_moved(trace_.sites.at(program_.calls[term.index()].call.site));
    const std::vector<Term>& body = program_.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(), [&](Term inner) { return was_moved(inner); });
  }

  // Neighbours that were moved are one stretch.
  static void sum_up_moved(std::vector<internal::Guarded>& guarded, std::uint64_t entries) {
    std::vector<internal::Guarded> result;
    for (std::size_t i = 0; i < guarded.size();) {
      std::size_t end = i;
      while (end < guarded.size() && guarded[end].is_in_disorder) ++end;
      if (end == i) {
        result.push_back(std::move(guarded[i++]));
        continue;
      }
      result.push_back(internal::in_disorder(std::span(guarded).subspan(i, end - i), entries));
      i = end;
    }
    guarded = std::move(result);
  }

  // How often the ranks come to a body.
  std::uint64_t entries_of(std::optional<std::uint32_t> at) const {
    return at && *at > 0 ? places_[*at].executions : 1;
  }

  bool is_left_out(Term term) const {
    if (!term.is_loop()) {
      const trace::Function& function =
          *trace::find_function(program_.calls[term.index()].call.function);
      if (!logical_.shows_local && trace::is_local(function)) return true;
      return !left_out_.empty() && left_out_[term.index()];
    }
    const std::vector<Term>& body = program_.loops[term.index()].body;
    return std::all_of(body.begin(), body.end(), [&](Term inner) { return is_left_out(inner); });
  }

  const RankSet& set_of(Term term) const {
    const std::uint32_t set =
        term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
    return program_.table.sets[set];
  }

  std::optional<std::uint32_t> place_in(std::optional<std::uint32_t> at, std::uint32_t term) const {
    if (!at) return std::nullopt;
    const auto found = place_of_.find({*at, term});
    return found == place_of_.end() ? std::nullopt : std::optional(found->second);
  }

  // A loop that goes round once at this place is what it has in it.
  std::vector<Statement> statements_of_term(Term term, std::optional<std::uint32_t> place) {
    if (!term.is_loop()) {
      place_ = place;
      return {{call(term.index())}};
    }
    const trace::MergedLoop& loop = program_.loops[term.index()];
    const bool is_by_rank = loop.trip_count.form == Word::Form::kByRank ||
                            loop.trip_count.form == Word::Form::kColumnByRank;
    std::string count = trip_count_text(loop, place);
    std::vector<Statement> inside = body(loop.body, set_of(term), place);
    if (count == "1") return inside;
    LoopStatement result{std::move(count), std::move(inside), is_by_rank};
    if (loop.trip_count.form == Word::Form::kByRank)
      result.count_of_rank =
          std::make_shared<const std::map<std::int64_t, std::int64_t>>(numbers_.counts_of(loop));
    return {{std::move(result)}};
  }

  // A loop that is entered at several places has other trip counts at each. Their sum at this place
  // gives their mean, and a mean that is the least or the most of all is that of equal ones.
  std::string trip_count_text(const trace::MergedLoop& loop, std::optional<std::uint32_t> place) {
    if (loop.trip_count.form == Word::Form::kByRank)
      return numbers_.by_rank(numbers_.counts_of(loop));
    const std::string anywhere = trace::trip_count_text(program_, loop);
    if (!place || loop.trip_count.form != Word::Form::kColumn) return anywhere;
    const std::uint64_t entries =
        places_[*place].parent == 0 ? 1 : places_[places_[*place].parent].executions;
    const std::uint64_t iterations = places_[*place].executions;
    if (entries == 1) return std::to_string(iterations);
    const auto& counts = values_.distinct(loop.trip_count.value);
    for (const std::int64_t count : {*std::min_element(counts.begin(), counts.end()),
                                     *std::max_element(counts.begin(), counts.end())}) {
      if (static_cast<std::uint64_t>(count) * entries == iterations) return std::to_string(count);
    }
    return entries == values_.length(loop.trip_count.value) ? numbers_.in_runs(loop, anywhere)
                                                            : anywhere;
  }

  RankSet present(const Peer& peer, const RankSet& around) const {
    const std::string name = names_.direction(peer);
    const auto found = std::find_if(presence_.begin(), presence_.end(),
                                    [&](const auto& one) { return one.direction == name; });
    if (found == presence_.end()) return {}; // one leaf of a star
    std::vector<std::int64_t> both;
    for (const std::int64_t rank : found->ranks.ranks()) {
      if (around.contains(rank)) both.push_back(rank);
    }
    return RankSet::of(std::move(both));
  }

  bool is_implied_by_direction(Term term, const RankSet& around) const {
    if (term.is_loop()) return false;
    const auto peer = only_peer_.find(term.index());
    return peer != only_peer_.end() && present(peer->second, around) == set_of(term);
  }

  // From the cell.
  std::string name_of(const Peer& peer, std::int64_t cell) const {
    switch (peer.form) {
    case Peer::Form::kSelf:
      return "itself";
    case Peer::Form::kDirection:
      return names_.direction(peer);
    case Peer::Form::kUnknown:
      return "unknown " + std::to_string(peer.distance);
    case Peer::Form::kOutside:
      if (const auto steps = steps_to(cell, cell + peer.distance)) return "rank" + *steps;
      const std::int64_t distance = distance_in_ranks(cell, cell + peer.distance);
      return "rank" + std::string(distance < 0 ? "" : "+") + std::to_string(distance);
    }
    return {};
  }

  // As the text numbers them.
  std::int64_t distance_in_ranks(std::int64_t from, std::int64_t to) const {
    if (logical_.says_cells) return to - from;
    return static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(to)]) -
           static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(from)]);
  }

  // In the first topology, if both cells are in one copy of it.
  std::optional<std::string> steps_to(std::int64_t from, std::int64_t to) const {
    if (logical_.peer_topologies.empty()) return std::nullopt;
    const PeerTopology& peer_topology = logical_.peer_topologies.front();
    const std::size_t a = rank_of_cell_[static_cast<std::size_t>(from)];
    const std::size_t b = rank_of_cell_[static_cast<std::size_t>(to)];
    if (!peer_topology.copy_of.empty() && peer_topology.copy_of[a] != peer_topology.copy_of[b])
      return std::nullopt;
    return peer_topology.directions.steps_between(peer_topology.cells[a], peer_topology.cells[b]);
  }

  CallStatement call(std::uint32_t index) {
    const trace::MergedCall& merged = program_.calls[index];
    const trace::Function& function = *trace::find_function(merged.call.function);
    CallStatement result;
    said_ = 0;
    said_peer_topologies_.clear();
    remarks_.clear();
    result.name = short_name(function.name);
    const Sums& sums = sums_[index];
    result.executions = place_ ? executions_here_[*place_] : sums.executions;
    result.most_here = place_ ? places_[*place_].executions : sums.least;
    result.shares = {
        {index, {sums.executions, sums.bytes}, sums.executions - sums.ranks * sums.least}};
    result.before_ns = sums_[index].before.mean_ns();
    result.inside_ns = sums_[index].inside.mean_ns();
    if (sites_ != nullptr) result.sites = (*sites_)[index];
    if (places_of_calls_ != nullptr) result.place = (*places_of_calls_)[index];
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
    internal::put_words_together(result);
    result.peer_topologies.assign(said_peer_topologies_.begin(), said_peer_topologies_.end());
    return result;
  }

  void argument(CallStatement& result, std::uint32_t index, const trace::Field& field,
                std::size_t word) {
    using Kind = SaidWord::Kind;
    const trace::MergedCall& merged = program_.calls[index];
    const auto remark = [&](const std::string& before, std::string text, const char* name) {
      if (!text.empty()) remarks_.push_back({Kind::kOther, before, std::move(text), name, true});
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
      if (!field.is_array) number(result.words, name_in_front(field, merged), index, field, word);
      return;
    case FieldKind::kDatatype:
    case FieldKind::kOp:
      if (field.is_array) return;
      if (std::string text = object(merged, field, word); !text.empty())
        result.words.push_back(
            {Kind::kObject, "", std::move(text), field.kind == FieldKind::kOp ? "op" : "type"});
      return;
    case FieldKind::kTag:
      return number(remarks_, "tag ", index, field, word);
    case FieldKind::kRoot:
      return number(remarks_, "root ", index, field, word);
    case FieldKind::kComm:
      if (field.is_outcome) {
        if (logical_.detail == Detail::kPaper || field.is_array) return;
        if (const std::string text = object(merged, field, word); !text.empty() && text != "none")
          remark("makes ", text + names_.role(merged.call.words[word].value), "new_comm");
        return;
      }
      if (merged.call.words[word] == Word{Word::Form::kConstant, trace::kWorldSlot}) return;
      remark("on ", object(merged, field, word), "comm");
      return;
    default:
      return;
    }
  }

  // "count=", where a number alone would not say what it is.
  static std::string name_in_front(const trace::Field& field, const trace::MergedCall& merged) {
    const bool is_plain = field.name.find("count") != std::string_view::npos ||
                          internal::is_point_to_point(*trace::find_function(merged.call.function));
    return is_plain ? "" : std::string(field.name) + "=";
  }

  // A peer stands in front of the numbers and datatypes that go to it.
  void say_first(CallStatement& result, std::string peers) {
    const char* name = said_ == 0 && result.name.find("send") != std::string::npos ? "to" : "from";
    if (!peers.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(std::min(said_, result.words.size()));
      result.words.insert(result.words.begin() + at,
                          {SaidWord::Kind::kPeer, "", std::move(peers), name});
    }
    said_ = result.words.size();
  }

  std::string peers(std::uint32_t index, std::size_t word) {
    std::vector<std::string> names;
    std::optional<Peer> only;
    std::string hidden; // off the topology, where this is left out
    bool is_one = true;
    std::set<std::int64_t> asking; // cells that receive from any source
    std::optional<std::map<std::int64_t, std::int64_t>> outside; // by rank, if all peers are one
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
            if (peer.form == Peer::Form::kDirection)
              said_peer_topologies_.insert(peer.peer_topology);
            is_one = is_one && peer.form == Peer::Form::kDirection && (!only || *only == peer);
            only = peer;
          }
          if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        },
        place_values_->at(place_, word));
    const auto nobody = std::find(names.begin(), names.end(), "nobody");
    if (nobody != names.end()) std::rotate(nobody, nobody + 1, names.end()); // whoever comes first
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
  bool is_only_outside(const Peer& peer, std::int64_t cell,
                       std::map<std::int64_t, std::int64_t>& outside) const {
    if (peer.form != Peer::Form::kOutside) return false;
    const auto rank_at = [&](std::int64_t at) {
      return static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(at)]);
    };
    const std::int64_t to = rank_at(cell + peer.distance);
    return outside.emplace(rank_at(cell), to).first->second == to;
  }

  // "any of west|east": by who answered in the run.
  std::string any_of(const trace::MergedCall& merged, const std::set<std::int64_t>& asking,
                     std::int64_t comm) {
    const trace::Function& function = *trace::find_function(merged.call.function);
    const int tag_word = trace::meaning_of(function).receive_tag;
    if (logical_.answers.empty() || tag_word < 0) return "any";
    std::vector<std::string> names;
    bool is_known = true;
    const auto add = [&](std::int64_t cell, std::int64_t, std::int64_t tag) {
      if (!is_known || !asking.contains(cell)) return;
      const auto rank = static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(cell)]);
      const auto answering = internal::senders(logical_.answers, rank, comm, tag);
      for (const Peer& peer : internal::peers_in_text(logical_, rank, answering)) {
        is_known = is_known && peer.form == Peer::Form::kDirection;
        if (!is_known) return;
        said_peer_topologies_.insert(peer.peer_topology);
        std::string name = name_of(peer, cell);
        if (std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(std::move(name));
      }
    };
    values_.each(merged, static_cast<std::size_t>(tag_word), comm, add);
    return is_known && !names.empty() ? "any of " + choice_text(names) : "any";
  }

  static std::string choice_text(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNames = 8;
    std::string text;
    if (names.size() > kMostNames) text = internal::distances_text(names);
    if (!text.empty()) return text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
      text += (i == 0 ? "" : "|") + names[i];
    return names.size() > kMostNames ? text + "|..." : text;
  }

  void number(std::vector<SaidWord>& to, const std::string& before, std::uint32_t index,
              const trace::Field& field, std::size_t word) {
    const bool is_remark = &to == &remarks_;
    const bool is_amount = !is_remark && before.empty();
    SaidWord said{SaidWord::Kind::kNumber, before, "",
                  is_amount ? "count" : before.substr(0, before.size() - 1), is_remark};
    numbers_.say(said, program_.calls[index], field, word, comm_, place_values_->at(place_, word));
    if (!said.text.empty()) to.push_back(std::move(said));
  }

  std::string object(const trace::MergedCall& merged, const trace::Field& field,
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
    const char* kind = field.kind == FieldKind::kDatatype ? "type " : "op ";
    return kind + std::to_string(value.value);
  }

  const LogicalProgram& logical_;
  const Names& names_;
  const std::vector<matrix::ProgramPlace>& places_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> place_of_; // by parent and term
  const Trace& trace_;
  const MergedProgram& program_;
  const std::vector<std::vector<std::uint32_t>>* sites_; // by merged call; nullptr: not known
  const std::vector<std::uint32_t>* places_of_calls_; // likewise
  Values values_;
  const std::vector<bool>& left_out_; // by merged call; empty: nothing is
  const std::vector<std::size_t> rank_of_cell_;
  internal::NumberText numbers_;
  const std::vector<internal::Presence> presence_; // of all directions
  std::optional<internal::PlaceValues> place_values_;
  std::optional<std::uint32_t> place_; // of the call that is being written
  std::vector<Sums> sums_; // by merged call
  std::vector<std::uint64_t> executions_here_; // by place, of all ranks
  std::set<std::size_t> said_peer_topologies_; // of the peers of the call that is being written
  std::size_t said_ = 0; // of CallStatement::words: up to the end of what the last peer has
  std::vector<SaidWord> remarks_; // of that call
  std::int64_t comm_ = 0; // likewise
  std::map<std::uint32_t, Peer> only_peer_; // of calls with one direction for all
};

} // namespace

std::vector<std::vector<Statement>> statements_of(const LogicalProgram& logical,
                                                  const std::vector<std::vector<bool>>& left_out) {
  std::vector<std::vector<Statement>> result;
  const Names names(logical);
  const std::vector<bool> nothing;
  // Only how much is sent matters here, not to whom.
  const matrix::LayeredTraffic layered =
      matrix::layers_of(logical.cells, [](std::int64_t cell, std::int64_t) { return cell; });
  for (std::size_t i = 0; i < logical.cells.programs.size(); ++i)
    result.push_back(
        StatementWriter(logical, names, i, left_out.empty() ? nothing : left_out[i], layered)
            .run());
  return result;
}

} // namespace rondo::logical
