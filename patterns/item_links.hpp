// SPDX-License-Identifier: Apache-2.0
// Which events of the ranks' streams belong together: messages, and operations of all.
#pragma once

#include "patterns/class_streams.hpp"
#include "patterns/masters.hpp"
#include "rondo/patterns/process_patterns.hpp"
#include "rondo/trace/matching.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::patterns::internal {

struct ItemRef {
  std::size_t stream = 0;
  std::size_t item = 0;
  friend auto operator<=>(const ItemRef&, const ItemRef&) = default;
};

struct Weight {
  std::uint64_t messages = 0; // 0: partners in a collective
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = ~std::uint64_t{0}; // of one message
  std::uint64_t most_bytes = 0;
};

struct ItemLink {
  ItemRef from;
  ItemRef to;
  Weight weight;
};

/// An item that another one has to do with, and by how many messages both ways, at least 1.
struct ItemPartner {
  ItemRef item;
  std::uint64_t messages = 0;
};

/// Which items have messages for which, and which are partners in collectives.
class ItemLinks {
public:
  /// @complexity  O(calls + links log links)
  ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes, MasterFinder& masters);

  /// The same of streams that were read for classes; nobody takes what comes first.
  /// @param processes   with those streams, in order
  /// @complexity  O(calls of the ranks' programs + links log links), independent of trip counts
  ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes,
            const ClassStreams& reading);

  /// By where they go.
  std::span<const ItemLink> from(const ItemRef& item) const;
  /// Those of an item, each once, in order.
  std::span<const ItemPartner> partners(const ItemRef& item) const;

private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes);
  bool find(const trace::MessageEnd& end, ItemRef& item) const;
  std::size_t number_of(const ItemRef& item) const { return first_item_[item.stream] + item.item; }
  Weight& between(const ItemRef& from, const ItemRef& to);
  void put_in_order();
  void join_both_ways();

  const ProcessPatterns& processes_;
  std::vector<std::size_t> first_stream_; // of a rank; and one more
  std::vector<std::size_t> first_item_; // of a stream, among the items of all; and one more
  std::vector<ItemLink> links_; // by both ends, once all are known
  std::vector<std::size_t> last_of_; // by item: the link from there that was met last
  std::unordered_map<std::uint64_t, std::size_t> known_; // by the numbers of both ends
  std::vector<std::size_t> first_out_; // by item: of links_
  std::vector<std::size_t> first_partner_; // by item: of partners_
  std::vector<ItemPartner> partners_;
};

} // namespace rondo::patterns::internal
