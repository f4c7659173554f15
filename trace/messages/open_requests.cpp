// SPDX-License-Identifier: Apache-2.0
#include "trace/messages/posted_calls.hpp"

namespace rondo::trace::internal {

void OpenRequests::settle(const Entry& entry, const StatusWords& outcome) {
  Posted& post = *entry.posted;
  if (entry.is_cancelled && !outcome.says_something) {
    post.state = Posted::State::kDropped;
    ++entry.owner->losses_.cancelled;
  } else {
    entry.owner->resolve(post, outcome);
  }
  entry.owner->drain(*entry.queue);
}

void OpenRequests::add(const Key& key, const Entry& added) {
  Entry entry = added;
  entry.is_cancelled = foreseen_.contains(key);
  const auto early = early_.find(key);
  if (early == early_.end()) {
    if (const auto same = open_.find(key); same != open_.end()) {
      same->second = entry;
    } else if (spare_.empty()) {
      open_.emplace(key, entry);
    } else {
      spare_.back().key() = key;
      spare_.back().mapped() = entry;
      open_.insert(std::move(spare_.back()));
      spare_.pop_back();
    }
    return;
  }
  const StatusWords outcome = early->second.front();
  early->second.pop_front();
  if (early->second.empty()) early_.erase(early);
  settle(entry, outcome);
}

void OpenRequests::complete(const Key& key, const StatusWords& outcome, bool is_foreign) {
  const auto found = open_.find(key);
  if (found == open_.end()) {
    if (is_foreign) early_[key].push_back(outcome);
    return;
  }
  const Entry entry = found->second;
  constexpr std::size_t kMostSpare = 64;
  if (spare_.size() < kMostSpare) {
    spare_.push_back(open_.extract(found));
  } else {
    open_.erase(found);
  }
  settle(entry, outcome);
}

void OpenRequests::cancel(const Key& key) {
  const auto found = open_.find(key);
  if (found != open_.end()) found->second.is_cancelled = true;
}

void OpenRequests::give_up(const Key& key) {
  const auto found = open_.find(key);
  const bool gets_nothing =
      found != open_.end() && found->second.is_cancelled && !found->second.posted->is_send;
  if (gets_nothing) complete(key, {}, false);
}

} // namespace rondo::trace::internal
