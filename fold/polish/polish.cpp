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

// Drafts of a nest as it was at the beginning of a round, of which the best one is taken.
class Round {
public:
  Round(const Nest& before, PolishWork& work)
      : before_(before), work_(work), nest_(before), terms_(before.terms()), size_(size_of(before)),
        varying_(varying_loops(before)) {
    for (const Loop& loop : before.loops()) numbers_.push_back(numbers_in(loop.trip_counts));
  }

  bool is_improved() const { return is_improved_; }
  Nest take() {
    work_.sequences += known_.size();
    work_.columns += columns_.made();
    return std::move(nest_);
  }

  void consider(Draft draft) {
    refold(draft, known_);
    const Outline outline = outline_of(before_, draft);
    std::size_t least = outline.terms;
    for (const std::uint32_t loop : outline.kept) least += numbers_[loop];
    if (outline.terms > terms_ || least >= size_) return;
    auto next = counted(draft);
    if (next && size_of(*next) < size_) take(std::move(*next));
  }

  // Worth more terms where it makes a loop go round alike each time. Not folded anew: that would
  // take what is written out back into the loop that has lent it.
  void consider_lending(const Draft& draft) {
    const Outline outline = outline_of(before_, draft);
    const std::ptrdiff_t least =
        std::count_if(outline.kept.begin(), outline.kept.end(), [&](std::uint32_t loop) {
          return !before_.loops()[loop].trip_counts.constant();
        });
    if (outline.terms > terms_ + kWorthAlike || least >= varying_) return;
    auto next = counted(draft);
    if (next && varying_loops(*next) < varying_) take(std::move(*next));
  }

private:
  // Takes long, as the draft is executed, and its counts are polished.
  std::optional<Nest> counted(const Draft& draft) {
    ++work_.drafts;
    return finish(before_, draft, columns_);
  }

  void take(Nest&& better) {
    nest_ = std::move(better);
    is_improved_ = true;
    terms_ = nest_.terms();
    size_ = size_of(nest_);
    varying_ = varying_loops(nest_);
  }

  const Nest& before_;
  PolishWork& work_;
  Nest nest_;
  std::size_t terms_; // of it
  std::size_t size_;
  std::ptrdiff_t varying_;
  bool is_improved_ = false;
  std::vector<std::size_t> numbers_; // by loop before
  FoldedSequences known_;
  CountColumns columns_;
};

} // namespace

trace::Nest polish(trace::Nest nest, PolishWork* work) {
  if (nest.terms() > kMaxTerms) return nest;
  PolishWork unasked;
  bool improved = true;
  for (int i = 0; i < kMaxRounds && improved; ++i) {
    const Nest before = std::move(nest);
    Round round(before, work != nullptr ? *work : unasked);
    const Draft draft = write_out(before, false);
    round.consider(draft);
    round.consider(write_out(before, true));
    const auto loops = static_cast<std::uint32_t>(std::min(draft.bodies.size(), kMostRotated));
    for (std::uint32_t loop = 0; loop < loops; ++loop) {
      for (const Side side : {Side::kBefore, Side::kBehind}) {
        Draft changed = draft;
        if (rotate(changed, loop, side)) round.consider(std::move(changed));
        changed = draft;
        if (lend(changed, loop, side, before)) round.consider_lending(changed);
      }
    }
    improved = round.is_improved();
    nest = round.take();
  }
  return nest;
}

} // namespace rondo::fold
