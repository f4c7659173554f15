// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_course.hpp"

#include "trace/model/block_paces.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string_view>

namespace rondo::trace {
namespace {

constexpr std::uint64_t kHighest = std::uint64_t{1} << 50; // has the highest code

} // namespace

// The leading bit says the octave, the three behind it the step in it: exponent and fraction of the
// same number as a double, which is exact where the code is not the highest.
std::uint8_t TimeCourse::code_of(std::uint64_t ns) {
  constexpr std::uint64_t kOfLeast = std::uint64_t{8} * (1023 + 10); // its exponent
  constexpr std::uint64_t kMostCode = 254;
  if (ns < kLeast_ns) return 0;
  const auto value = static_cast<double>(static_cast<std::int64_t>(std::min(ns, kHighest)));
  const std::uint64_t code = (std::bit_cast<std::uint64_t>(value) >> 49) - kOfLeast + 1;
  return static_cast<std::uint8_t>(std::min(code, kMostCode));
}

namespace {

constexpr double middle_of(std::size_t code) { // of the step
  if (code == 0) return 0;
  const auto least = static_cast<double>(TimeCourse::kLeast_ns << (code - 1) / 8);
  return least * (8.5 + static_cast<double>((code - 1) % 8)) / 8;
}

// Looked up for each call of a run that is played.
constexpr auto kNsOfCode = [] {
  std::array<double, 256> table{};
  for (std::size_t code = 0; code < table.size(); ++code) table[code] = middle_of(code);
  return table;
}();

} // namespace

double TimeCourse::ns_of(std::uint8_t code) { return kNsOfCode[code]; }

std::optional<std::size_t> TimeCourse::place_of(std::uint64_t n) const {
  if (!keeps(n)) return std::nullopt;
  return (n / kBlock >> thinnings_) * kBlock + n % kBlock;
}

void TimeCourse::halve() {
  std::string kept;
  for (std::size_t at = 0; at < codes_.size(); at += 2 * kBlock) kept += codes_.substr(at, kBlock);
  codes_ = std::move(kept);
  ++thinnings_;
}

const TimeCourse::Peak* TimeCourse::peak_at(std::uint64_t n) const {
  const auto found = std::ranges::lower_bound(peaks_, n, {}, &Peak::n);
  return found != peaks_.end() && found->n == n ? &*found : nullptr;
}

void TimeCourse::keep_longest_peaks() {
  if (peaks_.size() <= kMostPeaks) return;
  std::ranges::stable_sort(peaks_, std::ranges::greater(), &Peak::code);
  peaks_.resize(kMostPeaks);
  std::ranges::sort(peaks_, {}, &Peak::n);
}

namespace {

// Where one pass in four or eight is long each time, as in a loop that does something more now and
// then, that is no peak: the shortest of some quantiles that not too many passes are an octave
// above.
std::uint8_t usual_at_most(const std::string& codes, int octave, std::size_t most_above) {
  std::vector<std::uint8_t> sorted(codes.begin(), codes.end());
  std::ranges::sort(sorted);
  std::uint8_t usual = 0;
  for (std::size_t longer = sorted.size() / 2; longer > 0; longer /= 2) {
    usual = std::max<std::uint8_t>(sorted[sorted.size() - longer], 1);
    const auto peaks = std::ranges::lower_bound(sorted, usual + octave);
    if (static_cast<std::size_t>(sorted.end() - peaks) <= most_above) break;
  }
  return usual;
}

} // namespace

// In their blocks they are as long as others are at most.
void TimeCourse::set_peaks_apart() {
  constexpr int kOctave = 8; // codes
  // In kept passes that stand for others, those that are not set apart come with each of these.
  const std::size_t most_above = is_whole() ? codes_.size() / 8 : kMostPeaks;
  const std::uint8_t usual = usual_at_most(codes_, kOctave, most_above);
  const auto pass_at = [this](std::uint64_t place) {
    return (place / kBlock << thinnings_) * kBlock + place % kBlock;
  };
  for (std::uint64_t place = 0; place < codes_.size(); ++place) {
    const auto code = static_cast<std::uint8_t>(codes_[place]);
    if (code >= usual + kOctave) peaks_.push_back({pass_at(place), code});
  }
  keep_longest_peaks();
  for (const Peak& peak : peaks_) codes_[*place_of(peak.n)] = static_cast<char>(usual);
}

void TimeCourse::thin(std::size_t most) {
  if (peaks_.empty() && codes_.size() > std::max<std::size_t>(most, kBlock)) set_peaks_apart();
  while (codes_.size() > std::max<std::size_t>(most, kBlock) && thinnings_ < kMostThinnings)
    halve();
}

// Most are behind the last one.
void TimeCourse::add(std::uint64_t n, std::uint64_t ns) {
  const std::optional<std::size_t> at = place_of(n);
  if (!at) return;
  if (*at != codes_.size() || *at >= kMost) [[unlikely]]
    return add_code(n, code_of(ns));
  codes_.push_back(static_cast<char>(code_of(ns)));
}

void TimeCourse::add_code(std::uint64_t n, std::uint8_t code) {
  std::optional<std::size_t> at = place_of(n);
  while (at && *at >= kMost && thinnings_ < kMostThinnings) {
    // What is not there yet was short.
    codes_.resize(std::max(codes_.size(), kMost), '\0');
    halve();
    at = place_of(n);
  }
  if (!at || *at >= kMost) return;
  codes_.resize(*at, '\0');
  codes_.push_back(static_cast<char>(code));
}

void TimeCourse::end(std::uint64_t count) {
  if (count == 0) return;
  std::uint64_t last = count - 1; // that is kept, or was
  if (!place_of(last))
    last = last / kBlock / (std::uint64_t{1} << thinnings_) * (kBlock << thinnings_) + kBlock - 1;
  if (const auto at = place_of(last); at && *at >= codes_.size()) add_code(last, 0);
}

void TimeCourse::append(std::uint64_t count, const TimeCourse& later) {
  TimeCourse behind = later;
  end(count);
  while (thinnings_ < behind.thinnings_) halve();
  while (behind.thinnings_ < thinnings_) behind.halve();
  codes_ += behind.codes_;
  for (const Peak& peak : later.peaks_) peaks_.push_back({count + peak.n, peak.code});
  keep_longest_peaks();
  while (codes_.size() > kMost && thinnings_ < kMostThinnings) halve();
}

std::uint8_t TimeCourse::at(std::uint64_t n) const {
  if (const Peak* const peak = peak_at(n)) return peak->code;
  return codes_.empty() ? 0 : static_cast<std::uint8_t>(codes_[place_for(n)]);
}

std::size_t TimeCourse::place_for(std::uint64_t n) const {
  const std::uint64_t block = n / kBlock >> thinnings_;
  const std::uint64_t place = block * kBlock + n % kBlock;
  return place < codes_.size() ? place : place % codes_.size();
}

double TimeCourse::ns_at(std::uint64_t n, const std::vector<double>& levels) const {
  if (const Peak* const peak = peak_at(n)) return ns_of(peak->code);
  if (codes_.empty()) return 0;
  const std::size_t place = place_for(n);
  return ns_of(static_cast<std::uint8_t>(codes_[place])) * levels[place / kBlock];
}

namespace {

struct BlockMeans {
  std::vector<double> means; // by block, in ns
  double mean = 0; // of all passes
};

BlockMeans means_of_blocks(std::string_view codes) {
  BlockMeans found;
  for (std::size_t begin = 0; begin < codes.size(); begin += TimeCourse::kBlock) {
    const std::string_view block = codes.substr(begin, TimeCourse::kBlock);
    double sum = 0;
    for (const char code : block) sum += TimeCourse::ns_of(static_cast<std::uint8_t>(code));
    found.means.push_back(sum / static_cast<double>(block.size()));
    found.mean += sum / static_cast<double>(codes.size());
  }
  return found;
}

// How much of what blocks differ by they have in common with the block behind: 0 where they differ
// by chance, 1 where the level changes slowly.
double persistence(const std::vector<double>& means, double mean) {
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    squares += (means[i] - mean) * (means[i] - mean);
    if (i > 0) products += (means[i] - mean) * (means[i - 1] - mean);
  }
  return squares > 0 ? std::clamp(products / squares, 0.0, 1.0) : 0;
}

} // namespace

double internal::pace_of_blocks(const TimeCourse& course) {
  constexpr double kFactor = 2;
  constexpr double kLeast = 0.25; // of what passes differ by is by block: 1 in 32 is by chance
  constexpr double kMost = 0.5;
  const auto [means, mean] = means_of_blocks(course.codes());
  if (means.empty()) return 0;
  const auto [least, most] = std::ranges::minmax_element(means);
  if (*most < kFactor * *least) return 0;
  double all = 0;
  double within = 0;
  for (std::size_t i = 0; i < course.codes().size(); ++i) {
    const double ns = TimeCourse::ns_of(static_cast<std::uint8_t>(course.codes()[i]));
    const double own = means[i / TimeCourse::kBlock];
    all += (ns - mean) * (ns - mean);
    within += (ns - own) * (ns - own);
  }
  return all > 0 ? std::clamp((1 - within / all - kLeast) / (kMost - kLeast), 0.0, 1.0) : 0;
}

std::vector<double> TimeCourse::levels() const {
  const auto [means, mean] = means_of_blocks(codes_);
  std::vector<double> levels(means.size(), 1);
  if (is_whole()) return levels;
  const double own = std::max(persistence(means, mean), internal::pace_of_blocks(*this));
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i] > 0) levels[i] = (mean + own * (means[i] - mean)) / means[i];
  }
  return levels;
}

// All blocks but the last are counted as often as they stand for another.
double TimeCourse::mean_ns(std::uint64_t count, const std::vector<double>& levels) const {
  if (codes_.empty() || count == 0) return 0;
  const std::uint64_t stride = kBlock << thinnings_;
  const std::uint64_t kept = count / stride * kBlock;
  const auto ns_of_place = [&](std::uint64_t n) {
    const std::size_t place = n % codes_.size();
    return ns_of(static_cast<std::uint8_t>(codes_[place])) * levels[place / kBlock];
  };
  double sum_ns = 0;
  for (std::uint64_t i = 0; i < codes_.size(); ++i)
    sum_ns +=
        ns_of_place(i) * static_cast<double>(kept / codes_.size() + (i < kept % codes_.size()));
  sum_ns *= static_cast<double>(stride / kBlock);
  const std::uint64_t rest = count % stride;
  for (std::uint64_t i = 0; i < kBlock; ++i)
    sum_ns += ns_of_place(kept + i) * static_cast<double>(rest / kBlock + (i < rest % kBlock));
  for (const Peak& peak : peaks_) {
    if (peak.n < count) sum_ns += ns_of(peak.code) - ns_of_place(place_for(peak.n));
  }
  return sum_ns / static_cast<double>(count);
}

std::uint64_t TimeCourse::alike(std::uint64_t n, std::uint64_t period) const {
  const std::uint64_t stride = kBlock << thinnings_;
  const std::uint64_t left = stride - n % stride;
  if (period >= left) return 0;
  std::uint64_t most = left - period;
  if (const auto next = std::ranges::lower_bound(peaks_, n, {}, &Peak::n);
      next != peaks_.end() && next->n < n + left)
    most = next->n - n > period ? next->n - n - period : 0;
  for (std::uint64_t i = 0; i < std::min(most, kBlock); ++i) {
    if (at(n + i) != at(n + i + period)) return i;
  }
  return most;
}

} // namespace rondo::trace
