// SPDX-License-Identifier: Apache-2.0
#include "fold/polish/draft.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Term;

class Refolder {
public:
  static constexpr std::size_t kMostDetail = (1 << 14) - 1;

  Refolder(Draft& draft, FoldedSequences& known)
      : draft_(draft), known_(known), before_(draft.bodies), used_(draft.bodies.size(), false) {
    mark_used(draft.top);
  }

  void refold() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (used_[i]) draft_.bodies[i] = refolded(before_[i]);
    }
    draft_.top = refolded(Sequence(draft_.top));
  }

private:
  using Iterations = FoldedSequences::Iterations;
  enum Way : std::uint16_t { kItem, kSplit, kNewLoop, kKnownLoop };
  // The fewest terms for an interval of the sequence. Small, as a recorder has to have room for
  // those of all intervals.
  struct Cell {
    Cell() = default;
    Cell(std::size_t terms, Way as, std::size_t more)
        : cost(static_cast<std::uint16_t>(terms)), way(as), detail(more & kMostDetail) {}
    std::uint16_t cost = std::numeric_limits<std::uint16_t>::max();
    std::uint16_t way : 2 = kItem;
    std::uint16_t detail : 14 = 0; // where to split, the period, or the loop
  };
  static_assert(kMaxSequence <= kMostDetail && sizeof(Cell) == 4);

  void mark_used(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop() || used_[item.term.index()]) continue;
      used_[item.term.index()] = true;
      mark_used(before_[item.term.index()]);
    }
  }

  // Of two places in the sequence, of which the first is never behind the second.
  std::size_t pair(std::size_t i, std::size_t j) const { return i * (2 * size_ + 1 - i) / 2 + j; }
  Cell& cell(std::size_t begin, std::size_t end) { return cells_[pair(begin, end)]; }
  std::uint16_t& common(std::size_t i, std::size_t j) { return common_[pair(i, j)]; }

  Sequence refolded(const Sequence& sequence) {
    size_ = sequence.size();
    if (size_ < 2 || size_ > kMaxSequence) return sequence;
    FoldedSequences::Key key{sequence, iterations_of_known(sequence)};
    if (const auto* known = known_.find(key)) return placed(*known);
    FoldedSequences::Folded now = folded(sequence, key.iterations);
    return placed(known_.add(std::move(key), std::move(now)));
  }

  // With its new loops by themselves, numbered behind those that are there.
  FoldedSequences::Folded folded(const Sequence& sequence, const std::vector<Iterations>& known) {
    cells_.assign(pair(size_, size_) + 1, {});
    block_begins_.assign(size_ + 1, {});
    measure_common(sequence);
    for (const Iterations& of : known) cell(of.begin, of.end) = {1, kKnownLoop, of.loop};
    for (std::size_t length = 1; length <= size_; ++length) {
      for (std::size_t begin = 0; begin + length <= size_; ++begin) solve(begin, begin + length);
    }
    FoldedSequences::Folded result;
    new_bodies_ = &result.bodies;
    write(sequence, 0, size_, result.sequence);
    return result;
  }

  // In the draft, which may have some of its new loops already.
  Sequence placed(const FoldedSequences::Folded& folded) {
    std::vector<std::uint32_t> numbers;
    const auto in_draft = [&](Sequence sequence) {
      for (Item& item : sequence) {
        if (item.term.is_loop() && item.term.index() >= before_.size())
          item.term = Term::loop(numbers[item.term.index() - before_.size()]);
      }
      return sequence;
    };
    for (const Sequence& body : folded.bodies)
      numbers.push_back(number_of(in_draft(body), draft_.bodies, before_.size()));
    return in_draft(folded.sequence);
  }

  // common(i, j): length of the longest sequence that starts both at i and at j.
  void measure_common(const Sequence& sequence) {
    common_.assign(pair(size_, size_) + 1, 0);
    std::vector<std::size_t> first(size_); // of those that are equal
    for (std::size_t i = 0; i < size_; ++i)
      first[i] = static_cast<std::size_t>(std::find(sequence.begin(), sequence.end(), sequence[i]) -
                                          sequence.begin());
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t j = size_; j-- > i + 1;) {
        if (first[i] == first[j])
          common(i, j) = static_cast<std::uint16_t>(common(i + 1, j + 1) + 1);
      }
    }
  }

  // Intervals that are iterations of a loop that is there already, written out or not. Only shorter
  // bodies may be met written out: so no loop comes to contain itself.
  std::vector<Iterations> iterations_of_known(const Sequence& sequence) const {
    std::vector<Iterations> result;
    for (std::uint32_t loop = 0; loop < before_.size(); ++loop) {
      const Sequence& body = before_[loop];
      if (!used_[loop] || body.size() < 2) continue;
      for (std::size_t begin = 0; begin < size_; ++begin) {
        std::size_t end = begin;
        while (const std::size_t step = known_step(sequence, end, Term::loop(loop), body)) {
          end += step;
          if (end - begin > 1) result.push_back({begin, end, loop, body.size()});
        }
      }
    }
    return result;
  }

  std::size_t known_step(const Sequence& sequence, std::size_t at, Term loop,
                         const Sequence& body) const {
    if (at == size_) return 0;
    if (sequence[at].term == loop && sequence[at].dropped == 0) return 1;
    if (body.size() >= size_ || at + body.size() > size_) return 0;
    const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(at);
    return std::equal(body.begin(), body.end(), begin) ? body.size() : 0;
  }

  // Every way to write an interval ends with a block: an item or a loop. Few intervals are blocks.
  void solve(std::size_t begin, std::size_t end) {
    Cell& best = cell(begin, end);
    const std::size_t length = end - begin;
    if (length == 1) best = {1, kItem, 0};
    const std::uint16_t as_block = best.cost;
    for (const std::size_t middle : block_begins_[end]) {
      const std::size_t cost = std::size_t{cell(begin, middle).cost} + cell(middle, end).cost;
      if (cost < best.cost) best = {cost, kSplit, middle};
    }
    if (as_block == best.cost) block_begins_[end].push_back(begin);
    const std::size_t as_loop = std::size_t{best.cost} + 1;
    for (std::size_t copies = common(begin, end) / length; copies > 0; --copies) {
      Cell& repeated = cell(begin, end + copies * length);
      if (as_loop < repeated.cost) repeated = {as_loop, kNewLoop, length};
    }
  }

  void write(const Sequence& sequence, std::size_t begin, std::size_t end, Sequence& out) {
    const Cell best = cell(begin, end);
    switch (best.way) {
    case kItem:
      out.push_back(sequence[begin]);
      break;
    case kSplit:
      write(sequence, begin, best.detail, out);
      write(sequence, best.detail, end, out);
      break;
    case kNewLoop: {
      Sequence body;
      write(sequence, begin, begin + best.detail, body);
      const std::size_t loop = before_.size() + number_of(std::move(body), *new_bodies_, 0);
      out.push_back({Term::loop(static_cast<std::uint32_t>(loop)), (end - begin) / best.detail, 0});
      break;
    }
    case kKnownLoop: {
      Item item{Term::loop(best.detail)};
      for (std::size_t i = begin; i < end;) {
        const bool is_loop = sequence[i].term == item.term;
        item.added += is_loop ? sequence[i].added : 1;
        item.taken += is_loop ? sequence[i].taken : 0;
        item.lent += is_loop ? sequence[i].lent : 0;
        if (is_loop && sequence[i].lent != 0) item.keeps = sequence[i].keeps;
        i += is_loop ? 1 : before_[best.detail].size();
      }
      out.push_back(item);
      break;
    }
    }
  }

  // Of the body among those from the first one on, to which it is added if it is none of them.
  static std::uint32_t number_of(Sequence body, std::vector<Sequence>& bodies, std::size_t first) {
    const auto begin = bodies.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find(begin, bodies.end(), body);
    const auto number = static_cast<std::uint32_t>(found - bodies.begin());
    if (found == bodies.end()) bodies.push_back(std::move(body));
    return number;
  }

  Draft& draft_;
  FoldedSequences& known_;
  std::vector<Sequence>* new_bodies_ = nullptr; // of the sequence at hand
  const std::vector<Sequence> before_; // bodies as they were met in sequences
  std::vector<bool> used_;
  std::size_t size_ = 0; // of the sequence at hand
  std::vector<Cell> cells_;
  std::vector<std::vector<std::size_t>> block_begins_; // by end: of blocks
  std::vector<std::uint16_t> common_;
};

} // namespace

void refold(Draft& draft, FoldedSequences& known) {
  if (draft.bodies.size() <= Refolder::kMostDetail) Refolder(draft, known).refold();
}

const FoldedSequences::Folded* FoldedSequences::find(const Key& key) const {
  const auto found = folded_.find(key);
  return found == folded_.end() ? nullptr : &found->second;
}

const FoldedSequences::Folded& FoldedSequences::add(Key key, Folded folded) {
  return folded_.insert_or_assign(std::move(key), std::move(folded)).first->second;
}

std::size_t FoldedSequences::Hash::operator()(const Key& key) const {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = key.sequence.size();
  for (const Item& item : key.sequence)
    hash = (hash ^ item.term.code ^ item.added << 24 ^ item.taken << 40) * kFactor;
  for (const Iterations& of : key.iterations) hash = (hash ^ of.begin ^ of.loop << 16) * kFactor;
  return hash ^ hash >> 32;
}

} // namespace rondo::fold
