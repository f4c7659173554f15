// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/input.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace rondo {
namespace {

constexpr int kPatience_ms = 2000;

// Whether the pipe stands in a folder. Of one that does not, such as the shell's, the other end was
// opened with it.
bool has_name(int pipe) {
  struct statfs system {};
  return ::fstatfs(pipe, &system) != 0 || system.f_type != PIPEFS_MAGIC;
}

// Why nothing can be read from it, or "".
std::string what_is_wrong(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::string("cannot read: ") + std::strerror(errno);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "is a device, no file";
  if (!S_ISFIFO(status.st_mode) || !has_name(descriptor)) return "";
  pollfd readable{descriptor, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&readable, 1, kPatience_ms)) < 0 && errno == EINTR) {
  }
  return ready > 0 ? "" : "is a pipe that nobody writes into";
}

} // namespace

Result<int> open_to_read(const std::string& path) {
  // Without waiting: the kernel does until a pipe has somebody at its other end.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    const std::string reason = std::strerror(errno);
    return fail(code, "cannot open: " + reason, {path, {}, {}, {}});
  }
  const std::string wrong = what_is_wrong(descriptor);
  if (wrong.empty() && ::fcntl(descriptor, F_SETFL, 0) == 0) return descriptor;
  ::close(descriptor);
  return fail(ErrorCode::kIo, wrong.empty() ? "cannot read" : wrong, {path, {}, {}, {}});
}

} // namespace rondo
