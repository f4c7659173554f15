// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/units.hpp"

#include "rondo/base/shares.hpp"

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

// Two numbers with units, and how many decimals each has.
struct Pair {
  Scaled part;
  Scaled whole;
  std::array<int, 2> digits;
};

double rounded(double value, int digits) {
  const double power = std::pow(10, digits);
  return std::round(value * power) / power;
}

// Whether the numbers as they are shown have another ratio than the share that is said beside them.
bool contradicts(const Pair& pair, double share) {
  constexpr double kPoint = 0.01;
  const auto shown = [](const Scaled& number, int digits) {
    return rounded(number.value, digits) * std::pow(1000, number.prefix);
  };
  const double whole = shown(pair.whole, pair.digits[1]);
  if (whole == 0) return pair.whole.value != 0; // nothing of nothing says what it is
  return std::abs(shown(pair.part, pair.digits[0]) / whole - share) > kPoint;
}

// More decimals for both until they say what the share says.
template <class Text>
std::pair<std::string, std::string> beside_share(Pair pair, double share, Text text) {
  constexpr int kMost = 4;
  const Pair before = pair;
  for (int more = 0; more < kMost && contradicts(pair, share); ++more) {
    for (int& digits : pair.digits) ++digits;
  }
  const bool is_same = pair.digits == before.digits;
  return {text(pair.part, is_same ? -1 : pair.digits[0]),
          text(pair.whole, is_same ? -1 : pair.digits[1])};
}

std::string two_units(double total, double per_large, const char* large, const char* small) {
  const double whole = std::floor(total / per_large);
  const double rest = std::floor(total - whole * per_large);
  return decimal(whole, 0) + large + decimal(rest, 0) + small;
}

constexpr std::array<std::string_view, 4> kDurationUnits{" ns", " µs", " ms", " s"};

Scaled scaled_duration(double nanoseconds) {
  Scaled number{nanoseconds, 0};
  while (std::abs(number.value) >= 999.5 && number.prefix + 1 < kDurationUnits.size()) {
    number.value /= 1000;
    ++number.prefix;
  }
  return number;
}

int decimals_of(const Scaled& number) {
  return std::abs(number.value) < 9.95 &&
                 (number.prefix > 0 || number.value != std::floor(number.value))
             ? 1
             : 0;
}

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
  const Scaled number = scaled_duration(nanoseconds);
  return two_digits(number.value) + std::string(kDurationUnits[number.prefix]);
}

std::pair<std::string, std::string> human_bytes_of(double part, double whole) {
  const Pair pair{
      scaled(part), scaled(whole), {decimals_of(scaled(part)), decimals_of(scaled(whole))}};
  return beside_share(pair, whole == 0 ? 0 : part / whole, [](const Scaled& number, int digits) {
    const std::string text = digits < 0 ? mantissa(number) : decimal(number.value, digits);
    return text + " " + std::string(kPrefixes[number.prefix]) + "B";
  });
}

std::pair<std::string, std::string> human_duration_of(double part, double whole) {
  constexpr double kMinutes = 120e9; // from here on minutes and seconds, which are digits enough
  if (whole >= kMinutes) return {human_duration(part), human_duration(whole)};
  const Scaled one = scaled_duration(part);
  const Scaled all = scaled_duration(whole);
  return beside_share({one, all, {decimals_of(one), decimals_of(all)}},
                      whole == 0 ? 0 : part / whole, [](const Scaled& number, int digits) {
                        const std::string text =
                            digits < 0 ? two_digits(number.value) : decimal(number.value, digits);
                        return text + std::string(kDurationUnits[number.prefix]);
                      });
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
