// SPDX-License-Identifier: Apache-2.0
#include "fold/again/replay.hpp"

#include "fold/event_words.hpp"
#include "fold/period.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::fold {
namespace {

using trace::PlaceTimes;

// Says of each call which sum of the builder its times are in: that of a rank's times at a place.
// Those of a place after any call are of the calls that have no place of their own.
class PlaceSums {
public:
  // The rank is the one at this place of its class.
  PlaceSums(const TimesFrom& times, std::size_t index, ProgramBuilder& to) {
    const auto add = [&](const PlaceTimes& own) {
      if (own.inside.count == 0) return;
      if (own.call >= sums_.size()) sums_.resize(own.call + std::size_t{1});
      sums_[own.call].push_back({own.before, to.add_sum(own)});
    };
    if (times.together != nullptr) {
      for (const PlaceTimes& place : *times.together) add(place);
      return;
    }
    for (std::size_t i = 0; times.places != nullptr && i < times.places->places(); ++i)
      add(times.places->of(i, index));
  }

  std::uint32_t next(std::uint32_t symbol) {
    const std::uint32_t before = std::exchange(before_, symbol);
    if (symbol >= sums_.size()) return ProgramBuilder::kNoSum;
    std::uint32_t other = ProgramBuilder::kNoSum;
    for (const PlaceSum& place : sums_[symbol]) {
      if (place.before == before) return place.sum;
      if (place.before == PlaceTimes::kOther && other == ProgramBuilder::kNoSum) other = place.sum;
    }
    return other;
  }

  std::uint32_t before() const { return before_; }

private:
  struct PlaceSum {
    std::uint32_t before;
    std::uint32_t sum;
  };
  std::vector<std::vector<PlaceSum>> sums_; // by call: recorders give it few places
  std::uint32_t before_ = PlaceTimes::kStart;
};

// Words of arrays and texts are indices into the program's tables: they become those of the
// builder.
void translate_tables(const trace::CallInstance& call, const trace::Program& program,
                      const Changes& changes, ProgramBuilder& to,
                      std::vector<std::int64_t>& event) {
  std::size_t word = 0;
  for (const trace::Field& field : call.function->fields) {
    std::int64_t& value = event[kEventHead + word];
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    word += is_status ? 3 : 1;
    if (trace::is_special(value)) continue;
    const auto index = static_cast<std::size_t>(value);
    if (field.is_array && changes.array) {
      std::vector<std::int64_t> values = program.arrays[index];
      changes.array(call, field, values);
      value = to.array(values.data(), values.size());
    } else if (field.is_array) {
      value = to.array(program.arrays[index].data(), program.arrays[index].size());
    } else if (field.kind == trace::FieldKind::kText) {
      value = to.text(program.texts[index]);
    }
  }
}

// Where the call asks anybody, and its event does not.
bool says_who_came(const trace::CallInstance& call, const std::vector<std::int64_t>& event) {
  const int source = trace::meaning_of(*call.function).source;
  if (source < 0 || call.words[static_cast<std::size_t>(source)] != trace::kAnySource) return false;
  return !trace::is_special(event[kEventHead + static_cast<std::size_t>(source)]);
}

} // namespace

void set_positions(ProgramBuilder& builder, const trace::Trace& trace, std::int64_t rank) {
  const trace::Positions positions(trace, rank);
  const auto set = [&](std::int64_t slot) {
    const auto& at = positions.of(slot);
    builder.set_position(slot, at.rank, at.size);
  };
  set(trace::kWorldSlot);
  set(trace::kSelfSlot);
  for (const trace::CommDefinition& comm : trace.comms) set(comm.slot);
}

namespace {

// Calls on their way to the builder: a stretch of those that have places in the source is held back
// until it ends, and then put into the order of these, if it is in another one.
class Stretch {
public:
  explicit Stretch(ProgramBuilder& to) : to_(to) {}

  struct Times {
    std::optional<trace::CallTime> own; // else a part of a sum
    std::uint32_t sum = ProgramBuilder::kNoSum;
  };

  void add(std::optional<std::uint64_t> place, std::vector<std::int64_t>& event, Times times) {
    if (!place) {
      pass_on();
      record(event, times);
      return;
    }
    if (calls_.size() == kLongest) pass_on();
    calls_.push_back({*place, std::move(event), times});
  }

  bool is_empty() const { return calls_.empty(); }

  void pass_on() {
    if (calls_.empty()) return;
    const auto by_place = [](const Held& a, const Held& b) { return a.place < b.place; };
    if (!std::is_sorted(calls_.begin(), calls_.end(), by_place)) {
      sort_stably(calls_.begin(), calls_.end(), by_place);
      for (Held& call : calls_) call.event[1] += Recasting::kMovedSite;
    }
    for (const Held& call : calls_) record(call.event, call.times);
    calls_.clear();
  }

private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20; // what is longer is several

  struct Held {
    std::uint64_t place;
    std::vector<std::int64_t> event;
    Times times;
  };

  void record(const std::vector<std::int64_t>& event, const Times& times) {
    if (times.own) {
      to_.record(event.data(), event.size(), times.own->computation_ns, times.own->inside_ns);
    } else {
      to_.record_again(event.data(), event.size(), times.sum);
    }
  }

  ProgramBuilder& to_;
  std::vector<Held> calls_;
};

// Finds passes of loops that leave the builder, and all that calls go through on their way there,
// as they found it.
class ReplayFollower final : public trace::PassFollower {
public:
  ReplayFollower(ProgramBuilder& to, const PlaceSums& places, const Stretch& stretch,
                 std::int64_t rank, const Recasting::Memory& memory)
      : to_(to), places_(places), stretch_(stretch), rank_(rank), memory_(memory) {}

  std::uint64_t fingerprint() const override { return ProgramPeriod::fingerprint(to_); }
  std::uint64_t effort() const override { return ProgramPeriod::effort(to_); }

  void begin_period() override {
    period_.reset(); // of which there is one at a time
    period_.emplace(to_);
    before_ = places_.before();
    is_empty_ = stretch_.is_empty();
    if (memory_.keep) memory_.keep(rank_);
  }
  std::uint64_t most_repeats() override {
    const bool is_as_before = is_empty_ && stretch_.is_empty() && places_.before() == before_ &&
                              (!memory_.is_as_kept || memory_.is_as_kept(rank_));
    return is_as_before ? period_->most_repeats() : 0;
  }
  void repeat(std::uint64_t times) override {
    period_->repeat(times);
    period_.reset();
    if (memory_.repeat) memory_.repeat(rank_, times);
  }

private:
  ProgramBuilder& to_;
  const PlaceSums& places_;
  const Stretch& stretch_;
  std::int64_t rank_;
  const Recasting::Memory& memory_;
  std::optional<ProgramPeriod> period_;
  std::uint32_t before_ = 0;
  bool is_empty_ = false; // of calls held back
};

} // namespace

void replay(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
            const TimesFrom& times, const Changes& changes, ProgramBuilder& to) {
  PlaceSums places(times, c.ranks.index_of(rank).value_or(0), to);
  const trace::TimeStamps* stamps = times.stamps;
  std::optional<trace::TimeStampReader> stamp_reader;
  if (stamps != nullptr) stamp_reader.emplace(*stamps);
  std::vector<std::int64_t> event;
  Stretch stretch(to);
  trace::CallReader reader(trace, c, rank);
  std::optional<ReplayFollower> follower;
  std::optional<trace::PassReader> passes;
  if (changes.memory != nullptr && !stamp_reader) { // a call's own times do not come again
    follower.emplace(to, places, stretch, rank, *changes.memory);
    passes.emplace(reader, *follower);
  }
  while (const trace::CallInstance* call = passes ? passes->next() : reader.next()) {
    if (changes.leaves_out && changes.leaves_out(*call)) {
      if (stamp_reader) stamp_reader->next();
      places.next(call->symbol); // the call behind it keeps its times
      continue;
    }
    const std::int64_t site = changes.site          ? changes.site(*call)
                              : changes.drops_sites ? 0
                                                    : call->site;
    const bool is_by_flow = changes.by_flow == nullptr || (call->site < changes.by_flow->size() &&
                                                           (*changes.by_flow)[call->site]);
    event.assign(
        {header_word(call->function->id, call->error) | (is_by_flow ? 0 : kAsItRepeats), site});
    event.insert(event.end(), call->words.begin(), call->words.end());
    translate_tables(*call, *c.program, changes, to, event);
    if (changes.words) changes.words(*call, std::span(event).subspan(kEventHead));
    if (says_who_came(*call, event)) event[0] |= kAnybody;
    const auto place = changes.place_in_source ? changes.place_in_source(*call) : std::nullopt;
    Stretch::Times its{stamp_reader ? stamp_reader->next() : std::nullopt};
    if (!its.own) its.sum = places.next(call->symbol);
    stretch.add(place, event, its);
  }
  stretch.pass_on();
  to.deal_out();
}

} // namespace rondo::fold
