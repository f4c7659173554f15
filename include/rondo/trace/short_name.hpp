// SPDX-License-Identifier: Apache-2.0
// Names of MPI functions as texts for people have them: without the prefix that all of them share.
//
//   short_name("MPI_Isend"); // "isend"
#pragma once

#include <string>
#include <string_view>

namespace rondo::trace {

/// "Isend" of MPI_Isend; names without the prefix stay what they are.
constexpr std::string_view without_prefix(std::string_view name) {
  constexpr std::string_view kPrefix = "MPI_";
  return name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0);
}

/// "isend" of MPI_Isend. MPI's names are ASCII, whatever the locale.
inline std::string short_name(std::string_view name) {
  std::string text(without_prefix(name));
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

} // namespace rondo::trace
