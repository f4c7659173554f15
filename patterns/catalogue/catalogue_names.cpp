// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include <array>
#include <cctype>

namespace rondo::patterns {
namespace {

constexpr std::array<std::string_view, 20> kTexts = {
    "halo exchange",
    "wavefront",
    "ring shift",
    "pipeline",
    "butterfly",
    "binomial tree broadcast",
    "binomial tree reduce",
    "binary tree broadcast",
    "binary tree reduce",
    "scatter",
    "gather",
    "pairwise all-to-all",
    "Bruck all-to-all",
    "dissemination barrier",
    "master-worker",
    "transpose",
    "V-cycle",
    "W-cycle",
    "F-cycle",
    "pair exchange",
};

} // namespace

std::string_view to_text(PatternName name) { return kTexts[static_cast<std::size_t>(name)]; }

std::optional<PatternName> documented_name(std::string_view text) {
  const auto plain = [](std::string_view name) {
    std::string result;
    for (const char c : name) {
      const bool is_gap = c == '-' || c == '_';
      result += is_gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
  };
  for (const PatternName name : documented_names()) {
    if (plain(to_text(name)) == plain(text)) return name;
  }
  return {};
}

bool has_name(const NamedPhase& phase, PatternName name) {
  return phase.name == name || phase.also.starts_with(to_text(name));
}

std::vector<PatternName> documented_names() {
  std::vector<PatternName> names;
  for (std::size_t i = 0; i < kTexts.size(); ++i) names.push_back(static_cast<PatternName>(i));
  return names;
}

} // namespace rondo::patterns
