// SPDX-License-Identifier: Apache-2.0
// What ranks have in common is left out: each code less that of the rank before for the same pass,
// or less the middle one of its course, whichever is nearer to it. Heads and codes stand apart, so
// that each pack well.
#include "archive/courses_codec.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace rondo::archive {
namespace {

using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;

constexpr std::uint64_t kMostPass = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostCode = 254;

std::uint8_t code_at(const std::string& codes, std::size_t i) {
  return i < codes.size() ? static_cast<std::uint8_t>(codes[i]) : std::uint8_t{0};
}

std::uint8_t middle_of(std::string codes) {
  if (codes.empty()) return 0;
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(codes.size() / 2);
  std::nth_element(codes.begin(), middle, codes.end(), [](char a, char b) {
    return static_cast<std::uint8_t>(a) < static_cast<std::uint8_t>(b);
  });
  return static_cast<std::uint8_t>(*middle);
}

// How far the codes are from those that stand for them.
template <class Expected> std::uint64_t distance(const std::string& codes, Expected expected) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < codes.size(); ++i)
    sum += static_cast<std::uint64_t>(std::abs(code_at(codes, i) - expected(i)));
  return sum;
}

// Of a course: whether the codes are less those of the rank before, and else less which.
struct Form {
  bool is_from_before = false;
  std::uint8_t middle = 0;

  int expected(const std::string& before, std::size_t i) const {
    return is_from_before ? code_at(before, i) : middle;
  }
};

Form form_of(const std::string& codes, const std::string& before) {
  const std::uint8_t middle = middle_of(codes);
  const auto from_before = distance(codes, [&](std::size_t i) { return code_at(before, i); });
  return {from_before < distance(
                            codes, [&](std::size_t) { return middle; }),
          middle};
}

class CoursePacker {
public:
  void add(const std::vector<PlaceTimes>& places) {
    std::size_t last = 0;
    heads_.put(static_cast<std::uint64_t>(
        std::count_if(places.begin(), places.end(),
                      [](const PlaceTimes& place) { return !place.courses.empty(); })));
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].courses.empty()) continue;
      heads_.put(i - std::exchange(last, i));
      heads_.put(places[i].courses.size());
      std::int64_t rank = 0;
      std::string before;
      for (const RankCourse& own : places[i].courses) {
        heads_.put(static_cast<std::uint64_t>(own.rank - std::exchange(rank, own.rank)));
        add(own.course, before);
        before = own.course.codes();
        has_any_ = true;
      }
    }
  }

  std::string bytes() {
    if (!has_any_) return {};
    heads_.put_text(codes_);
    return std::move(heads_).bytes();
  }

private:
  void add(const TimeCourse& course, const std::string& before) {
    const std::string& codes = course.codes();
    const Form form = form_of(codes, before);
    heads_.put(static_cast<std::uint64_t>(2 * course.thinnings() + (form.is_from_before ? 1 : 0)));
    heads_.put(codes.size());
    if (!form.is_from_before) heads_.put(form.middle);
    for (std::size_t i = 0; i < codes.size(); ++i)
      codes_.push_back(static_cast<char>(code_at(codes, i) - form.expected(before, i)));
  }

  Packer heads_;
  std::string codes_;
  bool has_any_ = false;
};

// Heads first: the codes are behind all of them.
struct Head {
  PlaceTimes* place = nullptr;
  std::int64_t rank = 0;
  int thinnings = 0;
  Form form;
  std::uint64_t size = 0;
};

std::optional<Head> head_of(Unpacker& in, PlaceTimes& place) {
  Head head;
  head.place = &place;
  const std::uint64_t form = in.get();
  head.thinnings = static_cast<int>(std::min<std::uint64_t>(form / 2, 255));
  head.form.is_from_before = form % 2 != 0;
  head.size = in.get();
  if (!head.form.is_from_before) head.form.middle = static_cast<std::uint8_t>(in.get());
  const bool is_fit =
      head.thinnings <= TimeCourse::kMostThinnings && head.size <= TimeCourse::kMost;
  if (!is_fit || !in.pay(1, sizeof(RankCourse) + head.size)) {
    in.refuse();
    return std::nullopt;
  }
  return head;
}

std::vector<Head> heads_of(Unpacker& in, std::vector<std::vector<PlaceTimes>>& times) {
  std::vector<Head> heads;
  for (std::vector<PlaceTimes>& places : times) {
    std::uint64_t at = 0;
    const std::size_t count = in.get_count();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t step = in.get();
      if (step >= places.size() - at || (i > 0 && step == 0)) in.refuse();
      if (!in.ok()) return {};
      at += step;
      const std::size_t ranks = in.get_count();
      std::int64_t rank = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::uint64_t more = in.get();
        const bool ascends = (r == 0 || more > 0) && more < std::uint64_t{1} << 31;
        auto head = head_of(in, places[at]);
        if (!ascends || !head || !in.ok()) {
          in.refuse();
          return {};
        }
        head->rank = rank += static_cast<std::int64_t>(more);
        heads.push_back(*head);
      }
    }
  }
  return heads;
}

} // namespace

std::string pack_courses(const std::vector<const std::vector<PlaceTimes>*>& times) {
  CoursePacker packer;
  for (const std::vector<PlaceTimes>* places : times) packer.add(*places);
  return packer.bytes();
}

void unpack_courses(Unpacker& in, std::vector<std::vector<PlaceTimes>>& times) {
  const std::vector<Head> heads = heads_of(in, times);
  const std::string_view codes = in.get_view();
  std::size_t next = 0;
  for (const Head& head : heads) {
    if (head.size > codes.size() - next) return in.refuse();
    std::vector<RankCourse>& courses = head.place->courses;
    const std::string before = courses.empty() ? std::string() : courses.back().course.codes();
    std::string own;
    for (std::size_t i = 0; i < head.size; ++i)
      own.push_back(static_cast<char>(codes[next++] + head.form.expected(before, i)));
    courses.push_back({head.rank, TimeCourse(head.thinnings, std::move(own))});
  }
  if (next != codes.size()) in.refuse();
}

std::string pack_peaks(const std::vector<const std::vector<PlaceTimes>*>& times) {
  Packer out;
  bool has_any = false;
  for (const std::vector<PlaceTimes>* places : times) {
    for (const PlaceTimes& place : *places) {
      for (const RankCourse& own : place.courses) {
        std::uint64_t last = 0;
        out.put(own.course.peaks().size());
        for (const TimeCourse::Peak& peak : own.course.peaks()) {
          out.put(peak.n - std::exchange(last, peak.n));
          out.put(peak.code);
          has_any = true;
        }
      }
    }
  }
  return has_any ? std::move(out).bytes() : std::string();
}

void unpack_peaks(Unpacker& in, std::vector<std::vector<PlaceTimes>>& times) {
  for (std::vector<PlaceTimes>& places : times) {
    for (PlaceTimes& place : places) {
      for (RankCourse& own : place.courses) {
        const std::size_t count = in.get_count();
        if (!in.ok() || count > TimeCourse::kMostPeaks) return in.refuse();
        if (!in.pay(count, sizeof(TimeCourse::Peak))) return;
        std::vector<TimeCourse::Peak> peaks;
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t step = in.get();
          const std::uint64_t code = in.get();
          if ((i > 0 && step == 0) || step > kMostPass || code > kMostCode) return in.refuse();
          n += step;
          peaks.push_back({n, static_cast<std::uint8_t>(code)});
        }
        own.course.set_peaks(std::move(peaks));
      }
    }
  }
}

} // namespace rondo::archive
