// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/rounds_in_order.hpp"

#include "logical/joining/one_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace rondo::logical::internal {
namespace {

template <class All> auto at(All& all, std::size_t i) {
  return all.begin() + static_cast<std::ptrdiff_t>(i);
}

// "send +1, recv -1, send +2, send +4, recv -2, recv -4" of two places in the source, if no rank
// can tell: rounds of a loop as the one before. A half of a round may be several calls.
class Rounds {
public:
  explicit Rounds(std::vector<Guarded>& items) : items_(items) {
    for (const Guarded& item : items) { // those that are one call
      const auto* call =
          item.body.size() == 1 ? std::get_if<CallStatement>(&item.body.front().is) : nullptr;
      const bool is_known = call != nullptr && call->place != kNoPlace;
      const bool is_named = call != nullptr && !is_known;
      kinds_.emplace_back(is_known ? call->place : kNoPlace, is_named ? call->name : "");
    }
  }

  void put_in_order() {
    constexpr std::size_t kLongestHalf = 3; // calls
    for (std::size_t i = 2; i < items_.size(); ++i) {
      std::size_t moved = 0;
      for (std::size_t first = 1; first <= kLongestHalf && moved == 0; ++first) {
        for (std::size_t second = 1; second <= kLongestHalf && moved == 0; ++second)
          moved = put_in_order(i, first, second);
      }
      if (moved > 0) i += moved - 1;
    }
    put_last_in_order();
  }

private:
  using Kind = std::pair<std::uint32_t, std::string>; // place; function, where that is not known

  // How many items stand there as rounds; 0 if they are none.
  std::size_t put_in_order(std::size_t i, std::size_t first, std::size_t second) {
    const std::size_t round = first + second;
    if (i < round || i + 2 * round > items_.size()) return 0;
    const std::size_t before = i - round;
    const bool has_two_halves = !are_equal(before, before + first, 1);
    if (!has_two_halves || !are_known(before, round)) return 0;
    std::size_t rounds = 0;
    while (are_equal(before, i + rounds * first, first)) ++rounds;
    const std::size_t behind = i + rounds * first;
    if (rounds < 2) return 0;
    for (std::size_t k = 0; k < rounds; ++k) {
      if (!are_equal(before + first, behind + k * second, second)) return 0;
      const bool can_pass = are_apart(behind + k * second, second, i + (k + 1) * first, behind);
      if (!can_pass) return 0;
    }
    for (std::size_t k = 0; k + 1 < rounds; ++k) {
      const std::size_t half = behind + k * second;
      const auto put = [&](auto& all) {
        std::rotate(at(all, i + k * round + first), at(all, half), at(all, half + second));
      };
      put(items_);
      put(kinds_);
    }
    return rounds * round;
  }

  // "isend +4, wait, recv -4" of places that came as "isend +2, recv -2, wait" before: the ranks
  // that receive in the last round send nothing, so that no rank tells their order.
  void put_last_in_order() {
    constexpr std::size_t kLongestRound = 6;
    for (std::size_t i = 3; i + 2 < items_.size(); ++i) {
      for (std::size_t length = kLongestRound; length >= 3; --length) {
        if (i < length || i + length > items_.size() || !have_places(i, length) ||
            !std::is_permutation(at(kinds_, i), at(kinds_, i + length), at(kinds_, i - length)) ||
            !put_as_before(i, length))
          continue;
        i += length - 1;
        break;
      }
    }
  }

  // Moves each item to where its kind stood in the round before; false if ranks tell.
  bool put_as_before(std::size_t i, std::size_t length) {
    const std::vector<Guarded> items(at(items_, i), at(items_, i + length));
    const std::vector<Kind> kinds(at(kinds_, i), at(kinds_, i + length));
    for (std::size_t k = i; k < i + length; ++k) {
      const auto from = std::find(at(kinds_, k), at(kinds_, i + length), kinds_[k - length]);
      const auto found = static_cast<std::size_t>(from - kinds_.begin());
      if (!are_apart(found, 1, k, found)) {
        std::copy(items.begin(), items.end(), at(items_, i));
        std::copy(kinds.begin(), kinds.end(), at(kinds_, i));
        return false;
      }
      std::rotate(at(items_, k), at(items_, found), at(items_, found + 1));
      std::rotate(at(kinds_, k), at(kinds_, found), at(kinds_, found + 1));
    }
    return true;
  }

  bool are_equal(std::size_t a, std::size_t b, std::size_t length) const {
    if (b + length > kinds_.size()) return false;
    for (std::size_t k = 0; k < length; ++k) {
      if (kinds_[a + k] != kinds_[b + k]) return false;
    }
    return true;
  }

  bool are_known(std::size_t from, std::size_t length) const {
    for (std::size_t k = from; k < from + length; ++k) {
      if (kinds_[k] == Kind{kNoPlace, ""}) return false;
    }
    return true;
  }

  bool have_places(std::size_t from, std::size_t length) const {
    return std::all_of(at(kinds_, from), at(kinds_, from + length),
                       [](const Kind& kind) { return kind.first != kNoPlace; });
  }

  // No rank has calls of both.
  bool are_apart(std::size_t from, std::size_t length, std::size_t begin, std::size_t end) const {
    for (std::size_t k = from; k < from + length; ++k) {
      for (std::size_t other = begin; other < end; ++other) {
        if (!are_disjoint(items_[k].ranks, items_[other].ranks)) return false;
      }
    }
    return true;
  }

  std::vector<Guarded>& items_;
  std::vector<Kind> kinds_;
};

} // namespace

void put_rounds_in_order(std::vector<Guarded>& items) { Rounds(items).put_in_order(); }

} // namespace rondo::logical::internal
