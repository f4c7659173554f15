// SPDX-License-Identifier: Apache-2.0
// Who may answer a receive from MPI_ANY_SOURCE: those who sent to its rank there, in the run.
#pragma once

#include "logical/places/comm_roles.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace rondo::logical::internal {

/// By the roles that communicators have in a text. Empty if nothing is received or probed for from
/// any source.
/// @param roles   of the trace
/// @complexity    that of matrix::for_each_tagged_send() if something is
Answers answers_of(const trace::Trace& trace, const CommRoles& roles);

/// Ranks whose messages a receive may take.
/// @param tag  kAnyTag: of any
std::set<std::int64_t> senders(const Answers& answers, std::int64_t rank, std::int64_t comm,
                               std::int64_t tag);

/// The topology's way from one recorded rank to each of several, as a text has it; kOutside where
/// there is none. On one topology if there is one on which all of them are neighbours: who answers
/// a rank that gathers from all are its leaves, though some are its west or east.
std::vector<Peer> peers_in_text(const LogicalProgram& logical, std::int64_t from,
                                const std::set<std::int64_t>& to);

} // namespace rondo::logical::internal
