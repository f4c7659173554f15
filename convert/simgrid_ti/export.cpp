// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/export.hpp"

#include <fmt/core.h>

namespace rondo::convert::internal {

void Export::spread_tags() {
  if (!tags.spread(kMostInt))
    ++refused["tags and communicators: together they do not fit into SimGrid's tags"].times;
}

void Export::refuse(const trace::Function& function, std::string_view why) {
  ++refused[fmt::format("{}: {}", function.name, why)].times;
}

bool Export::lowers(const trace::Function& function, std::string_view why, std::string_view as) {
  if (approximates) {
    ++lowered[fmt::format("{}: {}", function.name, as)];
  } else {
    Refusal& refusal = refused[fmt::format("{}: {}", function.name, why)];
    ++refusal.times;
    refusal.lowered_as = as;
  }
  return approximates;
}

} // namespace rondo::convert::internal
