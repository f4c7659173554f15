// SPDX-License-Identifier: Apache-2.0
// Long work for Python: other threads of it run meanwhile, and Ctrl-C ends the waiting.
#pragma once

#include "cli/session.hpp"

#include <functional>

namespace rondo::python {

/// Runs `work` in a thread of its own and waits for it, without the GIL; it is called with it.
/// `work` owns all that it uses: after an interruption it may go on for a while, for nobody. It
/// gets a flag that is then set.
/// @throws  py::error_already_set for KeyboardInterrupt; what the work throws
void run_interruptible(std::function<void(const std::atomic<bool>& stop)> work);

/// To be called when Python ends: waits a while for what goes on for nobody, and then ends the
/// process without it.
void end_abandoned_work();

} // namespace rondo::python
