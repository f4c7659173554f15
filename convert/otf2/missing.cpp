// SPDX-License-Identifier: Apache-2.0
// What a build without libotf2 says of OTF2.
#include "rondo/convert/otf2.hpp"

namespace rondo::convert {

bool has_otf2() { return false; }

Result<Imported> read_otf2(const std::string& path, const ImportOptions&) {
  return fail(ErrorCode::kUnsupported,
              "is an OTF2 archive, which this build of Rondo cannot read: it was built without "
              "libotf2 (on Debian: libotf2-trace-dev); install it and build again",
              {path, {}, {}, {}});
}

Result<std::vector<std::string>> write_otf2(const trace::Trace&, const std::string& path,
                                            const Otf2OutOptions&, Overwrite) {
  return fail(ErrorCode::kUnsupported,
              "cannot be written: this build of Rondo was made without libotf2 (on Debian: "
              "libotf2-trace-dev); install it and build again",
              {path, {}, {}, {}});
}

} // namespace rondo::convert
