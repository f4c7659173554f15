// SPDX-License-Identifier: Apache-2.0
#include "record/handles/comm_slots.hpp"

namespace rondo::record {
namespace {

constexpr std::int64_t kNoSlot = -1;

} // namespace

CommSlots::Taken CommSlots::take(const std::string& meaning, const By& by) {
  Alike& alike = alike_[meaning];
  std::int64_t slot = free_slot(alike, by);
  const bool is_new = slot == kNoSlot;
  if (is_new) {
    slot = static_cast<std::int64_t>(slots_.size());
    slots_.push_back({&alike, 0});
  }
  const std::int64_t ordinal = alike.made++;
  slots_[static_cast<std::size_t>(slot)].ordinal = ordinal;
  alike.latest.push_back(slot);
  if (alike.made > kBehindThreads) alike.latest.pop_front();
  if (by.quietly) quiet_.insert(slot);
  return {slot, ordinal, is_new};
}

std::int64_t CommSlots::free_slot(Alike& alike, const By& by) {
  std::set<std::int64_t>& own = alike.free[by.thread];
  if (!by.is_nonblocking && !own.empty()) return own.extract(own.begin()).value();
  std::int64_t slot = kNoSlot;
  if (take_behind(alike, kBehindNonblocking, own, slot)) return slot;
  for (auto& [thread, free] : alike.free) {
    if (take_behind(alike, kBehindThreads, free, slot)) return slot;
  }
  return kNoSlot;
}

// Takes the slot of the communicator that was made so many before, unless it was used again since.
bool CommSlots::take_behind(Alike& alike, std::int64_t behind, std::set<std::int64_t>& free,
                            std::int64_t& slot) {
  const auto kept = static_cast<std::int64_t>(alike.latest.size());
  if (kept < behind) return false;
  slot = alike.latest[static_cast<std::size_t>(kept - behind)];
  const bool is_latest = slots_[static_cast<std::size_t>(slot)].ordinal == alike.made - behind;
  return is_latest && free.erase(slot) > 0;
}

void CommSlots::release(std::int64_t slot, const By& by) {
  const bool was_quiet = quiet_.erase(slot) > 0;
  if (slot < 0 || (by.quietly && !was_quiet)) return;
  slots_[static_cast<std::size_t>(slot)].alike->free[by.thread].insert(slot);
}

} // namespace rondo::record
