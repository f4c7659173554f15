// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/formula.hpp"

#include "rondo/base/joined.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace rondo::simulate {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"latency", "bandwidth", "overhead",
                                                    "gap",     "ranks",     "bytes"};
constexpr std::array<std::string_view, 6> kFunctions = {"log2",  "sqrt", "ceil",
                                                        "floor", "min",  "max"};
constexpr std::size_t kFirstOfTwo = 4; // functions from here on take two arguments
constexpr int kMostDepth = 100; // of parentheses

template <std::size_t kCount>
std::size_t index_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

double name_value(const FormulaValues& values, std::size_t name) {
  const std::array<double, 6> all = {values.latency, values.bandwidth, values.overhead,
                                     values.gap,     values.ranks,     values.bytes};
  return all[name];
}

double apply(std::size_t function, double a, double b) {
  switch (function) {
  case 0:
    return std::log2(a);
  case 1:
    return std::sqrt(a);
  case 2:
    return std::ceil(a);
  case 3:
    return std::floor(a);
  case 4:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

} // namespace

// sum: product {+|- product}; product: factor {*|/ factor}; factor: number, name, call, (sum),
// -factor
class FormulaParser {
public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<Formula> parse() {
    formula_.text_ = std::string(text_);
    if (!sum() || !at_end()) {
      return fail(ErrorCode::kUsage,
                  fmt::format("the formula '{}' is not understood from '{}' on; it may have "
                              "numbers, + - * / ( ), {}, and the functions {}",
                              text_, text_.substr(at_), joined(kNames, ", "),
                              joined(kFunctions, ", ")));
    }
    if (auto good = check_constant(); !good) return propagate(good);
    return std::move(formula_);
  }

private:
  using Code = Formula::Code;

  // What depends on nothing is known to be wrong before anything is played.
  Status check_constant() const {
    const bool is_constant = std::all_of(
        kNames.begin(), kNames.end(), [&](std::string_view name) { return !formula_.has(name); });
    if (!is_constant || is_cost(formula_.value({}))) return {};
    const double value = formula_.value({});
    return fail(ErrorCode::kUsage,
                fmt::format("the formula '{}' is {}, and a cost is a number of seconds from 0",
                            text_, std::isnan(value) ? "no number" : fmt::format("{}", value)));
  }

  bool at_end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void put(Code code, double operand = 0) { formula_.steps_.push_back({code, operand}); }

  bool sum() {
    if (!product()) return false;
    while (true) {
      const bool adds = take('+');
      if (!adds && !take('-')) return true;
      if (!product()) return false;
      put(adds ? Code::kAdd : Code::kSubtract);
    }
  }

  bool product() {
    if (!factor()) return false;
    while (true) {
      const bool multiplies = take('*');
      if (!multiplies && !take('/')) return true;
      if (!factor()) return false;
      put(multiplies ? Code::kMultiply : Code::kDivide);
    }
  }

  bool factor() {
    if (++depth_ > kMostDepth) return false;
    const bool is_good = any_factor();
    --depth_;
    return is_good;
  }

  bool any_factor() {
    if (at_end()) return false;
    if (take('-')) {
      if (!factor()) return false;
      put(Code::kNegate);
      return true;
    }
    if (take('(')) return sum() && take(')');
    const char c = text_[at_];
    return std::isalpha(static_cast<unsigned char>(c)) != 0 ? word() : number();
  }

  bool number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    at_ = static_cast<std::size_t>(end - text_.data());
    put(Code::kNumber, value);
    return true;
  }

  bool word() {
    std::size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])) != 0) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (const std::size_t i = index_of(kNames, name); i < kNames.size()) {
      at_ = end;
      put(Code::kName, static_cast<double>(i));
      return true;
    }
    const std::size_t i = index_of(kFunctions, name);
    if (i == kFunctions.size()) return false;
    at_ = end;
    if (!take('(') || !sum()) return false;
    if (i >= kFirstOfTwo && (!take(',') || !sum())) return false;
    if (!take(')')) return false;
    put(Code::kFunction, static_cast<double>(i));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Formula formula_;
};

bool is_cost(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

Result<Formula> Formula::parse(std::string_view text) { return FormulaParser(text).parse(); }

bool Formula::has(std::string_view name) const {
  const auto index = static_cast<double>(index_of(kNames, name));
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.code == Code::kName && step.operand == index;
  });
}

double Formula::value(const FormulaValues& values) const {
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) {
    // Of other codes the operand is any number, or none.
    const bool is_index = step.code == Code::kName || step.code == Code::kFunction;
    const std::size_t which = is_index ? static_cast<std::size_t>(step.operand) : 0;
    if (step.code == Code::kNumber || step.code == Code::kName) {
      stack.push_back(step.code == Code::kNumber ? step.operand : name_value(values, which));
      continue;
    }
    const bool has_two =
        step.code != Code::kNegate && (step.code != Code::kFunction || which >= kFirstOfTwo);
    const double b = has_two ? pop() : 0;
    const double a = pop();
    switch (step.code) {
    case Code::kAdd:
      stack.push_back(a + b);
      break;
    case Code::kSubtract:
      stack.push_back(a - b);
      break;
    case Code::kMultiply:
      stack.push_back(a * b);
      break;
    case Code::kDivide:
      stack.push_back(a / b);
      break;
    case Code::kNegate:
      stack.push_back(-a);
      break;
    default:
      stack.push_back(apply(which, a, b));
    }
  }
  return stack.back();
}

} // namespace rondo::simulate
