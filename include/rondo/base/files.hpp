// SPDX-License-Identifier: Apache-2.0
// Whole files in and out. Writing goes to a temporary name beside the target, which is renamed only
// when everything is on disk: a reader never sees half a file and an old file survives a failure.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rondo {

/// What to do when the output file is there already.
enum class Overwrite { kRefuse, kReplace };

/// The bytes of a file; "-" reads standard input.
/// @error  kNotFound, kIo with the system's reason
Result<std::string> read_file(const std::string& path);

/// The bytes of a file without reading them, if it is large: what is not looked at takes no memory.
/// They are there as long as the owner. The file may be replaced or removed meanwhile, but should
/// not be written into; see survive_shrinking_files().
struct MappedFile {
  std::string_view view;
  std::shared_ptr<const void> owner;
};
/// What cannot be mapped (a pipe, "-") is read.
/// @error  as read_file
Result<MappedFile> map_file(const std::string& path);

/// From here on a mapped file that somebody cuts reads as zeros behind its new end, instead of
/// ending the process by SIGBUS; has_a_file_shrunk() tells afterwards. For programs: it sets the
/// handler of SIGBUS, which a library must not.
void survive_shrinking_files();
bool has_a_file_shrunk();

/// Writes `bytes` to `path` by way of a temporary file and a rename; "-" writes to standard output.
/// @error  kExists if the file is there and `overwrite` is kRefuse; kIo with the system's reason
/// (the
///         target is then as it was before)
Status write_file(const std::string& path, std::string_view bytes, Overwrite overwrite);
/// The same for bytes that stand in several places.
Status write_file(const std::string& path, const std::vector<std::string_view>& pieces,
                  Overwrite overwrite);

/// A file, open for writing, or an empty folder beside `path`, for what is renamed to it when it is
/// whole. Nobody else has made it: names cannot be foreseen, and planted files and links are not
/// taken.
/// @error  kIo with the system's reason
struct NewFile {
  int descriptor = -1;
  std::string path;
};
Result<NewFile> new_file_beside(const std::string& path);
Result<std::string> new_folder_beside(const std::string& path);

/// kExists with advice if `path` is there and may not be replaced; done before any long work.
Status check_output(const std::string& path, Overwrite overwrite);

/// When a file was last written, in ns since 1970; -1 if there is none.
std::int64_t modified_ns(const std::string& path);

} // namespace rondo
