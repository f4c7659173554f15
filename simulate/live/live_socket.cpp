// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_socket.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace rondo::simulate::internal {
namespace {

tl::unexpected<Error> failure(const char* what) {
  return fail(ErrorCode::kIo,
              fmt::format("no socket for the ranks: {}: {}", what, std::strerror(errno)));
}

constexpr int kWaiting = 4096; // ranks that come at once

Result<Descriptor> listen_here(const std::string& name) {
  Descriptor file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size()); // abstract: begins with a null byte
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!file.is_open() ||
      ::bind(file.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(file.get(), kWaiting) != 0)
    return failure("a Unix socket");
  return file;
}

Result<Descriptor> listen_there(std::uint16_t& port) {
  Descriptor file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!file.is_open() || ::bind(file.get(), generic, size) != 0 ||
      ::listen(file.get(), kWaiting) != 0 || ::getsockname(file.get(), generic, &size) != 0)
    return failure("a TCP socket");
  port = ntohs(address.sin_port);
  return file;
}

} // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  file_ = other.file_;
  other.file_ = -1;
  return *this;
}

void Descriptor::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

Result<Listeners> listen_for_ranks(Hosts hosts) {
  Listeners listeners;
  std::uint64_t random[3];
  if (::getrandom(random, sizeof random, 0) != sizeof random) return failure("random numbers");
  listeners.token[0] = static_cast<std::int64_t>(random[0]);
  listeners.token[1] = static_cast<std::int64_t>(random[1]);
  const std::string name = fmt::format("rondo-{}-{:016x}", ::getpid(), random[2]);
  auto here = listen_here(name);
  if (!here) return propagate(here);
  listeners.here = std::move(*here);
  listeners.address = fmt::format("{:016x}{:016x}@{},:", random[0], random[1], name);
  if (hosts == Hosts::kThis) return listeners;
  std::uint16_t port = 0;
  auto there = listen_there(port);
  if (!there) return propagate(there);
  listeners.there = std::move(*there);
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  listeners.address.pop_back();
  listeners.address += fmt::format("{}:{}", host, port);
  return listeners;
}

void RankSocket::receive() {
  char bytes[1 << 16];
  const ssize_t size = ::recv(file_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (size > 0) {
    inbox_.append(bytes, static_cast<std::size_t>(size));
  } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
    close();
  }
}

void RankSocket::send() {
  unsent_.append(outbox_.data(), outbox_.size_bytes());
  outbox_.clear();
  while (is_open() && has_unsent()) {
    const ssize_t size =
        ::send(get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) {
      sent_ += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      close();
    }
  }
  unsent_.clear();
  sent_ = 0;
}

} // namespace rondo::simulate::internal
