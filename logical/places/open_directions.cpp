// SPDX-License-Identifier: Apache-2.0
#include "logical/places/open_directions.hpp"

#include <algorithm>

namespace rondo::logical::internal {

void OpenDirections::add(std::int64_t direction) {
  if (directions_.size() == 2 * kMost)
    directions_.erase(directions_.begin(), directions_.begin() + kMost);
  directions_.push_back(direction);
  ++made_;
}

std::optional<std::int64_t> OpenDirections::of_age(std::uint64_t age) {
  if (age >= std::min(directions_.size(), kMost)) {
    is_beyond_ = true;
    return std::nullopt;
  }
  const std::uint64_t since = made_ - kept_made_;
  if (age >= since) reach_ = std::max<std::size_t>(reach_, age + 1 - since);
  return directions_[directions_.size() - 1 - age];
}

void OpenDirections::keep() {
  kept_made_ = made_;
  reach_ = 0;
  is_beyond_ = false;
}

bool OpenDirections::are_as_kept() const {
  const std::uint64_t period = made_ - kept_made_;
  if (is_beyond_) return false;
  if (period == 0 || reach_ == 0) return true;
  if (reach_ + period > directions_.size()) return false;
  const auto first = directions_.end() - static_cast<std::ptrdiff_t>(reach_ + period);
  return std::equal(first, first + static_cast<std::ptrdiff_t>(reach_),
                    first + static_cast<std::ptrdiff_t>(period));
}

void OpenDirections::repeat(std::uint64_t times) {
  const std::uint64_t period = made_ - kept_made_;
  if (period == 0) return;
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(period, directions_.size()));
  const std::vector<std::int64_t> one(directions_.end() - known, directions_.end());
  for (std::uint64_t i = 0; i < std::min(times, kMost / period + 1); ++i)
    directions_.insert(directions_.end(), one.begin(), one.end());
  if (directions_.size() > 2 * kMost)
    directions_.erase(directions_.begin(), directions_.end() - static_cast<std::ptrdiff_t>(kMost));
  made_ += times * period;
}

} // namespace rondo::logical::internal
