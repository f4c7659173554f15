// SPDX-License-Identifier: Apache-2.0
// What a logical program says again elsewhere, written once with a name and called.
//
//   const LogicalText shorter = with_procedures(text_of(logical, nullptr));
//   std::cout << logical_text(shorter);       // "procedure part_1:" ... "call part_1"
//   compare(expanded(shorter), other);
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::logical {

/// Sequences of statements that are equal but for their times and for few values (tags, amounts,
/// trip counts) become procedures, where that saves lines; the values are parameters. Those with a
/// phase in them stay where they are: each phase has its own number.
/// @param text  without procedures
/// @return      the same program in fewer lines; as it was if that has more records and saves less
///              than 20 lines
/// @complexity  O(statements) for each level of procedures
LogicalText with_procedures(LogicalText text);

/// The same for one of many texts, in half as many ways; and no shorter text is looked for where a
/// first one, which is seldom longer than the shortest by a seventh, is worth no more.
/// @param is_worth_more  whether that text may be what is looked for; asked once
struct TriedText {
  LogicalText text;
  bool is_first = false; // and was worth no more
};
TriedText with_procedures_if(LogicalText text,
                             const std::function<bool(const LogicalText&)>& is_worth_more);

/// The functions on the call stack of a site, the one that made the call first. Empty: not known.
using FunctionsOfSite = std::function<std::vector<std::string>(std::uint32_t site)>;

/// Procedures of which more than half of the calls stand in one function of the program, and one of
/// them nowhere else, get the name of that which has most, the innermost of several: "conj_grad",
/// "conj_grad_2" for a second one. Others keep their numbers.
/// @param text  with CallStatement::sites
void name_procedures(LogicalText& text, const FunctionsOfSite& functions);

/// Procedures that still have numbers get names by what their calls do, those of procedures that
/// they call included: "exchange" where messages go both ways and do not wait for one another,
/// "receive_and_send" in the order of the first of each, "allreduces", "exchange_and_allreduce"; at
/// most three of these, else they keep their numbers.
void name_by_calls(LogicalText& text);

/// Statements behind one another that are all there is of one function of the program, at least
/// three of them, as a procedure with its name: what they do is seen from whom they were called by.
/// Those with a phase in them stay where they are.
/// @param text  with CallStatement::sites, whose call stacks were recorded
LogicalText with_functions(LogicalText text, const FunctionsOfSite& functions);

/// Sites in words, without two blanks in a row; empty if nothing is known of them.
using PlacesOfSites = std::function<std::string(const std::vector<std::uint32_t>& sites)>;

/// CallStatement::places, from its sites.
void say_places(LogicalText& text, const PlacesOfSites& places);

/// Lines that the text has without procedures; more than that are not counted on.
std::uint64_t lines_expanded(const LogicalText& text);

/// The body of each procedure in the place of its calls.
/// @complexity  O(lines_expanded())
LogicalText expanded(const LogicalText& text);

} // namespace rondo::logical
