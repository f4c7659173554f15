// SPDX-License-Identifier: Apache-2.0
// Lines of a program as statements of a text, as procedures are found in those.
#pragma once

#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/program_lines.hpp"

#include <cstdint>
#include <vector>

namespace rondo::present {

/// Each line is a statement; each call has the number of its line in the place of its sites, and
/// where it stands in the source as a word.
/// @param first_number  of these lines among those of all parts
std::vector<logical::Statement> stored_statements(const trace::ProgramLines& program,
                                                  std::uint32_t first_number);

/// The same for a reader: neighbours that differ in nothing but tags, amounts, datatypes, requests
/// and where they stand in the source are one, be they iterations of a loop or guards of several
/// ranks. A call has the numbers of all lines that it stands for.
/// @complexity  O(lines * (ranks + longest body of a loop))
std::vector<logical::Statement> told_statements(const trace::ProgramLines& program,
                                                std::uint32_t first_number);

/// Leaves out what is beyond so many lines. In its place stands a call without words and sites,
/// "# 812 lines more: 700 MPI_Send, 30 MPI_Recv and others; --stored shows them".
/// @complexity  O(lines * depth)
void cut_to(std::vector<logical::Statement>& statements, std::uint64_t most_lines);

/// The words of a statement as those of a call.
/// @param is_marker  as CallWords::is_marker
trace::CallWords words_of_statement(const logical::CallStatement& call, bool is_marker);

} // namespace rondo::present
