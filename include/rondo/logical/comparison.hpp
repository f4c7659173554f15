// SPDX-License-Identifier: Apache-2.0
// Are two runs the same logical program? The same calls, directions and nesting; numbers may
// differ: how often loops run, how large messages are, tags.
//
//   const Comparison result = compare(a, b);
//   if (result.difference) use(result.difference->where);
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rondo::logical {

/// A number that is not the same in both, or a choice of several directions.
struct Scaling {
  std::string what; // "iterations", "size", "tag", "peers", "repetitions", "directions"
  std::string where; // "loop 2 > loop 1 > isend 3"
  std::string a;
  std::string b;
};

/// What makes them two programs; the first one in the order of the text.
struct Difference {
  std::string where; // "loop 2 > loop 1"
  std::string why; // "another call"
  std::string a; // the line, empty for none
  std::string b;
};

struct Comparison {
  std::vector<Scaling> scaling; // in the order of the text, up to the difference
  std::optional<Difference> difference; // nothing if they are the same program
};

/// Numbers in the text of a call are what may differ; all other words must be equal. Places are
/// counted among the calls and loops of one body: "isend 3" is the third isend.
/// Where a topology has another direction for each bit of a rank's number, twice the ranks may go
/// through one more: such steps are listed as repetitions. Texts whose first topology lies another
/// way are the same if all directions turn alike.
/// @complexity  O(length of both texts), times 48 for volumes that lie another way
/// @source      [logicalization, sec. 6], which leaves the scaling of logical traces to later work
Comparison compare(const LogicalText& a, const LogicalText& b);

} // namespace rondo::logical
