// SPDX-License-Identifier: Apache-2.0
// Files that are still being written under another name: whoever interrupts a program finds none of
// them left behind.
#pragma once

#include <memory>
#include <string>

namespace rondo {

/// Names a file, or a folder of files, that is taken away if a signal ends the process while the
/// owner is there. Of many at a time only some are: others may stay behind.
std::shared_ptr<const void> unfinished_file(const std::string& path);

/// From here on SIGINT, SIGTERM and SIGHUP take unfinished files away before they end the process
/// as ever; not those that it was started to ignore. For programs: a library must set no handlers.
void take_away_unfinished_files();

/// Takes them away at once, for who ends the process without its destructors. Signal handlers may
/// call it.
void remove_unfinished_files();

} // namespace rondo
