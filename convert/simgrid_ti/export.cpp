// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/export.hpp"

#include <fmt/core.h>

namespace rondo::convert::internal {

void Export::spread_tags() {
  std::int64_t offset = 0;
  for (auto& [comm, added] : tag_offsets) {
    added = offset;
    offset += highest_tag + (has_steps ? 2 : 1);
  }
  if (offset - 1 > kMostInt)
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
