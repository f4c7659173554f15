// SPDX-License-Identifier: Apache-2.0
#include "convert/text/growing_file.hpp"

#include "rondo/base/file_limit.hpp"
#include "rondo/base/unfinished_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kSpill = 1 << 20; // bytes

int leave_open(std::FILE*) { return 0; }

tl::unexpected<Error> cannot(const char* what, const std::string& path) {
  return fail(ErrorCode::kIo, std::string("cannot ") + what + ": " + std::strerror(errno),
              {path, {}, {}, {}});
}

} // namespace

Result<GrowingFile> GrowingFile::create(const std::string& path, Overwrite overwrite) {
  if (path == "-") return GrowingFile(File(stdout, &leave_open), "standard output", {});
  if (auto ready = check_output(path, overwrite); !ready) return propagate(ready);
  std::error_code error;
  const bool is_device = std::filesystem::exists(path, error) &&
                         !std::filesystem::is_regular_file(path, error); // a pipe or /dev/full
  if (is_device) {
    File device(std::fopen(path.c_str(), "we"), &std::fclose);
    if (!device) return cannot("open", path);
    return GrowingFile(std::move(device), path, {});
  }
  auto made = new_file_beside(path);
  if (!made) return propagate(made);
  File file(::fdopen(made->descriptor, "w"), &std::fclose);
  if (!file) return cannot("create", path);
  GrowingFile growing(std::move(file), path, std::move(made->path));
  growing.guard_ = unfinished_file(growing.temporary_);
  return growing;
}

GrowingFile::~GrowingFile() {
  if (file_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Status GrowingFile::flush() {
  const long at = temporary_.empty() ? 0 : std::ftell(file_.get());
  const std::uint64_t size = static_cast<std::uint64_t>(std::max(at, 0L)) + text_.size();
  if (!may_write_file_of(size)) return cannot("write", path_);
  if (std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size())
    return cannot("write", path_);
  text_.clear();
  return {};
}

Status GrowingFile::spill() { return text_.size() < kSpill ? Status() : flush(); }

Status GrowingFile::replace(std::uint64_t at, std::string_view bytes) {
  if (auto done = flush(); !done) return done;
  std::FILE* const file = file_.get();
  const bool is_done = std::fseek(file, static_cast<long>(at), SEEK_SET) == 0 &&
                       std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                       std::fseek(file, 0, SEEK_END) == 0;
  return is_done ? Status() : cannot("go back in", path_);
}

Status GrowingFile::finish() {
  if (auto done = flush(); !done) return done;
  if (std::fflush(file_.get()) != 0) return cannot("write", path_);
  const bool is_named = temporary_.empty();
  if (!is_named && ::fsync(::fileno(file_.get())) != 0 && errno != EINVAL)
    return cannot("write", path_);
  if (!is_named && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    return cannot("rename into place", path_);
  temporary_.clear();
  file_.reset();
  return {};
}

} // namespace rondo::convert::internal
