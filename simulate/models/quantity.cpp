// SPDX-License-Identifier: Apache-2.0
#include "simulate/models/quantity.hpp"

#include "rondo/simulate/network_model.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <optional>
#include <utility>

namespace rondo::simulate {
namespace internal {
namespace {

struct Quantity {
  double value = 0;
  std::string_view unit; // as written, may be empty
};

std::optional<Quantity> split(std::string_view text) {
  text = trimmed(text);
  Quantity result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.value,
                                            std::chars_format::general);
  if (error != std::errc() || !(result.value >= 0) || std::isinf(result.value)) return std::nullopt;
  result.unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return result;
}

using Unit = std::pair<std::string_view, double>;

template <std::size_t kCount>
std::optional<double> in_units(std::string_view text, const std::array<Unit, kCount>& units) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  for (const auto& [name, factor] : units) {
    if (name == quantity->unit) return quantity->value * factor;
  }
  return std::nullopt;
}

// Not multiplied by 1e-6: 5/1e6 is the number nearest to 5e-6, 5*1e-6 is not.
constexpr std::array<Unit, 6> kPerSecond = {
    {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"µs", 1e6}, {"ns", 1e9}, {"ps", 1e12}}};

constexpr std::array<Unit, 16> kRates = {{{"B/s", 1},
                                          {"kB/s", 1e3},
                                          {"MB/s", 1e6},
                                          {"GB/s", 1e9},
                                          {"TB/s", 1e12},
                                          {"KiB/s", 1024.0},
                                          {"MiB/s", 1048576.0},
                                          {"GiB/s", 1073741824.0},
                                          {"bps", 1 / 8.0},
                                          {"kbps", 1e3 / 8},
                                          {"Mbps", 1e6 / 8},
                                          {"Gbps", 1e9 / 8},
                                          {"Tbps", 1e12 / 8},
                                          {"kBps", 1e3},
                                          {"MBps", 1e6},
                                          {"GBps", 1e9}}};

constexpr std::array<Unit, 8> kSizes = {{{"", 1},
                                         {"B", 1},
                                         {"kB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"KiB", 1024.0},
                                         {"MiB", 1048576.0},
                                         {"GiB", 1073741824.0}}};

} // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = in_units(text, kSizes);
  if (!bytes || *bytes > 9e18)
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' is no size; write e.g. 64kB, 4KiB or inf", text));
  return static_cast<std::uint64_t>(std::llround(*bytes));
}

} // namespace internal

Result<std::uint64_t> parse_bytes(std::string_view text) { return internal::parse_bytes(text); }

Result<double> parse_seconds(std::string_view text) {
  const auto quantity = internal::split(text);
  if (quantity && quantity->value == 0 && quantity->unit.empty()) return 0.0;
  for (const auto& [name, per_second] : internal::kPerSecond) {
    if (quantity && name == quantity->unit) return quantity->value / per_second;
  }
  return fail(ErrorCode::kUsage, fmt::format("'{}' is no time; write e.g. 5us, 0.1ns or 0", text));
}

Result<double> parse_bandwidth(std::string_view text) {
  if (internal::trimmed(text) == "inf") return std::numeric_limits<double>::infinity();
  const auto rate = internal::in_units(text, internal::kRates);
  if (!rate || *rate <= 0 || std::isinf(*rate) || std::isinf(1 / *rate)) {
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' is no bandwidth; write e.g. 1GB/s, 100Gbps or inf", text));
  }
  return *rate;
}

} // namespace rondo::simulate
