// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/clock_server.hpp"

#include "rondo/trace/clock_wire.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <ctime>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace wire = trace::clock_wire;

std::int64_t ns_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Of this host, those that others may reach first.
std::string addresses() {
  std::string list;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return list;
  for (const bool is_loopback : {false, true}) {
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
      const bool fits = each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
                        ((each->ifa_flags & IFF_LOOPBACK) != 0) == is_loopback;
      if (!fits) continue;
      char name[INET_ADDRSTRLEN] = {};
      const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
      if (::inet_ntop(AF_INET, &address->sin_addr, name, sizeof name) != nullptr)
        list += fmt::format(":{}", name);
    }
  }
  ::freeifaddrs(all);
  return list;
}

} // namespace

ClockServer::ClockServer() {
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  end_ = ::eventfd(0, EFD_CLOEXEC);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  auto* const generic = reinterpret_cast<sockaddr*>(&any);
  const bool is_ready = socket_ >= 0 && end_ >= 0 && ::bind(socket_, generic, size) == 0 &&
                        ::getsockname(socket_, generic, &size) == 0 &&
                        ::getrandom(&token_, sizeof token_, 0) == sizeof token_;
  const std::string list = is_ready ? addresses() : "";
  if (list.empty()) return;
  to_unix_ns_ = ns_of(CLOCK_REALTIME) - ns_of(CLOCK_MONOTONIC);
  // Signals are for the thread that waits for the launcher.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { answer(); });
    address_ = fmt::format("{:x}:{:x}{}", token_, ntohs(any.sin_port), list);
  } catch (const std::system_error&) { // no thread, no clock
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ClockServer::~ClockServer() {
  const std::uint64_t one = 1;
  if (thread_.joinable() && ::write(end_, &one, sizeof one) == sizeof one) thread_.join();
  if (socket_ >= 0) ::close(socket_);
  if (end_ >= 0) ::close(end_);
}

void ClockServer::answer() const {
  for (;;) {
    pollfd files[] = {{socket_, POLLIN, 0}, {end_, POLLIN, 0}};
    if (::poll(files, 2, -1) < 0) continue;
    if (files[1].revents != 0) return;
    wire::Question question;
    sockaddr_in from{};
    socklen_t size = sizeof from;
    auto* const generic = reinterpret_cast<sockaddr*>(&from);
    const ssize_t got = ::recvfrom(socket_, &question, sizeof question, 0, generic, &size);
    if (got != static_cast<ssize_t>(sizeof question) || question.token != token_) continue;
    const wire::Reply reply{question.number, ns_of(CLOCK_MONOTONIC) + to_unix_ns_};
    static_cast<void>(::sendto(socket_, &reply, sizeof reply, MSG_NOSIGNAL, generic, size));
  }
}

} // namespace rondo::cli
