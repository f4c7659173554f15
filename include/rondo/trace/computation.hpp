// SPDX-License-Identifier: Apache-2.0
// How long a rank computes before each of its calls: exactly where the trace has the times of every
// call, else the mean of the call's place for that rank.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rondo::trace {

/// Each rank's mean computation at a place in ns, in the order of the class's ranks; empty if only
/// the mean of all is known. Kept as rounded codes, they make up the exact mean together.
/// @complexity O(ranks)
std::vector<double> means_of_ranks(const PlaceTimes& place);

/// How the means of a program's ranks are scaled, found once for all that look at one of them.
class MeanScales {
public:
  /// By place. The program must outlive the object. @complexity O(places * ranks) the first time
  const std::vector<double>& of(const Program& program);

private:
  std::map<const Program*, std::vector<double>> found_;
};

class Computation {
public:
  /// All but the scales must outlive the object. @complexity O(places) once the scales are known
  Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
              MeanScales& scales);
  /// The same for a single rank. @complexity O(places * ranks)
  Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank);

  /// Seconds before the next call of the stream. @complexity O(places of that call)
  double before(std::uint32_t symbol);
  /// The rank's mean before a call with this symbol behind one with the other, in seconds, whatever
  /// stamps there are. @complexity O(places of that call)
  double mean(std::uint32_t symbol, std::uint32_t behind) const;

private:
  struct Place {
    std::uint32_t before = 0;
    double seconds = 0;
  };

  std::optional<TimeStampReader> stamps_;
  std::vector<std::size_t> first_; // by symbol, and one more
  std::vector<Place> places_;
  std::uint32_t last_ = PlaceTimes::kStart;
};

} // namespace rondo::trace
