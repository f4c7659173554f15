// SPDX-License-Identifier: Apache-2.0
// Several processes that read one trace together, each some of its ranks, perhaps on several
// machines. They are started alike and meet in a folder that all of them see; the first one gets
// what the others read (docs/formats/processes.md says how).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace rondo::convert {

struct Processes {
  std::size_t mine = 0; // of these
  std::size_t all = 1;
  std::string folder{}; // where they meet; made if need be, removed at the end
  /// How long one waits for another that gives no sign of life.
  std::chrono::seconds patience{120};
};

} // namespace rondo::convert
