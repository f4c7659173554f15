// SPDX-License-Identifier: Apache-2.0
// Pictures of communication patterns: one into a file, or all into a folder.
#pragma once

#include "rondo/patterns/communication_patterns.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rondo::cli {

/// A file that ends in .png or .svg, or a folder: one that is there, or a path that ends in "/".
bool is_picture_path(const std::string& path);

struct PatternPictures {
  std::string path;
  std::optional<std::size_t> number; // unset: the first that has messages; of a folder: all
  bool force = false;
  std::string about{}; // which run
};

/// @param chosen   indices of the patterns; their numbers are 1 more
/// @return  an exit status; errors have been printed
int draw_patterns(const patterns::CommunicationPatterns& found,
                  const std::vector<std::size_t>& chosen, const PatternPictures& pictures);

} // namespace rondo::cli
