// SPDX-License-Identifier: Apache-2.0
// Programs by the flow of control instead of by what repeats: each call of the source is one call,
// however its words vary, and the loops are those that all ranks go through together. Where the
// data decides how often and to whom messages go, nothing repeats, but the source is as short as
// ever.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::fold {

/// Loops of a nest that have trip counts that vary on some rank.
using VaryingLoops = std::vector<bool>;

/// By site: greater further down in the source. By lines where they are known, as compilers move
/// what is seldom executed; else by addresses.
std::vector<std::uint64_t> places_in_source(const trace::Trace& trace);

/// Gives the streams nests of the same loops, and the same words as columns. A call that comes in
/// some iterations of a loop only is in a loop that goes round once or not at all.
/// @param streams    folded with ProgramOptions::one_call_a_shape; expand to the same afterwards
/// @param in_source  as places_in_source() has it
/// @param at         by site, of whole loops of the flow: what is called elsewhere stays folded by
///                   what repeats
/// @return           of each stream; empty, and nothing has changed, if that is too much work
/// @complexity       O(calls of all streams + iterations * calls in the loop)
/// @source           [bourdoncle1993] for the loops; calls that come together in the same
///                   iterations of all ranks as one is ours
std::vector<VaryingLoops> fold_by_flow(std::span<StreamProgram* const> streams,
                                       const std::vector<std::uint64_t>& in_source,
                                       const std::vector<bool>& at);

} // namespace rondo::fold
