// SPDX-License-Identifier: Apache-2.0
#include "simulate/apart.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/core.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace rondo::simulate::internal {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// What goes through the pipe: a head, then so many bytes.
struct Head {
  std::uint64_t is_answer = 0;
  std::uint64_t size = 0;
};

bool write_all(int file, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool put(int pipe, bool is_answer, std::string_view text) {
  const Head head{is_answer ? 1u : 0u, text.size()};
  return write_all(pipe, &head, sizeof head) && write_all(pipe, text.data(), text.size());
}

// The child; never comes back, as nothing of the parent's is to be taken apart twice.
[[noreturn]] void do_work(const std::function<std::string(const Tell&)>& work, int pipe,
                          int words) {
  ::dup2(words, STDOUT_FILENO);
  ::dup2(words, STDERR_FILENO);
  bool is_told = false;
  try {
    const std::string answer = work([pipe](std::string_view text) {
      if (!put(pipe, false, text)) ::_exit(1); // nobody is there any more
    });
    is_told = put(pipe, true, answer);
  } catch (const std::exception& error) {
    const std::string said = error.what();
    is_told = write_all(words, said.data(), said.size()) && false;
  }
  ::_exit(is_told ? 0 : 1);
}

// The last line that is not empty.
std::string last_words(std::FILE* file) {
  std::string said;
  char piece[4096];
  std::rewind(file);
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, file)) > 0;)
    said.append(piece, got);
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  const std::size_t end = said.rfind('\n');
  constexpr std::size_t kMost = 300;
  return said.substr(end == std::string::npos ? 0 : end + 1, kMost);
}

} // namespace

Result<std::string> run_apart(const std::function<std::string(const Tell&)>& work,
                              const Tell& told) {
  const File words(std::tmpfile(), &std::fclose);
  int ends[2];
  if (!words || ::pipe(ends) != 0)
    return fail(ErrorCode::kIo, fmt::format("no process can be started: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    do_work(work, ends[1], ::fileno(words.get()));
  }
  ::close(ends[1]);
  const int why = errno;
  std::string answer;
  bool has_answer = false;
  Head head;
  while (child > 0 && !has_answer && read_all(ends[0], &head, sizeof head)) {
    std::string text(head.size, '\0');
    if (!read_all(ends[0], text.data(), text.size())) break;
    has_answer = head.is_answer != 0;
    if (has_answer)
      answer = std::move(text);
    else
      told(text);
  }
  ::close(ends[0]);
  if (child < 0)
    return fail(ErrorCode::kIo, fmt::format("no process can be started: {}", std::strerror(why)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (has_answer) return answer;
  const std::string said = last_words(words.get());
  return fail(ErrorCode::kUnsupported, said.empty() ? "it ended without a word" : said);
}

} // namespace rondo::simulate::internal
