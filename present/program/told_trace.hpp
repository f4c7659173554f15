// SPDX-License-Identifier: Apache-2.0
// The ways to fold a trace for a reader, and which of them has the shortest text.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rondo::present {

enum class Told : std::uint8_t {
  kAsStored,
  kSoftened, // folded anew: what is not told does not keep calls apart
  kByFlow, // each call of the source once; the order of calls is that of the source
};

struct ToldText {
  std::string text;
  Told how = Told::kAsStored;
  std::optional<trace::Trace> folded{}; // nothing: as stored
};

/// A trace that takes more than a few lines is folded anew without local calls, statuses of
/// receives that name their source, and with words that vary sooner; or by the flow of control.
/// Each text has to be a third shorter, in characters, than what says more; where the stored one
/// is short, two thirds shorter if more loops go round as often as it happens to than before. What
/// has sixteen times the terms of the one by the flow of control, and more than 1000, is not
/// written.
/// @param keeps_local  local calls stay
/// @param text_of      of a trace that is folded so
/// @complexity         O(calls of all ranks), of at most 2^21 calls, 2^18 where the text
///                     is short; more stay as they are stored
ToldText told_text(const trace::Trace& trace, bool keeps_local,
                   const std::function<std::string(const trace::Trace&, Told)>& text_of);

} // namespace rondo::present
