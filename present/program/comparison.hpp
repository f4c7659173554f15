// SPDX-License-Identifier: Apache-2.0
// What `rondo compare` prints: the answer, where ranks differ first, and times beside each other.
#pragma once

#include "rondo/generate/comparison.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rondo::present {

std::string text_of(const generate::Comparison& comparison);
/// A table of functions with calls, bytes and times of both, and the run as a whole.
std::string text_of(const generate::TimingComparison& timing);

nlohmann::json json_of(const generate::Comparison& comparison,
                       const generate::TimingComparison& timing);

} // namespace rondo::present
