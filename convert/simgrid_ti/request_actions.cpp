// SPDX-License-Identifier: Apache-2.0
// Requests of one rank, by age or slot, and the actions that complete them.
#include "convert/simgrid_ti/rank_actions.hpp"

#include <algorithm>
#include <utility>

namespace rondo::convert::internal {

using trace::Function;
using trace::is_special;
using trace::Role;

void RankActions::make_slot() { slots_.add({call_->function, call_->words, {}}); }

void RankActions::start(std::int64_t reference) {
  Slot* slot = slots_.find(reference);
  if (slot == nullptr) return refuse("starts a request that was not seen being made");
  if (slot->function->role == Role::kCollective) {
    if (run_.approximates) lower_collective(*slot->function, slot->words, slot);
    return;
  }
  transfer(*slot->function, slot->words, slot);
}

void RankActions::add_empty_request() {
  ++made_;
  open_.emplace_back(Keys{});
}

// Those of a request that is still to be waited for; nullptr for none.
RankActions::Keys* RankActions::keys_of(std::int64_t reference) {
  if (is_special(reference)) return nullptr;
  if (trace::is_foreign(reference)) {
    refuse("completes a request of another thread");
    return nullptr;
  }
  if (trace::is_persistent(reference)) {
    Slot* slot = slots_.find(reference);
    return slot == nullptr ? nullptr : &slot->active;
  }
  const std::uint64_t age = trace::age_or_slot(reference);
  if (age >= made_ || made_ - age < first_open_) return nullptr;
  auto& request = open_[made_ - age - first_open_];
  return request ? &*request : nullptr;
}

void RankActions::wait(const Key& key) {
  if (key.operation != 0) return play_until(key.operation);
  put("wait", {key.source, key.dest, key.tag});
  --open_keys_;
}

// The request is over; what an action would wait for.
RankActions::Keys RankActions::take(std::int64_t reference) {
  Keys* keys = keys_of(reference);
  if (keys == nullptr) return {};
  Keys taken;
  std::swap(taken, *keys);
  if (trace::is_persistent(reference)) return taken;
  open_[made_ - trace::age_or_slot(reference) - first_open_].reset();
  while (!open_.empty() && !open_.front()) {
    open_.pop_front();
    ++first_open_;
  }
  return taken;
}

void RankActions::complete_one(std::int64_t reference) {
  for (const Key& key : take(reference)) wait(key);
}

// SimGrid's waitall waits for all that is open, whatever number it is given.
void RankActions::complete_all(std::span<const std::int64_t> references) {
  std::size_t named = 0;
  bool has_operations = false;
  const auto is_operation = [](const Key& key) { return key.operation != 0; };
  for (const std::int64_t reference : references) {
    const Keys* keys = keys_of(reference);
    if (keys == nullptr) continue;
    named += keys->size();
    has_operations = has_operations || std::any_of(keys->begin(), keys->end(), is_operation);
  }
  if (has_operations || named != open_keys_) { // others may wait for this rank's part in one
    for (const std::int64_t reference : references) {
      const Keys* keys = keys_of(reference);
      if (keys != nullptr && std::any_of(keys->begin(), keys->end(), is_operation))
        complete_one(reference);
    }
    for (const std::int64_t reference : references) complete_one(reference);
    return;
  }
  for (const std::int64_t reference : references) take(reference);
  open_keys_ = 0;
  put("waitall", {static_cast<std::int64_t>(std::max(named, references.size()))});
}

void RankActions::complete() {
  const Function& function = *call_->function;
  const trace::CallMeaning& means = trace::meaning_of(function);
  const bool is_unsaid_test = function.word_of("flag") >= 0 && word("flag") == trace::kNothing;
  if (is_unsaid_test && means.completes == trace::Completes::kOne && !means.keeps_request) {
    if (const Keys* keys = keys_of(word("request"))) { // an imported one: it stays a test
      for (const Key& key : *keys) put("test", {key.source, key.dest, key.tag});
    }
    return;
  }
  if (is_unsaid_test) return refuse("does not say what it found");
  if (function.word_of("flag") >= 0 && word("flag") != 1) return;
  if (means.keeps_request) {
    lowers("says that a request is over, and keeps it", "left out");
    return;
  }
  if (function.word_of("request") >= 0) return complete_one(word("request"));
  const auto requests = array(word("array_of_requests"));
  const auto complete_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)]);
  };
  if (function.word_of("index") >= 0) return complete_at(word("index"));
  if (function.word_of("array_of_indices") >= 0) {
    for (const std::int64_t index : array(word("array_of_indices"))) complete_at(index);
    return;
  }
  complete_all(requests);
}

void RankActions::free_request(std::int64_t reference) {
  const Keys* keys = keys_of(reference);
  if (keys != nullptr && !keys->empty()) return refuse("lets go of a request that is under way");
  slots_.free(reference);
}

} // namespace rondo::convert::internal
