// SPDX-License-Identifier: Apache-2.0
#include "fold/replay.hpp"

#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::fold {
namespace {

using trace::PlaceTimes;

std::uint64_t place_key(std::uint32_t before, std::uint32_t call) {
  return static_cast<std::uint64_t>(before) << 32 | call;
}

// What one rank had of the times that a place has of all n ranks: its own mean, and of the
// histogram, which does not tell ranks apart, every n-th duration. The shares of all ranks add up
// to the place. O(bins + ranks)
trace::Durations share_of(const trace::Durations& all, const std::vector<trace::RankMeans>& means,
                          std::uint16_t trace::RankMeans::*mean, std::size_t index) {
  const auto dealt = [&](std::uint64_t durations, std::size_t rank) {
    return (durations + means.size() - 1 - rank) / means.size();
  };
  trace::Durations share;
  std::uint64_t before = 0;
  for (std::size_t bin = all.bins.first(); bin < all.bins.end(); ++bin) {
    const std::uint64_t behind = before + all.bins[bin];
    const std::uint64_t own = dealt(behind, index) - dealt(before, index);
    if (own > 0) share.bins.add(bin, own);
    before = behind;
  }
  share.count = dealt(before, index);
  share.min_ns = all.min_ns;
  share.max_ns = all.max_ns;

  std::vector<double> sums{0}; // of the ranks before, by their rounded means
  double squares = 0;
  for (std::size_t rank = 0; rank < means.size(); ++rank) {
    const double own = trace::mean_of_code_ns(means[rank].*mean);
    const auto count = static_cast<double>(dealt(before, rank));
    sums.push_back(sums.back() + count * own);
    squares += count * own * own;
  }
  const auto exact_until = [&](std::size_t rank) {
    const double part = sums.back() > 0 ? sums[rank] / sums.back() : 0;
    return rank == means.size()
               ? all.sum_ns
               : static_cast<std::uint64_t>(part * static_cast<double>(all.sum_ns));
  };
  share.sum_ns = exact_until(index + 1) - exact_until(index);
  const auto count = static_cast<double>(share.count);
  const double own = trace::mean_of_code_ns(means[index].*mean);
  share.sum_of_squares = count * own * own + std::max(0.0, all.sum_of_squares - squares) * count /
                                                 static_cast<double>(before);
  return share;
}

// Says of each call which sum of the builder its times are in: that of a rank's times at a place.
// Those of a place after any call are of the calls that have no place of their own.
class PlaceSums {
public:
  // The rank is the one at this place of its class.
  PlaceSums(const std::vector<PlaceTimes>& times, std::size_t index, ProgramBuilder& to)
      : index_(index) {
    for (const PlaceTimes& place : times) {
      const PlaceTimes own = own_part(place);
      if (own.inside.count > 0) sums_.emplace(place_key(place.before, place.call), to.add_sum(own));
    }
  }

  std::uint32_t next(std::uint32_t symbol) {
    const std::uint32_t before = std::exchange(before_, symbol);
    for (const std::uint32_t wanted : {before, PlaceTimes::kOther}) {
      const auto found = sums_.find(place_key(wanted, symbol));
      if (found != sums_.end()) return found->second;
    }
    return ProgramBuilder::kNoSum;
  }

private:
  PlaceTimes own_part(const PlaceTimes& place) const {
    if (place.means.size() < 2) return place;
    PlaceTimes own;
    own.before = place.before;
    own.call = place.call;
    own.shared = place.shared;
    own.computation =
        share_of(place.computation, place.means, &trace::RankMeans::computation, index_);
    own.inside = share_of(place.inside, place.means, &trace::RankMeans::inside, index_);
    return own;
  }

  std::size_t index_;
  std::unordered_map<std::uint64_t, std::uint32_t> sums_;
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

void replay(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
            TimesFrom times, const Changes& changes, ProgramBuilder& to) {
  static const std::vector<PlaceTimes> kNone;
  PlaceSums places(times == TimesFrom::kPlaces ? c.program->times : kNone,
                   c.ranks.index_of(rank).value_or(0), to);
  const trace::TimeStamps* stamps =
      times == TimesFrom::kStamps ? trace.stamps_of(rank, c.thread) : nullptr;
  std::optional<trace::TimeStampReader> stamp_reader;
  if (stamps != nullptr) stamp_reader.emplace(*stamps);
  std::vector<std::int64_t> event;
  trace::CallReader reader(trace, c, rank);
  while (const trace::CallInstance* call = reader.next()) {
    if (changes.leaves_out && changes.leaves_out(*call->function)) {
      if (stamp_reader) stamp_reader->next();
      places.next(call->symbol); // the call behind it keeps its times
      continue;
    }
    event.assign(
        {header_word(call->function->id, call->error), changes.drops_sites ? 0 : call->site});
    event.insert(event.end(), call->words.begin(), call->words.end());
    translate_tables(*call, *c.program, changes, to, event);
    if (changes.words) changes.words(*call, std::span(event).subspan(kEventHead));
    if (const auto time = stamp_reader ? stamp_reader->next() : std::nullopt) {
      to.record(event.data(), event.size(), time->computation_ns, time->inside_ns);
    } else {
      to.record_again(event.data(), event.size(), places.next(call->symbol));
    }
  }
  to.deal_out();
}

} // namespace rondo::fold
