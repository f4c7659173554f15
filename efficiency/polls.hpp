// SPDX-License-Identifier: Apache-2.0
// Since when a rank waits that asks again and again whether something is there: polls that find
// nothing, one behind the other, are one wait that ends with the call that finds it.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rondo::efficiency::internal {

class Polls {
public:
  /// @param actors  ranks, and further threads of theirs
  explicit Polls(std::size_t actors) : series_(actors) {}

  static bool is_poll(const trace::Function& function) {
    return trace::meaning_of(function).may_find_nothing;
  }

  void comes_to(std::int64_t actor, const trace::CallInstance& call) {
    Series& mine = of(actor);
    const trace::CallView view(trace::meaning_of(*call.function), call.words);
    const bool is_poll = view.means().may_find_nothing && call.error == 0;
    const bool has_none =
        !view.has_found() || trace::word_or(view.words(), view.means().outcount, 1) == 0;
    // Whoever has seen a partition come waits for the others, too.
    mine.is_vain = is_poll && (has_none || view.means().act == trace::Act::kAskPartition);
    mine.is_begun = false;
  }
  // Who works longer between polls than they take does not wait, but looks up now and then. What is
  // less is taken off at the beginning, so that no more is waited than the polls took.
  void computed(std::int64_t actor, double seconds) {
    Series& mine = of(actor);
    if (!mine.is_on) return;
    mine.is_on = seconds <= mine.inside_s;
    mine.since_s += seconds;
  }
  void called(std::int64_t actor, double from_s, double to_s) {
    Series& mine = of(actor);
    if (!mine.is_vain) {
      mine.is_on = false;
      return;
    }
    if (!mine.is_on) mine = {.is_on = true, .since_s = from_s};
    mine.inside_s += to_s - from_s;
  }
  /// Since when a call waits that comes at `from_s`, if it begins to wait then.
  double since(std::int64_t actor, double from_s) {
    Series& mine = of(actor);
    if (!mine.is_begun) mine.begun_s = from_s;
    mine.is_begun = true;
    const bool ends_series = mine.is_on && from_s <= mine.begun_s;
    return ends_series ? std::min(mine.since_s, from_s) : from_s;
  }
  /// It has waited: for what else the call finds it waits from there on.
  void waited(std::int64_t actor, double until_s) {
    of(actor).since_s = std::max(of(actor).since_s, until_s);
  }
  /// What was remembered is of another time.
  void forget() { series_.assign(series_.size(), Series()); }

private:
  struct Series {
    bool is_on = false;
    bool is_vain = false; // the call at hand
    bool is_begun = false; // it has waited
    double since_s = 0;
    double inside_s = 0; // polls
    double begun_s = 0; // when the call at hand began to wait
  };
  Series& of(std::int64_t actor) { return series_[static_cast<std::size_t>(actor)]; }

  std::vector<Series> series_;
};

} // namespace rondo::efficiency::internal
