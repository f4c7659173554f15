// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>
#include <utility>

namespace rondo::simulate::internal {

namespace live = trace::live;
using namespace std::chrono_literals;

namespace {

constexpr double kNotAnyMore = std::numeric_limits<double>::infinity();
// All ranks are in calls of MPI, and nobody has said anything for so long: nobody will, unless a
// receive that is held goes on.
constexpr auto kQuiet = 100ms;
// No receive is held longer: what a rank that runs waits for may not be MPI's.
constexpr auto kLongestHeld = 10s;

} // namespace

bool LiveChoice::heard(std::int64_t rank, const live::Item& item) {
  grow();
  Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  const auto words = item.words;
  const bool is_which = item.kind == live::Kind::kWhich && words.size() == 3;
  const bool is_entered = item.kind == live::Kind::kEntered && words.size() == 5;
  standing.state = is_which                            ? State::kHeld
                   : is_entered                        ? State::kReceives
                   : item.kind == live::Kind::kEntered ? State::kWaits
                   : item.kind == live::Kind::kAsk     ? State::kWaits
                   : item.kind == live::Kind::kBye     ? State::kOver
                                                       : State::kRuns;
  if (is_which || is_entered) {
    const auto envelope = words.last(3);
    standing.comm = envelope[0];
    standing.source = envelope[1];
    standing.tag = envelope[2];
    standing.since = Clock::now();
  }
  return is_which || item.kind == live::Kind::kReturned;
}

std::optional<LiveChoice::Words> LiveChoice::take(std::int64_t rank) {
  grow();
  return std::exchange(ranks_[static_cast<std::size_t>(rank)].chosen, std::nullopt);
}

// Ranks may have come that others started.
void LiveChoice::grow() {
  ranks_.resize(static_cast<std::size_t>(run_.ranks()));
  bounds_.resize(ranks_.size());
}

void LiveChoice::make(Clock::duration silence) {
  grow();
  for (std::int64_t rank = 0; rank < run_.ranks(); ++rank) {
    if (run_.calls(rank) == nullptr) return; // it has not come yet
    Standing& standing = ranks_[static_cast<std::size_t>(rank)];
    if (run_.calls(rank)->has_ended()) standing.state = State::kOver;
  }
  for (std::int64_t rank = 0; rank < run_.ranks(); ++rank) {
    if (ranks_[static_cast<std::size_t>(rank)].state != State::kHeld) continue;
    const Found found = look(rank);
    const bool is_mpis = run_.is_played(rank) && run_.has_unknown(rank);
    if (found.is_sure || is_mpis) choose(rank, found.message);
  }
  force(silence);
}

// The messages that the rank's receive could take.
std::vector<PendingMessage> LiveChoice::pending(std::int64_t rank) {
  const Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  const std::int64_t source = source_of(rank);
  if (source < 0 && standing.source != trace::kAnySource) return {};
  return run_.transport().pending(rank, run_.calls(rank)->comm(standing.comm).view.id, source,
                                  standing.tag);
}

// World rank, -1 for any.
std::int64_t LiveChoice::source_of(std::int64_t rank) const {
  const Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  if (trace::is_special(standing.source)) return -1;
  return run_.calls(rank)->comm(standing.comm).view.world_rank(standing.source);
}

LiveChoice::Found LiveChoice::look(std::int64_t rank) {
  if (!run_.knows_pending(rank)) return {};
  const auto messages = pending(rank);
  const auto first =
      std::min_element(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
        return std::tie(a.arrival, a.sender) < std::tie(b.arrival, b.sender);
      });
  if (first == messages.end()) return {};
  find_bounds(rank);
  const NetworkModel& model = run_.transport().model();
  const double way_s = model.overhead_s + std::min(model.latency_s, model.handshake_s);
  bool is_sure = true;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const auto other = static_cast<std::int64_t>(i);
    if (other != rank && other != first->sender)
      is_sure = is_sure && first->arrival < bounds_[i] + way_s;
  }
  return {*first, is_sure};
}

// Who waits for a message can send nothing before it arrives; who waits for what only the asker
// could begin, nothing at all.
void LiveChoice::find_bounds(std::int64_t asker) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i);
    const State state = ranks_[i].state;
    bounds_[i] = run_.calls(rank)->first().end_s();
    if (rank == asker || state == State::kOver) bounds_[i] = kNotAnyMore;
    if (rank == asker || (state != State::kHeld && state != State::kReceives)) continue;
    double first = kNotAnyMore;
    for (const PendingMessage& message : pending(rank)) first = std::min(first, message.arrival);
    bounds_[i] = std::max(bounds_[i], first);
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::int64_t rank = 0; rank < run_.ranks(); ++rank)
      has_changed = (rank != asker && relax(rank, asker)) || has_changed;
  }
}

// What others may still send to a rank that waits ends its waiting, too.
bool LiveChoice::relax(std::int64_t rank, std::int64_t asker) {
  const auto index = static_cast<std::size_t>(rank);
  const State state = ranks_[index].state;
  if (state != State::kHeld && state != State::kReceives) return false;
  const std::int64_t source = source_of(rank);
  double earliest = kNotAnyMore;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const auto other = static_cast<std::int64_t>(i);
    if (other != rank && other != asker && (source < 0 || other == source))
      earliest = std::min(earliest, bounds_[i]);
  }
  const double bound = std::max(run_.calls(rank)->first().end_s(), earliest);
  if (bound >= bounds_[index]) return false;
  bounds_[index] = bound;
  return true;
}

void LiveChoice::choose(std::int64_t rank, const std::optional<PendingMessage>& message) {
  Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  standing.state = State::kReceives;
  standing.chosen.emplace();
  last_choice_ = Clock::now();
  if (!message) {
    ++by_mpi_;
    return;
  }
  const trace::Communicators::View& view = run_.calls(rank)->comm(standing.comm).view;
  std::int64_t source = 0;
  while (source < view.peer_count && view.world_rank(source) != message->sender) ++source;
  *standing.chosen = {source, message->tag};
}

// The program must go on, whatever the model knows.
void LiveChoice::force(Clock::duration silence) {
  const auto now = Clock::now();
  const bool all_wait = std::none_of(ranks_.begin(), ranks_.end(), [](const Standing& each) {
    return each.state == State::kRuns;
  });
  const bool is_quiet = all_wait && silence > kQuiet && now - last_choice_ > kQuiet;
  std::int64_t best = -1;
  Found best_found;
  for (std::int64_t rank = 0; rank < run_.ranks(); ++rank) {
    const Standing& standing = ranks_[static_cast<std::size_t>(rank)];
    const bool is_long = now - standing.since > kLongestHeld;
    if (standing.state != State::kHeld || !(is_quiet || is_long)) continue;
    const Found found = look(rank);
    const double best_s = best_found.message ? best_found.message->arrival : kNotAnyMore;
    if (best >= 0 && (!found.message || found.message->arrival >= best_s)) continue;
    best = rank;
    best_found = found;
  }
  if (best < 0) return;
  if (best_found.message && !is_quiet) ++unsure_;
  choose(best, best_found.message);
}

void LiveChoice::add_remark() {
  std::uint64_t unsteered = 0;
  for (std::int64_t rank = 0; rank < run_.ranks(); ++rank) {
    if (const LiveCalls* calls = run_.calls(rank)) unsteered += calls->unsteered_receives();
  }
  if (unsteered > 0) {
    run_.add_remark(
        fmt::format("{} nonblocking or combined receives from any source took what came "
                    "first in the real run: --order virtual steers MPI_Recv, MPI_Probe "
                    "and MPI_Mprobe only",
                    unsteered));
  }
  if (by_mpi_ > 0) {
    run_.add_remark(fmt::format("MPI chose the messages of {} receives from any source or with any "
                                "tag: the model did not know yet what was sent to them",
                                by_mpi_));
  }
  if (unsure_ > 0) {
    run_.add_remark(fmt::format("{} receives from any source took a message although another might "
                                "have come before it: a rank said nothing for 10 s",
                                unsure_));
  }
}

} // namespace rondo::simulate::internal
