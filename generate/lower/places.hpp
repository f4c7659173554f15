// SPDX-License-Identifier: Apache-2.0
// Calls and loops that stand in several places of a program share their columns: the values of all
// places in the order of the executions. This tells which value belongs to which place.
#pragma once

#include "generate/lower/arguments/values.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rondo::generate::internal {

/// A term's position: the loop in whose body it stands, and where.
struct TermPlace {
  std::uint32_t body = 0; // 0: the top sequence, else 1 + the loop
  std::uint32_t index = 0;
  friend auto operator<=>(const TermPlace&, const TermPlace&) = default;
};

class Places {
public:
  /// @param index   of the merged program in the trace
  /// @complexity    O(1) where no term that varies stands in several places, else O(calls of one
  /// rank of each class)
  Places(const trace::Trace& trace, std::size_t index, WordValues& words);

  /// What of a term's values on a rank belongs to the place.
  Sequence at(const TermPlace& place, trace::Term term, std::int64_t rank, const Sequence& values);

private:
  struct Walk; // of one rank

  void note_uses(std::uint32_t body, const std::vector<trace::Term>& terms);
  bool varies(trace::Term term) const;
  const std::map<std::uint32_t, std::vector<std::uint32_t>>& order_of(std::size_t rank_class);

  const trace::Trace& trace_;
  std::size_t index_;
  WordValues& words_;
  std::map<std::uint32_t, std::vector<TermPlace>> places_; // of terms, by code
  std::set<std::uint32_t> shared_; // codes of terms that vary and stand in several places
  /// Class of ranks -> term -> which of its places each execution is.
  std::map<std::size_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> orders_;
  using Values = std::shared_ptr<const std::vector<std::int64_t>>;
  std::map<std::tuple<Values, std::uint32_t, std::size_t, std::uint32_t>, Values> parts_;
};

} // namespace rondo::generate::internal
