// SPDX-License-Identifier: Apache-2.0
#include "record/live_link.hpp"

#include "record/clock.hpp"
#include "record/no_cancel.hpp"
#include "record/processors.hpp"
#include "record/signals.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace rondo::record {

namespace live = trace::live;
using trace::Mode;
using trace::Role;

namespace {

constexpr int kPatience_ms = 30'000; // for the timekeeper's welcome
constexpr std::size_t kMostUnsaid_bytes = 1 << 16;
// A program that does next to nothing but ask what time it is waits for the time to pass: from so
// many questions on it gets real time.
constexpr std::uint64_t kMostInARow = 1000;
constexpr std::uint64_t kNextToNothing_ns = 10'000;
constexpr double kNsPerSecond = 1e9;

thread_local std::uint64_t rested_ns [[gnu::tls_model("initial-exec")]] = 0; // on the CPU's clock

// What lies between two readings with nothing between them.
std::uint64_t cost_of_clock() {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = thread_cpu_ns();
    least = std::min(least, thread_cpu_ns() - before);
  }
  return least;
}

std::uint64_t in_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0) * kNsPerSecond));
}

int connect_here(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() + 1 > sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path + 1, name.data(), name.size()); // abstract: begins with a null byte
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (file >= 0 && ::connect(file, reinterpret_cast<const sockaddr*>(&address), size) == 0)
    return file;
  if (file >= 0) ::close(file);
  return -1;
}

int connect_there(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (host.empty() || ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return -1;
  int file = -1;
  for (const addrinfo* each = found; each != nullptr && file < 0; each = each->ai_next) {
    file = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (file >= 0 && ::connect(file, each->ai_addr, each->ai_addrlen) == 0) break;
    if (file >= 0) ::close(file);
    file = -1;
  }
  ::freeaddrinfo(found);
  const int at_once = 1;
  if (file >= 0) ::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return file;
}

std::int64_t hex_word(const std::string& text, std::size_t at) {
  return static_cast<std::int64_t>(std::strtoull(text.substr(at, 16).c_str(), nullptr, 16));
}

void put_ranges(std::vector<std::int64_t>& words, const std::vector<trace::RankRange>& ranges) {
  words.push_back(static_cast<std::int64_t>(ranges.size()));
  for (const trace::RankRange& range : ranges)
    words.insert(words.end(), {range.start, range.stride, range.count});
}

bool has_effect_elsewhere(const trace::Function& function) {
  switch (function.role) {
  case Role::kEnv:
  case Role::kMarker:
  case Role::kGroup:
  case Role::kDatatype:
  case Role::kOp:
  case Role::kIo:
    return false;
  default:
    return true;
  }
}

bool may_wait(const trace::Function& function) {
  switch (function.role) {
  case Role::kSend:
  case Role::kRecv:
  case Role::kSendrecv:
  case Role::kProbe:
  case Role::kCollective:
  case Role::kNeighbor:
  case Role::kIo:
    return function.mode == Mode::kBlocking;
  case Role::kComplete:
    return function.word_of("flag") < 0;
  case Role::kComm:
  case Role::kTopo:
  case Role::kWin:
  case Role::kProcess:
    return true;
  case Role::kRma:
    return !function.makes_request;
  default:
    return false;
  }
}

} // namespace

std::unique_ptr<LiveLink> LiveLink::connect(std::int64_t rank, std::int64_t ranks,
                                            bool wants_times) {
  const char* variable = std::getenv(live::kAddressVariable);
  if (variable == nullptr || *variable == '\0') return nullptr;
  const std::string address(variable);
  const std::size_t at = address.find('@');
  const std::size_t comma = address.find(',', at);
  const std::size_t colon = address.rfind(':');
  int file = -1;
  if (at == 32 && comma != std::string::npos && colon != std::string::npos && colon > comma) {
    file = connect_here(address.substr(at + 1, comma - at - 1));
    if (file < 0)
      file = connect_there(address.substr(comma + 1, colon - comma - 1), address.substr(colon + 1));
  }
  if (file < 0) {
    std::fprintf(stderr,
                 "rondo: rank %lld cannot reach the timekeeper at %s: it runs in real time\n",
                 static_cast<long long>(rank), address.c_str() + (at == 32 ? at + 1 : 0));
    return nullptr;
  }
  std::unique_ptr<LiveLink> link(new LiveLink(file, rank, wants_times));
  const std::int64_t token[] = {hex_word(address, 0), hex_word(address, 16)};
  if (!link->greet(token, ranks)) return nullptr;
  return link;
}

LiveLink::LiveLink(int socket, std::int64_t rank, bool wants_times)
    : socket_(socket), rank_(rank), wants_times_(wants_times), clock_cost_ns_(cost_of_clock()) {
  for (const trace::Function& function : trace::all_functions()) {
    if (function.id >= may_block_.size()) {
      may_block_.resize(function.id + std::size_t{1});
      is_local_.resize(function.id + std::size_t{1});
    }
    may_block_[function.id] = may_wait(function);
    is_local_[function.id] = !has_effect_elsewhere(function);
  }
}

LiveLink::~LiveLink() {
  if (socket_ >= 0) ::close(socket_);
}

bool LiveLink::greet(const std::int64_t* token, std::int64_t ranks) {
  outbox_.put(live::Kind::kHello,
              {live::kMagic, token[0], token[1], rank_, ranks, wants_times_ ? 1 : 0});
  send_all();
  while (socket_ >= 0 && !is_welcome_) {
    if (!receive(kPatience_ms)) lose("the timekeeper does not answer");
  }
  rest();
  return is_welcome_;
}

// The processor's time -------------------------------------------------------------------------

// What a thread did before its first call is nobody's.
std::uint64_t LiveLink::collect() {
  const std::uint64_t now = thread_cpu_ns();
  const std::uint64_t passed = rested_ns == 0 ? 0 : now - rested_ns;
  const std::uint64_t own = passed > clock_cost_ns_ ? passed - clock_cost_ns_ : 0;
  computing_ns_ += static_cast<std::uint64_t>(std::llround(static_cast<double>(own) * scale_));
  rested_ns = now;
  return own;
}

void LiveLink::rest() {
  rested_ns = thread_cpu_ns();
  caller_ = &rested_ns;
}

std::uint64_t LiveLink::take_computing_ns() { return std::exchange(computing_ns_, 0); }

// What is said ---------------------------------------------------------------------------------

void LiveLink::say_new(const trace::Trace& definitions) {
  std::vector<std::int64_t> words;
  for (; comms_said_ < definitions.comms.size(); ++comms_said_) {
    const trace::CommDefinition& comm = definitions.comms[comms_said_];
    words.clear();
    put_ranges(words, comm.members);
    put_ranges(words, comm.remote);
    words.insert(words.end(), {comm.origin.parent, comm.origin.tag, comm.origin.ordinal});
    outbox_.put(live::Kind::kComm, {comm.slot}, words);
  }
  for (; groups_said_ < definitions.groups.size(); ++groups_said_) {
    const trace::GroupDefinition& group = definitions.groups[groups_said_];
    words.clear();
    put_ranges(words, group.members);
    outbox_.put(live::Kind::kGroup, {group.slot}, words);
  }
  for (; datatypes_said_ < definitions.datatypes.size(); ++datatypes_said_) {
    const trace::DatatypeDefinition& type = definitions.datatypes[datatypes_said_];
    outbox_.put(live::Kind::kDatatype, {type.slot, type.size_bytes});
  }
}

void LiveLink::say_array(std::int64_t index, const std::vector<std::int64_t>& values) {
  if (static_cast<std::size_t>(index) < arrays_said_ || socket_ < 0) return;
  arrays_said_ = static_cast<std::size_t>(index) + 1;
  outbox_.put(live::Kind::kArray, {index}, values);
}

void LiveLink::say_call(std::uint32_t thread, std::uint64_t computing_ns, const std::int64_t* event,
                        std::size_t size) {
  outbox_.put(live::Kind::kCall, {thread, static_cast<std::int64_t>(computing_ns)}, {event, size});
  is_behind_ = true;
  asked_in_a_row_ = 0;
  const auto function = static_cast<std::uint16_t>(event[0] & 0xffff);
  if (!is_local_[function] || outbox_.size_bytes() > kMostUnsaid_bytes) send_all();
}

void LiveLink::enter(std::uint16_t function, const std::int64_t* event, std::size_t size) {
  if (!may_block_[function] || socket_ < 0) return;
  std::vector<std::int64_t> words;
  if (orders_receives_) words = envelope(event, size);
  outbox_.put(live::Kind::kEntered, {function}, words);
  send_all();
}

void LiveLink::say_bye() {
  outbox_.put(live::Kind::kBye, {});
  send_all();
}

void LiveLink::send_all() {
  const NoCancel here;
  const char* data = outbox_.data();
  std::size_t left = outbox_.size_bytes();
  while (left > 0 && socket_ >= 0) {
    const ssize_t sent = ::send(socket_, data, left, MSG_NOSIGNAL);
    if (sent >= 0) {
      data += sent;
      left -= static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      lose("the timekeeper is gone");
    }
  }
  outbox_.clear();
}

// What comes back ------------------------------------------------------------------------------

// False if nothing came in that time.
bool LiveLink::receive(int patience_ms) {
  const NoCancel here;
  pollfd ready{socket_, POLLIN, 0};
  const int found = ::poll(&ready, 1, patience_ms);
  if (found < 0) return errno == EINTR;
  if (found == 0) return false;
  char bytes[1 << 14];
  const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
  if (size <= 0) {
    if (size == 0 || errno != EINTR) lose("the timekeeper is gone");
    return true;
  }
  inbox_.append(bytes, static_cast<std::size_t>(size));
  while (const auto item = inbox_.next()) take(*item);
  return true;
}

void LiveLink::take(const live::Item& item) {
  const auto words = item.words;
  switch (item.kind) {
  case live::Kind::kWelcome:
    if (words.empty()) break;
    scale_ = live::double_of(words[0]);
    orders_receives_ = words.size() > 1 && words[1] != 0;
    is_welcome_ = true;
    break;
  case live::Kind::kTimes:
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      const std::uint64_t start = in_ns(live::double_of(words[i]));
      const std::uint64_t end = in_ns(live::double_of(words[i + 1]));
      times_.push_back({start, end > start ? end - start : 0});
    }
    break;
  case live::Kind::kNow:
    if (words.empty()) break;
    known_end_s_ = std::max(known_end_s_, live::double_of(words[0]));
    has_answer_ = true;
    break;
  case live::Kind::kFrom:
    chosen_.assign(words.begin(), words.end());
    has_answer_ = true;
    break;
  default:
    lose("the timekeeper can not go on with this run");
  }
}

// Said once for all ranks, by the first.
void LiveLink::lose(const char* why) {
  if (socket_ < 0) return;
  known_end_s_ = static_cast<double>(now_ns()) / kNsPerSecond;
  lost_ns_ = monotonic_ns();
  ::close(std::exchange(socket_, -1));
  if (rank_ == 0) std::fprintf(stderr, "rondo: %s: the program goes on in real time\n", why);
}

LiveLink::Times LiveLink::take_times() {
  const Times times = times_.front();
  times_.pop_front();
  return times;
}

void LiveLink::look_for_times() {
  while (socket_ >= 0 && receive(0)) {
  }
}

void LiveLink::catch_up() {
  if (!is_behind_ || socket_ < 0) return;
  outbox_.put(live::Kind::kAsk, {});
  wait_for_answer();
  is_behind_ = false;
}

// MPI must not stand still meanwhile: others may wait for what this rank still has to send. A
// signal that ends the process must not wait either.
void LiveLink::wait_for_answer() {
  has_answer_ = false;
  send_all();
  int patience_ms = 1;
  while (socket_ >= 0 && !has_answer_) {
    if (receive(patience_ms)) continue;
    if (waiting_signal != 0) return lose("a signal came");
    int flag = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    patience_ms = std::min(2 * patience_ms, 20);
  }
}

std::uint64_t LiveLink::now_ns() const {
  if (socket_ < 0) return in_ns(known_end_s_) + (monotonic_ns() - lost_ns_);
  return in_ns(known_end_s_) + computing_ns_;
}

std::uint64_t LiveLink::ask_ns() {
  if (socket_ < 0) return now_ns();
  const bool is_caller =
      caller_ == &rested_ns; // other threads only ask: their work is not the rank's
  const bool did_something = is_caller && collect() > kNextToNothing_ns;
  if (is_behind_) {
    catch_up();
    if (is_caller) rest();
  }
  const std::uint64_t real_ns = monotonic_ns();
  asked_in_a_row_ = did_something ? 0 : asked_in_a_row_ + 1;
  if (asked_in_a_row_ > kMostInARow) computing_ns_ += real_ns - last_asked_ns_;
  last_asked_ns_ = real_ns;
  return now_ns();
}

} // namespace rondo::record
