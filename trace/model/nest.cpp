// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/nest.hpp"

#include <algorithm>
#include <utility>

namespace rondo::trace {
namespace {

// Entries and iterations of loops for each symbol, at most and on average; NestBuilder needs at
// most 64.
constexpr std::uint64_t kMaxStepsOfSymbol = 256;

} // namespace

std::size_t Nest::terms() const {
  std::size_t terms = top_.size();
  for (const Loop& loop : loops_) terms += loop.body.size();
  return terms;
}

std::vector<std::uint32_t> Nest::outermost_first() const {
  // Depth-first with an explicit stack; a loop met while it is open contains itself.
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(loops_.size(), State::kNew);
  std::vector<std::uint32_t> order; // innermost first
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t start = 0; start < loops_.size(); ++start) {
    if (state[start] != State::kNew) continue;
    state[start] = State::kOpen;
    stack.emplace_back(start, 0);
    while (!stack.empty()) {
      auto& [loop, index] = stack.back();
      if (index == loops_[loop].body.size()) {
        state[loop] = State::kDone;
        order.push_back(loop);
        stack.pop_back();
        continue;
      }
      const Term term = loops_[loop].body[index++];
      if (!term.is_loop()) continue;
      if (term.index() >= loops_.size() || state[term.index()] == State::kOpen) return {};
      if (state[term.index()] == State::kNew) {
        state[term.index()] = State::kOpen;
        stack.emplace_back(term.index(), 0);
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

bool Nest::count_executions(std::vector<std::uint64_t>& entries,
                            std::vector<std::uint64_t>& iterations) const {
  entries.assign(loops_.size(), 0);
  iterations.assign(loops_.size(), 0);
  for (const Term term : top_) {
    if (!term.is_loop()) continue;
    if (term.index() >= loops_.size()) return false;
    ++entries[term.index()];
  }
  const auto order = outermost_first();
  if (order.size() != loops_.size()) return false;
  for (const std::uint32_t loop : order) {
    const Column& counts = loops_[loop].trip_counts;
    if (counts.size() != entries[loop] || counts.has_negative()) return false;
    const std::int64_t sum = counts.sum();
    if (sum < 0) return false;
    iterations[loop] = static_cast<std::uint64_t>(sum);
    if (iterations[loop] > kMaxLength) return false;
    for (const Term term : loops_[loop].body) {
      if (term.is_loop())
        entries[term.index()] = saturating_add(entries[term.index()], iterations[loop]);
    }
  }
  return true;
}

bool Nest::is_busy(const std::vector<std::uint64_t>& entries,
                   const std::vector<std::uint64_t>& iterations) const {
  std::uint64_t symbols = 0;
  std::uint64_t steps = 0;
  for (const Term term : top_) symbols += term.is_loop() ? 0 : 1;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    steps = saturating_add(steps, saturating_add(entries[loop], iterations[loop]));
    for (const Term term : loops_[loop].body) {
      if (!term.is_loop()) symbols = saturating_add(symbols, iterations[loop]);
    }
  }
  return symbols <= kMaxLength && steps / kMaxStepsOfSymbol <= symbols + terms();
}

std::vector<std::uint64_t> Nest::occurrences(std::size_t symbols) const {
  std::vector<std::uint64_t> result(symbols, 0);
  std::vector<std::uint64_t> entries;
  std::vector<std::uint64_t> iterations;
  if (!count_executions(entries, iterations)) return result;
  for (const Term term : top_) {
    if (!term.is_loop()) ++result[term.index()];
  }
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    for (const Term term : loops_[loop].body) {
      if (!term.is_loop()) result[term.index()] += iterations[loop];
    }
  }
  return result;
}

bool Nest::is_valid(std::size_t symbols) const {
  const auto symbols_in_range = [&](const std::vector<Term>& terms) {
    return std::all_of(terms.begin(), terms.end(),
                       [&](Term t) { return t.is_loop() || t.index() < symbols; });
  };
  if (!symbols_in_range(top_)) return false;
  for (const Loop& loop : loops_) {
    if (loop.body.empty() || !symbols_in_range(loop.body)) return false;
    const Column& counts = loop.trip_counts;
    if (counts.kind() == Column::Kind::kDifferences &&
        !counts.nest()->is_valid(counts.dictionary().size())) {
      return false;
    }
  }
  std::vector<std::uint64_t> entries;
  std::vector<std::uint64_t> iterations;
  return count_executions(entries, iterations) && is_busy(entries, iterations);
}

NestReader::NestReader(const Nest& nest) : nest_(&nest) {
  trip_counts_.reserve(nest.loops().size());
  for (const Loop& loop : nest.loops()) trip_counts_.emplace_back(loop.trip_counts);
  enter(nest.top(), 1);
}

void NestReader::enter(const std::vector<Term>& body, std::uint64_t iterations) {
  frames_.push_back({&body, body.data(), body.data() + body.size(), iterations});
}

void NestReader::enter_loop(std::uint32_t loop, std::uint64_t iterations) {
  enter(nest_->loops()[loop].body, iterations);
  if (!stops_ || iterations < stops_->least) return;
  if (stops_->in_vain[loop] >= Stops::kMostVain) return;
  if (stops_->frame != Stops::kNone) {
    const bool is_longer = iterations > frames_[stops_->frame].iterations_left;
    if (!stops_->moves_inward || !is_longer) return;
    stop_no_more();
  }
  stops_->frame = frames_.size() - 1;
  stops_->loop = loop;
  stops_->count = 0;
  stops_->has_skipped = false;
  ++stops_->entries;
}

void NestReader::stop_at_iterations(std::uint64_t least, std::uint64_t most, bool moves_inward) {
  Stops stops; // not made in place: clang takes it for incomplete there
  stops.least = least;
  stops.most = most;
  stops.moves_inward = moves_inward;
  stops.in_vain.resize(nest_->loops().size());
  stops_ = std::move(stops);
}

// Called before a further iteration of the innermost loop.
bool NestReader::stops_here() {
  if (!stops_ || stops_->frame != frames_.size() - 1) return false;
  if (stops_->count++ < stops_->most) return stops_->is_at_one = true;
  stop_no_more();
  return false;
}

void NestReader::stop_no_more() {
  if (!stops_->has_skipped) ++stops_->in_vain[stops_->loop];
  stops_->frame = Stops::kNone;
}

void NestReader::skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> trips,
                                 std::uint64_t times) {
  frames_[stops_->frame].iterations_left -= iterations;
  for (std::size_t i = 0; i < trips.size(); ++i)
    trip_counts_[i].skip(trips[i], trips[i] / std::max<std::uint64_t>(times, 1));
  stops_->count = 0;
  stops_->has_skipped = true;
}

NestReader::Position NestReader::position() const {
  Position result;
  result.frames_ = frames_;
  result.taken_.reserve(trip_counts_.size());
  for (const ColumnReader& counts : trip_counts_) result.taken_.push_back(counts.taken());
  return result;
}

std::optional<std::size_t> NestReader::moved_since(const Position& before) const {
  std::optional<std::size_t> moved;
  if (before.frames_.size() != frames_.size()) return std::nullopt;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& a = before.frames_[i];
    const Frame& b = frames_[i];
    if (a.body != b.body || a.next != b.next) return std::nullopt;
    if (a.iterations_left == b.iterations_left) continue;
    if (moved || a.iterations_left < b.iterations_left) return std::nullopt;
    moved = i;
  }
  return moved;
}

std::uint64_t NestReader::repeats_since(const Position& before) const {
  const auto moved = moved_since(before);
  if (!moved) return 0;
  const std::uint64_t left = frames_[*moved].iterations_left;
  std::uint64_t most = (left - 1) / (before.frames_[*moved].iterations_left - left);
  for (std::size_t i = 0; i < trip_counts_.size() && most > 0; ++i) {
    const std::uint64_t read = trip_counts_[i].taken() - before.taken_[i];
    if (read > 0) most = std::min(most, trip_counts_[i].equal_beyond(read) / read);
  }
  return most;
}

void NestReader::leave_out_again(const Position& before, std::uint64_t times) {
  const auto moved = moved_since(before);
  if (!moved || times == 0) return;
  std::uint64_t& left = frames_[*moved].iterations_left;
  left -= times * (before.frames_[*moved].iterations_left - left);
  for (std::size_t i = 0; i < trip_counts_.size(); ++i)
    trip_counts_[i].skip(times * (trip_counts_[i].taken() - before.taken_[i]));
}

std::optional<std::uint32_t> NestReader::next() {
  std::uint32_t symbol = 0;
  if (read({&symbol, 1}) == 0) return std::nullopt;
  return symbol;
}

std::size_t NestReader::read(std::span<std::uint32_t> out) {
  std::size_t count = 0;
  if (stops_) stops_->is_at_one = false;
  for (int idle = 0; !frames_.empty() && idle < kMaxIdleSteps; ++idle) {
    Frame& frame = frames_.back();
    while (count < out.size() && frame.next != frame.end && !frame.next->is_loop()) {
      out[count++] = (frame.next++)->index();
      idle = 0;
    }
    if (count == out.size()) return count;
    if (frame.next == frame.end) {
      if (--frame.iterations_left == 0) {
        frames_.pop_back();
        if (stops_ && stops_->frame == frames_.size()) stop_no_more();
      } else {
        frame.next = frame.body->data();
        if (stops_here()) return count;
      }
      continue;
    }
    const std::uint32_t loop = (frame.next++)->index();
    const auto trips = trip_counts_[loop].next();
    if (trips && *trips > 0) enter_loop(loop, static_cast<std::uint64_t>(*trips));
  }
  frames_.clear();
  return count;
}

} // namespace rondo::trace
