// SPDX-License-Identifier: Apache-2.0
// What a collective operation costs, as a formula of the user's: "2*latency*log2(ranks) +
// bytes/bandwidth".
//
//   auto formula = Formula::parse("latency*ceil(log2(ranks))");
//   formula->value({.latency = 5e-6, .ranks = 16});
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::simulate {

/// What the names in a formula stand for. Times are in seconds.
struct FormulaValues {
  double latency = 0;
  double bandwidth = 0; // bytes per second
  double overhead = 0;
  double gap = 0;
  double ranks = 1; // that take part
  double bytes = 0; // the most that one of them hands over
};

class Formula {
public:
  /// Numbers, + - * / ( ), the names of FormulaValues, and log2 sqrt ceil floor min max.
  /// @error kUsage with what was not understood and where, or for a constant that is no cost
  static Result<Formula> parse(std::string_view text);

  /// @complexity O(length)
  double value(const FormulaValues& values) const;
  const std::string& text() const { return text_; }
  /// Whether one of FormulaValues stands in it.
  bool has(std::string_view name) const;

private:
  friend class FormulaParser;
  enum class Code : std::uint8_t {
    kNumber,
    kName, // operand: which
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kFunction, // operand: which
  };
  struct Step { // of a stack machine
    Code code;
    double operand = 0;
  };
  std::string text_;
  std::vector<Step> steps_;
};

/// Whether a formula's value can be a cost: a number from 0 on, neither infinite nor NaN.
bool is_cost(double seconds);

} // namespace rondo::simulate
