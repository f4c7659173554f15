// SPDX-License-Identifier: Apache-2.0
// In which direction each request of a rank was made, for those who wait for it.
//
//   requests.read(rank);
//   requests.add(direction);
//   requests.of_age(0);       // that of the last one
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

class OpenDirections {
public:
  static constexpr std::size_t kMost = 4096; // that are remembered

  /// Calls of this rank come now.
  void read(std::int64_t rank) {
    if (rank != rank_) directions_.clear();
    rank_ = rank;
  }
  void forget() { rank_ = -1; }
  void add(std::int64_t direction);
  /// Of the request that so many were made after; nothing if that is not known any more.
  std::optional<std::int64_t> of_age(std::uint64_t age);

  /// The requests of calls that may come again begin here.
  void keep();
  /// Whether those who wait found what they will find if the calls since then come again: they look
  /// for what was made so many requests ago, which must be alike, too.
  bool are_as_kept() const;
  /// They have come so often again.
  void repeat(std::uint64_t times);

private:
  std::int64_t rank_ = -1;
  std::vector<std::int64_t> directions_; // the last ones, and perhaps as many before them
  std::uint64_t made_ = 0; // in all
  std::uint64_t kept_made_ = 0;
  std::size_t reach_ = 0; // how many requests before keep() the oldest was made that was asked for
  bool is_beyond_ = false; // one was no longer known
};

} // namespace rondo::logical::internal
