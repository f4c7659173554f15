// SPDX-License-Identifier: Apache-2.0
#include "trace/messages/channels.hpp"

#include "rondo/base/mixed.hpp"

namespace rondo::trace::internal {

std::uint64_t Channels::hash_of(const Channel& channel) {
  std::uint64_t hash = std::uint64_t{channel.comm} << 32 | channel.line;
  for (const std::int64_t word : {channel.source, channel.destination, channel.tag})
    hash = mixed(hash, static_cast<std::uint64_t>(word));
  return hash;
}

std::uint32_t Channels::find_or_add(std::uint32_t comm, std::int64_t source,
                                    std::int64_t destination, std::int64_t tag,
                                    std::uint32_t line) {
  Channel channel;
  channel.comm = comm;
  channel.line = line;
  channel.source = source;
  channel.destination = destination;
  channel.tag = tag;
  const std::uint64_t hash = hash_of(channel);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (same_key(all_[it->second], channel)) return it->second;
  }
  const auto index = static_cast<std::uint32_t>(all_.size());
  by_hash_.emplace(hash, index);
  if (line == 0) towards_[target_key(comm, destination)].push_back(index);
  all_.push_back(std::move(channel));
  return index;
}

const std::vector<std::uint32_t>& Channels::towards(std::uint32_t comm,
                                                    std::int64_t destination) const {
  static const std::vector<std::uint32_t> kNone;
  const auto found = towards_.find(target_key(comm, destination));
  return found == towards_.end() ? kNone : found->second;
}

} // namespace rondo::trace::internal
