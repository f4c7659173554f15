// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/collective_steps.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace rondo::trace {
namespace {

constexpr std::uint64_t kLongAllgather = 81920; // bytes in all: from here on by a ring
constexpr std::uint64_t kShortAlltoall = 256; // bytes a block: up to here by Bruck's algorithm

bool is_short_allgather(std::uint64_t block, std::int64_t ranks) {
  return block * static_cast<std::uint64_t>(ranks) < kLongAllgather;
}
bool is_short_alltoall(std::uint64_t block, std::int64_t ranks) {
  return block <= kShortAlltoall && ranks >= 8;
}

class Builder {
public:
  explicit Builder(const CollectivePart& part)
      : part_(part), n_(part.members.size()), me_(part.rank) {}

  std::vector<CollectiveStep> steps() {
    if (is_neighborhood(part_.operation)) {
      neighbors();
    } else if (part_.is_inter) {
      between_groups();
    } else if (n_ > 1) {
      within_group();
    }
    return std::move(steps_);
  }

private:
  void within_group() {
    switch (part_.operation) {
    case CollectiveKind::kBarrier:
      return dissemination();
    case CollectiveKind::kBcast:
      return from_root([&](std::int64_t) { return part_.block; });
    case CollectiveKind::kScatter:
      return from_root([&](std::int64_t below) { return blocks(below); });
    case CollectiveKind::kReduce:
      return to_root([&](std::int64_t) { return part_.block; });
    case CollectiveKind::kGather:
      return to_root([&](std::int64_t below) { return blocks(below); });
    case CollectiveKind::kGatherv:
      return linear_to_root();
    case CollectiveKind::kScatterv:
      return linear_from_root();
    case CollectiveKind::kAllgather:
      return is_short_allgather(part_.block, n_) ? allgather_bruck() : ring();
    case CollectiveKind::kAllgatherv:
      return ring();
    case CollectiveKind::kAlltoall:
      return is_short_alltoall(part_.block, n_) ? alltoall_bruck() : pairwise();
    case CollectiveKind::kAlltoallv:
    case CollectiveKind::kReduceScatter:
      return pairwise();
    case CollectiveKind::kAllreduce:
      return recursive_doubling();
    case CollectiveKind::kScan:
    case CollectiveKind::kExscan:
      return prefix_doubling();
    default:
      return;
    }
  }

  std::int32_t world(std::int64_t rank) const { return part_.members[(rank % n_ + n_) % n_]; }
  std::int32_t world_of_relative(std::int64_t relative) const {
    return world(relative + part_.root);
  }
  void put(std::int32_t from, std::int32_t to, std::uint64_t sent, std::uint64_t received,
           bool goes_on = false) {
    steps_.push_back({from, to, sent, goes_on, received});
  }
  std::uint64_t blocks(std::int64_t count) const {
    return part_.block * static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  }
  std::uint64_t block_of(std::int64_t rank) const {
    const auto index = static_cast<std::size_t>((rank % n_ + n_) % n_);
    return index < part_.blocks.size() ? part_.blocks[index] : part_.block;
  }

  std::uint64_t received_from(std::int64_t rank) const {
    if (part_.received_blocks.empty()) return block_of(rank);
    const auto index = static_cast<std::size_t>((rank % n_ + n_) % n_);
    return index < part_.received_blocks.size() ? part_.received_blocks[index] : 0;
  }

  void dissemination() {
    for (std::int64_t distance = 1; distance < n_; distance *= 2)
      put(world(me_ - distance), world(me_ + distance), 0, 0);
  }

  // Binomial trees. A rank that stands 2^k above its parent has the ranks up to 2^k above itself.
  template <class Bytes> void from_root(Bytes bytes) {
    const std::int64_t own = ((me_ - part_.root) % n_ + n_) % n_;
    std::int64_t distance = 1;
    for (; distance < n_; distance *= 2) {
      if ((own & distance) == 0) continue;
      put(world_of_relative(own - distance), -1, 0, bytes(std::min(distance, n_ - own)));
      break;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
      const std::int64_t child = own + distance;
      if (child < n_) put(-1, world_of_relative(child), bytes(std::min(distance, n_ - child)), 0);
    }
  }

  template <class Bytes> void to_root(Bytes bytes) {
    const std::int64_t own = ((me_ - part_.root) % n_ + n_) % n_;
    for (std::int64_t distance = 1; distance < n_; distance *= 2) {
      if ((own & distance) != 0) {
        put(-1, world_of_relative(own - distance), bytes(std::min(distance, n_ - own)), 0);
        return;
      }
      const std::int64_t child = own + distance;
      if (child < n_) put(world_of_relative(child), -1, 0, bytes(std::min(distance, n_ - child)));
    }
  }

  void linear_to_root() {
    if (me_ != part_.root) return put(-1, world(part_.root), part_.block, 0);
    for (std::int64_t i = 1; i < n_; ++i) put(world(me_ + i), -1, 0, received_from(me_ + i), true);
  }
  void linear_from_root() {
    if (me_ != part_.root) return put(world(part_.root), -1, 0, part_.block);
    for (std::int64_t i = 1; i < n_; ++i) put(-1, world(me_ + i), block_of(me_ + i), 0, true);
  }

  void allgather_bruck() {
    for (std::int64_t distance = 1; distance < n_; distance *= 2) {
      const std::uint64_t moved = blocks(std::min(distance, n_ - distance));
      put(world(me_ + distance), world(me_ - distance), moved, moved);
    }
  }
  void ring() {
    for (std::int64_t i = 0; i + 1 < n_; ++i)
      put(world(me_ - 1), world(me_ + 1), block_of(me_ - i), block_of(me_ - i - 1));
  }

  void alltoall_bruck() {
    for (std::int64_t distance = 1; distance < n_; distance *= 2) {
      std::int64_t moved = 0; // blocks whose way has this bit
      for (std::int64_t i = 0; i < n_; ++i) moved += (i & distance) != 0 ? 1 : 0;
      put(world(me_ - distance), world(me_ + distance), blocks(moved), blocks(moved));
    }
  }
  void pairwise() {
    const bool scatters = part_.operation == CollectiveKind::kReduceScatter; // all send me mine
    for (std::int64_t i = 1; i < n_; ++i) {
      put(world(me_ - i), world(me_ + i), block_of(me_ + i),
          scatters ? block_of(me_) : received_from(me_ - i));
    }
  }

  // Ranks that are too many for a power of two lend their data to a neighbour.
  void recursive_doubling() {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n_)));
    const std::int64_t extra = n_ - power;
    const bool is_paired = me_ < 2 * extra;
    if (is_paired && me_ % 2 == 0) {
      put(-1, world(me_ + 1), part_.block, 0);
      put(world(me_ + 1), -1, 0, part_.block);
      return;
    }
    if (is_paired) put(world(me_ - 1), -1, 0, part_.block);
    const std::int64_t own = is_paired ? me_ / 2 : me_ - extra;
    for (std::int64_t mask = 1; mask < power; mask *= 2) {
      const std::int64_t partner = own ^ mask;
      const std::int32_t peer = world(partner < extra ? partner * 2 + 1 : partner + extra);
      put(peer, peer, part_.block, part_.block);
    }
    if (is_paired) put(-1, world(me_ - 1), part_.block, 0);
  }

  void prefix_doubling() {
    for (std::int64_t mask = 1; mask < n_; mask *= 2) {
      const std::int64_t partner = me_ ^ mask;
      if (partner < n_) put(world(partner), world(partner), part_.block, part_.block);
    }
  }

  void neighbors() {
    for (std::size_t i = 0; i < part_.sources.size(); ++i) {
      const auto& blocks = part_.received_blocks.empty() ? part_.blocks : part_.received_blocks;
      put(part_.sources[i], -1, 0, i < blocks.size() ? blocks[i] : part_.block, true);
    }
    for (std::size_t i = 0; i < part_.destinations.size(); ++i) {
      const std::uint64_t bytes = i < part_.blocks.size() ? part_.blocks[i] : part_.block;
      put(-1, part_.destinations[i], bytes, 0, true);
    }
  }

  // Each rank of one group with each of the other, or with the root.
  void between_groups() {
    const bool gathers = part_.operation == CollectiveKind::kGather ||
                         part_.operation == CollectiveKind::kGatherv ||
                         part_.operation == CollectiveKind::kReduce;
    const bool scatters = part_.operation == CollectiveKind::kBcast ||
                          part_.operation == CollectiveKind::kScatter ||
                          part_.operation == CollectiveKind::kScatterv;
    if (gathers || scatters) {
      if (part_.root == CollectivePart::kHere) return root_between_groups(scatters);
      if (part_.root < 0 || part_.root >= n_) return;
      if (gathers) return put(-1, world(part_.root), part_.block, 0);
      return put(world(part_.root), -1, 0, part_.block);
    }
    for (std::int64_t i = 0; i < n_; ++i)
      put(world(i), world(i), block_of(i), received_from(i), true);
  }
  void root_between_groups(bool scatters) {
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int32_t peer = world(i);
      if (scatters)
        put(-1, peer, block_of(i), 0, true);
      else
        put(peer, -1, 0, received_from(i), true);
    }
  }

  const CollectivePart& part_;
  std::int64_t n_;
  std::int64_t me_;
  std::vector<CollectiveStep> steps_;
};

} // namespace

std::string collective_name_of(const Function& function) {
  return std::string(name_of(meaning_of(function).collective));
}

bool is_neighborhood(const Function& function) {
  const auto kind = collective_kind_of(function);
  return kind && is_neighborhood(*kind);
}

std::optional<CollectiveKind> collective_kind_of(const Function& function) {
  switch (meaning_of(function).collective) {
  case Collective::kNone:
    return std::nullopt;
  case Collective::kBarrier:
    return CollectiveKind::kBarrier;
  case Collective::kBcast:
    return CollectiveKind::kBcast;
  case Collective::kGather:
    return CollectiveKind::kGather;
  case Collective::kGatherv:
    return CollectiveKind::kGatherv;
  case Collective::kScatter:
    return CollectiveKind::kScatter;
  case Collective::kScatterv:
    return CollectiveKind::kScatterv;
  case Collective::kAllgather:
    return CollectiveKind::kAllgather;
  case Collective::kAllgatherv:
    return CollectiveKind::kAllgatherv;
  case Collective::kAlltoall:
    return CollectiveKind::kAlltoall;
  case Collective::kAlltoallv:
  case Collective::kAlltoallw:
    return CollectiveKind::kAlltoallv;
  case Collective::kReduce:
    return CollectiveKind::kReduce;
  case Collective::kAllreduce:
    return CollectiveKind::kAllreduce;
  case Collective::kReduceScatter:
  case Collective::kReduceScatterBlock:
    return CollectiveKind::kReduceScatter;
  case Collective::kScan:
    return CollectiveKind::kScan;
  case Collective::kExscan:
    return CollectiveKind::kExscan;
  case Collective::kNeighborAllgather:
  case Collective::kNeighborAllgatherv:
    return CollectiveKind::kNeighborAllgather;
  case Collective::kNeighborAlltoall:
  case Collective::kNeighborAlltoallv:
  case Collective::kNeighborAlltoallw:
    return CollectiveKind::kNeighborAlltoall;
  }
  return std::nullopt;
}

std::uint64_t CollectivePart::total_bytes() const {
  if (!blocks.empty()) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : blocks) sum += bytes;
    return sum;
  }
  const bool is_many =
      operation == CollectiveKind::kAlltoall || operation == CollectiveKind::kScatter;
  return is_many ? block * members.size() : block;
}

std::vector<CollectiveStep> steps_of(const CollectivePart& part) { return Builder(part).steps(); }

std::string_view algorithm_of(const CollectivePart& part) {
  if (part.operation >= CollectiveKind::kNeighborAllgather) return "all neighbours at once";
  if (part.is_inter) return "each of one group with each of the other, or with the root";
  const std::int64_t ranks = part.members.size();
  switch (part.operation) {
  case CollectiveKind::kBarrier:
    return "dissemination";
  case CollectiveKind::kBcast:
  case CollectiveKind::kScatter:
  case CollectiveKind::kReduce:
  case CollectiveKind::kGather:
    return "binomial tree";
  case CollectiveKind::kGatherv:
  case CollectiveKind::kScatterv:
    return "root with one after another";
  case CollectiveKind::kAllgather:
    return is_short_allgather(part.block, ranks) ? "Bruck's algorithm" : "ring";
  case CollectiveKind::kAllgatherv:
    return "ring";
  case CollectiveKind::kAlltoall:
    return is_short_alltoall(part.block, ranks) ? "Bruck's algorithm" : "pairwise exchange";
  case CollectiveKind::kScan:
  case CollectiveKind::kExscan:
  case CollectiveKind::kAllreduce:
    return "recursive doubling";
  default:
    return "pairwise exchange";
  }
}

} // namespace rondo::trace
