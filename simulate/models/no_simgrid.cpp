// SPDX-License-Identifier: Apache-2.0
// Stands for simgrid_module.cpp where SimGrid was not there at build time.
#include "simulate/models/carrier.hpp"

namespace rondo::simulate {

Status has_contention() {
  return fail(ErrorCode::kUnsupported, "this rondo was built without SimGrid (Debian: "
                                       "libsimgrid-dev)");
}

namespace internal {

Status simgrid_is_there(const Platform& platform) {
  return fail(ErrorCode::kUnsupported,
              "'" + platform.text() +
                  "' needs SimGrid, which was not there when this rondo was built; install "
                  "libsimgrid-dev and build again");
}

Result<std::unique_ptr<Carrier>> simgrid_carrier(const Platform& platform, std::int64_t) {
  return propagate(simgrid_is_there(platform));
}

} // namespace internal
} // namespace rondo::simulate
