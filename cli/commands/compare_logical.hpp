// SPDX-License-Identifier: Apache-2.0
// rondo compare --logical: are two runs the same logical program?
#pragma once

#include <string>

namespace rondo::cli {

/// Compares archives or texts that `rondo logical` wrote, and prints the answer.
/// @return  an exit status; errors have been printed
int compare_logical(const std::string& file_a, const std::string& file_b, bool json);

} // namespace rondo::cli
