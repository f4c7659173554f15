// SPDX-License-Identifier: Apache-2.0
// Makes a shape of another one and a class: pairs of terms become terms.
//
//   Pairing pairing(known, added);
//   top.push_back(pairing.symbol(3, 5)); // known symbol 3 and the class's symbol 5 are one
//   if (pairing.conflicts().empty()) shape = pairing.take(std::move(top));
#pragma once

#include "fold/merge/merged_shape.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rondo::fold {

enum class WordKind : std::uint8_t { kPlain, kColumn, kRelativeColumn };
WordKind kind_of(const trace::Word& word);

/// Loops match if their counts can be joined: plain ones with plain ones, columns with columns.
bool can_join(const trace::MergedLoop& a, const trace::MergedLoop& b);

/// key_of() of each call.
std::vector<std::uint64_t> keys_of(const trace::MergedProgram& program);

bool has_columns(const trace::Call& call);

class Pairing {
public:
  Pairing(const MergedShape& known, const PartClass& added) : known_(known), added_(added) {
    result_.classes_ = known.classes_;
    result_.classes_.push_back(&added);
  }

  // Either side may be kAbsent.
  trace::Term symbol(std::uint32_t a, std::uint32_t b) {
    const auto [entry, is_new] =
        symbol_of_.emplace(std::pair(a, b), static_cast<std::uint32_t>(result_.symbols_.size()));
    if (is_new) {
      const std::uint64_t key = a != kAbsent ? known_.symbols()[a].key
                                             : key_of(added_.program, added_.program.calls[b].call);
      result_.symbols_.push_back(
          {members(a == kAbsent ? nullptr : &known_.symbols()[a].members, b), key});
    }
    return trace::Term::symbol(entry->second);
  }

  const trace::Term* find_loop(std::uint32_t a, std::uint32_t b) const {
    const auto found = loop_of_.find({a, b});
    return found == loop_of_.end() ? nullptr : &found->second;
  }

  trace::Term loop(std::uint32_t a, std::uint32_t b, std::vector<trace::Term> body) {
    const trace::Term term = trace::Term::loop(static_cast<std::uint32_t>(result_.loops_.size()));
    result_.loops_.push_back(
        {members(a == kAbsent ? nullptr : &known_.loops()[a].members, b), std::move(body)});
    loop_of_.emplace(std::pair(a, b), term);
    return term;
  }

  // A term of the one side that has no counterpart.
  trace::Term alone(trace::Term term, bool is_added) {
    const std::uint32_t a = is_added ? kAbsent : term.index();
    const std::uint32_t b = is_added ? term.index() : kAbsent;
    if (!term.is_loop()) return symbol(a, b);
    if (const trace::Term* known = find_loop(a, b)) return *known;
    std::vector<trace::Term> body;
    for (const trace::Term inner : is_added ? added_.program.loops[b].body : known_.loops()[a].body)
      body.push_back(alone(inner, is_added));
    return loop(a, b, std::move(body));
  }

  // A symbol or loop with a column cannot stand in two places with different partners: the column's
  // values would have to be told apart.
  struct Conflict {
    trace::Term term; // of class `number`
    std::size_t number = 0;
  };
  std::vector<Conflict> conflicts() const {
    std::vector<Conflict> conflicts;
    for (std::size_t c = 0; c < result_.classes_.size(); ++c) {
      const trace::MergedProgram& program = result_.classes_[c]->program;
      for (const std::uint32_t i : members_met_twice(result_.symbols_, c)) {
        if (has_columns(program.calls[i].call)) conflicts.push_back({trace::Term::symbol(i), c});
      }
      for (const std::uint32_t i : members_met_twice(result_.loops_, c)) {
        if (kind_of(program.loops[i].trip_count) != WordKind::kPlain)
          conflicts.push_back({trace::Term::loop(i), c});
      }
    }
    return conflicts;
  }

  MergedShape take(std::vector<trace::Term> top) {
    result_.top_ = std::move(top);
    return std::move(result_);
  }

private:
  std::vector<std::uint32_t> members(const std::vector<std::uint32_t>* known,
                                     std::uint32_t added) const {
    std::vector<std::uint32_t> members(known_.classes(), kAbsent);
    if (known != nullptr) members = *known;
    members.push_back(added);
    return members;
  }

  template <class Rows>
  static std::vector<std::uint32_t> members_met_twice(const Rows& rows, std::size_t number) {
    std::vector<std::uint32_t> all;
    for (const auto& row : rows) {
      if (row.members[number] != kAbsent) all.push_back(row.members[number]);
    }
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> twice;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i] == all[i - 1]) twice.push_back(all[i]);
    }
    return twice;
  }

  const MergedShape& known_;
  const PartClass& added_;
  MergedShape result_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> symbol_of_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, trace::Term> loop_of_;
};

} // namespace rondo::fold
