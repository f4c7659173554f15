// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/unfinished_files.hpp"

#include "base/shared_state.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rondo {
namespace {

using internal::Unfinished;

struct DirectoryEntry { // as the kernel gives it; readdir() may not be called by a handler
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

void empty_folder(int folder) {
  alignas(DirectoryEntry) char entries[4096];
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(entries + at);
      ::unlinkat(folder, entry->name, 0); // "." and ".." are refused
      at += entry->size;
    }
  }
}

void take_away(const char* path) {
  if (::unlink(path) == 0) return;
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  empty_folder(folder);
  ::close(folder);
  ::rmdir(path);
}

void end_tidily(int signal) {
  remove_unfinished_files();
  ::raise(signal); // it has its usual meaning again, from when this returns
}

} // namespace

std::shared_ptr<const void> unfinished_file(const std::string& path) {
  if (path.size() >= sizeof Unfinished::path) return nullptr;
  for (Unfinished& file : internal::shared_state().unfinished) {
    if (file.is_taken.exchange(true, std::memory_order_acquire)) continue;
    std::memcpy(file.path, path.c_str(), path.size() + 1);
    file.is_named.store(true, std::memory_order_release);
    return {&file, [](Unfinished* done) {
              done->is_named.store(false, std::memory_order_release);
              done->is_taken.store(false, std::memory_order_release);
            }};
  }
  return nullptr;
}

void remove_unfinished_files() {
  for (const Unfinished& file : internal::shared_state().unfinished) {
    if (file.is_named.load(std::memory_order_acquire)) take_away(file.path);
  }
}

void take_away_unfinished_files() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end_tidily;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

} // namespace rondo
