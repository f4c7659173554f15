// SPDX-License-Identifier: Apache-2.0
#include "present/draw/value_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rondo::present {
namespace {

constexpr double kAutoRatio = 100;

// 10^exponent without the rounding of pow() for the exponents that occur.
double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

std::vector<double> even_ticks(double high, int most) {
  const double step_at_least = high / most;
  const int exponent = static_cast<int>(std::floor(std::log10(step_at_least)));
  double step = 0;
  for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
    step = digit * power_of_ten(exponent);
    if (step >= step_at_least) break;
  }
  std::vector<double> ticks;
  for (int i = 0; i * step <= high * (1 + 1e-12); ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> ticks_with_digits(double low, double high, int every,
                                      const std::vector<double>& digits) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    for (const double digit : digits) {
      const double tick = digit * power_of_ten(exponent);
      if (tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<double> decade_ticks(double low, double high, int most) {
  const double decades = std::log10(high / low);
  if (decades * 3 <= most) return ticks_with_digits(low, high, 1, {1, 2, 5});
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
  return ticks_with_digits(low, high, every, {1});
}

} // namespace

ValueScale::ValueScale(ScaleKind kind, double smallest, double largest)
    : logarithmic_(kind == ScaleKind::kLogarithmic ||
                   (kind == ScaleKind::kAuto && largest > kAutoRatio * smallest)),
      low_(smallest), high_(largest) {
  if (smallest <= 0 || smallest >= largest) logarithmic_ = false; // nothing to spread
}

double ValueScale::position(double value) const {
  if (high_ <= 0 || value <= low()) return 0;
  if (value >= high_) return 1;
  return logarithmic_ ? std::log(value / low_) / std::log(high_ / low_) : value / high_;
}

double ValueScale::value(double position) const {
  return logarithmic_ ? low_ * std::pow(high_ / low_, position) : high_ * position;
}

std::vector<double> ValueScale::ticks(int most) const {
  if (high_ <= 0) return {0};
  return logarithmic_ ? decade_ticks(low_, high_, most) : even_ticks(high_, most);
}

} // namespace rondo::present
