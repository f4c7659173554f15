// SPDX-License-Identifier: Apache-2.0
// Bodies that stand at one place of the source, where that is known: rounds of a loop there, and
// not only alike.
#pragma once

#include "logical/joining/alike.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace rondo::logical::internal {

/// CallStatement::place where that is not known.
inline constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

/// "12"; nothing for other counts.
std::optional<std::uint64_t> plain_count(const std::string& text);

/// Of bodies of one skeleton; true where no call knows its place.
bool are_at_one_place(Body a, Body b);

/// Whether all its calls know where they stand.
bool knows_places(Body body);

/// A body that is the same statements of the source several times over stands for as many rounds.
void count_equal_rounds(LoopStatement& loop);

} // namespace rondo::logical::internal
