// SPDX-License-Identifier: Apache-2.0
// Statistics as a table for spreadsheets: run, quantity, value.
#pragma once

#include "present/matrix/runs.hpp"

#include <string>
#include <vector>

namespace rondo::present {

/// What JSON says of the runs, a line for each number: names of the objects it stands in joined by
/// dots. Items of a list are called by their first text, or counted from 0.
std::string stats_csv(const std::vector<MeasuredRun>& runs);

} // namespace rondo::present
