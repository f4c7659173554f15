// SPDX-License-Identifier: Apache-2.0
// Expressions of a generated benchmark, before they are written in a language; they are those of
// trace/expression.hpp.
#pragma once

#include "rondo/trace/expression.hpp"

namespace rondo::generate {

using namespace trace::expressions; // NOLINT: generated code is made of these words

} // namespace rondo::generate
