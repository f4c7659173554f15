// SPDX-License-Identifier: Apache-2.0
// Which values of a column come at which place of a program. One call or loop may stand at several
// places, and its columns go through all of them in the order of execution.
//
//   const PlaceValues values(trace, 0, top, place_in);
//   values.trip_counts(place); // "7", where the loop's column says "7, 2, 7"
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rondo::trace {

class PlaceValues {
public:
  /// The place of a term in the body at another place.
  using PlaceIn =
      std::function<std::optional<std::uint32_t>(std::optional<std::uint32_t>, std::uint32_t term)>;

  PlaceValues() = default; // knows nothing
  /// Of a merged program.
  /// @param index   of the merged program
  /// @param top     place of its top sequence
  /// @complexity    O(calls of one rank of each class, in loops where a call or loop stands that
  ///                stands elsewhere too), or nothing is known if these are very many
  PlaceValues(const Trace& trace, std::size_t index, std::uint32_t top, const PlaceIn& place_in);
  /// Of one rank's program.
  PlaceValues(const Program& program, std::uint32_t top, const PlaceIn& place_in);

  /// As the column has them; nullptr if it is not known.
  const std::set<std::int64_t>* at(std::optional<std::uint32_t> place, std::size_t word) const;
  /// True if at() knows some word's values at this place.
  bool knows(std::optional<std::uint32_t> place) const;
  /// How often the loop at this place goes round: "7", "1, 6, 20", "1..20 (mean 7)"; nothing if it
  /// is not known.
  std::optional<std::string> trip_counts(std::optional<std::uint32_t> place) const;

private:
  std::map<std::pair<std::uint32_t, std::size_t>, std::set<std::int64_t>> values_;
  std::map<std::uint32_t, std::string> trip_counts_;
};

} // namespace rondo::trace
