// SPDX-License-Identifier: Apache-2.0
// Stands for simgrid_carrier.cpp where SimGrid was not there at build time.
#include "simulate/models/carrier.hpp"

namespace rondo::simulate::internal {

Result<std::unique_ptr<Carrier>> simgrid_carrier(const Platform& platform, std::int64_t) {
  return fail(ErrorCode::kUnsupported,
              "'" + platform.text() +
                  "' needs SimGrid, which was not there when this rondo was built; install "
                  "libsimgrid-dev and build again");
}

} // namespace rondo::simulate::internal
