// SPDX-License-Identifier: Apache-2.0
// Adds up how many messages parts of streams have for the items of others.
#pragma once

#include "patterns/item_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::patterns::internal {

class PartnerSums {
public:
  PartnerSums(const ProcessPatterns& processes, const ItemLinks& links)
      : links_(&links), items_(processes.streams.size()), messages_(processes.streams.size()) {
    for (std::size_t s = 0; s < messages_.size(); ++s)
      messages_[s].resize(processes.streams[s].items.size());
  }

  /// Adds the partners of some items of a stream, but for those in streams that nobody asks for.
  /// @complexity  O(partners)
  template <class IsWanted>
  void add(std::size_t stream, std::size_t first, std::size_t length, IsWanted is_wanted) {
    for (std::size_t item = first; item < first + length; ++item) {
      for (const ItemPartner& partner : links_->partners({stream, item})) {
        const auto& [other, at] = partner.item;
        if (!is_wanted(other)) continue;
        if (items_[other].empty()) streams_.push_back(other);
        std::uint64_t& messages = messages_[other][at];
        if (messages == 0) items_[other].push_back(at);
        messages += partner.messages;
      }
    }
  }

  /// Uses each stream that has any, its items in order, and the messages before each of them, with
  /// those of all behind; then there are none.
  /// @complexity  O(items log items)
  template <class Use> void take(Use use) {
    std::sort(streams_.begin(), streams_.end());
    for (const std::size_t stream : streams_) {
      std::vector<std::size_t>& items = items_[stream];
      if (!std::is_sorted(items.begin(), items.end())) std::sort(items.begin(), items.end());
      before_.assign(1, 0);
      for (const std::size_t item : items) {
        before_.push_back(before_.back() + messages_[stream][item]);
        messages_[stream][item] = 0;
      }
      use(stream, std::span<const std::size_t>(items), std::span<const std::uint64_t>(before_));
      items.clear();
    }
    streams_.clear();
  }

private:
  const ItemLinks* links_;
  std::vector<std::size_t> streams_; // that have any
  std::vector<std::vector<std::size_t>> items_; // by stream
  std::vector<std::vector<std::uint64_t>> messages_; // by stream and item; mostly 0
  std::vector<std::uint64_t> before_;
};

} // namespace rondo::patterns::internal
