// SPDX-License-Identifier: Apache-2.0
// Numbers between colons, one after another, as Paraver's lines have them.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::convert::internal {

class Fields {
public:
  explicit Fields(std::string_view line)
      : at_(line.data()), end_(line.data() + line.size()), begin_(line.data()) {}

  /// The next number; one too large for 64 bits is kept modulo 2^64. After anything else than a
  /// number the reader has failed, for good.
  std::int64_t number() {
    const bool is_negative = at_ != end_ && *at_ == '-';
    if (is_negative) ++at_;
    const char* const first = at_;
    std::uint64_t value = 0;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9')
      value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    has_failed_ = has_failed_ || at_ == first;
    return static_cast<std::int64_t>(is_negative ? 0 - value : value);
  }

  /// A number that cannot be more than `most`, nor less than 0.
  std::uint64_t number_up_to(std::uint64_t most) {
    const char* const first = at_;
    const std::int64_t value = number();
    const bool fits = at_ - first < 20 && value >= 0 && static_cast<std::uint64_t>(value) <= most;
    if (!fits) has_failed_ = true;
    return fits ? static_cast<std::uint64_t>(value) : 0;
  }

  /// Takes this character if it is the next one.
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) { has_failed_ = !take(c) || has_failed_; }
  char peek() const { return at_ == end_ ? '\0' : *at_; }

  bool is_over() const { return at_ == end_; }
  bool has_failed() const { return has_failed_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  std::size_t column() const { return static_cast<std::size_t>(at_ - begin_) + 1; }

private:
  const char* at_;
  const char* end_;
  const char* begin_;
  bool has_failed_ = false;
};

} // namespace rondo::convert::internal
