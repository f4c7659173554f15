// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo {
namespace {

std::string system_reason() { return std::strerror(errno); }

Status write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(ErrorCode::kIo, "cannot write: " + system_reason(), {path, {}, {}, {}});
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// Gathers small pieces, so that each does not cost a system call.
Status write_all(int descriptor, const std::vector<std::string_view>& pieces,
                 const std::string& path) {
  constexpr std::size_t kGathered = std::size_t{1} << 16;
  std::string gathered;
  for (const std::string_view piece : pieces) {
    if (gathered.size() + piece.size() > kGathered) {
      if (auto written = write_all(descriptor, gathered, path); !written) return written;
      gathered.clear();
    }
    if (piece.size() < kGathered) {
      gathered += piece;
    } else if (auto written = write_all(descriptor, piece, path); !written) {
      return written;
    }
  }
  return write_all(descriptor, gathered, path);
}

} // namespace

Result<MappedFile> map_file(const std::string& path) {
  const int descriptor = path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  void* bytes = MAP_FAILED;
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    bytes = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                   descriptor, 0);
  }
  if (descriptor >= 0) ::close(descriptor);
  if (bytes == MAP_FAILED) {
    auto read = read_file(path);
    if (!read) return propagate(read);
    const auto owner = std::make_shared<const std::string>(std::move(*read));
    return MappedFile{*owner, owner};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  std::shared_ptr<const void> owner(bytes, [size](void* mapped) { ::munmap(mapped, size); });
  return MappedFile{{static_cast<const char*>(bytes), size}, std::move(owner)};
}

Result<std::string> read_file(const std::string& path) {
  const int descriptor =
      path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return fail(code, "cannot open: " + system_reason(), {path, {}, {}, {}});
  }
  std::string bytes;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const std::string reason = system_reason();
      ::close(descriptor);
      return fail(ErrorCode::kIo, "cannot read: " + reason, {path, {}, {}, {}});
    }
    if (n == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(descriptor);
  return bytes;
}

Status check_output(const std::string& path, Overwrite overwrite) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0) return {};
  if (S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::kUsage, "is a directory; name a file for the output",
                {path, {}, {}, {}});
  }
  if (overwrite == Overwrite::kRefuse && S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kExists, "exists already; name another output or add --force",
                {path, {}, {}, {}});
  }
  return {};
}

Status write_file(const std::string& path, std::string_view bytes, Overwrite overwrite) {
  return write_file(path, std::vector<std::string_view>{bytes}, overwrite);
}

Status write_file(const std::string& path, const std::vector<std::string_view>& pieces,
                  Overwrite overwrite) {
  if (path == "-") return write_all(STDOUT_FILENO, pieces, "standard output");
  if (auto ready = check_output(path, overwrite); !ready) return ready;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC); // a pipe or /dev/full
    if (device < 0)
      return fail(ErrorCode::kIo, "cannot open: " + system_reason(), {path, {}, {}, {}});
    auto written = write_all(device, pieces, path);
    ::close(device);
    return written;
  }
  const std::string temporary = path + ".part" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail(ErrorCode::kIo, "cannot create: " + system_reason(), {path, {}, {}, {}});
  auto written = write_all(descriptor, pieces, path);
  if (written && ::fsync(descriptor) != 0 && errno != EINVAL) {
    written = fail(ErrorCode::kIo, "cannot write: " + system_reason(), {path, {}, {}, {}});
  }
  ::close(descriptor);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written =
        fail(ErrorCode::kIo, "cannot rename into place: " + system_reason(), {path, {}, {}, {}});
  }
  if (!written) ::unlink(temporary.c_str());
  return written;
}

} // namespace rondo
