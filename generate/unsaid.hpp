// SPDX-License-Identifier: Apache-2.0
// Arguments that a trace says nothing of, because the format that it was converted from does not
// have them: the operation of a reduction, the displacements of an all-to-all.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::generate {

/// Function and index of the field.
using UnsaidFields = std::set<std::pair<std::uint16_t, std::size_t>>;

/// Fields that one trace never says and the other does, of functions that both call.
UnsaidFields unsaid_in_one(const trace::Trace& a, const trace::Trace& b);

/// "not compared, as A does not say them: op of MPI_Allreduce"; one for each trace that lacks some.
std::vector<std::string> remarks_on_unsaid(const trace::Trace& a, const trace::Trace& b);

/// Whether receives ask for any source or tag, and no status says what came.
bool hides_what_came(const trace::Trace& trace);

} // namespace rondo::generate
