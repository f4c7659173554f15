// SPDX-License-Identifier: Apache-2.0
// The communication matrix as a heat map: a row for every source, a column for every destination,
// light for little and dark for much, white for nothing.
//
//   auto png = draw_matrix(matrix, PictureFormat::kPng, {.title = "LU class A, 16 ranks"});
#pragma once

#include "present/draw/colours.hpp"
#include "present/draw/value_scale.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/quantity.hpp"

#include <cstdint>
#include <string>

namespace rondo::present {

enum class PictureFormat { kPng, kSvg };

struct PictureOptions {
  matrix::Measure measure{};
  ScaleKind scale = ScaleKind::kAuto;
  Palette palette = Palette::kHeat;
  std::string title{}; // empty: "Bytes sent", "Messages sent", ...
  std::string about{}; // which run, and what was counted
  std::int64_t most_cells = 1000; // cells each way; more ranks than that share cells
  double pixels_per_point = 2; // of a PNG; 2 keeps letters sharp on today's screens
};

/// @return      the bytes of the file
/// @error       kUsage for a matrix of no ranks, a measure without its seconds, or a measure of the
///              picture that makes no sense; kIo with cairo's reason
/// @complexity  O(n + cells) for n entries and cells <= most_cells^2
/// @source      [riesen2006, fig. 4 to 11]; ours adds the logarithmic scale and the binning
Result<std::string> draw_matrix(const matrix::CommunicationMatrix& matrix, PictureFormat format,
                                const PictureOptions& options = {});

} // namespace rondo::present
