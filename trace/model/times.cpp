// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace rondo::trace {
namespace {

constexpr int kStepsOfOctave = 16;
// Where the nearest step becomes the next: 2^((k + 1/2) / 16).
constexpr double kBorders[kStepsOfOctave + 1] = {1.0218971486541166,
                                                 1.0671404006768237,
                                                 1.1143867425958924,
                                                 1.1637248587775775,
                                                 1.215247359980469,
                                                 1.2690509571917332,
                                                 1.3252366431597413,
                                                 1.383909881963832,
                                                 1.4451808069770467,
                                                 1.5091644275934228,
                                                 1.5759808451078865,
                                                 1.645755478153965,
                                                 1.718619298122478,
                                                 1.7947090750031072,
                                                 1.8741676341103,
                                                 1.9571441241754002,
                                                 2};
// How many borders are below each of 32 parts of an octave: there is at most one within a part.
constexpr int kPartBits = 5;
constexpr auto kBordersBelow = [] {
  std::array<std::uint8_t, 1 << kPartBits> below{};
  for (std::size_t part = 0; part < below.size(); ++part) {
    const double start = 1 + static_cast<double>(part) / static_cast<double>(below.size());
    while (kBorders[below[part]] <= start) ++below[part];
  }
  return below;
}();
// The steps: 2^(k / 16). Ranks and places are many, and exp2() takes twenty times as long.
constexpr double kSteps[kStepsOfOctave] = {1.0,
                                           1.0442737824274138,
                                           1.0905077326652577,
                                           1.1387886347566916,
                                           1.189207115002721,
                                           1.241857812073484,
                                           1.2968395546510096,
                                           1.3542555469368927,
                                           1.4142135623730951,
                                           1.4768261459394993,
                                           1.5422108254079407,
                                           1.6104903319492543,
                                           1.681792830507429,
                                           1.7562521603732995,
                                           1.8340080864093424,
                                           1.9152065613971474};
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);

// Two octaves: times of one place are seldom further apart.
constexpr std::size_t kBinsAtOnce = 8;

} // namespace

BinCounts& BinCounts::operator=(const BinCounts& other) {
  if (this == &other) return *this;
  counts_.reset();
  if (other.size_ > 1) {
    counts_.reset(new std::uint64_t[other.size_]);
    std::copy_n(other.counts_.get(), other.size_, counts_.get());
  }
  single_ = other.single_;
  first_ = other.first_;
  size_ = other.size_;
  return *this;
}

BinCounts& BinCounts::operator=(BinCounts&& other) noexcept {
  counts_ = std::move(other.counts_);
  single_ = std::exchange(other.single_, 0);
  first_ = std::exchange(other.first_, std::uint16_t{0});
  size_ = std::exchange(other.size_, std::uint16_t{0});
  return *this;
}

// The first bin stays single; a second one makes room for those around both.
void BinCounts::add_outside(std::size_t bin, std::uint64_t count) {
  if (size_ == 0) {
    first_ = static_cast<std::uint16_t>(bin);
    size_ = 1;
    single_ = count;
    return;
  }
  const std::size_t first = std::min<std::size_t>(first_, bin) / kBinsAtOnce * kBinsAtOnce;
  const std::size_t behind = std::max(end(), bin + 1);
  const std::size_t size = (behind - first + kBinsAtOnce - 1) / kBinsAtOnce * kBinsAtOnce;
  std::unique_ptr<std::uint64_t[]> counts(new std::uint64_t[size]());
  std::copy_n(data(), size_, counts.get() + (first_ - first));
  counts[bin - first] += count;
  counts_ = std::move(counts);
  first_ = static_cast<std::uint16_t>(first);
  size_ = static_cast<std::uint16_t>(size);
}

std::uint64_t BinCounts::sum() const {
  return std::accumulate(data(), data() + size_, std::uint64_t{0});
}

bool operator==(const BinCounts& a, const BinCounts& b) {
  for (std::size_t bin = std::min(a.first(), b.first()); bin < std::max(a.end(), b.end()); ++bin) {
    if (a[bin] != b[bin]) return false;
  }
  return true;
}

void Durations::add(const Durations& other) {
  count += other.count;
  sum_ns += other.sum_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  sum_of_squares += other.sum_of_squares;
  for (std::size_t bin = other.bins.first(); bin < other.bins.end(); ++bin) {
    if (other.bins[bin] != 0) bins.add(bin, other.bins[bin]);
  }
}

double Durations::deviation_ns() const {
  if (count < 2) return 0;
  const double mean = mean_ns();
  return std::sqrt(std::max(0.0, sum_of_squares / static_cast<double>(count) - mean * mean));
}

// A program that does not repeat asks for two of these with each call: the exponent is read off the
// number, and the steps within an octave are looked up.
std::uint16_t mean_code(const Durations& times) {
  if (times.count == 0) return 0;
  const auto bits = std::bit_cast<std::uint64_t>(1 + times.mean_ns());
  const auto octave = static_cast<int>(bits >> 52) - 1023; // not negative: there is no sign
  const auto in_octave = std::bit_cast<double>((bits & kMantissa) | kOne);
  int step = kBordersBelow[(bits & kMantissa) >> (52 - kPartBits)];
  step += static_cast<int>(kBorders[step] <= in_octave);
  return static_cast<std::uint16_t>(1 + kStepsOfOctave * octave + step);
}

double mean_of_code_ns(std::uint16_t code) {
  if (code == 0) return 0;
  constexpr int kMost = 1023; // of a double's exponents; damaged archives have higher codes
  const auto octave = static_cast<std::uint64_t>(std::min((code - 1) / kStepsOfOctave, kMost));
  const auto power = std::bit_cast<double>((octave + 1023) << 52);
  return kSteps[(code - 1) % kStepsOfOctave] * power - 1;
}

} // namespace rondo::trace
