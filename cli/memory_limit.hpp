// SPDX-License-Identifier: Apache-2.0
// The memory that a command may take: what is asked for beyond it fails as if the machine had no
// more, so that main() can say so, instead of the system ending this process or others.
#pragma once

#include <string>

namespace rondo::cli {

/// From here on `new` throws std::bad_alloc beyond most of the machine's memory (or of the job's,
/// if it has less), times limit_factor().
void limit_memory();

/// What to say when it did: how much there was and what to do.
std::string out_of_memory_text();

} // namespace rondo::cli
