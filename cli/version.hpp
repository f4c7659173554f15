// SPDX-License-Identifier: Apache-2.0
// Which Rondo this is.
#pragma once

#include <string>

namespace rondo::cli {

/// "0.1.0", as CMakeLists.txt has it.
std::string version();
/// The commit that was built, as git names it, "" if the sources were no checkout.
std::string commit();
/// What `rondo --version` prints: version and commit, which MPIs have a recorder, which formats are
/// read and written, and what this build has.
std::string version_text();

} // namespace rondo::cli
