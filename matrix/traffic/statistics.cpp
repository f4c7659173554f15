// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/statistics.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <bit>

namespace rondo::matrix {
namespace {

using Value = std::uint64_t MatrixEntry::*;
using Counted = std::uint64_t SizeBucket::*;

void count(SizeBucket* bucket, Counted of_messages, Counted of_bytes, std::uint64_t messages,
           std::uint64_t bytes_each) {
  if (bucket == nullptr) return;
  bucket->*of_messages += messages;
  bucket->*of_bytes += messages * bytes_each;
}

Spread spread_of(const std::vector<std::uint64_t>& values, std::uint64_t total) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *most, static_cast<double>(total) / static_cast<double>(values.size())};
}

Density density_of(const CommunicationMatrix& matrix, Value value) {
  Density density;
  std::vector<std::uint64_t> per_pair;
  std::vector<std::uint64_t> per_rank(static_cast<std::size_t>(matrix.ranks()), 0);
  per_pair.reserve(matrix.entries().size());
  std::uint64_t most = 0;
  for (const MatrixEntry& entry : matrix.entries()) {
    per_pair.push_back(entry.*value);
    per_rank[static_cast<std::size_t>(entry.source)] += entry.*value;
    density.total += entry.*value;
    if (density.heaviest_source >= 0 && entry.*value <= most) continue;
    most = entry.*value;
    density.heaviest_source = entry.source;
    density.heaviest_destination = entry.destination;
  }
  density.per_pair = spread_of(per_pair, density.total);
  density.per_rank = spread_of(per_rank, density.total);
  return density;
}

double share(double part, double rest) { return part + rest > 0 ? part / (part + rest) : 0; }

double per_rank(std::uint64_t count, std::int64_t ranks) {
  return ranks > 0 ? static_cast<double>(count) / static_cast<double>(ranks) : 0;
}

} // namespace

std::size_t bucket_of(std::uint64_t bytes) {
  if (bytes <= bucket_limit_bytes(0)) return 0;
  // the limit of bucket b is 2^(4 + 2b); bytes - 1 has as many bits as the limit's exponent, or one
  // less
  const auto bits = static_cast<std::size_t>(std::bit_width(bytes - 1));
  return std::min((bits - 4 + 1) / 2, kSizeBuckets - 1);
}

double Statistics::share_of_pairs() const {
  const auto side = static_cast<double>(ranks);
  return ranks > 0 ? static_cast<double>(pairs()) / (side * side) : 0;
}

double Statistics::point_to_point_per_rank() const {
  return per_rank(point_to_point_messages, ranks);
}

double Statistics::one_sided_per_rank() const { return per_rank(one_sided_messages, ranks); }

double Statistics::collectives_per_rank() const { return per_rank(collective_calls, ranks); }

double Statistics::collective_share_of_calls() const {
  return share(static_cast<double>(collective_calls),
               static_cast<double>(point_to_point_messages + one_sided_messages));
}

double Statistics::collective_share_of_bytes() const {
  return share(static_cast<double>(collective_bytes),
               static_cast<double>(point_to_point_bytes + one_sided_bytes));
}

// Counts the messages for the densities; nothing if there are no such ranks or no messages.
SizeBucket* StatisticsBuilder::bucket_for(std::int64_t source, std::int64_t destination,
                                          std::uint64_t messages, std::uint64_t bytes_each) {
  if (std::min(source, destination) < 0 || std::max(source, destination) >= ranks_) {
    messages_outside_ += messages;
    return nullptr;
  }
  if (messages == 0) return nullptr;
  if (bytes_each == 0) zero_byte_messages_ += messages;
  entries_.push_back({source, destination, messages, messages * bytes_each});
  constexpr std::size_t kSmall = 1 << 16;
  if (entries_.size() > kSmall && entries_.size() > 2 * compacted_) compact();
  return &sizes_[bucket_of(bytes_each)];
}

void StatisticsBuilder::add_point_to_point(std::int64_t source, std::int64_t destination,
                                           std::uint64_t messages, std::uint64_t bytes_each) {
  count(bucket_for(source, destination, messages, bytes_each), &SizeBucket::point_to_point_messages,
        &SizeBucket::point_to_point_bytes, messages, bytes_each);
}

void StatisticsBuilder::add_one_sided(std::int64_t source, std::int64_t destination,
                                      std::uint64_t messages, std::uint64_t bytes_each) {
  count(bucket_for(source, destination, messages, bytes_each), &SizeBucket::one_sided_messages,
        &SizeBucket::one_sided_bytes, messages, bytes_each);
}

void StatisticsBuilder::add_collective_messages(std::int64_t source, std::int64_t destination,
                                                std::uint64_t messages, std::uint64_t bytes_each) {
  count(bucket_for(source, destination, messages, bytes_each), &SizeBucket::collective_messages,
        &SizeBucket::collective_message_bytes, messages, bytes_each);
}

void StatisticsBuilder::compact() {
  const auto matrix = CommunicationMatrix::from_entries(ranks_, std::move(entries_));
  entries_.assign(matrix.entries().begin(), matrix.entries().end());
  compacted_ = entries_.size();
}

void StatisticsBuilder::add_collective(std::string_view function, std::uint64_t calls,
                                       std::uint64_t bytes) {
  if (calls == 0) return;
  auto at = collectives_.find(function);
  if (at == collectives_.end()) {
    at = collectives_.emplace(std::string(function), CollectiveCount{std::string(function)}).first;
  }
  at->second.calls += calls;
  at->second.bytes += bytes;
  SizeBucket& bucket = sizes_[bucket_of((bytes + calls - 1) / calls)];
  bucket.collective_calls += calls;
  bucket.collective_bytes += bytes;
}

Statistics StatisticsBuilder::build() const {
  Statistics statistics;
  statistics.ranks = ranks_;
  statistics.matrix = CommunicationMatrix::from_entries(ranks_, entries_);
  statistics.messages = density_of(statistics.matrix, &MatrixEntry::messages);
  statistics.bytes = density_of(statistics.matrix, &MatrixEntry::bytes);
  statistics.sizes = sizes_;
  for (const SizeBucket& bucket : sizes_) {
    statistics.point_to_point_messages += bucket.point_to_point_messages;
    statistics.point_to_point_bytes += bucket.point_to_point_bytes;
    statistics.one_sided_messages += bucket.one_sided_messages;
    statistics.one_sided_bytes += bucket.one_sided_bytes;
  }
  statistics.zero_byte_messages = zero_byte_messages_;
  statistics.messages_outside = messages_outside_;
  for (const auto& [name, count] : collectives_) {
    statistics.collectives.push_back(count);
    statistics.collective_calls += count.calls;
    statistics.collective_bytes += count.bytes;
  }
  sort_stably(statistics.collectives.begin(), statistics.collectives.end(),
              [](const auto& a, const auto& b) { return a.calls > b.calls; });
  return statistics;
}

} // namespace rondo::matrix
