// SPDX-License-Identifier: Apache-2.0
// Which place it is, and how often it was reached: nearly always what the program of its class lets
// expect. One description serves writer and reader: a writer's coder gives back what it was given.
#pragma once

#include "archive/expected_places.hpp"
#include "archive/place_coding.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace rondo::archive {

template <class Coder> class ForetoldPlaces {
public:
  using PlaceTimes = trace::PlaceTimes;
  static constexpr bool kAreForetold = true;

  explicit ForetoldPlaces(Coder& coder) : coder_(coder) {}
  bool is_ok() const { return true; }

  /// @param c  the class whose places come next, without its times; must stay
  void begin(const trace::RankClass& c) {
    class_ = &c;
    expected_ = expected_places(*c.program, static_cast<std::uint64_t>(c.ranks.size()));
    next_ = 0;
    call_ = 0;
    of_call_ = 0;
  }

  /// Sets call, the call before, and how often as the count of the time inside.
  /// @param given  what a writer has
  /// @return       the same place of the last class before that has it, or none
  const PlaceTimes* name(PlaceTimes& place, const PlaceTimes& given) {
    const ExpectedPlace* const expected = find(given);
    std::uint64_t count = 0;
    if (expected != nullptr) {
      place.call = expected->call;
      place.before = expected->before;
      count = expected->count;
    } else {
      name_other(place, given);
      // What is left of the call, where it has places for some of the calls before it only.
      const std::uint64_t all =
          place.call < expected_.executions.size() ? expected_.executions[place.call] : 0;
      count = all - (place.call == call_ ? of_call_ : 0);
    }
    place.inside.count = counted(count, expected != nullptr, given.inside.count);
    of_call_ = (place.call == call_ ? of_call_ : 0) + place.inside.count;
    call_ = place.call;
    const auto known = known_.find(key_of(place));
    return known == known_.end() ? nullptr : known->second;
  }

  /// The places of the class: what those behind it are compared with. They must stay.
  void end(const std::vector<PlaceTimes>& places) {
    for (const PlaceTimes& place : places) known_[key_of(place)] = &place;
  }

private:
  using Key = std::tuple<std::size_t, std::uint32_t, std::uint32_t>; // program, and calls in it

  // The next place that is expected; none if one comes that is not.
  const ExpectedPlace* find(const PlaceTimes& given) {
    while (next_ < expected_.places.size()) {
      const ExpectedPlace& next = expected_.places[next_];
      const auto key_given = std::tie(given.call, given.before);
      const auto key_next = std::tie(next.call, next.before);
      const std::uint64_t size = size_class(next.count);
      const bool is_next =
          coder_.bit({context(What::kIsExpected, 0), context(What::kIsExpected, 1, so_far_),
                      context(What::kIsExpected, 2, so_far_, size)},
                     0, key_given == key_next);
      so_far_ = (so_far_ * 2 + (is_next ? 1 : 0)) % 16;
      const bool is_missing = !is_next && coder_.bit({context(What::kIsMissing, 0),
                                                      context(What::kIsMissing, 1, so_far_)},
                                                     0, key_next < key_given);
      if (!is_next && !is_missing) return nullptr;
      ++next_;
      if (is_next) return &next;
    }
    return nullptr;
  }

  void name_other(PlaceTimes& place, const PlaceTimes& given) {
    place.call = call_ + static_cast<std::uint32_t>(
                             code_number(coder_, {context(What::kCall, 0)},
                                         static_cast<std::uint32_t>(given.call - call_)));
    // kOther and kStart, the two highest numbers, become 0 and 1.
    const std::uint32_t before = static_cast<std::uint32_t>(
        code_number(coder_, {context(What::kBefore, 0)},
                    static_cast<std::uint32_t>(given.before - PlaceTimes::kOther)));
    place.before = before + PlaceTimes::kOther;
  }

  std::uint64_t counted(std::uint64_t expected, bool is_expected, std::uint64_t given) {
    const std::uint64_t kind = is_expected ? 0 : 1;
    if (coder_.bit({context(What::kFlow, kind), context(What::kFlow, kind, as_often_)}, 0,
                   given == expected)) {
      as_often_ = (as_often_ * 2 + 1) % 16;
      return expected;
    }
    as_often_ = as_often_ * 2 % 16;
    return code_number(
        coder_, {context(What::kCount, 0), context(What::kCount, 1, size_class(expected))}, given);
  }

  Key key_of(const PlaceTimes& place) const {
    const auto in_program = [&](std::uint32_t call) {
      return call < class_->calls.size() ? class_->calls[call] : call;
    };
    return {class_->merged, in_program(place.call), in_program(place.before)};
  }

  Coder& coder_;
  const trace::RankClass* class_ = nullptr;
  ExpectedPlaces expected_;
  std::size_t next_ = 0; // of these
  std::uint32_t call_ = 0; // of the last place
  std::uint64_t of_call_ = 0; // how often it was reached so far
  std::uint64_t so_far_ = 0; // of the last places, whether they were expected
  std::uint64_t as_often_ = 0; // and as often
  std::map<Key, const PlaceTimes*> known_; // of classes before
};

} // namespace rondo::archive
