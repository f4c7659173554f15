// SPDX-License-Identifier: Apache-2.0
#include "record/objects.hpp"

namespace rondo::record {

void HandleWords::set(std::uint64_t handle, std::int64_t word) {
  const auto [known, is_new] = words_.try_emplace(handle, word);
  if (!is_new) {
    if (known->second != kFreed) older_[handle].push_back(known->second);
    known->second = word;
  }
  cache_[place_of(handle)] = {handle, word, true};
}

void HandleWords::forget(std::uint64_t handle) {
  if (Entry& entry = cache_[place_of(handle)]; entry.handle == handle) entry.valid = false;
  const auto older = older_.find(handle);
  if (older == older_.end()) {
    words_[handle] = kFreed;
    return;
  }
  words_[handle] = older->second.back();
  older->second.pop_back();
  if (older->second.empty()) older_.erase(older);
}

std::int64_t HandleWords::look_up(std::uint64_t handle) {
  const auto found = words_.find(handle);
  if (found == words_.end()) return kUnknown;
  cache_[place_of(handle)] = {handle, found->second, true};
  return found->second;
}

Slots::Taken Slots::take(const std::string& meaning, bool quietly) {
  std::set<std::int64_t>& free = free_[meaning];
  if (!free.empty()) {
    const std::int64_t slot = *free.begin();
    free.erase(free.begin());
    if (quietly) quiet_.insert(slot);
    return {slot, false};
  }
  meanings_.push_back(meaning);
  const std::int64_t slot = static_cast<std::int64_t>(meanings_.size()) - 1;
  if (quietly) quiet_.insert(slot);
  return {slot, true};
}

void Slots::release(std::int64_t slot, bool quietly) {
  const bool was_quiet = quiet_.erase(slot) > 0;
  if (slot >= 0 && (was_quiet || !quietly))
    free_[meanings_[static_cast<std::size_t>(slot)]].insert(slot);
}

} // namespace rondo::record
