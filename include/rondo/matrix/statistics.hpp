// SPDX-License-Identifier: Apache-2.0
// Five measurements of what a program says: message density, data density, collectives against
// point-to-point, number and type of collectives, message sizes. Plain data and a builder that is
// told totals, so that its cost follows the number of different calls and not of calls.
//
//   StatisticsBuilder builder(16);
//   builder.add_point_to_point(0, 1, 15816, 1906);
//   builder.add_collective("MPI_Allreduce", 160, 160 * 40);
//   Statistics s = builder.build();
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/file_traffic.hpp"
#include "rondo/matrix/other_processes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::matrix {

inline constexpr std::size_t kSizeBuckets = 13;

/// Largest message of bucket 0 to 11: 16 B, 64 B, 256 B, ... 64 MiB. Bucket 12 has no upper end.
constexpr std::uint64_t bucket_limit_bytes(std::size_t bucket) {
  return std::uint64_t{16} << (2 * bucket);
}

/// The bucket of a message: the first whose limit is not below it.
/// @source  [riesen2006, sec. 3.5]; there the thirteenth bucket's upper end is not given, ours is
/// open
std::size_t bucket_of(std::uint64_t bytes);

struct Spread {
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  double mean = 0;
};

/// One density: per pair over the pairs that talk, per rank (sent by it) over all ranks.
struct Density {
  std::uint64_t total = 0;
  Spread per_pair;
  Spread per_rank;
  std::int64_t heaviest_source = -1; // the first pair with the maximum; -1 if nobody talks
  std::int64_t heaviest_destination = -1;
};

struct CollectiveCount {
  std::string function;
  std::uint64_t calls = 0; // a call by 16 ranks counts 16
  std::uint64_t bytes = 0;

  friend bool operator==(const CollectiveCount&, const CollectiveCount&) = default;
};

struct SizeBucket {
  std::uint64_t point_to_point_messages = 0;
  std::uint64_t point_to_point_bytes = 0;
  std::uint64_t one_sided_messages = 0;
  std::uint64_t one_sided_bytes = 0;
  std::uint64_t collective_calls = 0;
  std::uint64_t collective_bytes = 0;
  std::uint64_t collective_messages = 0; // as far as they were added
  std::uint64_t collective_message_bytes = 0;
};

struct Statistics {
  std::int64_t ranks = 0;
  CommunicationMatrix matrix; // of all messages, also those of collectives that were added
  std::string collectives_as =
      "none"; // how their messages were counted, see parse_collective_counting()
  std::uint64_t point_to_point_messages = 0;
  std::uint64_t point_to_point_bytes = 0;
  std::uint64_t one_sided_messages = 0; // a fetching call is two, one each way
  std::uint64_t one_sided_bytes = 0;
  Density messages; // message density
  Density bytes; // data density
  std::uint64_t collective_calls = 0;
  std::uint64_t collective_bytes = 0;
  std::vector<CollectiveCount> collectives; // most calls first, then by name
  std::array<SizeBucket, kSizeBuckets> sizes{};
  std::uint64_t zero_byte_messages = 0; // they are in bucket 0 too
  std::uint64_t messages_outside = 0; // to or from ranks that do not exist; counted nowhere else
  std::uint64_t messages_to_others = 0; // with processes outside MPI_COMM_WORLD; nowhere else
  std::uint64_t bytes_to_others = 0;
  FileTraffic files;
  OtherTraffic others; // whose messages are messages_to_others

  std::size_t pairs() const { return matrix.entries().size(); }

  /// Pairs that talk, of all ranks^2 (a rank may talk to itself).
  double share_of_pairs() const;

  /// Per rank, as the paper counts: point-to-point messages / ranks.
  double point_to_point_per_rank() const;
  double one_sided_per_rank() const;

  /// A collective of all ranks is one operation, whatever it does inside: calls / ranks.
  double collectives_per_rank() const;

  /// Collectives of all operations, in [0, 1]; 0 if there are none at all. One-sided messages are
  /// operations, too: the paper's programs have none.
  double collective_share_of_calls() const;
  double collective_share_of_bytes() const;
};

/// Collects call totals in any order. Not thread-safe.
class StatisticsBuilder {
public:
  /// @param ranks  of the program, >= 0
  explicit StatisticsBuilder(std::int64_t ranks) : ranks_(ranks) {}

  /// @param source, destination  world ranks; messages of ranks that do not exist (MPI_PROC_NULL
  /// among
  ///                             them) are counted in messages_outside only
  /// @param messages             how many of them
  /// @param bytes_each           length of one
  /// @complexity                 O(1) amortised but for a sort each time the pairs have doubled
  void add_point_to_point(std::int64_t source, std::int64_t destination, std::uint64_t messages,
                          std::uint64_t bytes_each);

  /// Messages of one-sided calls, for densities and sizes; the ratio does not have them.
  void add_one_sided(std::int64_t source, std::int64_t destination, std::uint64_t messages,
                     std::uint64_t bytes_each);

  /// Messages of collective operations, for densities and sizes; the ratio does not have them.
  void add_collective_messages(std::int64_t source, std::int64_t destination,
                               std::uint64_t messages, std::uint64_t bytes_each);

  /// @param function  name as it shall be printed
  /// @param calls     summed over the ranks that call
  /// @param bytes     what these calls hand over in total; the sizes count `calls` messages of
  ///                  bytes / calls, so one call of this for every size gives exact buckets
  void add_collective(std::string_view function, std::uint64_t calls, std::uint64_t bytes);

  /// @complexity  O(n log n) for n pairs
  /// @source      [riesen2006, sec. 3]; there a collective's messages to and from its root are part
  ///              of the densities and sizes, here if they are added
  Statistics build() const;

private:
  SizeBucket* bucket_for(std::int64_t source, std::int64_t destination, std::uint64_t messages,
                         std::uint64_t bytes_each);
  void compact();

  std::int64_t ranks_;
  std::vector<MatrixEntry> entries_;
  std::size_t compacted_ = 0; // entries_ when they were last merged
  std::map<std::string, CollectiveCount, std::less<>> collectives_;
  std::array<SizeBucket, kSizeBuckets> sizes_{};
  std::uint64_t zero_byte_messages_ = 0;
  std::uint64_t messages_outside_ = 0;
};

} // namespace rondo::matrix
