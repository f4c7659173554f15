// SPDX-License-Identifier: Apache-2.0
// What `rondo print` shows: programs in lines, with their times, and what comes again written once.
#pragma once

#include "rondo/logical/procedures.hpp"
#include "rondo/trace/program_lines.hpp"

#include <string>
#include <vector>

namespace rondo::present {

struct PrintedPart {
  std::string heading; // "ranks 0-15:  # 66 calls a rank in 12 terms"
  trace::ProgramLines program;
};

struct PrintedOptions {
  bool is_inline = false; // no procedures
  bool is_stored = false; // each line by itself, see told_statements()
  /// For their names; the sites are those of the trace.
  logical::FunctionsOfSite functions = nullptr;
  int indent = 2;
};

/// Sequences of lines that are equal but for few arguments, and stand at the same sites as far as
/// these are said, become procedures where that saves lines (logical::with_procedures). With their
/// bodies in place of their calls the text is that of `is_inline`; only times are those of all
/// places together.
/// @param title  the first line; empty: none
/// @complexity   O(lines) for each level of procedures
std::string printed_text(const std::string& title, std::vector<PrintedPart> parts,
                         const PrintedOptions& options);

} // namespace rondo::present
