// SPDX-License-Identifier: Apache-2.0
// Tables of objects, hosts and modules of several ranks, or of several chunks of one, as one.
#pragma once

#include "rondo/trace/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::fold {

/// Rows of which equal ones become one, held by the ranks of all. There may be as many as a program
/// has calls: each is compared with those of its hash only.
template <class Row> class MergedRows {
public:
  /// Adds the rows of `from` to `into`, which nobody else changes.
  /// @param hash, same   of what makes rows equal
  /// @complexity         O(rows of `from`), and of `into` the first time
  template <class Hash, class Same, class Holders>
  void add(std::vector<Row>& into, std::vector<Row>&& from, Hash hash, Same same, Holders holders) {
    for (; known_ < into.size(); ++known_) find(hash(into[known_])).push_back(known_);
    for (Row& row : from) {
      std::vector<std::size_t>& candidates = find(hash(row));
      const auto place =
          std::find_if(candidates.begin(), candidates.end(),
                       [&](std::size_t candidate) { return same(row, into[candidate]); });
      if (place != candidates.end()) {
        auto& held = into[*place].*holders;
        if (held != row.*holders) held.add(row.*holders); // chunks are of one rank
        continue;
      }
      candidates.push_back(known_++);
      into.push_back(std::move(row));
    }
  }

private:
  std::vector<std::size_t>& find(std::uint64_t hash) { return by_hash_[hash]; }

  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;
  std::size_t known_ = 0; // rows of `into`
};

class MergedTables {
public:
  /// `into` must outlive it, and not be changed otherwise.
  explicit MergedTables(trace::Trace& into) : into_(into) {}

  /// All tables but those of sites and programs.
  void add(trace::Trace&& from);

private:
  trace::Trace& into_;
  MergedRows<trace::Host> hosts_;
  MergedRows<trace::Affinity> affinities_;
  MergedRows<trace::CommDefinition> comms_;
  MergedRows<trace::GroupDefinition> groups_;
  MergedRows<trace::DatatypeDefinition> datatypes_;
};

} // namespace rondo::fold
