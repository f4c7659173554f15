// SPDX-License-Identifier: Apache-2.0
// The times of classes along a shape.
#include "fold/course_choice.hpp"
#include "fold/merge/merged_shape.hpp"
#include "fold/place_times.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace rondo::fold {
namespace {

using trace::PlaceTimes;
using trace::RankSet;
using trace::Term;
using trace::Word;

using PlacePair = std::pair<std::uint32_t, std::uint32_t>; // the call before, and the call

// Walks the shape as one class goes through it, loops twice, and notes which pairs of calls
// follow each other and how often: as the class numbers them, and as the shape does. So a place
// of the class that has become several is dealt to all of them.
class PairsInOrder {
public:
  PairsInOrder(const PartClass& c, const MergedShape& shape, std::size_t number)
      : class_(c), shape_(shape), number_(number), symbols_of_(c.program.calls.size()) {
    for (std::uint32_t s = 0; s < shape.symbols().size(); ++s) {
      const std::uint32_t member = shape.symbols()[s].members[number];
      if (member != kAbsent) symbols_of_[member].push_back(s);
    }
    const bool is_simple = std::all_of(symbols_of_.begin(), symbols_of_.end(),
                                       [](const auto& symbols) { return symbols.size() <= 1; });
    if (!is_simple) walk(shape.top(), 1);
  }

  void translate(const PlaceTimes& place, std::vector<PlaceTimes>& to) const {
    const auto found = pairs_.find({place.before, place.call});
    if (found == pairs_.end()) {
      const bool is_call = place.before < PlaceTimes::kOther;
      to.push_back(place);
      if (is_call) to.back().before = symbols_of_[place.before].front();
      to.back().call = symbols_of_[place.call].front();
      return;
    }
    std::vector<double> weights;
    for (const auto& [pair, weight] : found->second) weights.push_back(weight);
    std::vector<PlaceTimes> shares = dealt(place, weights);
    auto share = shares.begin();
    for (const auto& [pair, weight] : found->second) {
      std::tie(share->before, share->call) = pair;
      if (share->inside.count > 0) to.push_back(std::move(*share));
      ++share;
    }
  }

private:
  static constexpr int kMostSteps = 1 << 16;

  // How often the loop goes round, on average of its entries.
  double trips(const MergedShape::Loop& loop) const {
    const Word& count = class_.program.loops[loop.members[number_]].trip_count;
    if (count.form == Word::Form::kConstant) return static_cast<double>(count.value);
    if (count.form != Word::Form::kColumn) return 2; // by rank: not within a class
    const trace::Column& column = class_.program.columns[static_cast<std::size_t>(count.value)];
    const auto size = static_cast<double>(std::max<std::uint64_t>(column.size(), 1));
    return static_cast<double>(column.sum()) / size;
  }

  void walk(const std::vector<Term>& terms, double times) {
    for (const Term term : terms) {
      if (++steps_ > kMostSteps) return;
      if (term.is_loop()) {
        const MergedShape::Loop& loop = shape_.loops()[term.index()];
        if (loop.members[number_] == kAbsent) continue;
        const double count = trips(loop);
        if (count > 0) walk(loop.body, times * std::min(count, 1.0));
        if (count > 1) walk(loop.body, times * (count - 1));
        continue;
      }
      const std::uint32_t member = shape_.symbols()[term.index()].members[number_];
      if (member == kAbsent) continue;
      pairs_[{before_.first, member}][{before_.second, term.index()}] += times;
      pairs_[{PlaceTimes::kOther, member}][{PlaceTimes::kOther, term.index()}] += times;
      before_ = {member, term.index()};
    }
  }

  const PartClass& class_;
  const MergedShape& shape_;
  std::size_t number_;
  std::vector<std::vector<std::uint32_t>> symbols_of_; // class -> shape
  int steps_ = 0;
  PlacePair before_{PlaceTimes::kStart, PlaceTimes::kStart}; // as the class has it, and the shape
  std::map<PlacePair, std::map<PlacePair, double>>
      pairs_; // of the class -> of the shape, how often
};

bool is_before(const PlaceTimes& a, const PlaceTimes& b) {
  return a.call != b.call ? a.call < b.call : a.before < b.before;
}

// Where the ranks of both sets, one after the other, stand in ascending order.
std::vector<std::size_t> ascending(const RankSet& a, const RankSet& b) {
  std::vector<std::int64_t> ranks = a.ranks();
  const std::vector<std::int64_t> more = b.ranks();
  ranks.insert(ranks.end(), more.begin(), more.end());
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return ranks[x] < ranks[y]; });
  return order;
}

void reorder(std::vector<trace::RankMeans>& means, const std::vector<std::size_t>& order) {
  std::vector<trace::RankMeans> result;
  result.reserve(means.size());
  for (const std::size_t place : order) result.push_back(means[place]);
  means = std::move(result);
}

} // namespace

std::vector<PlaceTimes> translated_times(const PartClass& c, const MergedShape& shape,
                                         std::size_t number) {
  const PairsInOrder pairs(c, shape, number);
  std::vector<PlaceTimes> result;
  for (const PlaceTimes& place : c.times) pairs.translate(place, result);
  std::stable_sort(result.begin(), result.end(), is_before);
  SharedTimes shared;
  std::size_t last = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (is_before(result[last], result[i])) {
      if (++last != i) result[last] = std::move(result[i]);
      continue;
    }
    shared.add(result[last], result[i]);
    result[last].courses = {}; // in which order the two were gone through is not known
    for (std::size_t rank = 0; rank < result[last].means.size(); ++rank) { // of one of the two
      if (result[last].means[rank] == trace::RankMeans{})
        result[last].means[rank] = result[i].means[rank];
    }
  }
  if (!result.empty()) result.resize(last + 1);
  shared.rename(result);
  return result;
}

void add_times(std::vector<PlaceTimes>& into, const RankSet& into_ranks,
               std::vector<PlaceTimes>&& from, const RankSet& from_ranks) {
  const auto before = static_cast<std::size_t>(into_ranks.size());
  const auto added = static_cast<std::size_t>(from_ranks.size());
  const std::size_t known = into.size();
  SharedTimes shared;
  for (PlaceTimes& place : from) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(known);
    const auto same = std::lower_bound(into.begin(), end, place, is_before);
    if (same != end && !is_before(place, *same)) {
      shared.add(*same, place);
      same->courses.insert(same->courses.end(), std::make_move_iterator(place.courses.begin()),
                           std::make_move_iterator(place.courses.end()));
      same->means.insert(same->means.end(), place.means.begin(), place.means.end());
    } else {
      place.means.insert(place.means.begin(), before, {});
      into.push_back(std::move(place));
    }
  }
  shared.rename(into);
  const bool is_behind = into_ranks.empty() || into_ranks.back() < from_ranks.front();
  const std::vector<std::size_t> order =
      is_behind ? std::vector<std::size_t>{} : ascending(into_ranks, from_ranks);
  for (PlaceTimes& place : into) {
    place.means.resize(before + added);
    if (!is_behind) reorder(place.means, order);
    std::sort(place.courses.begin(), place.courses.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    drop_surplus_ranks(place.courses, into_ranks.size() + from_ranks.size());
  }
  std::sort(into.begin(), into.end(), is_before);
}

} // namespace rondo::fold
