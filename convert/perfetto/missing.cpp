// SPDX-License-Identifier: Apache-2.0
// Stands in for Perfetto's format where the build has no libprotobuf.
#include "convert/perfetto/slices.hpp"
#include "rondo/convert/timeline.hpp"

namespace rondo::convert {

std::unique_ptr<internal::TimelineSink> internal::perfetto_sink() { return nullptr; }

bool has_perfetto() { return false; }

} // namespace rondo::convert
