// SPDX-License-Identifier: Apache-2.0
// The communication matrix for a terminal: numbers while they fit, shades or colours when they do
// not.
#pragma once

#include "present/draw/value_scale.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/quantity.hpp"

#include <string>

namespace rondo::present {

enum class Numbers { kIfTheyFit, kNever };

struct TextOptions {
  matrix::Measure measure{};
  ScaleKind scale = ScaleKind::kAuto;
  int columns = 100; // of the terminal, at least 40
  bool colour = false; // 24-bit escape sequences; also shows twice as many rows per line
  Numbers numbers = Numbers::kIfTheyFit;
};

/// @return      lines of at most `columns` characters with rank labels and a legend
/// @error       kUsage for a measure without its seconds or fewer than 40 columns
/// @complexity  O(n + columns^2) for n entries
Result<std::string> matrix_text(const matrix::CommunicationMatrix& matrix,
                                const TextOptions& options = {});

} // namespace rondo::present
