// SPDX-License-Identifier: Apache-2.0
// How much memory a call's data takes: a bound that costs nothing where it is too large, as memory
// that is not touched is not there.
#pragma once

#include "generate/lower/arguments/list_arguments.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace rondo::generate::internal {

class MessageSizes {
public:
  /// `lists` must outlive the object.
  MessageSizes(const trace::Trace& trace, ListArguments& lists);

  /// @complexity  O(values of the call's words)
  std::int64_t bytes_of(const CallContext& context);

private:
  std::int64_t largest_extent(const std::set<std::int64_t>& slots) const;

  ListArguments& lists_;
  std::map<std::int64_t, std::int64_t> extents_; // of datatypes by slot
  std::int64_t longest_ = 0; // extent of any datatype
};

} // namespace rondo::generate::internal
