// SPDX-License-Identifier: Apache-2.0
// What reading a file may cost. A few hundred bytes can claim millions of ranks or calls, honestly
// or made up to hurt; so each file gets memory and steps in proportion to its size, and a reader
// asks before it takes any. A person lifts all such bounds with --limit, which multiplies them.
//
//   Budget budget = Budget::of_file(bytes.size());
//   if (!budget.take_bytes(count * sizeof(Row))) return fail(ErrorCode::kUnsupported, why);
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {

/// By how much the usual bounds are multiplied; infinite without any. One number for the process,
/// as --limit is one option for all files of a command; RONDO_LIMIT in the environment if nobody
/// set it, else 1.
double limit_factor();
void set_limit_factor(double factor);

/// "10", "0.5" or "none".
/// @error  kUsage for what is no positive number
Result<double> parse_limit_factor(std::string_view text);

/// `usual` times the factor, or the largest number there is.
std::uint64_t limited(std::uint64_t usual);

/// "--limit N" with the least round N under which `wanted` is allowed where `usual` is the bound.
std::string limit_advice(double wanted, std::uint64_t usual);

class Budget {
public:
  /// Of one file: some for any file, more in proportion to its bytes, capped.
  static Budget of_file(std::uint64_t file_bytes);
  Budget(std::uint64_t bytes, std::uint64_t steps)
      : bytes_left_(bytes), steps_left_(steps), bytes_(bytes) {}

  /// Takes memory out of the budget. False if there is not enough, and ever after.
  bool take_bytes(std::uint64_t bytes) { return take(bytes_left_, bytes); }
  /// Takes work, in steps of some nanoseconds. Likewise.
  bool take_steps(std::uint64_t steps) { return take(steps_left_, steps); }
  /// `count` things of `each` bytes, and a step for each.
  bool take_items(std::uint64_t count, std::uint64_t each) {
    const bool fits = each == 0 || count <= ~std::uint64_t{0} / each;
    return take_bytes(fits ? count * each : ~std::uint64_t{0}) && take_steps(count);
  }
  bool is_spent() const { return is_spent_; }
  std::uint64_t bytes_left() const { return bytes_left_; }
  std::uint64_t steps_left() const { return steps_left_; }

  /// Says that the file costs too much, and what lifts the bound.
  Error error(const std::string& file) const;

private:
  bool take(std::uint64_t& left, std::uint64_t amount) {
    is_spent_ = is_spent_ || amount > left;
    if (!is_spent_) left -= amount;
    return !is_spent_;
  }
  std::uint64_t bytes_left_;
  std::uint64_t steps_left_;
  std::uint64_t bytes_; // at the start
  bool is_spent_ = false;
};

} // namespace rondo
