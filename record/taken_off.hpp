// SPDX-License-Identifier: Apache-2.0
// What is to be taken off the computation before calls in the log (record/call_log.hpp), where
// ranks share processors: it is known before a call is made, and wanted when the call is folded.
//
// Thread rule: the log's thread notes, for the end of the log only; whoever folds takes what stands
// before it.
#pragma once

#include "record/open_call.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::record {

struct TakenOff {
  const std::int64_t* entry = nullptr; // of the log: the call behind the computation
  std::uint64_t displaced_ticks = 0; // that the thread was without a processor
  std::uint64_t own_ticks = 0; // that it took to find that out
};

class TakenOffs {
public:
  void note(const TakenOff& more) {
    const std::size_t n = noted_.load(std::memory_order_relaxed);
    if (n > 0 && all_[n - 1].entry == more.entry) {
      all_[n - 1].displaced_ticks += more.displaced_ticks;
      all_[n - 1].own_ticks += more.own_ticks;
    } else {
      all_[n] = more;
      noted_.store(n + 1, std::memory_order_release);
    }
  }
  /// Takes what belongs to the entry; entries come in their order.
  TakenOff take(const std::int64_t* entry) {
    const bool is_next =
        taken_ < noted_.load(std::memory_order_acquire) && all_[taken_].entry == entry;
    return is_next ? all_[taken_++] : TakenOff();
  }
  /// The log begins anew.
  void clear() {
    taken_ = 0;
    noted_.store(0, std::memory_order_release);
  }

private:
  std::array<TakenOff, kLogWords / 4> all_; // an entry has more words than that
  std::atomic<std::size_t> noted_ = 0;
  std::size_t taken_ = 0;
};

} // namespace rondo::record
