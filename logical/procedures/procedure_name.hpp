// SPDX-License-Identifier: Apache-2.0
// Names of functions as the text can have them, for procedures that are called after the functions
// of the program.
#pragma once

#include "rondo/logical/procedures.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace rondo::logical::internal {

/// No arguments of templates, no blanks, no colon at the end. Empty if nothing is left, or if it is
/// where every program begins, or Python's interpreter.
std::string procedure_name(const std::string& function);

/// Procedures and their calls, by the names that they have.
void rename_procedures(LogicalText& text, const std::map<std::string, std::string>& to);

/// The functions on the stacks of call sites, by such names, each site asked for once.
class FunctionsOnStacks {
public:
  using Distances = std::map<std::string, std::size_t>; // frames between a function and the call

  /// @param functions  must outlive this
  explicit FunctionsOnStacks(const FunctionsOfSite& functions) : functions_(functions) {}

  const Distances& of(std::uint32_t site);

private:
  const FunctionsOfSite& functions_;
  std::unordered_map<std::uint32_t, Distances> known_;
};

} // namespace rondo::logical::internal
