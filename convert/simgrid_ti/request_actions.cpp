// SPDX-License-Identifier: Apache-2.0
// The actions that complete requests.
#include "convert/simgrid_ti/rank_actions.hpp"

#include <algorithm>
#include <utility>

namespace rondo::convert::internal {

using trace::Completes;
using trace::is_special;
using trace::Role;

void RankActions::start(std::int64_t reference) {
  RequestSlot* slot = requests_.slot(reference);
  if (slot == nullptr) return refuse("starts a request that was not seen being made");
  if (slot->function->role == Role::kCollective) {
    if (run_.approximates) lower_collective(*slot->function, slot->words, slot);
    return;
  }
  transfer(*slot->function, slot->words, slot);
}

RequestKeys* RankActions::keys_of(std::int64_t reference) {
  if (!is_special(reference) && trace::is_foreign(reference))
    refuse("completes a request of another thread");
  return requests_.keys_of(reference);
}

void RankActions::wait(const RequestKey& key) {
  if (key.operation != 0) return play(operations_.take_until(key.operation));
  lines_.put("wait", {key.source, key.dest, key.tag});
  --open_keys_;
}

void RankActions::complete_one(std::int64_t reference) {
  keys_of(reference); // refuses those of other threads
  for (const RequestKey& key : requests_.take(reference)) wait(key);
}

// SimGrid's waitall waits for all that is open, whatever number it is given.
void RankActions::complete_all(std::span<const std::int64_t> references) {
  std::size_t named = 0;
  bool has_operations = false;
  const auto is_operation = [](const RequestKey& key) { return key.operation != 0; };
  for (const std::int64_t reference : references) {
    const RequestKeys* keys = keys_of(reference);
    if (keys == nullptr) continue;
    named += keys->size();
    has_operations = has_operations || std::any_of(keys->begin(), keys->end(), is_operation);
  }
  if (has_operations || named != open_keys_) { // others may wait for this rank's part in one
    for (const std::int64_t reference : references) {
      const RequestKeys* keys = keys_of(reference);
      if (keys != nullptr && std::any_of(keys->begin(), keys->end(), is_operation))
        complete_one(reference);
    }
    for (const std::int64_t reference : references) complete_one(reference);
    return;
  }
  for (const std::int64_t reference : references) requests_.take(reference);
  open_keys_ = 0;
  lines_.put("waitall", {static_cast<std::int64_t>(std::max(named, references.size()))});
}

void RankActions::complete() {
  const trace::CallMeaning& means = trace::meaning_of(*call_->function);
  const trace::CallView call(means, call_->words);
  const bool is_unsaid_test = trace::word_or(call_->words, means.flag, 1) == trace::kNothing;
  if (is_unsaid_test && means.completes == Completes::kOne && !means.keeps_request) {
    if (const RequestKeys* keys = keys_of(call.request())) { // an imported one: it stays a test
      for (const RequestKey& key : *keys) lines_.put("test", {key.source, key.dest, key.tag});
    }
    return;
  }
  if (is_unsaid_test) return refuse("does not say what it found");
  if (!call.has_found()) return;
  if (means.keeps_request) {
    lowers("says that a request is over, and keeps it", "left out");
    return;
  }
  if (means.completes == Completes::kOne) return complete_one(call.request());
  const auto requests = array(call.requests());
  const auto complete_at = [&](std::int64_t index) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)]);
  };
  if (means.completes == Completes::kAny) return complete_at(call.index());
  if (means.completes == Completes::kSome) {
    for (const std::int64_t index : array(call.indices())) complete_at(index);
    return;
  }
  complete_all(requests);
}

void RankActions::free_request(std::int64_t reference) {
  const RequestKeys* keys = keys_of(reference);
  if (keys != nullptr && !keys->empty()) return refuse("lets go of a request that is under way");
  requests_.free(reference);
}

} // namespace rondo::convert::internal
