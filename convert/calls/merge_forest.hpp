// SPDX-License-Identifier: Apache-2.0
// Ranks' parts on their way to one, along the tree along which the recorder merges: two that stand
// beside each other become one as soon as both are there, in whatever order they come. What comes
// out does not depend on it.
//
//   MergeForest forest(ranks, merges);
//   forest.add({rank, 1, std::move(part)}); // from any thread
//   std::vector<MergeForest::Tree> trees = forest.take(); // one, if all ranks were there
#pragma once

#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

class MergeForest {
public:
  /// The ranks [first, first + size), less those that are not there at the end. The size is a power
  /// of two that divides the first.
  struct Tree {
    std::int64_t first = 0;
    std::int64_t size = 1;
    fold::RecordingPart part;
  };

  MergeForest(std::int64_t ranks, bool merges) : ranks_(ranks), merges_(merges) {}

  void add(Tree&& tree);
  std::vector<Tree> take();

private:
  std::int64_t ranks_;
  bool merges_;
  std::mutex mutex_;
  /// Halves that wait for their other half, by first rank and size of the whole.
  std::map<std::pair<std::int64_t, std::int64_t>, Tree> halves_;
};

} // namespace rondo::convert::internal
