// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/each_rank.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tbb/parallel_for.h>
#include <utility>

namespace rondo::convert::internal {

Status for_each_side_by_side(std::size_t count, const std::function<Status(std::size_t i)>& read) {
  std::atomic<std::size_t> failed_at = std::numeric_limits<std::size_t>::max();
  std::optional<Error> error; // that of failed_at
  std::mutex mutex;
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    if (i > failed_at) return;
    Status done = read(i);
    if (done) return;
    const std::lock_guard lock(mutex);
    if (i > failed_at) return;
    failed_at = i;
    error = std::move(done.error());
  });
  if (error) return tl::unexpected<Error>(std::move(*error));
  return {};
}

Meter::Meter(Progress progress, std::uint64_t total_bytes)
    : progress_(std::move(progress)), total_bytes_(total_bytes) {}

void Meter::add(std::uint64_t bytes) {
  if (!progress_) return;
  const std::uint64_t done = done_bytes_ += bytes;
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock)
    progress_(done, std::max(total_bytes_, done));
}

} // namespace rondo::convert::internal
