// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_course.hpp"

#include <algorithm>
#include <bit>

namespace rondo::trace {

// The leading bit says the octave, the three behind it the step in it.
std::uint8_t TimeCourse::code_of(std::uint64_t ns) {
  constexpr int kFirstOctave = 10; // of kLeast_ns
  constexpr int kMostCode = 254;
  if (ns < kLeast_ns) return 0;
  const int octave = static_cast<int>(std::bit_width(ns)) - 1;
  const int step = static_cast<int>(ns >> (octave - 3) & 7);
  return static_cast<std::uint8_t>(std::min(1 + 8 * (octave - kFirstOctave) + step, kMostCode));
}

double TimeCourse::ns_of(std::uint8_t code) {
  if (code == 0) return 0;
  const int octave = (code - 1) / 8;
  const auto least = static_cast<double>(kLeast_ns << octave);
  return least * (8.5 + static_cast<double>((code - 1) % 8)) / 8; // the middle of the step
}

std::optional<std::size_t> TimeCourse::place_of(std::uint64_t n) const {
  const std::uint64_t block = n / kBlock;
  if ((block & ((std::uint64_t{1} << thinnings_) - 1)) != 0) return std::nullopt;
  return (block >> thinnings_) * kBlock + n % kBlock;
}

void TimeCourse::halve() {
  std::string kept;
  for (std::size_t at = 0; at < codes_.size(); at += 2 * kBlock) kept += codes_.substr(at, kBlock);
  codes_ = std::move(kept);
  ++thinnings_;
}

void TimeCourse::thin(std::size_t most) {
  while (codes_.size() > std::max<std::size_t>(most, kBlock) && thinnings_ < kMostThinnings)
    halve();
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
  thin(kMost);
}

std::uint8_t TimeCourse::at(std::uint64_t n) const {
  if (codes_.empty()) return 0;
  const std::uint64_t block = n / kBlock >> thinnings_;
  return static_cast<std::uint8_t>(codes_[(block * kBlock + n % kBlock) % codes_.size()]);
}

} // namespace rondo::trace
