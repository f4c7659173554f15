// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/merge_forest.hpp"

#include <algorithm>
#include <optional>

namespace rondo::convert::internal {

void MergeForest::add(Tree&& added) {
  Tree tree = std::move(added);
  for (;;) {
    const std::int64_t beside = tree.first ^ tree.size;
    if (tree.size < ranks_ && beside >= ranks_) { // nobody beside it: it stands for the whole
      tree.size *= 2;
      continue;
    }
    std::optional<Tree> other;
    {
      const std::lock_guard lock(mutex_);
      const std::pair whole(std::min(tree.first, beside), tree.size * 2);
      const auto found = halves_.find(whole);
      if (found == halves_.end()) {
        halves_.emplace(whole, std::move(tree));
        return;
      }
      other = std::move(found->second);
      halves_.erase(found);
    }
    if (beside < tree.first) std::swap(tree, *other);
    fold::merge(tree.part, std::move(other->part), merges_);
    tree.size *= 2;
  }
}

std::vector<MergeForest::Tree> MergeForest::take() {
  std::vector<Tree> trees;
  for (auto& [whole, tree] : halves_) trees.push_back(std::move(tree));
  halves_.clear();
  return trees;
}

} // namespace rondo::convert::internal
