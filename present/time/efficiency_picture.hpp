// SPDX-License-Identifier: Apache-2.0
// Where the time of runs goes, drawn: factors over rank counts, or one run's time rank by rank.
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "present/time/efficiency.hpp"
#include "rondo/base/result.hpp"

#include <string>
#include <vector>

namespace rondo::present {

/// A bar for each rank: computing, waiting by kind, and the rest of its time inside MPI. Ranks that
/// are more than there is room for are drawn as means of neighbours.
/// @error  kIo with cairo's reason
Result<std::string> draw_ranks(const EfficiencyShown& shown, PictureFormat format);

/// A line for each factor over the runs, in the order in which they are given.
/// @error  kIo with cairo's reason
Result<std::string> draw_scaling(const std::vector<std::string>& names,
                                 const std::vector<efficiency::Factors>& runs,
                                 efficiency::ScalingKind kind, PictureFormat format);

} // namespace rondo::present
