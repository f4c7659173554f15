// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace rondo {
namespace {

// std::to_chars and not printf: printf follows the locale the host program has set.
std::string decimal(double value, int digits) {
  if (digits == 0) value = std::round(value); // halves go up, not to the even digit
  std::array<char, 400> buffer{}; // the longest double without an exponent has 309 digits
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::fixed, digits);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

struct Scaled {
  double value;
  std::size_t prefix; // thousands taken out
};

constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};

// What is shown as 1000 moves up one prefix: 999.6 is "1.0 k" and never "1000".
Scaled scaled(double value) {
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return {value, prefix};
}

std::string two_digits(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 10;
  return decimal(value, std::abs(value) < 9.95 && !whole ? 1 : 0);
}

std::string mantissa(const Scaled& number) {
  return number.prefix == 0 ? two_digits(number.value)
                            : decimal(number.value, std::abs(number.value) < 9.95 ? 1 : 0);
}

std::string two_units(double total, double per_large, const char* large, const char* small) {
  const double whole = std::floor(total / per_large);
  const double rest = std::floor(total - whole * per_large);
  return decimal(whole, 0) + large + decimal(rest, 0) + small;
}

constexpr std::array<std::string_view, 4> kDurationUnits{" ns", " µs", " ms", " s"};

} // namespace

std::string human_bytes(double bytes) {
  const Scaled number = scaled(bytes);
  return mantissa(number) + " " + std::string(kPrefixes[number.prefix]) + "B";
}

std::string human_bytes_per_second(double bytes_per_second) {
  return human_bytes(bytes_per_second) + "/s";
}

std::string human_count(double count) {
  const bool whole = count == std::floor(count);
  if (std::abs(count) < 9999.5) return decimal(count, std::abs(count) < 99.95 && !whole ? 1 : 0);
  const Scaled number = scaled(count);
  return mantissa(number) + " " + std::string(kPrefixes[number.prefix]);
}

std::string human_percent(double share) {
  const double percent = share * 100;
  if (percent <= 0) return "0 %";
  if (percent < 0.1) return "<0.1 %";
  if (percent > 99 && percent < 100) return decimal(std::min(percent, 99.9), 1) + " %";
  return decimal(percent, percent < 9.95 ? 1 : 0) + " %";
}

std::string human_duration(double nanoseconds) {
  const double seconds = nanoseconds / 1e9;
  if (seconds >= 3600) return two_units(seconds / 60, 60, " h ", " min");
  if (seconds >= 120) return two_units(seconds, 60, " min ", " s");
  double value = nanoseconds;
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < kDurationUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return two_digits(value) + std::string(kDurationUnits[unit]);
}

std::string precise_duration(double nanoseconds) {
  double value = nanoseconds;
  std::size_t unit = 0;
  while (std::abs(value) >= 999.95 && unit + 1 < kDurationUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const double size = std::abs(value);
  const int decimals = size == 0 || size >= 999.95 ? 0
                       : size >= 99.995            ? 1
                       : size >= 9.9995            ? 2
                                                   : 3;
  return decimal(value, decimals) + std::string(kDurationUnits[unit]);
}

std::string compact_number(double value) {
  const Scaled number = scaled(value);
  return mantissa(number) + std::string(kPrefixes[number.prefix]);
}

std::string compact_mean(double mean, double least, double most) {
  constexpr int kMostDigits = 9;
  std::string text = compact_number(mean);
  if (std::abs(mean) >= 999.5) return text;
  const auto reads_as = [&](double other, int digits) {
    return mean != other && decimal(mean, digits) == decimal(other, digits);
  };
  int digits = std::abs(mean) < 9.95 ? 1 : 0; // as in the text
  while (digits < kMostDigits && (reads_as(least, digits) || reads_as(most, digits)))
    text = decimal(mean, ++digits);
  return text;
}

std::string binary_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + std::string(kUnits[unit]);
}

} // namespace rondo
