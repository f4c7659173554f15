// SPDX-License-Identifier: Apache-2.0
// Every argument of a call of the C binding as an expression.
#pragma once

#include "generate/lower/arguments/list_arguments.hpp"

#include <vector>

namespace rondo::generate::internal {

class Arguments {
public:
  /// All must outlive the object.
  Arguments(WordValues& words, Shared& shared)
      : words_(words), shared_(shared), lists_(words, shared) {}

  /// The call as it was made.
  Statement call_of(const CallContext& context);
  ListArguments& lists() { return lists_; }

private:
  Expression argument(const CallContext& context, const CArgument& argument);
  Expression scalar(const CallContext& context, const CArgument& argument,
                    const trace::Field& field);
  Expression buffer(const CallContext& context, const CArgument& argument);
  Expression text(const CallContext& context, const CArgument& argument);
  void provide_files(const CallContext& context, const std::vector<Sequence>& numbers);
  Expression unsaid_operation(const CallContext& context);

  WordValues& words_;
  Shared& shared_;
  ListArguments lists_;
};

} // namespace rondo::generate::internal
