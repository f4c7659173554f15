// SPDX-License-Identifier: Apache-2.0
#include "record/process/common_clock.hpp"

#include "record/process/processors.hpp"
#include "record/recorder.hpp"
#include "rondo/trace/clock_wire.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

namespace rondo::record {
namespace {

namespace clock_wire = trace::clock_wire;

constexpr int kQuestions = 32;
constexpr int kFirstPatience_ms = 100; // for the first answer
constexpr int kRoundPatience_ms = 20;
constexpr std::size_t kMostAddresses = 8;
constexpr std::uint64_t kLeastDriftSpan_ns = 10'000'000; // a shorter one gives no good rate

std::uint64_t hash_text(const char* text, std::uint64_t hash) { // FNV-1a
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return hash;
}

// Ranks read the same clock if they run on one kernel, and in one name space of its clocks. Two
// names of a host may be two hosts whose system was copied while it ran.
std::uint64_t host_number() {
  char text[128] = {};
  std::uint64_t hash = 0xcbf29ce484222325u;
  if (const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); file >= 0) {
    if (::read(file, text, sizeof text - 1) > 0) hash = hash_text(text, hash);
    ::close(file);
  }
  char space[128] = {};
  if (::readlink("/proc/self/ns/time", space, sizeof space - 1) > 0) hash = hash_text(space, hash);
  utsname names{};
  if (::uname(&names) == 0) hash = hash_text(names.nodename, hash);
  return std::max(hash, std::uint64_t{1});
}

// Time stamps of a moment that may lie before or behind another one.
std::int64_t ns_between(std::uint64_t from_ticks, std::uint64_t to_ticks) {
  return to_ticks >= from_ticks ? static_cast<std::int64_t>(clock_.to_ns(to_ticks - from_ticks))
                                : -static_cast<std::int64_t>(clock_.to_ns(from_ticks - to_ticks));
}

std::int64_t in_ppt(std::int64_t gained_ns, std::int64_t span_ns) {
  const double ppt = static_cast<double>(gained_ns) / static_cast<double>(span_ns) * 1e12;
  const bool is_sound = std::abs(ppt) < static_cast<double>(trace::kMostGain_ppt) / 2;
  return is_sound ? static_cast<std::int64_t>(ppt) : 0;
}

struct ClockServer {
  std::uint64_t token = 0;
  std::vector<sockaddr_in> addresses;
};

ClockServer clock_server() {
  ClockServer result;
  const char* text = std::getenv(clock_wire::kVariable);
  if (text == nullptr) return result;
  char* rest = nullptr;
  result.token = std::strtoull(text, &rest, 16);
  if (*rest != ':') return result;
  const auto port = static_cast<std::uint16_t>(std::strtoul(rest + 1, &rest, 16));
  while (*rest == ':' && result.addresses.size() < kMostAddresses) {
    char name[INET_ADDRSTRLEN] = {};
    const std::size_t size = std::strcspn(++rest, ":");
    std::memcpy(name, rest, std::min(size, sizeof name - 1));
    rest += size;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, name, &address.sin_addr) == 1) result.addresses.push_back(address);
  }
  return result;
}

// The rank that asks for its host; of ranks that do not know, each asks for itself.
bool is_first_on_host() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (const char* text = std::getenv(name)) return std::strtol(text, nullptr, 10) == 0;
  }
  return true;
}

class ClockSocket {
public:
  ClockSocket() : file_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ClockSocket(const ClockSocket&) = delete;
  ClockSocket& operator=(const ClockSocket&) = delete;
  ~ClockSocket() {
    if (file_ >= 0) ::close(file_);
  }
  void send(const clock_wire::Question& question, const sockaddr_in& to) const {
    static_cast<void>(::sendto(file_, &question, sizeof question, MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&to), sizeof to));
  }
  /// The answer to a question, and from where; late answers to earlier ones are passed over.
  std::optional<clock_wire::Reply> receive(std::uint64_t number, int patience_ms,
                                           sockaddr_in& from) const {
    const std::uint64_t start = monotonic_ns();
    for (;;) {
      const auto waited_ms = static_cast<int>((monotonic_ns() - start) / 1'000'000);
      pollfd ready{file_, POLLIN, 0};
      if (waited_ms > patience_ms || ::poll(&ready, 1, patience_ms - waited_ms) <= 0)
        return std::nullopt;
      clock_wire::Reply reply;
      socklen_t size = sizeof from;
      const ssize_t got =
          ::recvfrom(file_, &reply, sizeof reply, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (got == static_cast<ssize_t>(sizeof reply) && reply.number == number) return reply;
    }
  }

private:
  int file_;
};

} // namespace

// The smallest round trip tells most: the answer was given somewhere within it.
std::optional<CommonClock::Answer> CommonClock::ask_around() {
  const ClockServer known = clock_server();
  if (known.addresses.empty()) return std::nullopt;
  const ClockSocket socket;
  sockaddr_in from{};
  const std::uint64_t first = monotonic_ns(); // no number of an earlier time comes again
  for (const sockaddr_in& address : known.addresses) socket.send({known.token, first}, address);
  if (!socket.receive(first, kFirstPatience_ms, from)) return std::nullopt;
  const sockaddr_in to = from;
  std::optional<Answer> best;
  for (std::uint64_t number = first + 1; number <= first + kQuestions; ++number) {
    const std::uint64_t sent = monotonic_ns();
    socket.send({known.token, number}, to);
    const auto reply = socket.receive(number, kRoundPatience_ms, from);
    const std::uint64_t came = monotonic_ns();
    if (!reply) break;
    const std::uint64_t error_ns = std::max((came - sent) / 2, std::uint64_t{1});
    if (best && error_ns >= best->error_ns) continue;
    const auto middle = static_cast<std::int64_t>(sent + (came - sent) / 2);
    best = {middle, reply->unix_ns - middle, error_ns};
  }
  return best;
}

void CommonClock::begin(std::int64_t ranks, std::uint64_t origin_ticks,
                        std::int64_t origin_unix_ns) {
  const Moment here = clock_.moment();
  origin_ticks_ = origin_ticks;
  own_.host = host_number();
  own_.origin_unix_ns = origin_unix_ns;
  own_.origin_host_ns =
      static_cast<std::int64_t>(here.host_ns) - ns_between(origin_ticks, here.ticks);
  const std::int64_t here_too = processors_here().local_ranks;
  if (ranks > 1 && here_too != ranks && is_first_on_host()) first_ = last_ = ask_around();
}

void CommonClock::ask() {
  if (!first_) return;
  if (const auto answer = ask_around()) last_ = answer;
}

trace::RankClock CommonClock::measured() const {
  trace::RankClock result = own_;
  const Moment here = clock_.moment();
  const std::int64_t span_ns = ns_between(origin_ticks_, here.ticks);
  const std::int64_t host_span_ns = static_cast<std::int64_t>(here.host_ns) - own_.origin_host_ns;
  if (span_ns > static_cast<std::int64_t>(kLeastDriftSpan_ns))
    result.gain_ppt = in_ppt(host_span_ns - span_ns, span_ns);
  if (!first_) return result;
  result.error_ns = std::max(first_->error_ns, last_->error_ns);
  const std::int64_t between_ns = last_->host_ns - first_->host_ns;
  if (between_ns > static_cast<std::int64_t>(kLeastDriftSpan_ns))
    result.to_common_gain_ppt = in_ppt(last_->to_common_ns - first_->to_common_ns, between_ns);
  result.to_common_ns =
      first_->to_common_ns +
      trace::parts_of(own_.origin_host_ns - first_->host_ns, result.to_common_gain_ppt);
  return result;
}

} // namespace rondo::record
