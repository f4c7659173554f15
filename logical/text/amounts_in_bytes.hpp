// SPDX-License-Identifier: Apache-2.0
// Counts of datatypes that the program made as counts of bytes: libraries make a type for each
// message, so that equal places of the program differ in all but what they do.
#pragma once

#include "rondo/trace/functions.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace rondo::logical::internal {

class AmountsInBytes {
public:
  /// Changes nothing.
  AmountsInBytes() = default;
  /// @complexity  O(datatypes)
  explicit AmountsInBytes(const trace::Trace& trace);

  /// The datatype that stands for all that were made; -1 if nothing is changed.
  std::int64_t slot() const { return slot_; }
  /// Of that datatype: one byte.
  trace::DatatypeDefinition definition() const;

  /// Counts in front of a datatype that was made become counts of bytes. Those of datatypes whose
  /// size is not known stay, as do counts in arrays.
  void change(const trace::Function& function, std::int64_t rank,
              std::span<std::int64_t> words) const;

  /// Of all these datatypes as a rank has them: ranks with equal ones have equal changes.
  std::vector<std::int64_t> sizes(std::int64_t rank) const;

private:
  std::int64_t size_of(std::int64_t type, std::int64_t rank) const; // -1: not known

  std::int64_t slot_ = -1;
  trace::RankSet holders_;
  std::map<std::int64_t, std::vector<trace::DatatypeDefinition>> types_; // by slot
};

} // namespace rondo::logical::internal
