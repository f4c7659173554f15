// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/unsaid_calls.hpp"

#include "rondo/base/joined.hpp"

#include <fmt/core.h>

namespace rondo::convert::internal {

UnsaidCalls unsaid_calls(const trace::Trace& trace,
                         const std::function<bool(const trace::Function&)>& is_unsaid) {
  UnsaidCalls unsaid;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) {
      const trace::Function& function = *trace::find_function(call.function);
      if (is_unsaid(function)) unsaid.emplace(function.name);
    }
  }
  return unsaid;
}

tl::unexpected<Error> refuse(std::string_view format, const UnsaidCalls& unsaid,
                             std::string_view otherwise) {
  return fail(ErrorCode::kUnsupported,
              fmt::format("has calls that {} cannot say: {}; --approximate {}", format,
                          joined(unsaid, ", "), otherwise));
}

} // namespace rondo::convert::internal
