// SPDX-License-Identifier: Apache-2.0
// Which place it is, and how often it was reached: from the places of the class before, which are
// mostly the same, and from the calls that were reached so far, from which the next ones are
// reached as often. One description serves writer and reader: a writer's coder gives back what it
// was given.
#pragma once

#include "archive/adaptive_coder.hpp"
#include "rondo/trace/times.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace rondo::archive {

// What is coded: the first of each context's parts.
enum class What : std::uint64_t {
  kIsLike,
  kCall,
  kBefore,
  kBack,
  kOff,
  kFlow,
  kCount,
  kIsWhole,
  kMeansForm,
  kRanks,
  kMean,
  kLeast,
  kRange,
  kThird,
  kInBin,
  kRest,
  kIsFar,
  kFarSum,
  kHasSpread,
  kSpread,
  kIsExpected, // from here on of foretold places only
  kIsMissing,
  kIsMost,
};

inline std::uint64_t context(What what, std::uint64_t kind, std::uint64_t a = 0,
                             std::uint64_t b = 0, std::uint64_t c = 0) {
  return ((((a * 1021 + b) * 1021 + c) * 4 + kind) << 5) + static_cast<std::uint64_t>(what);
}

template <class Coder> class PlaceCoding {
public:
  using PlaceTimes = trace::PlaceTimes;
  static constexpr bool kAreForetold = false;

  explicit PlaceCoding(Coder& coder) : coder_(coder) {}
  bool is_ok() const { return is_ok_; }

  /// A new class, of which nothing is known.
  /// @param before  places of the class before, which must stay
  void begin(const std::vector<PlaceTimes>* before) {
    of_before_ = before;
    next_ = 0;
    last_call_ = 0;
    left_.clear();
  }

  /// Sets call, the call before, and how often as the count of the time inside.
  /// @param given  what a writer has
  /// @return       the place of the class before that is like it, or none
  const PlaceTimes* name(PlaceTimes& place, const PlaceTimes& given) {
    name_calls(place, given);
    last_call_ = place.call;
    const PlaceTimes* const like = like_of(place);
    count(place, given, like == nullptr ? 0 : like->inside.count);
    return like;
  }

private:
  static constexpr std::size_t kAhead = 12; // places of the class before that are looked at
  static constexpr std::uint64_t kMostBack = 64; // calls that are left, likewise
  enum Before : std::uint64_t { kStart, kOther, kLeft, kElsewhere };

  void name_calls(PlaceTimes& place, const PlaceTimes& given) {
    if (of_before_ != nullptr && next_ < of_before_->size()) {
      const PlaceTimes& next = (*of_before_)[next_];
      place.call = last_call_ + next.call - (next_ == 0 ? 0 : (*of_before_)[next_ - 1].call);
      place.before = moved(next, place.call);
      const bool is_next =
          coder_.bit({context(What::kIsLike, 0), context(What::kIsLike, 1, likes_)}, 0,
                     given.call == place.call && given.before == place.before);
      likes_ = (likes_ * 2 + (is_next ? 1 : 0)) % 16;
      if (is_next) return;
    }
    const std::uint64_t step =
        code_number(coder_, {context(What::kCall, 0), context(What::kCall, 1, steps_)},
                    static_cast<std::uint32_t>(given.call - last_call_));
    place.call = last_call_ + static_cast<std::uint32_t>(step);
    steps_ = (steps_ * 4 + std::min<std::uint64_t>(step, 3)) % 64;
    place.before = before(place.call, std::min<std::uint64_t>(step, 2), given.before);
  }

  // As far off its call, or as special.
  static std::uint32_t moved(const PlaceTimes& other, std::uint32_t call) {
    return other.before >= PlaceTimes::kOther ? other.before : other.before - other.call + call;
  }

  // As often as a call was reached, others are reached from it: mostly the nearest below that has
  // some left.
  std::uint32_t before(std::uint32_t call, std::uint64_t step, std::uint32_t given) {
    const auto below = left_.lower_bound(call);
    const std::uint64_t back_given = Coder::kWrites ? back_to(below, given) : 0;
    std::uint64_t form_given = back_given < kMostBack ? kLeft : kElsewhere;
    if (given >= PlaceTimes::kOther) form_given = PlaceTimes::kStart - given;
    const std::uint64_t near =
        below == left_.begin() ? 0 : 1 + (std::prev(below)->first + 1 == call ? 1 : 0);
    const std::uint64_t form = code_number(
        coder_, {context(What::kBefore, 0), context(What::kBefore, 1, step, near)}, form_given);
    if (form <= kOther) return PlaceTimes::kStart - static_cast<std::uint32_t>(form);
    if (form == kLeft) {
      std::uint64_t back = code_number(
          coder_, {context(What::kBack, 0), context(What::kBack, 1, step, near)}, back_given);
      auto at = below;
      for (; at != left_.begin() && back < kMostBack; --back)
        if (--at; back == 0) return at->first;
      is_ok_ = false;
      return 0;
    }
    const std::int64_t off =
        code_signed(coder_, {context(What::kOff, 0), context(What::kOff, 1, step)},
                    std::int64_t{given} - std::int64_t{call});
    return static_cast<std::uint32_t>(std::int64_t{call} + off);
  }

  using Left = std::map<std::uint32_t, std::uint64_t>;

  std::uint64_t back_to(Left::const_iterator at, std::uint32_t given) const {
    for (std::uint64_t back = 0; back < kMostBack && at != left_.begin(); ++back)
      if ((--at)->first == given) return back;
    return kMostBack;
  }

  // All that is left of the call before, or as often as in the class before.
  void count(PlaceTimes& place, const PlaceTimes& given, std::uint64_t of_like) {
    const auto found = left_.find(place.before);
    const std::uint64_t left = found == left_.end() ? 0 : found->second;
    std::uint64_t& count = place.inside.count;
    count = given.inside.count;
    const std::uint64_t known =
        (left > 0 ? 1U : 0U) + (left == of_like ? 2U : 0U) + (of_like > 0 ? 4U : 0U);
    const auto is_as = [&](std::uint64_t expected, std::uint64_t kind) {
      return expected > 0 &&
             coder_.bit({context(What::kFlow, kind), context(What::kFlow, kind, 1 + known)}, 0,
                        count == expected);
    };
    if (is_as(left, 0)) {
      count = left;
    } else if (is_as(of_like, 1)) {
      count = of_like;
    } else {
      count = code_number(
          coder_, {context(What::kCount, 0), context(What::kCount, 1, size_class(of_like))}, count);
    }
    if (found != left_.end()) {
      found->second -= std::min(found->second, count);
      if (found->second == 0) left_.erase(found);
    }
    if (count > 0) left_[place.call] += count;
  }

  const PlaceTimes* like_of(const PlaceTimes& place) {
    if (of_before_ == nullptr) return nullptr;
    const std::size_t end = std::min(of_before_->size(), next_ + kAhead);
    for (std::size_t i = next_; i < end; ++i) {
      const PlaceTimes& other = (*of_before_)[i];
      if (moved(other, place.call) != place.before) continue;
      next_ = i + 1;
      return &other;
    }
    return nullptr;
  }

  Coder& coder_;
  bool is_ok_ = true;
  const std::vector<PlaceTimes>* of_before_ = nullptr;
  std::size_t next_ = 0; // of the class before
  std::uint32_t last_call_ = 0;
  std::uint64_t steps_ = 0; // of the last calls
  std::uint64_t likes_ = 0; // of the last places, whether they were the next ones
  Left left_; // by call, how often it was reached and nothing from it yet
};

} // namespace rondo::archive
