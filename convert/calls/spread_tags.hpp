// SPDX-License-Identifier: Apache-2.0
// Tags for formats that know no communicators: those of each communicator are moved, so that no
// message of one is taken for a message of another. Calls are gone through twice: the first time
// tags are noted, and what of() returns means nothing; then spread() finds a place for each.
#pragma once

#include <cstdint>
#include <limits>
#include <map>

namespace rondo::convert::internal {

class SpreadTags {
public:
  /// What stands for a message's tag on a communicator.
  std::int64_t of(std::uint32_t comm, std::int64_t tag);
  /// What stands for the tag of the messages that collective operations on it become.
  std::int64_t of_steps(std::uint32_t comm);

  /// Finds places between 0 and `most`: each communicator as many as the highest tag of all needs,
  /// so that a tag can be read from its place; if that is too much, as where libraries count tags
  /// down from the highest that MPI allows, as many as are between its own lowest and highest.
  /// @return  false if these do not fit either
  bool spread(std::int64_t most);

  bool is_of_several_communicators() const { return ranges_.size() > 1; }

private:
  struct Range {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = -1;
    std::int64_t added = 0; // to its tags
    std::int64_t steps = 0; // the place behind its tags
  };

  bool fit(std::int64_t most, bool by_own_tags);

  std::map<std::uint32_t, Range> ranges_;
  std::int64_t highest_ = 0;
  bool has_steps_ = false;
};

} // namespace rondo::convert::internal
