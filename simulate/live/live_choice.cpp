// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_choice.hpp"

#include <algorithm>
#include <fmt/core.h>
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
constexpr std::int64_t kMostTests = 100; // in a row; then a test waits

} // namespace

bool LiveChoice::heard(std::int64_t rank, const live::Item& item) {
  grow();
  Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  const auto words = item.words;
  if (item.kind == live::ItemKind::kGivenUp) {
    if (!words.empty()) given_up_ += static_cast<std::uint64_t>(words[0]);
    run_.give_up_held(rank);
    return true;
  }
  const bool is_which =
      item.kind == live::ItemKind::kWhich && words.size() >= 6 && (words.size() - 2) % 4 == 0;
  const bool is_entered = item.kind == live::ItemKind::kEntered && words.size() == 5;
  standing.state = is_which                                ? State::kHeld
                   : is_entered                            ? State::kReceives
                   : item.kind == live::ItemKind::kEntered ? State::kWaits
                   : item.kind == live::ItemKind::kAsk     ? State::kWaits
                   : item.kind == live::ItemKind::kBye     ? State::kOver
                                                           : State::kRuns;
  standing.tests = is_which ? words[0] : 0;
  if (is_entered) standing.wanted = {{-1, words[2], words[3], words[4]}};
  if (is_which) {
    standing.computing_s = static_cast<double>(words[1]) * kSecondsPerNs;
    standing.since = Clock::now();
    standing.wanted.clear();
    for (std::size_t i = 2; i < words.size(); i += 4)
      standing.wanted.push_back({words[i], words[i + 1], words[i + 2], words[i + 3]});
  }
  return is_which || item.kind == live::ItemKind::kReturned;
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
    if (ranks_[static_cast<std::size_t>(rank)].tests > 0 && !is_mpis) {
      answer_test(rank, found, false);
    } else if (found.is_sure || is_mpis) {
      choose(rank, found.first);
    }
  }
  force(silence);
}

// The messages that the rank's receives could take.
std::vector<LiveChoice::Message> LiveChoice::pending(std::int64_t rank) {
  const Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  std::vector<Message> messages;
  for (std::size_t i = 0; i < standing.wanted.size(); ++i) {
    const Wanted& wanted = standing.wanted[i];
    const std::int64_t source = world_source(rank, wanted);
    if (source < 0 && wanted.source != trace::kAnySource) continue;
    const std::uint32_t comm = run_.calls(rank)->comm(wanted.comm).view.id;
    for (const PendingMessage& each : run_.transport().pending(rank, comm, source, wanted.tag))
      messages.push_back({each, i});
  }
  return messages;
}

// World rank, -1 for any.
std::int64_t LiveChoice::world_source(std::int64_t rank, const Wanted& wanted) const {
  if (trace::is_special(wanted.source)) return -1;
  return run_.calls(rank)->comm(wanted.comm).view.world_rank(wanted.source);
}

std::int64_t LiveChoice::source_of(std::int64_t rank) const {
  const auto& wanted = ranks_[static_cast<std::size_t>(rank)].wanted;
  return wanted.size() == 1 ? world_source(rank, wanted.front()) : -1;
}

// Who tests goes on whatever comes.
bool LiveChoice::waits(std::int64_t rank) const {
  const Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  return (standing.state == State::kHeld && standing.tests == 0) ||
         standing.state == State::kReceives;
}

LiveChoice::Found LiveChoice::look(std::int64_t rank) {
  Found found;
  if (!run_.knows_pending(rank)) return found;
  const auto messages = pending(rank);
  const auto first =
      std::min_element(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
        return std::tie(a.message.arrival, a.message.sender) <
               std::tie(b.message.arrival, b.message.sender);
      });
  const bool is_known = first != messages.end();
  if (is_known) found.first = *first;
  if (!is_known && ranks_[static_cast<std::size_t>(rank)].tests == 0) return found;
  find_bounds(rank);
  const NetworkModel& model = run_.transport().model();
  const double way_s = model.overhead_s + std::min(model.latency_s, model.handshake_s);
  found.nothing_until_s = kNotAnyMore;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const auto other = static_cast<std::int64_t>(i);
    if (other != rank && (!is_known || other != first->message.sender))
      found.nothing_until_s = std::min(found.nothing_until_s, bounds_[i] + way_s);
  }
  found.is_sure = is_known && first->message.arrival < found.nothing_until_s;
  return found;
}

// A message that has come by now is found. Who does nothing but test waits for one after a while:
// time would not pass otherwise where computing is left out.
bool LiveChoice::answer_test(std::int64_t rank, const Found& found, bool is_forced) {
  Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  if (!run_.is_played(rank)) return false;
  const double now_s = run_.calls(rank)->first().end_s() + standing.computing_s;
  const bool has_come = found.first && found.first->message.arrival <= now_s;
  const bool waits = standing.tests > kMostTests;
  if (found.first && (found.is_sure || is_forced) && (has_come || waits)) {
    choose(rank, found.first);
  } else if (is_forced || (!has_come && !waits && found.nothing_until_s > now_s)) {
    standing.state = State::kRuns;
    standing.chosen = Words{-1};
    last_choice_ = Clock::now();
  } else {
    return false;
  }
  return true;
}

// Who waits for a message can send nothing before it arrives; who waits for what only the asker
// could begin, nothing at all.
void LiveChoice::find_bounds(std::int64_t asker) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i);
    bounds_[i] = run_.calls(rank)->first().end_s();
    if (rank == asker || ranks_[i].state == State::kOver) bounds_[i] = kNotAnyMore;
    if (rank == asker || !waits(rank)) continue;
    double first = kNotAnyMore;
    for (const Message& each : pending(rank)) first = std::min(first, each.message.arrival);
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
  if (!waits(rank)) return false;
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

void LiveChoice::choose(std::int64_t rank, const std::optional<Message>& found) {
  Standing& standing = ranks_[static_cast<std::size_t>(rank)];
  standing.state = State::kReceives;
  standing.chosen.emplace();
  last_choice_ = Clock::now();
  if (!found) {
    ++by_mpi_;
    return;
  }
  const Wanted& taker = standing.wanted[found->taker];
  const trace::Communicators::View& view = run_.calls(rank)->comm(taker.comm).view;
  std::int64_t source = 0;
  while (source < view.peer_count && view.world_rank(source) != found->message.sender) ++source;
  *standing.chosen = {static_cast<std::int64_t>(found->taker), source, found->message.tag};
  if (taker.held_before >= 0) {
    standing.state = State::kRuns; // once it is there
    return run_.take_held(rank, taker.held_before, {source, found->message.tag});
  }
  standing.wanted = {{-1, taker.comm, source, found->message.tag}};
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
    const double best_s = best_found.first ? best_found.first->message.arrival : kNotAnyMore;
    if (best >= 0 && (!found.first || found.first->message.arrival >= best_s)) continue;
    best = rank;
    best_found = found;
  }
  if (best < 0) return;
  if (ranks_[static_cast<std::size_t>(best)].tests > 0) {
    answer_test(best, best_found, true);
    return;
  }
  if (best_found.first && !is_quiet) ++unsure_;
  choose(best, best_found.first);
}

void LiveChoice::add_remark() {
  std::uint64_t unsteered = given_up_;
  for (std::int64_t rank = 0; rank < run_.ranks(); ++rank) {
    if (const LiveCalls* calls = run_.calls(rank)) unsteered += calls->unsteered_receives();
  }
  if (unsteered > 0) {
    run_.add_remark(
        fmt::format("{} receives from any source took what came first in the real run: persistent "
                    "and combined ones, and nonblocking ones that were open in a call that waits "
                    "for something else",
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
