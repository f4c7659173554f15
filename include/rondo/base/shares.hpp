// SPDX-License-Identifier: Apache-2.0
// A part and its whole that stand beside their share, for people: with so many digits that their
// ratio is the share to one percent point. "5.25 GB of the 5.25 GB (99.9 %)", and not "5.2 GB of
// the 5.3 GB", which would be 98 %.
//
//   const auto [part, whole] = human_bytes_of(5.249e9, 5.254e9);
#pragma once

#include <string>
#include <utility>

namespace rondo {

/// As human_bytes() has them where that is enough.
std::pair<std::string, std::string> human_bytes_of(double part, double whole);

/// As human_duration() has them; likewise.
std::pair<std::string, std::string> human_duration_of(double part, double whole);

} // namespace rondo
