// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/budget.hpp"

#include "base/shared_state.hpp"
#include "rondo/base/units.hpp"

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace rondo {
namespace {

// Enough for any archive of a real run that we have met, times ten: tables of a million ranks take
// 190 MB, and a stored byte becomes at most some hundred bytes in memory.
constexpr std::uint64_t kBytesOfAnyFile = std::uint64_t{256} << 20;
constexpr std::uint64_t kBytesPerByte = 2048;
constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 30;
// Some seconds for a small file.
constexpr std::uint64_t kStepsOfAnyFile = 400'000'000;
constexpr std::uint64_t kStepsPerByte = 20'000;
constexpr std::uint64_t kMostSteps = 1'000'000'000'000;

// For programs that have no --limit, as those in Python.
double factor_of_environment() {
  const char* text = std::getenv("RONDO_LIMIT");
  return text == nullptr ? 1 : parse_limit_factor(text).value_or(1);
}

} // namespace

double limit_factor() {
  const double factor = internal::shared_state().factor_of_limits.load(std::memory_order_relaxed);
  return factor > 0 ? factor : factor_of_environment();
}

void set_limit_factor(double factor) {
  internal::shared_state().factor_of_limits.store(factor, std::memory_order_relaxed);
}

Result<double> parse_limit_factor(std::string_view text) {
  if (text == "none") return std::numeric_limits<double>::infinity();
  double factor = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, factor);
  if (error == std::errc{} && end == last && std::isfinite(factor) && factor > 0) return factor;
  return fail(ErrorCode::kUsage, "--limit takes a number above 0, by which all bounds of memory "
                                 "and work are multiplied, or none; found '" +
                                     std::string(text) + "'");
}

std::uint64_t limited(std::uint64_t usual) {
  const double product = static_cast<double>(usual) * limit_factor();
  if (!(product < 0x1p63)) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(product);
}

std::string limit_advice(double wanted, std::uint64_t usual) {
  const double times = std::ceil(wanted / static_cast<double>(usual));
  if (!(times < 1e6)) return "--limit none";
  const double round = times < 10 ? 1 : std::pow(10, std::floor(std::log10(times)) - 1);
  return "--limit " + std::to_string(static_cast<std::uint64_t>(std::ceil(times / round) * round));
}

Budget Budget::of_file(std::uint64_t file_bytes) {
  const auto share = [&](std::uint64_t any, std::uint64_t per_byte, std::uint64_t most) {
    return limited(file_bytes < (most - any) / per_byte ? any + file_bytes * per_byte : most);
  };
  return {share(kBytesOfAnyFile, kBytesPerByte, kMostBytes),
          share(kStepsOfAnyFile, kStepsPerByte, kMostSteps)};
}

Error Budget::error(const std::string& file) const {
  const std::string none = "--limit none";
  const std::string more = limit_advice(10 * limit_factor(), 1); // than what was too little
  return {ErrorCode::kUnsupported,
          "takes more memory or work than a file of its size should (" +
              human_bytes(static_cast<double>(bytes_)) +
              " at most), as files do that were made up to hurt; if you trust it, add " +
              (more == none ? none : more + ", or " + none),
          {file, {}, {}, {}}};
}

} // namespace rondo
