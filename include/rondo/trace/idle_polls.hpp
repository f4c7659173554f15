// SPDX-License-Identifier: Apache-2.0
// Polls that found nothing: tests and probes that came back empty-handed. How often a program makes
// them is a matter of timing, so whoever asks what it says passes them over.
#pragma once

#include "rondo/trace/call_reader.hpp"

namespace rondo::trace {

/// The word that says whether a poll found something: a flag, or a count of completed requests; -1
/// for functions that are no polls. @complexity O(1)
int outcome_of_poll(const Function& function);

/// @complexity O(1)
bool is_idle_poll(const CallInstance& call);

} // namespace rondo::trace
