// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/shared.hpp"

namespace rondo::generate::internal {

Expression Shared::count_name(std::int64_t value, std::string_view function) {
  constexpr std::int64_t kWorthAName = 16;
  if (trace::is_special(value) || value <= kWorthAName)
    return number(value == trace::kNothing ? 0 : value);
  auto& known = counts[value];
  if (known.empty()) {
    known = fresh("COUNT");
    benchmark.constants.push_back({known, value, "elements, of " + std::string(function)});
  }
  return name(known);
}

} // namespace rondo::generate::internal
