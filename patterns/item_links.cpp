// SPDX-License-Identifier: Apache-2.0
#include "patterns/item_links.hpp"

#include "patterns/class_sequences.hpp"

#include <algorithm>
#include <tuple>

namespace rondo::patterns::internal {

ItemLinks::ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes)
    : processes_(processes), first_stream_(static_cast<std::size_t>(trace.run.ranks) + 1),
      first_item_(processes.streams.size() + 1) {
  for (std::size_t s = 0; s < processes.streams.size(); ++s) {
    ++first_stream_[static_cast<std::size_t>(processes.streams[s].rank) + 1];
    first_item_[s + 1] = first_item_[s] + processes.streams[s].items.size();
  }
  for (std::size_t rank = 1; rank < first_stream_.size(); ++rank)
    first_stream_[rank] += first_stream_[rank - 1];
  last_of_.assign(first_item_.back(), kNone);
}

ItemLinks::ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes,
                     MasterFinder& masters)
    : ItemLinks(trace, processes) {
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& m) {
    masters.note(m);
    ItemRef from;
    ItemRef to;
    if (!find(m.send, from) || !find(m.receive, to)) return;
    Weight& weight = between(from, to);
    ++weight.messages;
    weight.bytes += m.bytes;
    weight.least_bytes = std::min(weight.least_bytes, m.bytes);
    weight.most_bytes = std::max(weight.most_bytes, m.bytes);
  };
  visitor.collective = [&](const trace::CollectiveOperation& operation) {
    ItemRef first;
    ItemRef other;
    if (!find(operation.ends.front(), first)) return;
    for (const trace::MessageEnd& end : operation.ends.subspan(1)) {
      if (find(end, other)) between(first, other);
    }
  };
  trace::match_messages(trace, visitor);
  put_in_order();
}

ItemLinks::ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes,
                     const ClassStreams& reading)
    : ItemLinks(trace, processes) {
  ClassSequences sequences(reading);
  const auto stream_of = [&](std::int64_t rank) {
    return first_stream_[static_cast<std::size_t>(rank)];
  };
  sequences.each_pair([&](const CallsOfRank& from, const CallsOfRank& to, std::uint64_t most) {
    const std::size_t sender = stream_of(from.rank);
    const std::size_t receiver = stream_of(to.rank);
    pair_up(*from.sequence, *to.sequence, most,
            [&](const CallRun& sent, const CallRun& received, std::uint64_t times) {
              Weight& weight = between({sender, sent.item}, {receiver, received.item});
              if (from.is_collective) return;
              const std::uint64_t bytes = from.bytes_of(sent.symbol);
              weight.messages += times;
              weight.bytes += times * bytes;
              weight.least_bytes = std::min(weight.least_bytes, bytes);
              weight.most_bytes = std::max(weight.most_bytes, bytes);
            });
  });
  put_in_order();
}

// A rank's threads are in order, and mostly numbered from 0 without gaps.
bool ItemLinks::find(const trace::MessageEnd& end, ItemRef& item) const {
  const auto rank = static_cast<std::size_t>(end.rank);
  if (end.rank < 0 || rank + 1 >= first_stream_.size()) return false;
  const auto first = processes_.streams.begin() + static_cast<std::ptrdiff_t>(first_stream_[rank]);
  const auto last =
      processes_.streams.begin() + static_cast<std::ptrdiff_t>(first_stream_[rank + 1]);
  auto stream = first + std::min<std::ptrdiff_t>(end.thread, last - first);
  if (stream == last || stream->thread != end.thread) {
    stream = std::lower_bound(first, last, end.thread, [](const StreamPatterns& s, auto thread) {
      return s.thread < thread;
    });
  }
  if (stream == last || stream->thread != end.thread) return false;
  const auto& item_of = stream->item_of_call;
  if (end.call >= item_of.size() || item_of[end.call] == CollapsedStream::kNoItem) return false;
  item = {static_cast<std::size_t>(stream - processes_.streams.begin()), item_of[end.call]};
  return true;
}

// Mostly what one item sends goes to one other, so that the link is at hand.
Weight& ItemLinks::between(const ItemRef& from, const ItemRef& to) {
  const std::size_t number = number_of(from);
  std::size_t& last = last_of_[number];
  if (last != kNone && links_[last].to == to) return links_[last].weight;
  const std::uint64_t key = static_cast<std::uint64_t>(number) << 32 | number_of(to);
  const auto [known, is_new] = known_.try_emplace(key, links_.size());
  if (is_new) links_.push_back({from, to, {}});
  last = known->second;
  return links_[last].weight;
}

void ItemLinks::put_in_order() {
  known_ = {};
  last_of_ = {};
  std::sort(links_.begin(), links_.end(), [](const ItemLink& a, const ItemLink& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  first_out_.assign(first_item_.back() + 1, 0);
  for (const ItemLink& link : links_) ++first_out_[number_of(link.from) + 1];
  for (std::size_t i = 1; i < first_out_.size(); ++i) first_out_[i] += first_out_[i - 1];
  join_both_ways();
}

// An item's partners are where its links go and where those to it come from, both in order.
void ItemLinks::join_both_ways() {
  std::vector<std::size_t> first_in(first_item_.back() + 1); // by item: of in
  for (const ItemLink& link : links_) ++first_in[number_of(link.to) + 1];
  for (std::size_t i = 1; i < first_in.size(); ++i) first_in[i] += first_in[i - 1];
  std::vector<std::size_t> in(links_.size()); // of links_, by where they go
  auto next = first_in;
  for (std::size_t i = 0; i < links_.size(); ++i) in[next[number_of(links_[i].to)]++] = i;
  first_partner_.assign(1, 0);
  for (std::size_t number = 0; number + 1 < first_out_.size(); ++number) {
    std::size_t out = first_out_[number];
    std::size_t back = first_in[number];
    const std::size_t out_end = first_out_[number + 1];
    const std::size_t back_end = first_in[number + 1];
    while (out < out_end || back < back_end) {
      const bool takes_out =
          out < out_end && (back == back_end || links_[out].to <= links_[in[back]].from);
      const bool takes_back =
          back < back_end && (out == out_end || links_[in[back]].from <= links_[out].to);
      ItemPartner partner{takes_out ? links_[out].to : links_[in[back]].from};
      if (takes_out) partner.messages += links_[out++].weight.messages;
      if (takes_back) partner.messages += links_[in[back++]].weight.messages;
      partner.messages = std::max<std::uint64_t>(partner.messages, 1);
      partners_.push_back(partner);
    }
    first_partner_.push_back(partners_.size());
  }
}

std::span<const ItemLink> ItemLinks::from(const ItemRef& item) const {
  const std::size_t number = number_of(item);
  return std::span(links_).subspan(first_out_[number], first_out_[number + 1] - first_out_[number]);
}

std::span<const ItemPartner> ItemLinks::partners(const ItemRef& item) const {
  const std::size_t number = number_of(item);
  return std::span(partners_).subspan(first_partner_[number],
                                      first_partner_[number + 1] - first_partner_[number]);
}

} // namespace rondo::patterns::internal
