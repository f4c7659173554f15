// SPDX-License-Identifier: Apache-2.0
// Ranks that are read side by side.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

namespace rondo::convert::internal {

/// Calls read(i) for each i in [0, count), on all cores and in any order.
/// @error  that of the least i whose reading fails; those behind it may be left unread
Status for_each_side_by_side(std::size_t count, const std::function<Status(std::size_t i)>& read);

/// Adds the counts of a reader's remarks, which every rank has its own of: Counts::members(), and
/// those of calls by name, Counts::by_name(), where there are such.
template <class Counts> void add_counts(Counts& into, const Counts& from) {
  for (const auto member : Counts::members()) into.*member += from.*member;
  if constexpr (requires { Counts::by_name(); }) {
    for (const auto member : Counts::by_name())
      for (const auto& [name, calls] : from.*member) (into.*member)[name] += calls;
  }
}

/// Adds up what the threads have read and tells whoever waits.
class Meter {
public:
  Meter(Progress progress, std::uint64_t total_bytes);

  void add(std::uint64_t bytes);

private:
  Progress progress_;
  std::uint64_t total_bytes_;
  std::atomic<std::uint64_t> done_bytes_ = 0;
  std::mutex mutex_;
};

} // namespace rondo::convert::internal
