// SPDX-License-Identifier: Apache-2.0
// Calls that ask whether something happened yet. How often they found nothing is a matter of time,
// but a benchmark has to find the same at the same place of its program.
#pragma once

#include "generate/lower/arguments/arguments.hpp"
#include "rondo/generate/expression.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/rank_formulas.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::generate::internal {

/// The word that says whether a poll found something (a flag, or a count of completed requests); -1
/// for other functions.
int poll_outcome(const trace::Function& function);

/// Whether the call completes some of several requests, and which ones is its outcome.
bool completes_some(const trace::Function& function);

/// Statements of polls.
class Polls {
public:
  /// All must outlive the object.
  Polls(Arguments& arguments, ValueForms& forms) : arguments_(arguments), forms_(forms) {}

  /// @param outcome  poll_outcome() of the call
  std::vector<Statement> statements(const CallContext& context, int outcome);

private:
  Statement found(const CallContext& context);
  Statement not_found(const CallContext& context);

  Arguments& arguments_;
  ValueForms& forms_;
};

} // namespace rondo::generate::internal
