// SPDX-License-Identifier: Apache-2.0
#include "record/live/live_link.hpp"

#include "record/process/clock.hpp"
#include "record/process/no_cancel.hpp"
#include "record/process/processors.hpp"
#include "record/process/signals.hpp"
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
constexpr double kNsPerSecond = 1e9;

// Of the calling thread, when it began to be the program's again.
struct Rest {
  std::uint64_t cpu_ns = 0; // 0: never
  std::uint64_t sleeps = 0;
  std::uint64_t waited_ns = 0; // for a processor
};
thread_local Rest rested [[gnu::tls_model("initial-exec")]];

void begin_rest(bool has_threads) {
  rested = {thread_cpu_ns(), has_threads ? sleeps_of_thread() : 0,
            has_threads ? thread_waited_ns() : 0};
}

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

std::unique_ptr<LiveLink> LiveLink::connect(std::int64_t rank, std::int64_t ranks, bool wants_times,
                                            bool is_spawned) {
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
  if (!link->greet(token, ranks, is_spawned)) return nullptr;
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

bool LiveLink::greet(const std::int64_t* token, std::int64_t ranks, bool is_spawned) {
  outbox_.put(live::ItemKind::kHello, {live::kMagic, token[0], token[1], rank_, ranks,
                                       wants_times_ ? 1 : 0, is_spawned ? 1 : 0});
  send_all();
  while (socket_ >= 0 && !is_welcome_) {
    if (!receive(kPatience_ms)) lose("the timekeeper does not answer");
  }
  rest(0);
  return is_welcome_;
}

// The processor's time -------------------------------------------------------------------------

LiveThread& LiveLink::of(std::uint32_t thread) {
  while (threads_.size() <= thread) threads_.push_back(std::make_unique<LiveThread>());
  return *threads_[thread];
}

// What a thread did before its first call is nobody's, unless it is a further one, which began for
// that.
std::uint64_t LiveLink::collect(std::uint32_t thread, std::uint64_t sleeps) {
  LiveThread& mine = of(thread);
  const std::uint64_t now = thread_cpu_ns();
  const bool is_new = doors_.open && thread != 0 && rested.cpu_ns == 0;
  const std::uint64_t passed = rested.cpu_ns == 0 && !is_new ? 0 : now - rested.cpu_ns;
  const std::uint64_t own = passed > clock_cost_ns_ ? passed - clock_cost_ns_ : 0;
  const bool has_slept = doors_.open && threads_.size() > 1 && (is_new || sleeps != rested.sleeps);
  // Whether it slept first and then computed, or the other way round, is not known. Either way it
  // goes on no sooner than what the others had done until then.
  if (has_slept) {
    const std::uint64_t waited_ns = thread_waited_ns();
    const std::uint64_t awake_ns = own + waited_ns - std::min(rested.waited_ns, waited_ns);
    say_sleep(thread, monotonic_ns() - awake_ns);
  }
  mine.computing_ns += static_cast<std::uint64_t>(std::llround(static_cast<double>(own) * scale_));
  if (has_slept) say_sleep(thread, monotonic_ns());
  if (doors_.open) mine.note_begin();
  if (doors_.open && !std::exchange(mine.is_introduced, true))
    outbox_.put(live::ItemKind::kThread, {thread, static_cast<std::int64_t>(::gettid())});
  rested = {now, sleeps, rested.waited_ns};
  return own;
}

void LiveLink::rest(std::uint32_t thread) {
  LiveThread& mine = of(thread);
  if (doors_.open) mine.note_end();
  begin_rest(static_cast<bool>(doors_.open));
  mine.caller = &rested;
}

std::uint64_t LiveLink::take_computing_ns(std::uint32_t thread) {
  return std::exchange(of(thread).computing_ns, 0);
}

// The thread slept until this moment: whatever it waited for, other threads of its rank did before.
// What they had computed until then, they had in the model, too.
void LiveLink::say_sleep(std::uint32_t thread, std::uint64_t until_ns) {
  std::vector<std::int64_t> words;
  for (std::size_t other = 0; other < threads_.size(); ++other) {
    if (other == thread) continue;
    const auto standing = threads_[other]->standing_at(until_ns);
    if (!standing) continue;
    const double computed_ns = static_cast<double>(standing->computed_ns) * scale_;
    words.insert(words.end(),
                 {static_cast<std::int64_t>(other), static_cast<std::int64_t>(standing->calls),
                  static_cast<std::int64_t>(std::llround(computed_ns))});
  }
  if (words.empty()) return;
  LiveThread& mine = of(thread);
  const std::uint64_t before_ns = take_computing_ns(thread);
  mine.said_computing_ns += before_ns;
  mine.is_behind = true;
  outbox_.put(live::ItemKind::kSlept, {thread, static_cast<std::int64_t>(before_ns)}, words);
}

// What is said ---------------------------------------------------------------------------------

void LiveLink::say_new(const trace::Trace& definitions) {
  std::vector<std::int64_t> words;
  for (; comms_said_ < definitions.comms.size(); ++comms_said_) {
    const trace::CommDefinition& comm = definitions.comms[comms_said_];
    words.clear();
    const auto named = members_.find(comm.slot);
    const bool is_named = named != members_.end();
    put_ranges(words, is_named ? trace::ranges_of(named->second.local) : in_run(comm.members));
    put_ranges(words, is_named ? trace::ranges_of(named->second.remote) : in_run(comm.remote));
    if (is_named && named->second.have_met) { // parents and children know it by nothing else
      words.insert(words.end(), {trace::kNull, 0, 0});
    } else {
      words.insert(words.end(), {comm.origin.parent, comm.origin.tag, comm.origin.ordinal});
    }
    outbox_.put(live::ItemKind::kComm, {comm.slot}, words);
  }
  for (; groups_said_ < definitions.groups.size(); ++groups_said_) {
    const trace::GroupDefinition& group = definitions.groups[groups_said_];
    words.clear();
    const auto named = groups_.find(group.slot);
    put_ranges(words,
               named != groups_.end() ? trace::ranges_of(named->second) : in_run(group.members));
    outbox_.put(live::ItemKind::kGroup, {group.slot}, words);
  }
  for (; datatypes_said_ < definitions.datatypes.size(); ++datatypes_said_) {
    const trace::DatatypeDefinition& type = definitions.datatypes[datatypes_said_];
    outbox_.put(live::ItemKind::kDatatype, {type.slot, type.size_bytes});
  }
}

void LiveLink::say_array(std::uint32_t thread, std::int64_t index,
                         const std::vector<std::int64_t>& values) {
  LiveThread& mine = of(thread);
  if (static_cast<std::size_t>(index) < mine.arrays_said || socket_ < 0) return;
  mine.arrays_said = static_cast<std::size_t>(index) + 1;
  outbox_.put(live::ItemKind::kArray, {thread, index}, values);
}

void LiveLink::say_call(std::uint32_t thread, std::uint64_t computing_ns, const std::int64_t* event,
                        std::size_t size) {
  outbox_.put(live::ItemKind::kCall, {thread, static_cast<std::int64_t>(computing_ns)},
              {event, size});
  LiveThread& mine = of(thread);
  ++mine.calls;
  mine.is_behind = true;
  mine.asked_in_a_row = 0;
  const auto function = static_cast<std::uint16_t>(event[0] & 0xffff);
  if (!is_local_[function] || outbox_.size_bytes() > kMostUnsaid_bytes) send_all();
}

void LiveLink::enter(std::uint32_t thread, std::uint16_t function, const std::int64_t* event,
                     std::size_t size) {
  if (!may_block_[function] || socket_ < 0) return;
  std::vector<std::int64_t> words;
  if (orders_receives_) words = envelope(event, size);
  outbox_.put(live::ItemKind::kEntered, {thread, function}, words);
  send_all();
}

void LiveLink::end_thread(std::uint32_t thread) {
  of(thread).note_begin(); // what it computed is known, and will not be more
  outbox_.put(live::ItemKind::kThreadOver, {thread});
  send_all();
}

void LiveLink::say_bye() {
  outbox_.put(live::ItemKind::kBye, {});
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
  case live::ItemKind::kWelcome:
    if (words.empty()) break;
    scale_ = live::double_of(words[0]);
    orders_receives_ = words.size() > 1 && (words[1] & live::kOrders) != 0;
    says_ahead_ = words.size() > 1 && (words[1] & live::kSaysAhead) != 0;
    if (words.size() > 2) first_rank_ = words[2];
    if (words.size() > 3) parents_.assign(words.begin() + 3, words.end());
    is_welcome_ = true;
    break;
  case live::ItemKind::kTimes:
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      const std::uint64_t start = in_ns(live::double_of(words[i]));
      const std::uint64_t end = in_ns(live::double_of(words[i + 1]));
      of(static_cast<std::uint32_t>(words[0]))
          .times.push_back({start, end > start ? end - start : 0});
    }
    break;
  case live::ItemKind::kNow: {
    if (words.size() < 2) break;
    LiveThread& asker = of(static_cast<std::uint32_t>(words[0]));
    asker.known_end_s = std::max(asker.known_end_s, live::double_of(words[1]));
    asker.has_answer = true;
    break;
  }
  case live::ItemKind::kFrom:
    chosen_.assign(words.begin(), words.end());
    of(0).has_answer = true;
    break;
  case live::ItemKind::kFamily:
    if (words.empty()) break;
    children_.assign(words.begin() + 1, words.end());
    of(static_cast<std::uint32_t>(words[0])).has_answer = true;
    break;
  case live::ItemKind::kLeave:
    if (!words.empty()) of(static_cast<std::uint32_t>(words[0])).has_answer = true;
    break;
  default:
    lose("the timekeeper can not go on with this run");
  }
}

// Said once for all ranks, by the first.
void LiveLink::lose(const char* why) {
  if (socket_ < 0) return;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    threads_[thread]->known_end_s = static_cast<double>(now_ns(thread)) / kNsPerSecond;
  lost_ns_ = monotonic_ns();
  ::close(std::exchange(socket_, -1));
  if (rank_ == 0) std::fprintf(stderr, "rondo: %s: the program goes on in real time\n", why);
}

LiveLink::Times LiveLink::take_times(std::uint32_t thread) {
  std::deque<Times>& times = of(thread).times;
  const Times first = times.front();
  times.pop_front();
  return first;
}

void LiveLink::look_for_times() {
  while (socket_ >= 0 && receive(0)) {
  }
}

void LiveLink::catch_up(std::uint32_t thread) {
  if (!of(thread).is_behind || socket_ < 0) return;
  outbox_.put(live::ItemKind::kAsk, {thread});
  wait_for_answer(thread);
  of(thread).is_behind = false;
}

// MPI must not stand still meanwhile: others may wait for what this rank still has to send. A
// signal that ends the process must not wait either, nor must other threads.
void LiveLink::wait_for_answer(std::uint32_t thread) {
  const NoCancel here;
  LiveThread& asker = of(thread);
  asker.has_answer = false;
  send_all();
  int patience_ms = 1;
  while (socket_ >= 0 && !asker.has_answer) {
    if (receive(doors_.open ? 0 : patience_ms)) continue;
    if (on_thread.waiting_signal != 0) return lose("a signal came");
    const int said_here = socket_;
    if (doors_.open) doors_.open();
    int flag = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    if (doors_.open) {
      pollfd ready{said_here, POLLIN, 0};
      ::poll(&ready, 1, patience_ms);
      doors_.close();
    }
    patience_ms = std::min(2 * patience_ms, 20);
  }
}

std::uint64_t LiveLink::now_ns(std::uint32_t thread) const {
  if (thread >= threads_.size()) return 0;
  const LiveThread& known = *threads_[thread];
  const std::uint64_t end_ns = in_ns(known.known_end_s);
  return end_ns + (socket_ < 0 ? monotonic_ns() - lost_ns_ : known.computing_ns);
}

std::uint64_t LiveLink::ask_ns(std::uint32_t thread, std::uint64_t sleeps) {
  LiveThread& asker = of(thread);
  if (socket_ < 0) return now_ns(thread);
  const bool is_caller =
      asker.caller == &rested; // other threads only ask: their work is not the rank's
  const std::uint64_t computed_ns = is_caller ? collect(thread, sleeps) : 0;
  if (is_caller) asker.cpu_at_begin_ns.reset(); // this is no call
  if (asker.is_behind) {
    catch_up(thread);
    if (is_caller) begin_rest(static_cast<bool>(doors_.open));
  }
  const std::uint64_t real_ns = monotonic_ns();
  if (asker.asks_again(computed_ns)) asker.computing_ns += real_ns - asker.last_asked_ns;
  asker.last_asked_ns = real_ns;
  return now_ns(thread);
}

} // namespace rondo::record
