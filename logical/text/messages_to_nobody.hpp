// SPDX-License-Identifier: Apache-2.0
// Messages of no size that go to nobody, or come from there, as mpi4py makes them at a border: how
// much there would be elsewhere at that place is not said, nor of what type.
#pragma once

#include "rondo/trace/functions.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace rondo::logical::internal {

class MessagesToNobody {
public:
  /// @complexity  O(calls of the programs)
  explicit MessagesToNobody(const trace::Trace& trace);

  /// They have the type of the function's other messages, if that is one of MPI's own, and no size.
  void change(const trace::Function& function, std::span<std::int64_t> words) const;

private:
  std::map<std::pair<std::uint16_t, int>, std::set<std::int64_t>>
      types_; // by function and the word that says it
};

} // namespace rondo::logical::internal
