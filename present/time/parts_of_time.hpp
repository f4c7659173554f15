// SPDX-License-Identifier: Apache-2.0
// In which parts of a program its efficiency is lost, as text and JSON.
#pragma once

#include "present/time/efficiency.hpp"

#include <string>

namespace rondo::present {

/// "phase".
const char* word_for(efficiency::PartsBy by);
std::string name_of_part(const efficiency::PartFactors& part, efficiency::PartsBy by);

/// A line for each part, that which loses most first. @param shown  with parts
std::string parts_text(const EfficiencyShown& shown);
nlohmann::json parts_json(const EfficiencyShown& shown);

} // namespace rondo::present
