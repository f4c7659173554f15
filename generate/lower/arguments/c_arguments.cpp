// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/c_arguments.hpp"

#include <algorithm>
#include <array>

namespace rondo::generate::internal {
namespace {

struct Entry {
  std::uint16_t id;
  std::span<const CArgument> arguments;
};

#include "generate/c_arguments.inc"

} // namespace

std::span<const CArgument> c_arguments(std::uint16_t function) {
  const auto* const found = std::ranges::lower_bound(kEntries, function, {}, &Entry::id);
  return found == std::end(kEntries) || found->id != function ? std::span<const CArgument>{}
                                                              : found->arguments;
}

} // namespace rondo::generate::internal
