// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/files.hpp"

#include "base/shared_state.hpp"
#include "rondo/base/file_limit.hpp"
#include "rondo/base/input.hpp"
#include "rondo/base/unfinished_files.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
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

Status fits_limit(const std::vector<std::string_view>& pieces, const std::string& path) {
  std::uint64_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  if (may_write_file_of(bytes)) return {};
  return fail(ErrorCode::kIo, "cannot write: " + system_reason() + " (ulimit -f)",
              {path, {}, {}, {}});
}

} // namespace

namespace {

// Smaller ones are read: a copy costs little, and nobody can take it away.
constexpr std::int64_t kSmallestMapped = 1 << 24;

using internal::Mapping;

Mapping* remember(const void* bytes, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
  for (Mapping& mapping : internal::shared_state().mappings) {
    std::uintptr_t free = 0;
    if (!mapping.begin.compare_exchange_strong(free, begin)) continue;
    mapping.end = begin + size;
    return &mapping;
  }
  return nullptr;
}

void forget(Mapping& mapping) {
  mapping.end = 0;
  mapping.begin = 0;
}

// Pages behind the new end of a file read as zeros from here on: checksums and decoders then say
// that it is damaged, and has_shrunk is remembered for what they do not see.
void fill_with_zeros(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const Mapping& mapping : internal::shared_state().mappings) {
    if (address < mapping.begin || address >= mapping.end) continue;
    void* at = reinterpret_cast<void*>(address / page * page);
    internal::shared_state().has_shrunk = true;
    if (::mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
      return;
  }
  ::signal(SIGBUS, SIG_DFL); // not ours: it comes again, and ends the process as ever
}

void* map_large(const std::string& path, std::size_t& size) {
  const int descriptor = path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  void* bytes = MAP_FAILED;
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size >= kSmallestMapped) {
    size = static_cast<std::size_t>(status.st_size);
    bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  if (descriptor >= 0) ::close(descriptor);
  return bytes;
}

// Calls make(name) with names that nobody can foresee until it makes what was not there; gives up
// as soon as it fails for another reason than that the name is taken.
template <class Make> int make_beside(const std::string& path, std::string& name, Make make) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
      number = static_cast<std::uint64_t>(::getpid()) << 32 | static_cast<std::uint64_t>(attempt);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    name = path + ".part" + digits;
    const int made = make(name.c_str());
    if (made >= 0 || errno != EEXIST) return made;
  }
  return -1;
}

} // namespace

void survive_shrinking_files() {
  struct sigaction action {};
  action.sa_sigaction = fill_with_zeros;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

bool has_a_file_shrunk() { return internal::shared_state().has_shrunk; }

Result<MappedFile> map_file(const std::string& path) {
  std::size_t size = 0;
  void* bytes = map_large(path, size);
  Mapping* mapping = bytes == MAP_FAILED ? nullptr : remember(bytes, size);
  if (mapping == nullptr) {
    if (bytes != MAP_FAILED) ::munmap(bytes, size);
    auto read = read_file(path);
    if (!read) return propagate(read);
    const auto owner = std::make_shared<const std::string>(std::move(*read));
    return MappedFile{*owner, owner};
  }
  std::shared_ptr<const void> owner(bytes, [size, mapping](void* mapped) {
    forget(*mapping);
    ::munmap(mapped, size);
  });
  return MappedFile{{static_cast<const char*>(bytes), size}, std::move(owner)};
}

Result<std::string> read_file(const std::string& path) {
  const auto opened = path == "-" ? Result<int>(::dup(STDIN_FILENO)) : open_to_read(path);
  if (!opened) return propagate(opened);
  const int descriptor = *opened;
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

std::int64_t modified_ns(const std::string& path) {
  constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return -1;
  return status.st_mtim.tv_sec * kNanosecondsASecond + status.st_mtim.tv_nsec;
}

Result<NewFile> new_file_beside(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  NewFile file;
  file.descriptor =
      make_beside(path, file.path, [](const char* name) { return ::open(name, kFlags, 0666); });
  if (file.descriptor >= 0) return file;
  return fail(ErrorCode::kIo, "cannot create: " + system_reason(), {path, {}, {}, {}});
}

Result<std::string> new_folder_beside(const std::string& path) {
  std::string folder;
  if (make_beside(path, folder, [](const char* name) { return ::mkdir(name, 0777); }) == 0)
    return folder;
  return fail(ErrorCode::kIo, "cannot create: " + system_reason(), {path, {}, {}, {}});
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
  const auto made = new_file_beside(path);
  if (!made) return propagate(made);
  const auto& [descriptor, temporary] = *made;
  const auto guard = unfinished_file(temporary);
  auto written = fits_limit(pieces, path);
  if (written) written = write_all(descriptor, pieces, path);
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
