// SPDX-License-Identifier: Apache-2.0
// A recorded call as statements of a benchmark.
#pragma once

#include "generate/lower/arguments/arguments.hpp"
#include "generate/lower/arguments/message_sizes.hpp"
#include "generate/lower/call_context.hpp"
#include "generate/lower/polls.hpp"

#include <optional>
#include <vector>

namespace rondo::generate::internal {

class Calls {
public:
  Calls(const trace::Trace& trace, WordValues& words, Places& places, Shared& shared)
      : words_(words), places_(places), shared_(shared),
        contexts_(trace, words, places, shared.forms, shared.objects), arguments_(words, shared),
        polls_(arguments_, shared.forms), sizes_(trace, arguments_.lists()) {}

  /// Sees what all calls refer to, so that tables get their lengths.
  void survey();
  /// @param symbol   of the merged program
  std::vector<Statement> statements(std::size_t symbol, const EnclosingLoops& place,
                                    const TermPlace& at);
  /// Of the ranks that make the call.
  Domain domain(std::size_t symbol) { return contexts_.of(symbol, {}).domain; }

private:
  std::optional<std::vector<Sequence>> frees_of(const CallContext& context, std::size_t symbol,
                                                const TermPlace& at);
  std::vector<Statement> free_made(CallContext context, std::vector<Sequence> flags);

  WordValues& words_;
  Places& places_;
  Shared& shared_;
  CallContexts contexts_;
  Arguments arguments_;
  Polls polls_;
  MessageSizes sizes_;
};

} // namespace rondo::generate::internal
