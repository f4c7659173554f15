// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include <cctype>

namespace rondo::patterns {

std::optional<std::string> documented_name(std::string_view text) {
  const auto plain = [](std::string_view name) {
    std::string result;
    for (const char c : name) {
      const bool is_gap = c == '-' || c == '_';
      result += is_gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
  };
  for (const std::string& name : documented_names()) {
    if (plain(name) == plain(text)) return name;
  }
  return {};
}

bool has_name(const NamedPhase& phase, std::string_view documented_name) {
  return phase.name == documented_name || phase.also.starts_with(documented_name);
}

const std::vector<std::string>& documented_names() {
  static const std::vector<std::string> kNames{"halo exchange",
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
                                               "pair exchange"};
  return kNames;
}

} // namespace rondo::patterns
