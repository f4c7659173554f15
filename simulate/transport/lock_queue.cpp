// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/lock_queue.hpp"

#include "rondo/trace/call_reader.hpp"
#include "simulate/transport/activity.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

namespace rondo::simulate::internal {

namespace {

// MPI's name for what a call has in a field.
std::string name_in(const trace::CallInstance& call, std::string_view name) {
  for (const trace::Field& field : call.function->fields) {
    if (field.name != name) continue;
    const auto word = static_cast<std::size_t>(call.function->word_of(name));
    return trace::named_value(field, call.words[word]);
  }
  return "";
}

} // namespace

bool locks_alone(const trace::CallInstance& call) {
  return name_in(call, "lock_type") == mpi::LOCK_EXCLUSIVE;
}

bool locks_unchecked(const trace::CallInstance& call) {
  return name_in(call, "assert").find(mpi::MODE_NOCHECK) != std::string::npos;
}

Request* LockQueue::ask(const Lock& lock, bool is_exclusive, const Activity& asker,
                        Transport& transport) {
  Request* const request = transport.open_request();
  request->posted = asker.clock();
  waiting_[lock].insert({asker.clock(), asker.id(), is_exclusive, request});
  return request;
}

// Since when nobody is in the way of such a holder; nullptr while somebody is.
const LockQueue::Release* LockQueue::ready(const Lock& lock, bool is_exclusive) {
  const Holders& own = holders_[lock];
  const Holders& window = holders_[whole(lock)];
  if (own.alone > 0) return nullptr;
  if (!is_exclusive) return &own.last_alone;
  if (own.shared > 0 || window.shared > 0) return nullptr;
  return &own.last_alone.later(own.last_shared).later(window.last_shared);
}

void LockQueue::hold(const Lock& lock, std::uint32_t activity, bool is_exclusive) {
  held_[{lock, activity}] = is_exclusive;
  Holders& own = holders_[lock];
  ++(is_exclusive ? own.alone : own.shared);
  if (is_exclusive) ++holders_[whole(lock)].alone;
}

void LockQueue::give_back(const Lock& lock, const Activity& holder) {
  const auto held = held_.find({lock, holder.id()});
  if (held == held_.end()) return;
  const Release release{holder.clock(), holder.rank(), holder.id(), holder.actor(), holder.point()};
  Holders& own = holders_[lock];
  if (held->second) {
    Holders& window = holders_[whole(lock)];
    --own.alone;
    --window.alone;
    own.last_alone = own.last_alone.later(release);
    window.last_alone = window.last_alone.later(release);
  } else {
    --own.shared;
    own.last_shared = own.last_shared.later(release);
  }
  held_.erase(held);
}

// Who asked first for a lock gets it first, and nobody overtakes him who could share it.
bool LockQueue::grant_next(Transport& transport) {
  auto best = waiting_.end();
  const Release* best_since = nullptr;
  std::tuple<double, double, std::uint32_t> earliest{};
  for (auto each = waiting_.begin(); each != waiting_.end(); ++each) {
    const Waiting& first = *each->second.begin();
    const Release* const since = ready(each->first, first.is_exclusive);
    if (since == nullptr) continue;
    const std::tuple when{std::max(first.from_s, since->at_s), first.from_s, first.activity};
    if (best != waiting_.end() && when >= earliest) continue;
    best = each;
    best_since = since;
    earliest = when;
  }
  if (best == waiting_.end()) return false;
  const Waiting first = *best->second.begin();
  const Release since = *best_since;
  hold(best->first, first.activity, first.is_exclusive);
  best->second.erase(best->second.begin());
  if (best->second.empty()) waiting_.erase(best);
  Request& request = *first.request;
  if (since.rank >= 0 && since.at_s > first.from_s) {
    request.other_start = request.cause_time = since.at_s;
    request.other_rank = since.rank;
    request.other_actor = since.actor;
    request.other_point = since.point;
    request.cause = since.activity;
  }
  transport.finish(request, std::max(first.from_s, since.at_s));
  return true;
}

} // namespace rondo::simulate::internal
