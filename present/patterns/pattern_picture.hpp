// SPDX-License-Identifier: Apache-2.0
// A communication pattern drawn: processes as rows, its messages as arrows from left to right, in
// the order in which they depend on each other.
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "rondo/patterns/catalogue.hpp"

#include <string>
#include <vector>

namespace rondo::present {

struct PatternPictureOptions {
  std::string title{};
  std::string subtitle{};
  std::string about{}; // which run, and what was counted
  double pixels_per_point = 2;
};

/// Messages of equal depth (catalogue.hpp) share a column; where they wait for each other in a
/// circle, those that are their sender's first, second, ... do. Above 32 ranks those that do the
/// same, over the same distances, share a row. Up to 5000 arrows are drawn, and the picture says if
/// there are more.
/// @error       kUsage for no messages; kIo with cairo's reason
/// @complexity  O(messages * degree)
/// @source      [patternrecognition, Fig. 5]; the arrows
Result<std::string> draw_pattern(const std::vector<patterns::PatternMessage>& messages,
                                 PictureFormat format, const PatternPictureOptions& options = {});

} // namespace rondo::present
