// SPDX-License-Identifier: Apache-2.0
#include "patterns/call_runs.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::patterns::internal {
namespace {

constexpr std::size_t kMostRuns = 1 << 16; // of loops within loops that are written out

class SequenceMaker {
public:
  SequenceMaker(const CallLayout& layout, const std::vector<std::uint32_t>& symbols)
      : layout_(layout), symbols_(symbols) {}

  std::optional<CallSequence> run() {
    CallSequence result = read(0, layout_.symbols.size());
    if (is_too_long_) return std::nullopt;
    return result;
  }

private:
  CallSequence read(std::uint64_t at, std::uint64_t end) {
    CallSequence result;
    while (at < end && !is_too_long_) {
      const auto& passes = layout_.long_passes;
      if (next_ < passes.size() && passes[next_].begin == at && passes[next_].end <= end) {
        const auto pass = passes[next_++];
        add(result, read(at, pass.end), pass.times);
        at = pass.end;
        continue;
      }
      const std::uint32_t symbol = layout_.symbols[at];
      if (std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end())
        add(result, {symbol, layout_.items[at], 1});
      ++at;
    }
    return result;
  }

  static void add(CallSequence& sequence, const CallRun& run) {
    if (!sequence.empty() && sequence.back().runs.size() == 1) {
      const CallRun& last = sequence.back().runs.front();
      if (last.symbol == run.symbol && last.item == run.item) {
        sequence.back().times += run.times;
        return;
      }
    }
    sequence.push_back({{{run.symbol, run.item, 1}}, run.times});
  }

  // What a pass has, as often as it stands for others. Loops within it are written out.
  void add(CallSequence& sequence, const CallSequence& pass, std::uint64_t times) {
    std::vector<CallRun> runs;
    for (const CallBlock& block : pass) {
      if (block.runs.size() == 1) {
        runs.push_back({block.runs[0].symbol, block.runs[0].item, block.times});
        continue;
      }
      is_too_long_ = is_too_long_ || block.times > kMostRuns / block.runs.size();
      for (std::uint64_t i = 0; i < block.times && !is_too_long_; ++i)
        runs.insert(runs.end(), block.runs.begin(), block.runs.end());
    }
    is_too_long_ = is_too_long_ || runs.size() > kMostRuns;
    if (runs.size() == 1) {
      add(sequence, {runs[0].symbol, runs[0].item, runs[0].times * times});
    } else if (!runs.empty()) {
      sequence.push_back({std::move(runs), times});
    }
  }

  const CallLayout& layout_;
  const std::vector<std::uint32_t>& symbols_;
  std::size_t next_ = 0; // of the long passes
  bool is_too_long_ = false;
};

/// A place in a sequence.
class Cursor {
public:
  explicit Cursor(const CallSequence& sequence) : sequence_(&sequence) { enter(); }
  bool is_done() const { return block_ == sequence_->size(); }
  const CallRun& run() const { return block().runs[run_]; }
  std::uint64_t length() const { return length_; }
  std::uint64_t left_in_run() const {
    return block().runs.size() == 1 ? left_ : run().times - used_;
  }
  std::uint64_t left_in_block() const { return left_; }

  /// Not beyond the run.
  void advance(std::uint64_t count) {
    left_ -= count;
    if (left_ == 0) {
      ++block_;
      return enter();
    }
    if (block().runs.size() == 1) return;
    used_ += count;
    if (used_ < run().times) return;
    used_ = 0;
    run_ = run_ + 1 < block().runs.size() ? run_ + 1 : 0;
  }
  /// A multiple of the length, within the block.
  void skip(std::uint64_t count) {
    left_ -= count;
    if (left_ > 0) return;
    ++block_;
    enter();
  }

private:
  const CallBlock& block() const { return (*sequence_)[block_]; }
  void enter() {
    run_ = 0;
    used_ = 0;
    if (is_done()) return;
    length_ = block().length();
    left_ = length_ * block().times;
  }

  const CallSequence* sequence_;
  std::size_t block_ = 0;
  std::size_t run_ = 0;
  std::uint64_t used_ = 0; // of the run
  std::uint64_t length_ = 1;
  std::uint64_t left_ = 0;
};

} // namespace

std::uint64_t CallBlock::length() const {
  std::uint64_t sum = 0;
  for (const CallRun& run : runs) sum += run.times;
  return sum;
}

std::optional<CallSequence> sequence_of(const CallLayout& layout,
                                        const std::vector<std::uint32_t>& symbols) {
  return SequenceMaker(layout, symbols).run();
}

std::uint64_t length_of(const CallSequence& sequence) {
  std::uint64_t sum = 0;
  for (const CallBlock& block : sequence) sum += block.length() * block.times;
  return sum;
}

void pair_up(const CallSequence& one, const CallSequence& other, std::uint64_t most,
             const std::function<void(const CallRun&, const CallRun&, std::uint64_t)>& use) {
  Cursor a(one);
  Cursor b(other);
  // The next executions, each pair so many times.
  const auto walk = [&](std::uint64_t count, std::uint64_t times) {
    while (count > 0) {
      const std::uint64_t both = std::min({count, a.left_in_run(), b.left_in_run()});
      use(a.run(), b.run(), both * times);
      a.advance(both);
      b.advance(both);
      count -= both;
      most -= both * times;
    }
  };
  while (!a.is_done() && !b.is_done() && most > 0) {
    constexpr std::uint64_t kLong = std::uint64_t{1} << 31; // no loop's body is
    const std::uint64_t left = std::min({a.left_in_block(), b.left_in_block(), most});
    const bool is_long = a.length() > kLong || b.length() > kLong;
    const std::uint64_t period =
        is_long ? left : a.length() / std::gcd(a.length(), b.length()) * b.length();
    // One period is left as it is, so that walking through the one before ends in both blocks.
    const std::uint64_t times = left / period;
    if (times > 2) {
      walk(period, times - 1);
      a.skip(period * (times - 2));
      b.skip(period * (times - 2));
    } else {
      walk(std::min({a.left_in_run(), b.left_in_run(), most}), 1);
    }
  }
}

} // namespace rondo::patterns::internal
