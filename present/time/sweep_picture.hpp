// SPDX-License-Identifier: Apache-2.0
// Predicted times of a sweep drawn: time over latency with a line for each bandwidth, or over
// bandwidth if there is one latency.
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "present/time/prediction.hpp"
#include "rondo/base/result.hpp"

#include <string>
#include <vector>

namespace rondo::present {

/// Axes are logarithmic where values span a decade; a latency of 0 or a bandwidth without limit
/// stands a step beside the others.
/// @param title  the run
/// @error  kIo with cairo's reason
Result<std::string> draw_sweep(const std::vector<Predicted>& all, PictureFormat format,
                               const std::string& title);

} // namespace rondo::present
