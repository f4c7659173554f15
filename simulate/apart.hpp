// SPDX-License-Identifier: Apache-2.0
// Work in a child process, for engines that a process can have once and that may end it.
#pragma once

#include "rondo/base/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace rondo::simulate::internal {

using Tell = std::function<void(std::string_view)>;

/// What `work` returns, which a child process does that begins as a copy of this one. Everything
/// else that it changes is lost.
/// @param work  is given a way to tell things meanwhile, of at most 1 KiB each
/// @param told  hears them, in this process
/// @error kIo: no process can be started; kUnsupported: it ended before it was done, with the last
///        line that it wrote to stdout or stderr, of which nothing else is seen
Result<std::string> run_apart(const std::function<std::string(const Tell&)>& work,
                              const Tell& told);

} // namespace rondo::simulate::internal
