// SPDX-License-Identifier: Apache-2.0
// What a rank says of a collective operation in the traces of BSC's tools: bytes that it sends to
// and receives from each other rank, or all of them where counts differ, and who is root.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <unordered_map>

namespace rondo::convert::internal {

struct CollectiveFacts {
  std::int64_t sent = trace::kNothing;
  std::int64_t received = trace::kNothing;
  std::int64_t root = trace::kNothing; // rank in the communicator
  bool is_root = false; // this rank is
};

class CollectiveSizes {
public:
  /// Both must outlive the object.
  CollectiveSizes(const trace::Trace& trace, const trace::CallReader& reader);

  /// @param place   of this rank in the call's communicator
  CollectiveFacts of(const trace::CallInstance& call, std::int64_t place) const;

private:
  struct Side { // words of a call
    int count, type;
    bool has_counts, has_types; // one for each rank
  };
  std::int64_t bytes(const trace::CallView& call, const Side& side) const;

  const trace::CallReader& reader_;
  std::unordered_map<std::int64_t, std::int64_t> type_sizes_;
};

} // namespace rondo::convert::internal
