// SPDX-License-Identifier: Apache-2.0
// What an option that takes a number accepts, with errors in few words: CLI11's own name the
// largest number there is, digit by digit.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace rondo::cli {

inline CLI::Validator number_if(bool (*is_good)(double), const std::string& which,
                                const std::string& name) {
  return {[=](std::string& text) {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
            return is_number && is_good(value) ? "" : "'" + text + "' is no number " + which;
          },
          name};
}

inline CLI::Validator number_from_zero() {
  return number_if([](double value) { return value >= 0; }, "from 0 on", "NONNEGATIVE");
}

inline CLI::Validator number_above_zero() {
  return number_if([](double value) { return value > 0; }, "above 0", "POSITIVE");
}

/// For options of an unsigned type, for which CLI11 takes -1 as the largest number there is.
inline CLI::Validator whole_number() {
  return {[](std::string& text) {
            constexpr std::size_t kMostDigits = 18;
            const bool is_number = !text.empty() && text.size() <= kMostDigits &&
                                   text.find_first_not_of("0123456789") == std::string::npos;
            return is_number ? "" : "'" + text + "' is no whole number from 0 on";
          },
          ""};
}

} // namespace rondo::cli
