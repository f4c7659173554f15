// SPDX-License-Identifier: Apache-2.0
// What the ranks of a live run and the timekeeper say to each other, over a socket in each
// direction: items of 64-bit words in the machine's own byte order, a head first. A rank says its
// calls as the recorder has them, after the definitions of what they name; the timekeeper answers
// with virtual times.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::trace::live {

enum class ItemKind : std::uint8_t {
  // A rank's
  kHello = 1, // kMagic, token (two words), rank, ranks, whether it wants the times of its calls,
  // whether its processes were spawned: then MPI_COMM_WORLD is not that of the run's first ranks
  kComm, // slot, ranges of members, then of the remote group: start, stride, count each; parent,
  // tag and ordinal as in CommOrigin. Ranks here are those of the run, see kWelcome
  kGroup, // slot, ranges
  kDatatype, // slot, bytes
  kArray, // thread, index, values; 0 is empty and not said; 1 again: those before are forgotten
  kCall, // thread, computing before it in ns, header, site, words
  kEntered, // thread, function; communicator, source and tag if it receives or probes: may wait
  kAsk, // thread: wants to know the time at the end of its last call
  kBye, // all calls were said
  kWhich, // 0, or how many tests in a row have found nothing; computing before it in ns; for each
  // receive that is to take a message: how many are held before it, or -1 of the call itself,
  // communicator, source, tag. Waits to be told which takes what; a test, also if there is nothing
  kReturned, // thread: from a call that was said before it was made
  kSlept, // thread, computing before it in ns; then of other threads of the rank: number, calls,
  // ns behind the last of these. The thread goes on no sooner
  kThreadOver, // thread: makes no more calls
  kSpawns, // thread, communicator: waits for leave to start processes, as its root
  kNoSpawn, // it came to nothing
  kChildren, // thread, communicator: wants to know the ranks of those that were started
  kGivenUp, // number: so many receives that were held take what MPI gives them
  kThread, // thread, the system's number of it; where several threads call MPI
  // The timekeeper's
  kWelcome, // scale of computation, a double; kOrders and kSaysAhead; of processes that were
  // spawned: the first of them among the run's ranks, and their parents
  kTimes, // thread; start and end of its next calls in seconds, doubles
  kNow, // the answer to kAsk: thread; seconds, a double
  kFrom, // the answer to kWhich: which receive, source and tag; only -1: nothing has come yet; or
  // nothing: MPI is to choose
  kLeave, // the answer to kSpawns: thread
  kFamily, // the answer to kChildren: thread; ranks of the run, or nothing if they did not come
  kRefused, // no more answers: the run goes on in real time
};

constexpr std::int64_t kMagic = 0x6f646e6f52'07; // with the version of what is said
/// Receives ask which message they are to take.
constexpr std::int64_t kOrders = 1;
/// Sends and collective operations that may wait are said before they are made.
constexpr std::int64_t kSaysAhead = 2;
/// The name of the environment variable that ranks find the timekeeper by:
/// TOKEN@NAME,HOST:PORT with 32 hexadecimal digits, an abstract Unix socket, and a TCP one.
constexpr const char* kAddressVariable = "RONDO_LIVE";

/// What a rank says before it is answered.
constexpr std::size_t kHelloBytes = 8 * sizeof(std::int64_t);

constexpr std::int64_t head_of(ItemKind kind, std::size_t words) {
  return static_cast<std::int64_t>(words << 8 | static_cast<std::size_t>(kind));
}

inline std::int64_t word_of(double value) {
  std::int64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}
inline double double_of(std::int64_t word) {
  double value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// Items on their way out.
class Outbox {
public:
  void put(ItemKind kind, std::initializer_list<std::int64_t> words,
           std::span<const std::int64_t> more = {}) {
    words_.push_back(head_of(kind, words.size() + more.size()));
    words_.insert(words_.end(), words.begin(), words.end());
    words_.insert(words_.end(), more.begin(), more.end());
  }
  bool empty() const { return words_.empty(); }
  std::size_t size_bytes() const { return words_.size() * sizeof(std::int64_t); }
  const char* data() const { return reinterpret_cast<const char*>(words_.data()); }
  void clear() { words_.clear(); }

private:
  std::vector<std::int64_t> words_;
};

struct Item {
  ItemKind kind;
  std::span<const std::int64_t> words; // until the next change of the inbox
};

/// The thread of a rank that an item speaks of; 0 of those that name none.
inline std::int64_t thread_of(const Item& item) {
  switch (item.kind) {
  case ItemKind::kArray:
  case ItemKind::kCall:
  case ItemKind::kEntered:
  case ItemKind::kAsk:
  case ItemKind::kReturned:
  case ItemKind::kSlept:
  case ItemKind::kThreadOver:
  case ItemKind::kSpawns:
  case ItemKind::kChildren:
  case ItemKind::kThread:
    return item.words.empty() ? 0 : item.words[0];
  default:
    return 0;
  }
}

/// Bytes as they come in, taken out item by item.
class Inbox {
public:
  void append(const char* bytes, std::size_t size) {
    if (at_ == buffer_.size()) {
      buffer_.clear();
      at_ = 0;
    } else if (at_ > kCompacted) {
      buffer_.erase(0, at_);
      at_ = 0;
    }
    buffer_.append(bytes, size);
  }
  std::size_t size_bytes() const { return buffer_.size() - at_; }
  std::optional<Item> next() {
    const std::size_t left = buffer_.size() - at_;
    std::int64_t head = 0;
    if (left < sizeof head) return std::nullopt;
    std::memcpy(&head, buffer_.data() + at_, sizeof head);
    const auto count = static_cast<std::size_t>(static_cast<std::uint64_t>(head) >> 8);
    if ((left - sizeof head) / sizeof head < count) return std::nullopt;
    words_.resize(count);
    if (count > 0)
      std::memcpy(words_.data(), buffer_.data() + at_ + sizeof head, count * sizeof head);
    at_ += (count + 1) * sizeof head;
    return Item{static_cast<ItemKind>(head & 0xff), words_};
  }

private:
  static constexpr std::size_t kCompacted = 1 << 16;
  std::string buffer_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> words_;
};

} // namespace rondo::trace::live
