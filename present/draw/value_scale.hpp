// SPDX-License-Identifier: Apache-2.0
// Places values above zero on a line from 0 to 1, evenly or by their logarithm. Pictures and the
// terminal use the same scale, so the same shade means the same number.
#pragma once

#include <vector>

namespace rondo::present {

/// kAuto is logarithmic when the largest value is more than a hundred times the smallest.
enum class ScaleKind { kAuto, kLinear, kLogarithmic };

class ValueScale {
public:
  /// @param smallest  smallest value above zero, 0 if there is none
  /// @param largest   largest value, >= smallest
  ValueScale(ScaleKind kind, double smallest, double largest);

  bool logarithmic() const { return logarithmic_; }
  double low() const { return logarithmic_ ? low_ : 0; }
  double high() const { return high_; }

  /// 0 for low() or less, 1 for high() or more.
  double position(double value) const;

  /// The value with that position.
  double value(double position) const;

  /// Round numbers in [low(), high()], rising: 1, 2 or 5 times a power of ten, or powers of ten.
  /// @param most  about how many are wanted, >= 2
  std::vector<double> ticks(int most) const;

private:
  bool logarithmic_ = false;
  double low_ = 0;
  double high_ = 0;
};

} // namespace rondo::present
