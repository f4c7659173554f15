// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/action_lines.hpp"

#include <fmt/core.h>
#include <iterator>

namespace rondo::convert::internal {

void ActionLines::line(std::string_view action) {
  if (flops_ > 0) {
    fmt::format_to(std::back_inserter(*out_), "{} compute {:.15g}\n", rank_, flops_);
    flops_ = 0;
  }
  fmt::format_to(std::back_inserter(*out_), "{} {}\n", rank_, action);
}

void ActionLines::argument(std::int64_t value) {
  out_->pop_back(); // the line's end
  fmt::format_to(std::back_inserter(*out_), " {}\n", value);
}

void ActionLines::put(std::string_view action, std::initializer_list<std::int64_t> arguments) {
  line(action);
  for (const std::int64_t value : arguments) argument(value);
}

} // namespace rondo::convert::internal
