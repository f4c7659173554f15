// SPDX-License-Identifier: Apache-2.0
// Which values of a column come at which place of a program. One call may stand at several places,
// and its column goes through all of them in the order of execution.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rondo::logical::internal {

class PlaceValues {
public:
  /// The place of a term in the body at another place.
  using PlaceIn =
      std::function<std::optional<std::uint32_t>(std::optional<std::uint32_t>, std::uint32_t term)>;

  /// @param index   of the merged program
  /// @param top     place of its top sequence
  /// @complexity    O(calls of one rank of each class), or nothing is known if these are very many
  PlaceValues(const trace::Trace& trace, std::size_t index, std::uint32_t top,
              const PlaceIn& place_in);

  /// As the column has them; nullptr if it is not known.
  const std::set<std::int64_t>* at(std::optional<std::uint32_t> place, std::size_t word) const;

private:
  std::map<std::pair<std::uint32_t, std::size_t>, std::set<std::int64_t>> values_;
};

} // namespace rondo::logical::internal
