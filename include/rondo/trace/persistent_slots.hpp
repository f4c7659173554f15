// SPDX-License-Identifier: Apache-2.0
// Persistent requests of a stream of calls by the slots that name them (program.hpp).
//
//   PersistentSlots<Made> slots; // Made: what is known of such a request
//   slots.add({&call});
//   if (Made* made = slots.find(reference)) use(*made);
#pragma once

#include "rondo/trace/program.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::trace {

template <class Made> class PersistentSlots {
public:
  /// Into the lowest free slot, as the recorder has it.
  /// @complexity O(slots)
  void add(Made made) {
    const auto is_free = [](const std::optional<Made>& slot) { return !slot; };
    const auto free = std::find_if(slots_.begin(), slots_.end(), is_free);
    if (free == slots_.end())
      slots_.emplace_back(std::move(made));
    else
      *free = std::move(made);
  }

  /// nullptr for references to no slot of this stream, or to a free one.
  Made* find(std::int64_t reference) {
    if (is_special(reference) || is_foreign(reference) || !is_persistent(reference)) return nullptr;
    const std::uint64_t slot = age_or_slot(reference);
    return slot < slots_.size() && slots_[slot] ? &*slots_[slot] : nullptr;
  }

  const Made* find(std::int64_t reference) const {
    return const_cast<PersistentSlots*>(this)->find(reference);
  }

  /// @return  whether there was one
  bool free(std::int64_t reference) {
    if (find(reference) == nullptr) return false;
    slots_[age_or_slot(reference)].reset();
    return true;
  }

  template <class Is> bool none_of(Is is) const {
    return std::none_of(slots_.begin(), slots_.end(),
                        [&](const std::optional<Made>& slot) { return slot && is(*slot); });
  }

private:
  std::vector<std::optional<Made>> slots_;
};

} // namespace rondo::trace
