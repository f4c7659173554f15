// SPDX-License-Identifier: Apache-2.0
// How long the computations at one place were, one after the other, in a byte each. A histogram
// says how they vary, this how they vary together: from pass to pass, and on all ranks at once, as
// the n-th of one rank belongs to the n-th of every other. Of many, blocks of passes in a row are
// kept, spread evenly over the run: resampling by blocks keeps what depends on what within them
// [kunsch1989]. Passes that were far longer than the others are kept beside them, as what is waited
// for in a pipeline adds up from those.
//
//   course.add(n, ns);       // the n-th, from 0
//   course.end(count);
//   use(TimeCourse::ns_of(course.at(n)));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::trace {

class TimeCourse {
public:
  static constexpr std::uint64_t kLeast_ns = 1024; // shorter ones have code 0
  static constexpr std::uint64_t kBlock = 32; // passes that are kept or left out together
  static constexpr std::size_t kMost = 1024; // passes that are kept
  static constexpr int kMostThinnings = 40;
  static constexpr std::size_t kMostPeaks = 24;

  struct Peak {
    std::uint64_t n = 0; // pass
    std::uint8_t code = 0;
    friend bool operator==(const Peak&, const Peak&) = default;
  };

  TimeCourse() = default;
  /// As it was stored: one block in 2^thinnings.
  TimeCourse(int thinnings, std::string codes)
      : codes_(std::move(codes)), thinnings_(static_cast<std::uint8_t>(thinnings)) {}
  /// As they were stored; passes ascend.
  void set_peaks(std::vector<Peak> peaks) { peaks_ = std::move(peaks); }

  /// Numbers ascend; those that are left out were short. @complexity O(1), amortised
  void add(std::uint64_t n, std::uint64_t ns);
  void add_code(std::uint64_t n, std::uint8_t code);
  /// Whether add() has something to do.
  bool keeps(std::uint64_t n) const {
    return (n / kBlock & ((std::uint64_t{1} << thinnings_) - 1)) == 0;
  }
  /// The next behind the n-th that add() has something to do for.
  std::uint64_t next_kept(std::uint64_t n) const {
    if (keeps(n + 1)) return n + 1;
    const std::uint64_t stride = kBlock << thinnings_;
    return (n / stride + 1) * stride;
  }
  /// There were so many in all.
  void end(std::uint64_t count);
  /// Keeps fewer blocks until at most so many passes are left, but one block. The longest of those
  /// that were at least twice as long as nearly all others stay as peaks.
  void thin(std::size_t most);
  /// What `later` has comes after the first `count`; by blocks, if not all are kept.
  void append(std::uint64_t count, const TimeCourse& later);

  /// The n-th, or if it was left out what stands for it: one of a block that was made about then.
  std::uint8_t at(std::uint64_t n) const;
  /// The same in ns, at the level of the passes that it stands for: a kept block that stands for
  /// many others is by chance faster or slower than these, and would be so many times over. How far
  /// a block's mean is that of its surroundings is what it has in common with the next kept ones.
  double ns_at(std::uint64_t n, const std::vector<double>& levels) const;
  /// By kept block, what its passes are multiplied with for that; all 1 where every pass is kept.
  /// @complexity O(passes that are kept)
  std::vector<double> levels() const;
  /// Of the first `count`, each as ns_at() has it. @complexity O(passes that are kept)
  double mean_ns(std::uint64_t count, const std::vector<double>& levels) const;
  /// How many in a row from the n-th on are the same as those `period` later, as far as one block
  /// stands for them: it may be more. @complexity O(1)
  std::uint64_t alike(std::uint64_t n, std::uint64_t period) const;
  const std::string& codes() const { return codes_; } // bytes: codes
  const std::vector<Peak>& peaks() const { return peaks_; } // no blocks have these
  int thinnings() const { return thinnings_; }
  bool is_whole() const { return thinnings_ == 0; }

  /// Eight steps to an octave: at most 6 % off.
  static std::uint8_t code_of(std::uint64_t ns);
  static double ns_of(std::uint8_t code);

  friend bool operator==(const TimeCourse&, const TimeCourse&) = default;

private:
  std::optional<std::size_t> place_of(std::uint64_t n) const; // nothing if it is left out
  std::size_t place_for(std::uint64_t n) const; // of what stands for it
  const Peak* peak_at(std::uint64_t n) const;
  void set_peaks_apart();
  void keep_longest_peaks();
  void halve();

  std::string codes_;
  std::vector<Peak> peaks_; // ascending
  std::uint8_t thinnings_ = 0;
};

struct RankCourse {
  std::int64_t rank = 0; // of MPI_COMM_WORLD
  TimeCourse course;
  friend bool operator==(const RankCourse&, const RankCourse&) = default;
};

} // namespace rondo::trace
