// SPDX-License-Identifier: Apache-2.0
#include "fold/polish/polish.hpp"

#include "fold/polish/draft.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::Loop;
using trace::Nest;

// Larger nests stay: what does not fold on line is no program that one would read.
constexpr std::size_t kMaxTerms = 2000;
constexpr int kMaxRounds = 4;
constexpr std::size_t kWorthAlike = 8; // terms: that a loop goes round alike each time
// Loops tried in rotation.
constexpr std::size_t kMostRotated = 32;

std::size_t numbers_in(const Column& column) {
  std::size_t size = column.runs().size() + column.values().size() + column.dictionary().size();
  if (column.nest() != nullptr) {
    size += column.nest()->terms();
    for (const Loop& loop : column.nest()->loops()) size += numbers_in(loop.trip_counts);
  }
  return size;
}

// What is to become smaller: terms, and what their trip counts take.
std::size_t size_of(const Nest& nest) {
  std::size_t size = nest.terms();
  for (const Loop& loop : nest.loops()) size += numbers_in(loop.trip_counts);
  return size;
}

std::ptrdiff_t varying_loops(const Nest& nest) {
  const auto& loops = nest.loops();
  return std::count_if(loops.begin(), loops.end(),
                       [](const Loop& loop) { return !loop.trip_counts.constant(); });
}

} // namespace

trace::Nest polish(trace::Nest nest) {
  if (nest.terms() > kMaxTerms) return nest;
  bool improved = true;
  for (int round = 0; round < kMaxRounds && improved; ++round) {
    improved = false;
    const Nest before = nest;
    const auto take = [&](std::optional<Nest> better) {
      nest = std::move(*better);
      improved = true;
    };
    const auto consider = [&](Draft draft) {
      refold(draft);
      auto next = finish(before, draft);
      if (next && next->terms() <= nest.terms() && size_of(*next) < size_of(nest))
        take(std::move(next));
    };
    // Worth more terms where it makes a loop go round alike each time. Not folded anew: that would
    // take what is written out back into the loop that has lent it.
    const auto consider_lending = [&](const Draft& draft) {
      auto next = finish(before, draft);
      if (next && next->terms() <= nest.terms() + kWorthAlike &&
          varying_loops(*next) < varying_loops(nest))
        take(std::move(next));
    };
    const Draft draft = write_out(before, false);
    consider(draft);
    consider(write_out(before, true));
    const auto loops = static_cast<std::uint32_t>(std::min(draft.bodies.size(), kMostRotated));
    for (std::uint32_t loop = 0; loop < loops; ++loop) {
      for (const Side side : {Side::kBefore, Side::kBehind}) {
        Draft changed = draft;
        if (rotate(changed, loop, side)) consider(std::move(changed));
        changed = draft;
        if (lend(changed, loop, side, before)) consider_lending(changed);
      }
    }
  }
  return nest;
}

} // namespace rondo::fold
