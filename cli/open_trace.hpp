// SPDX-License-Identifier: Apache-2.0
// Opens the trace that a command was given: an archive, or a file of another tool that convert/
// reads, told by its contents.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace rondo::cli {

/// Of another tool, with the times of every call that it has. That something is open or was left
/// out is said on stderr, in one sentence.
/// @error  those of archive::read(), detect_input() and the readers
Result<trace::Trace> open_trace(const std::string& path);

/// The same as an archive: the file's own bytes, or those that it would have.
struct OpenedArchive {
  std::string_view bytes;
  std::shared_ptr<const void> owner; // of the bytes
};
Result<OpenedArchive> open_as_archive(const std::string& path);

} // namespace rondo::cli
