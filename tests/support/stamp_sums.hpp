// SPDX-License-Identifier: Apache-2.0
// The slow, obvious way to histograms: every call's times added up, place by place.
#pragma once

#include "rondo/trace/trace.hpp"

#include <string>
#include <vector>

namespace rondo::support {

/// What does not agree in a trace with full times, in words; nothing if all does: times are there
/// for every call of every rank and thread, none starts before the one before has ended, and they
/// add up to what the histograms of the places (of call sites, where classes share their times) and
/// the facts of the ranks say.
std::vector<std::string> disagreements(const trace::Trace& trace);

} // namespace rondo::support
