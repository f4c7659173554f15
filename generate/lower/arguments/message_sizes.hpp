// SPDX-License-Identifier: Apache-2.0
// How much memory a call's data takes: a bound that costs nothing where it is too large, as memory
// that is not touched is not there.
#pragma once

#include "generate/lower/arguments/list_arguments.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::generate::internal {

class MessageSizes {
public:
  /// All must outlive the object.
  MessageSizes(const trace::Trace& trace, ListArguments& lists) : trace_(trace), lists_(lists) {}

  /// @complexity  O(values of the call's words)
  std::int64_t bytes_of(const CallContext& context);

private:
  std::int64_t largest_extent(const std::vector<std::int64_t>& slots);

  const trace::Trace& trace_;
  ListArguments& lists_;
  std::map<std::int64_t, std::int64_t> extents_; // of datatypes by slot
};

} // namespace rondo::generate::internal
