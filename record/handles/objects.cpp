// SPDX-License-Identifier: Apache-2.0
#include "record/handles/objects.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <iterator>

namespace rondo::record {

void HandleWords::set(std::uint64_t handle, std::int64_t word) {
  const auto [known, is_new] = words_.try_emplace(handle, word);
  if (!is_new) {
    if (known->second != kFreed) older_[handle].push_back(known->second);
    known->second = word;
  }
  forget_recent(handle);
}

void HandleWords::forget(std::uint64_t handle, std::int64_t word) {
  forget_recent(handle);
  std::int64_t& newest = words_[handle];
  const auto older = older_.find(handle);
  if (older == older_.end()) {
    if (newest == word) newest = kFreed;
    return;
  }
  std::vector<std::int64_t>& words = older->second;
  if (newest == word) {
    newest = words.back();
    words.pop_back();
  } else if (const auto last = std::find(words.rbegin(), words.rend(), word);
             last != words.rend()) {
    words.erase(std::next(last).base());
  }
  if (words.empty()) older_.erase(older);
}

std::int64_t HandleWords::look_up(std::uint64_t handle, bool sees) {
  const auto found = words_.find(handle);
  if (found == words_.end()) return kUnknown;
  if (found->second == kFreed) return kFreed; // what is in the cache has an object
  if (sees) see(handle, found->second);
  return found->second;
}

Slots::Taken Slots::take(std::string_view meaning, bool quietly) {
  const XXH128_hash_t hash = XXH3_128bits(meaning.data(), meaning.size());
  const Meaning key(hash.low64, hash.high64);
  Lowest* const free = free_of(key);
  const bool is_new = free == nullptr || free->empty();
  const std::int64_t slot = is_new ? made_++ : free->take();
  if (spare_.empty()) {
    in_use_.emplace(slot, key);
  } else {
    spare_.key() = slot;
    spare_.mapped() = key;
    in_use_.insert(std::move(spare_));
  }
  if (quietly) quiet_.insert(slot);
  return {slot, is_new};
}

void Slots::release(std::int64_t slot, bool quietly) {
  const bool was_quiet = quiet_.erase(slot) > 0;
  auto known = in_use_.extract(slot);
  if (known.empty() || (quietly && !was_quiet)) return;
  note_free(known.mapped(), slot);
  spare_ = std::move(known);
}

Slots::Lowest* Slots::free_of(const Meaning& meaning) {
  const std::uint32_t known = free_by_meaning_.find(
      meaning.first, [&](std::uint32_t number) { return free_[number].first == meaning; });
  return known == fold::HashIndex::kNone ? nullptr : &free_[known].second;
}

void Slots::note_free(const Meaning& meaning, std::int64_t slot) {
  if (Lowest* const known = free_of(meaning)) return known->add(slot);
  if (free_.size() >= kMostFree) {
    free_.clear();
    free_by_meaning_.clear();
  }
  free_by_meaning_.add(meaning.first, static_cast<std::uint32_t>(free_.size()));
  free_.emplace_back(meaning, Lowest()).second.add(slot);
}

void Slots::Lowest::add(std::int64_t slot) {
  if (!empty() && slot > lowest_) return others_.push(slot);
  if (!empty()) others_.push(lowest_);
  lowest_ = slot;
}

std::int64_t Slots::Lowest::take() {
  const std::int64_t slot = std::exchange(lowest_, others_.empty() ? kNone : others_.top());
  if (!others_.empty()) others_.pop();
  return slot;
}

} // namespace rondo::record
