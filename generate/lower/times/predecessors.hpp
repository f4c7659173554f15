// SPDX-License-Identifier: Apache-2.0
// Which calls may come right before a loop of a merged program is entered, which end its passes,
// and which come before a call: what a rank does before it is known by the call before it only.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rondo::generate::internal {

class Predecessors {
public:
  using Symbols = std::set<std::uint32_t>; // of the merged program's calls

  explicit Predecessors(const trace::MergedProgram& program);

  /// That a pass of the loop may end with. @complexity O(terms in it), once
  const Symbols& last_of(std::size_t loop);
  /// That the loop may be entered behind, wherever it stands. @complexity O(terms before it), once
  const Symbols& before(std::size_t loop);
  /// Before the call that stands there. @param body  0: the top, else a loop's number and one
  Symbols before(std::uint32_t body, std::size_t index);

private:
  struct Stand {
    const std::vector<trace::Term>* body = nullptr;
    std::size_t index = 0;
    std::size_t around = 0; // loop; the number of loops at the top
  };
  using Ranks = std::vector<std::int64_t>;

  void find_stands(const std::vector<trace::Term>& body, std::size_t around);
  Ranks ranks_of(trace::Term term) const;
  bool may_have_no_pass(std::size_t loop);
  void add_before(const Stand& stand, Symbols& into);
  bool gather(const std::vector<trace::Term>& body, std::size_t end, Ranks ranks, Symbols& into);

  const trace::MergedProgram& program_;
  std::map<std::size_t, std::vector<Stand>> stands_; // loop ->
  std::map<std::size_t, Symbols> last_;
  std::map<std::size_t, Symbols> before_;
  std::map<std::size_t, bool> may_have_no_pass_;
};

} // namespace rondo::generate::internal
