// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/play.hpp"

#include "convert/text/tokens.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace rondo::convert::internal {
namespace {

using GoalKind = GoalOperation::Kind;

// How far a rank that is stuck looks for something else to do.
constexpr std::size_t kLookAhead = 4096;

bool is_wild_receive(const GoalOperation& receive) {
  return receive.peer == GoalOperation::kAny || receive.tag == GoalOperation::kAny;
}

bool takes_message(const GoalOperation& receive, std::uint32_t source, std::uint32_t tag) {
  return (receive.peer == GoalOperation::kAny || receive.peer == source) &&
         (receive.tag == GoalOperation::kAny || receive.tag == tag);
}

} // namespace

GoalPlay::GoalPlay(const GoalSchedule& schedule)
    : schedule_(schedule), ranks_(schedule.ranks.size()), meetings_(schedule.ranks.size()) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    list(rank);
    queue_.push_back(rank);
  }
}

// What each requires, and the text's order with that first.
void GoalPlay::list(std::size_t rank) {
  const GoalRank& text = schedule_.ranks[rank];
  Lists& lists = ranks_[rank];
  const std::size_t count = text.operations.size();
  lists.states.assign(count, kWaits);
  lists.first.assign(count + 1, 0);
  std::vector<std::uint32_t> after_first(count + 1, 0);
  for (const GoalDependency& one : text.dependencies) {
    ++lists.first[one.later + 1];
    ++after_first[one.earlier + 1];
  }
  for (std::size_t i = 0; i < count; ++i) {
    lists.first[i + 1] += lists.first[i];
    after_first[i + 1] += after_first[i];
  }
  lists.required.resize(text.dependencies.size());
  std::vector<std::uint32_t> after(text.dependencies.size());
  std::vector<std::uint32_t> at(lists.first.begin(), lists.first.end() - 1);
  std::vector<std::uint32_t> after_at(after_first.begin(), after_first.end() - 1);
  for (const GoalDependency& one : text.dependencies) {
    lists.required[at[one.later]++] = {one.earlier, one.on_start};
    after[after_at[one.earlier]++] = one.later;
  }
  std::vector<std::uint32_t> lacks(count);
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    lacks[i] = lists.first[i + 1] - lists.first[i];
    if (lacks[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const std::uint32_t one = ready.top();
    ready.pop();
    lists.order.push_back(one);
    for (std::uint32_t i = after_first[one]; i < after_first[one + 1]; ++i) {
      if (--lacks[after[i]] == 0) ready.push(after[i]);
    }
  }
}

Status GoalPlay::check() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::size_t count = schedule_.ranks[rank].operations.size();
    if (ranks_[rank].order.size() == count) continue;
    return fail(ErrorCode::kFormat,
                sentence("operations of this rank require each other in a circle (",
                         counted(count - ranks_[rank].order.size(), "operation"),
                         " can never begin)"),
                {{}, static_cast<std::int64_t>(rank), {}, schedule_.ranks[rank].line});
  }
  return {};
}

std::span<const GoalPlay::Required> GoalPlay::required(std::size_t rank,
                                                       std::uint32_t operation) const {
  const Lists& lists = ranks_[rank];
  return std::span(lists.required)
      .subspan(lists.first[operation], lists.first[operation + 1] - lists.first[operation]);
}

bool GoalPlay::is_ready(std::size_t rank, std::uint32_t operation) const {
  const auto all = required(rank, operation);
  return std::all_of(all.begin(), all.end(), [&](const Required& one) {
    const State state = ranks_[rank].states[one.operation];
    return one.on_start ? state != kWaits : state == kOver;
  });
}

void GoalPlay::queue(std::size_t rank) {
  if (ranks_[rank].is_queued) return;
  ranks_[rank].is_queued = true;
  queue_.push_back(rank);
}

void GoalPlay::send(std::size_t rank, const GoalOperation& operation) {
  Meeting& meeting = meetings_[operation.peer];
  const auto source = static_cast<std::uint32_t>(rank);
  const Channel channel{source, operation.tag};
  const auto exact = meeting.expected.find(channel);
  const bool has_exact = exact != meeting.expected.end();
  const auto& operations = schedule_.ranks[operation.peer].operations;
  const auto wild =
      std::find_if(meeting.wild.begin(), meeting.wild.end(), [&](const auto& receive) {
        return takes_message(operations[receive.second], source, operation.tag);
      });
  const bool has_wild = wild != meeting.wild.end();
  if (!has_exact && !has_wild) {
    meeting.arrived[channel].push_back(told_);
    return;
  }
  const bool is_wild_first = has_wild && (!has_exact || wild->first < exact->second.front().first);
  const std::uint32_t taken = is_wild_first ? wild->second : exact->second.front().second;
  if (is_wild_first) {
    meeting.wild.erase(wild);
  } else {
    exact->second.pop_front();
    if (exact->second.empty()) meeting.expected.erase(exact);
  }
  ranks_[operation.peer].states[taken] = kOver;
  queue(operation.peer);
}

void GoalPlay::receive(std::size_t rank, std::uint32_t index) {
  const GoalOperation& operation = schedule_.ranks[rank].operations[index];
  Meeting& meeting = meetings_[rank];
  auto found = meeting.arrived.end();
  if (!is_wild_receive(operation)) {
    found = meeting.arrived.find({operation.peer, operation.tag});
  } else {
    for (auto one = meeting.arrived.begin(); one != meeting.arrived.end(); ++one) {
      if (!takes_message(operation, one->first.first, one->first.second)) continue;
      if (found == meeting.arrived.end() || one->second.front() < found->second.front())
        found = one;
    }
  }
  if (found != meeting.arrived.end()) {
    found->second.pop_front();
    if (found->second.empty()) meeting.arrived.erase(found);
    ranks_[rank].states[index] = kOver;
  } else if (is_wild_receive(operation)) {
    meeting.wild.emplace_back(told_, index);
  } else {
    meeting.expected[{operation.peer, operation.tag}].emplace_back(told_, index);
  }
}

void GoalPlay::begin_one(std::size_t rank, std::uint32_t index, const Begin& begin) {
  const GoalOperation& operation = schedule_.ranks[rank].operations[index];
  begin(rank, index);
  ++told_;
  ranks_[rank].states[index] = operation.kind == GoalKind::kReceive ? kBegun : kOver;
  if (operation.kind == GoalKind::kSend) send(rank, operation);
  if (operation.kind == GoalKind::kReceive) receive(rank, index);
}

// In the order, up to the first that cannot begin yet.
bool GoalPlay::advance(std::size_t rank, const Begin& begin) {
  Lists& lists = ranks_[rank];
  const std::uint64_t before = told_;
  while (lists.next < lists.order.size()) {
    const std::uint32_t index = lists.order[lists.next];
    if (lists.states[index] == kWaits) {
      if (!is_ready(rank, index)) break;
      begin_one(rank, index, begin);
    }
    ++lists.next;
  }
  return told_ != before;
}

// What stands behind one that cannot begin, and can.
bool GoalPlay::pass_by(std::size_t rank, const Begin& begin) {
  Lists& lists = ranks_[rank];
  const std::uint64_t before = told_;
  const std::size_t end = std::min(lists.order.size(), lists.next + kLookAhead);
  for (std::size_t at = lists.next; at < end; ++at) {
    const std::uint32_t index = lists.order[at];
    if (lists.states[index] == kWaits && is_ready(rank, index)) begin_one(rank, index, begin);
  }
  return told_ != before;
}

std::uint64_t GoalPlay::run(const Begin& begin) {
  for (bool goes_on = true; goes_on;) {
    while (!queue_.empty()) {
      const std::size_t rank = queue_.front();
      queue_.pop_front();
      ranks_[rank].is_queued = false;
      advance(rank, begin);
    }
    goes_on = false; // all are stuck: some may be in another order
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      goes_on = pass_by(rank, begin) || goes_on;
  }
  std::uint64_t stuck = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (const std::uint32_t index : ranks_[rank].order) {
      if (ranks_[rank].states[index] != kWaits) continue;
      ++stuck;
      ranks_[rank].states[index] = kBegun;
      begin(rank, index);
    }
  }
  return stuck;
}

} // namespace rondo::convert::internal
