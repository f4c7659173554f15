// SPDX-License-Identifier: Apache-2.0
// One description serves writer and reader: a writer's coder gives back what it was given. The
// histogram of a place is that of all its ranks and passes, of which a course has some, in their
// order: it says which codes there are, and contexts what goes with what.
#include "archive/modelled_courses.hpp"

#include "archive/adaptive_coder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;
using trace::RankCourse;
using trace::TimeCourse;

constexpr std::uint64_t kLastPass = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostRank = std::uint64_t{1} << 31;
constexpr std::uint64_t kCodes = 256;
// What a histogram says is worth this many bits of a course's own, as half of these; measured
// between 8 and 100.
constexpr std::uint32_t kWorthOfHistogram = 48;
constexpr std::uint64_t kStepsOfPass = 64; // of the budget: a pass has eight bits

// What is coded: the first of each context's parts.
enum class OfCourse : std::uint64_t {
  kCourses,
  kAreSameRanks,
  kRank,
  kThinnings,
  kIsAsLong,
  kLength,
  kCode,
  kPeaks,
  kPass,
  kPeak,
};

std::uint64_t course_context(OfCourse what, std::uint64_t a = 0, std::uint64_t b = 0,
                             std::uint64_t c = 0) {
  return ((a * 1021 + b) * 1021 + c) * 16 + static_cast<std::uint64_t>(what);
}

// How likely codes are by a histogram: as many as are in a bin, dealt to the codes that begin in
// it, and a little for those that are in none, as courses of merged ranks may be of other passes.
class CodeChances {
public:
  explicit CodeChances(const Durations& times) {
    std::array<std::uint64_t, kCodes> weights{};
    weights.fill(1);
    if (times.count > 0) add_bins(times, weights);
    for (std::size_t i = 0; i < kCodes; ++i) before_[i + 1] = before_[i] + weights[i];
  }

  /// Of a 1 at a node: the bits of the code so far, behind a leading 1; of 65536.
  std::uint32_t of(std::uint32_t node) const {
    const int bits_left = std::countl_zero(node) - 23;
    const std::size_t from = (std::size_t{node} << bits_left) - kCodes;
    const std::size_t half = std::size_t{1} << (bits_left - 1);
    const std::uint64_t ones = before_[from + 2 * half] - before_[from + half];
    return static_cast<std::uint32_t>((ones << 16) / (before_[from + 2 * half] - before_[from]));
  }

private:
  static constexpr std::uint64_t kWeight = 48; // of one in a histogram, less than 1 is for none
  static constexpr std::uint64_t kMostInBin = std::uint64_t{1} << 32; // sums times 2^16 fit

  // As a reader has them: the last bin has the rest.
  static void add_bins(const Durations& times, std::array<std::uint64_t, kCodes>& weights) {
    const int last = trace::bin_of(times.max_ns);
    std::uint64_t left = times.count;
    for (int bin = trace::bin_of(times.min_ns); bin <= last && left > 0; ++bin) {
      const std::uint64_t in_bin =
          bin == last ? left : std::min(left, times.bins[static_cast<std::size_t>(bin)]);
      left -= in_bin;
      const std::size_t first = TimeCourse::code_of(trace::bin_start(bin));
      const std::size_t end = TimeCourse::code_of(trace::bin_start(bin + 1) - 1);
      for (std::size_t code = first; code <= end; ++code)
        weights[code] += std::min(in_bin, kMostInBin) * kWeight / (end - first + 1);
    }
  }

  std::array<std::uint64_t, kCodes + 1> before_{};
};

template <class Coder> class CoursesCoding {
public:
  CoursesCoding(Coder& coder, Budget* budget) : coder_(coder), budget_(budget) {}

  // A writer's places have what is coded; a reader's get it.
  template <class Places> void of_class(Places& places) {
    ranks_.clear();
    for (auto& place : places) {
      if (!is_ok()) return;
      auto own = courses(place);
      if constexpr (!Coder::kWrites) place.courses = std::move(own);
    }
  }
  bool is_ok() const { return is_ok_ && coder_.is_ok(); }

private:
  std::vector<RankCourse> courses(const PlaceTimes& place) {
    const std::vector<RankCourse>& given = place.courses; // of a writer
    const std::uint64_t size = size_class(place.inside.count);
    const std::uint64_t count =
        code_number(coder_,
                    {course_context(OfCourse::kCourses),
                     course_context(OfCourse::kCourses, 1 + size, ranks_.size() % 64)},
                    given.size());
    if (count == 0) return {};
    if (count > kMostRank || !pay(count, sizeof(RankCourse))) {
      refuse();
      return {};
    }
    std::vector<RankCourse> courses(count);
    ranks(courses, given);
    const CodeChances chances(place.computation);
    ++place_;
    static const TimeCourse kNone;
    const TimeCourse* before = &kNone;
    for (std::size_t i = 0; i < count && is_ok(); ++i) {
      const TimeCourse& own = Coder::kWrites ? given[i].course : kNone;
      courses[i].course = course(own, before->codes(), chances);
      before = &courses[i].course;
    }
    return courses;
  }

  // Mostly those of the last place that has courses.
  void ranks(std::vector<RankCourse>& courses, const std::vector<RankCourse>& given) {
    const auto is_rank = [](const RankCourse& own, std::int64_t rank) { return own.rank == rank; };
    if (ranks_.size() == courses.size() &&
        coder_.bit({course_context(OfCourse::kAreSameRanks)}, 0,
                   std::equal(given.begin(), given.end(), ranks_.begin(), ranks_.end(), is_rank))) {
      for (std::size_t i = 0; i < ranks_.size(); ++i) courses[i].rank = ranks_[i];
      return;
    }
    ranks_.clear();
    std::uint64_t next = 0; // the lowest that may come
    for (std::size_t i = 0; i < courses.size(); ++i) {
      next += code_number(
          coder_, {course_context(OfCourse::kRank), course_context(OfCourse::kRank, 1, next % 64)},
          Coder::kWrites ? static_cast<std::uint64_t>(given[i].rank) - next : 0);
      if (next >= kMostRank || !is_ok()) return refuse();
      courses[i].rank = static_cast<std::int64_t>(next++);
      ranks_.push_back(courses[i].rank);
    }
  }

  TimeCourse course(const TimeCourse& given, const std::string& before,
                    const CodeChances& chances) {
    const std::uint64_t thinnings =
        code_number(coder_,
                    {course_context(OfCourse::kThinnings),
                     course_context(OfCourse::kThinnings, 1 + thinnings_)},
                    static_cast<std::uint64_t>(given.thinnings()));
    const bool is_as_long = coder_.bit({course_context(OfCourse::kIsAsLong, before.empty())}, 0,
                                       given.codes().size() == length_);
    const std::uint64_t length =
        is_as_long ? length_
                   : code_number(coder_, {course_context(OfCourse::kLength)}, given.codes().size());
    if (thinnings > std::uint64_t{TimeCourse::kMostThinnings} || length > TimeCourse::kMost ||
        !pay_passes(length)) {
      refuse();
      return {};
    }
    thinnings_ = thinnings;
    length_ = length;
    std::string codes;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < length && is_ok(); ++i) {
      const std::uint64_t of_before = i < before.size() ? 1 + code_at(before, i) / 4 : 0;
      last = code({course_context(OfCourse::kCode, place_),
                   course_context(OfCourse::kCode, place_, 1 + last / 4),
                   course_context(OfCourse::kCode, place_, 1 + last / 4, 1 + of_before)},
                  chances, Coder::kWrites ? code_at(given.codes(), i) : 0);
      codes.push_back(static_cast<char>(last));
    }
    TimeCourse result(static_cast<int>(thinnings), std::move(codes));
    result.set_peaks(peaks(given.peaks(), chances));
    return result;
  }

  std::vector<TimeCourse::Peak> peaks(const std::vector<TimeCourse::Peak>& given,
                                      const CodeChances& chances) {
    const std::uint64_t count =
        code_number(coder_,
                    {course_context(OfCourse::kPeaks),
                     course_context(OfCourse::kPeaks, 1 + size_class(peaks_))},
                    given.size());
    if (count > TimeCourse::kMostPeaks || !pay_passes(count)) {
      refuse();
      return {};
    }
    peaks_ = count;
    std::vector<TimeCourse::Peak> peaks;
    std::uint64_t next = 0; // the lowest pass that may come
    for (std::size_t i = 0; i < count && is_ok(); ++i) {
      const TimeCourse::Peak own = Coder::kWrites ? given[i] : TimeCourse::Peak();
      next += code_number(
          coder_, {course_context(OfCourse::kPass), course_context(OfCourse::kPass, 1 + count)},
          own.n - next);
      const std::uint64_t found =
          code({course_context(OfCourse::kPeak), course_context(OfCourse::kPeak, 1 + place_)},
               chances, own.code);
      if (next > kLastPass || found + 1 >= kCodes) refuse();
      peaks.push_back({next++, static_cast<std::uint8_t>(found)});
    }
    return peaks;
  }

  static std::uint64_t code_at(const std::string& codes, std::size_t i) {
    return static_cast<std::uint8_t>(codes[i]);
  }

  std::uint64_t code(BitContexts contexts, const CodeChances& chances, std::uint64_t given) {
    std::uint32_t node = 1;
    for (int bit = 7; bit >= 0; --bit) {
      contexts.begin_with(chances.of(node), kWorthOfHistogram);
      node = 2 * node + (coder_.bit(contexts, node, (given >> bit & 1) != 0) ? 1U : 0U);
    }
    return node - kCodes;
  }

  bool pay(std::uint64_t count, std::uint64_t bytes_each) {
    if (budget_ == nullptr || budget_->take_items(count, bytes_each)) return true;
    is_ok_ = false;
    return false;
  }
  bool pay_passes(std::uint64_t count) {
    if (budget_ == nullptr) return true;
    return pay(count, sizeof(TimeCourse::Peak)) && budget_->take_steps(count * kStepsOfPass);
  }
  void refuse() { is_ok_ = false; }

  Coder& coder_;
  Budget* budget_;
  bool is_ok_ = true;
  std::uint64_t place_ = 0; // number of the place, from 1, among those that have courses
  // Of what came last.
  std::vector<std::int64_t> ranks_;
  std::uint64_t thinnings_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t peaks_ = 0;
};

bool have_courses(const std::vector<PlaceTimes>& places) {
  return std::any_of(places.begin(), places.end(),
                     [](const PlaceTimes& place) { return !place.courses.empty(); });
}

} // namespace

std::string pack_modelled_courses(const std::vector<const std::vector<PlaceTimes>*>& times) {
  if (std::none_of(times.begin(), times.end(),
                   [](const std::vector<PlaceTimes>* places) { return have_courses(*places); }))
    return {};
  AdaptiveWriter writer;
  CoursesCoding<AdaptiveWriter> coding(writer, nullptr);
  for (const std::vector<PlaceTimes>* places : times) coding.of_class(*places);
  return std::move(writer).bytes();
}

bool unpack_modelled_courses(std::string_view bytes, Budget* budget,
                             std::vector<std::vector<PlaceTimes>>& times) {
  AdaptiveReader reader(bytes);
  CoursesCoding<AdaptiveReader> coding(reader, budget);
  for (std::vector<PlaceTimes>& places : times) {
    coding.of_class(places);
    if (!coding.is_ok()) return false;
  }
  return reader.at_end();
}

} // namespace rondo::archive
