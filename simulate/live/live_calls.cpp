// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_calls.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::simulate::internal {

namespace live = trace::live;

namespace {

constexpr std::int64_t kMostMembers = std::int64_t{1} << 24;
constexpr std::int64_t kMostThreads = std::int64_t{1} << 24; // that a rank ever had
constexpr std::size_t kMostEnds = 1 << 16; // beyond what may be outstanding

// Ranks are ints in MPI: beyond them, sums could pass the largest number.
bool is_int(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

// Takes ranges from the front of the words; nothing if they are not whole.
std::optional<LiveCommunicators::Members> members_of(std::span<const std::int64_t>& words) {
  if (words.empty()) return std::nullopt;
  const auto count = static_cast<std::uint64_t>(words.front());
  words = words.subspan(1);
  if (count > words.size() / 3) return std::nullopt;
  std::vector<trace::RankRange> ranges;
  std::int64_t members = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ranges.push_back({words[3 * i], words[3 * i + 1], words[3 * i + 2]});
    const trace::RankRange& range = ranges.back();
    if (!is_int(range.start) || !is_int(range.stride)) return std::nullopt;
    if (range.count < 0 || range.count > kMostMembers) return std::nullopt;
    if ((members += range.count) > kMostMembers) return std::nullopt;
  }
  words = words.subspan(3 * count);
  return trace::sequence_of(ranges);
}

std::int64_t key_of(std::int64_t slot, bool is_window) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(slot) << 1 | (is_window ? 1 : 0));
}

// What several threads may call in turn only: an operation of all ranks of a communicator, or of a
// window.
std::optional<std::int64_t> object_of(const trace::Function& function,
                                      std::span<const std::int64_t> words) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  switch (means.act) {
  case trace::Act::kCollective:
  case trace::Act::kMakeComm:
  case trace::Act::kDisconnect:
  case trace::Act::kMakeWindow:
    if (means.comm < 0 || means.is_of_group) return std::nullopt;
    return key_of(trace::word_or(words, means.comm, 0), false);
  case trace::Act::kFence:
  case trace::Act::kFreeWindow:
    return key_of(trace::word_or(words, means.window, 0), true);
  default:
    return std::nullopt;
  }
}

// A persistent one counts once, where it is made.
bool is_unsteered(const trace::Function& function, std::span<const std::int64_t> words) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  return means.receives() && (function.makes_request || means.sends()) &&
         function.name != mpi::Irecv && // it is held, or said to be given up
         trace::word_or(words, means.source, 0) == trace::kAnySource;
}

} // namespace

std::uint32_t LiveCommunicators::id_of(Members members, Members remote, const Origin& origin) {
  if (remote < members) std::swap(members, remote);
  const auto [known, is_new] =
      ids_.try_emplace({std::move(members), std::move(remote), origin}, next_);
  next_ += is_new ? 1 : 0;
  return known->second;
}

LiveCalls::LiveCalls(LiveCommunicators& comms, std::int64_t rank, const LiveWorld& world,
                     bool wants_times)
    : comms_(comms), rank_(rank), wants_times_(wants_times) {
  comm_[trace::kWorldSlot] = {
      {world.id, world.ranks, world.first, nullptr, world.ranks}, rank - world.first, false};
  comm_[trace::kSelfSlot] = {{trace::Communicators::kSelf, 1, rank, nullptr, 1}, 0, false};
  threads_[0] = std::make_unique<LiveThread>(*this);
}

bool LiveCalls::take(const live::Item& item) {
  const auto words = item.words;
  switch (item.kind) {
  case live::ItemKind::kComm:
    return take_comm(words);
  case live::ItemKind::kGroup: {
    if (words.empty()) return false;
    auto rest = words.subspan(1);
    const auto members = members_of(rest);
    if (members) groups_[words[0]].assign(members->begin(), members->end());
    return members.has_value();
  }
  case live::ItemKind::kDatatype:
    if (words.size() != 2) return false;
    type_bytes_[words[0]] = static_cast<std::uint64_t>(std::max<std::int64_t>(words[1], 0));
    return true;
  case live::ItemKind::kArray:
  case live::ItemKind::kCall:
  case live::ItemKind::kSlept:
  case live::ItemKind::kThreadOver: {
    LiveThread* const thread = thread_to_be(words);
    if (thread == nullptr) return false;
    if (item.kind == live::ItemKind::kArray) return thread->take_array(words.subspan(1));
    if (item.kind == live::ItemKind::kCall) return thread->take_call(words.subspan(1));
    if (item.kind == live::ItemKind::kSlept) return thread->take_sleep(words.subspan(1));
    thread->end();
    return true;
  }
  default:
    return false;
  }
}

LiveThread* LiveCalls::thread(std::int64_t number) const {
  const auto found = threads_.find(number);
  return found == threads_.end() ? nullptr : found->second.get();
}

LiveThread* LiveCalls::thread_to_be(std::span<const std::int64_t> words) {
  if (words.empty() || words[0] < 0 || words[0] >= kMostThreads) return nullptr;
  auto& thread = threads_[words[0]];
  if (!thread) thread = std::make_unique<LiveThread>(*this);
  return thread.get();
}

bool LiveCalls::take_comm(std::span<const std::int64_t> words) {
  if (words.empty()) return false;
  const std::int64_t slot = words[0];
  auto rest = words.subspan(1);
  auto members = members_of(rest);
  auto remote = members ? members_of(rest) : std::nullopt;
  if (!remote || rest.size() != 3) return false;
  Comm comm;
  comm.is_inter = !remote->empty();
  comm.rank = std::find(members->begin(), members->end(), rank_) - members->begin();
  comm.view.all = static_cast<std::int64_t>(members->size() + remote->size());
  comm.view.peers =
      std::make_shared<const LiveCommunicators::Members>(comm.is_inter ? *remote : *members);
  comm.view.peer_count = static_cast<std::int64_t>(comm.view.peers->size());
  comm.view.id = comms_.id_of(std::move(*members), std::move(*remote),
                              {this->comm(rest[0]).view.id, rest[1], rest[2]});
  comm_[slot] = comm;
  return true;
}

const LiveCalls::Comm& LiveCalls::comm(std::int64_t slot) const {
  const auto found = comm_.find(slot);
  return found == comm_.end() ? unknown_ : found->second;
}

// What a thread says -----------------------------------------------------------------------------

bool LiveThread::take_array(std::span<const std::int64_t> words) {
  if (words.empty() || words[0] < 0 || static_cast<std::size_t>(words[0]) > current_.size())
    return false;
  current_.resize(static_cast<std::size_t>(words[0]));
  current_.push_back(static_cast<std::int64_t>(arrays_.size()));
  arrays_.emplace_back(words.begin() + 1, words.end());
  return true;
}

bool LiveThread::take_call(std::span<const std::int64_t> words) {
  if (words.size() < 3) return false;
  const trace::Function* function =
      trace::find_function(static_cast<std::uint16_t>(words[1] & 0xffff));
  if (function == nullptr || words.size() != 3 + function->words()) return false;
  if (is_unsteered(*function, words.subspan(3))) rank_.count_unsteered();
  Waiting call{Words(words.begin(), words.end()), std::exchange(sleeps_, {}), {}, 0};
  std::size_t at = 3;
  for (const trace::Field& field : function->fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    if (field.is_array && !trace::is_special(call.words[at])) {
      const auto index = static_cast<std::uint64_t>(call.words[at]);
      if (index >= current_.size()) return false;
      call.words[at] = current_[index];
    }
    at += is_status ? 3 : 1;
  }
  call.object = object_of(*function, words.subspan(3));
  if (call.object) call.turn = rank_.turns().take(*call.object);
  waiting_.push_back(std::move(call));
  return true;
}

bool LiveThread::take_sleep(std::span<const std::int64_t> words) {
  if (words.empty() || (words.size() - 1) % 3 != 0) return false;
  Sleep sleep{static_cast<double>(words[0]) * kSecondsPerNs, {}};
  for (std::size_t i = 1; i < words.size(); i += 3) {
    if (words[i + 1] < 0) return false;
    sleep.behind.push_back({words[i], static_cast<std::uint64_t>(words[i + 1]),
                            static_cast<double>(words[i + 2]) * kSecondsPerNs});
  }
  sleeps_.push_back(std::move(sleep));
  return true;
}

// Its way through virtual time -------------------------------------------------------------------

bool LiveThread::has_ended() const { return has_ended_ || rank_.has_ended(); }

CallSource::Next LiveThread::next() {
  if (waiting_.empty()) return has_ended() ? Next::kEnd : Next::kLater;
  const Waiting& first = waiting_.front();
  if (!is_let_go_) {
    if (first.object && !rank_.turns().has_come(*first.object, first.turn)) return Next::kLater;
    if (!after(first.sleeps, end_s_)) return Next::kLater;
  }
  is_let_go_ = false;
  taken_ = std::move(waiting_.front());
  is_taken_ = true;
  waiting_.pop_front();
  if (taken_.object) rank_.turns().begin(*taken_.object);
  const Words& words = taken_.words;
  slept_computing_s_ = 0;
  for (const Sleep& sleep : taken_.sleeps) slept_computing_s_ += sleep.computing_s;
  computing_s_ = static_cast<double>(words[0]) * kSecondsPerNs + slept_computing_s_;
  call_.function = trace::find_function(static_cast<std::uint16_t>(words[1] & 0xffff));
  call_.error = static_cast<std::uint16_t>(words[1] >> 16 & 0xffff);
  call_.site = static_cast<std::uint32_t>(words[2]);
  call_.symbol = (call_.site * 31 + call_.function->id) % kSymbols;
  call_.words.assign(words.begin() + 3, words.end());
  return Next::kCall;
}

std::optional<double> LiveThread::after(const std::vector<Sleep>& sleeps, double clock) const {
  for (const Sleep& sleep : sleeps) {
    clock += sleep.computing_s;
    for (const Behind& behind : sleep.behind) {
      const LiveThread* const other = rank_.thread(behind.thread);
      if (other == nullptr || other == this) continue;
      const auto end_s = other->end_of_s(behind.calls);
      if (!end_s) return std::nullopt;
      clock = std::max(clock, *end_s + behind.later_s);
    }
  }
  return clock;
}

double LiveThread::held_up_s(double clock) {
  const auto until_s = after(taken_.sleeps, clock);
  return until_s ? std::max(*until_s - clock - slept_computing_s_, 0.0) : 0;
}

std::optional<double> LiveThread::now_s() const {
  if (!waiting_.empty()) return std::nullopt;
  return after(sleeps_, end_s_);
}

std::optional<double> LiveThread::end_of_s(std::uint64_t calls) const {
  if (calls > calls_) return std::nullopt;
  if (calls == 0) return 0;
  const std::uint64_t back = calls_ - calls;
  if (back < ends_s_.size()) return ends_s_[ends_s_.size() - 1 - back];
  return ends_s_.front();
}

bool LiveThread::let_go() {
  const bool is_held = !waiting_.empty() && !is_let_go_;
  is_let_go_ = is_let_go_ || is_held;
  return is_held;
}

void LiveThread::ended(double start, double end) {
  end_s_ = end;
  is_taken_ = false;
  note_started(end);
  ++calls_;
  ends_s_.push_back(end);
  if (ends_s_.size() > kMostEnds) ends_s_.pop_front();
  if (!rank_.wants_times()) return;
  times_.push_back(live::word_of(start));
  times_.push_back(live::word_of(end));
}

// Processes are there when the call that starts them is over where its root is.
void LiveThread::note_started(double end) {
  const trace::CallMeaning& means = trace::meaning_of(*call_.function);
  if (means.act != trace::Act::kProcess || means.comm < 0 || call_.error != 0) return;
  const std::int64_t root = trace::word_or(call_.words, means.root, 0);
  if (root != rank_in(trace::word_or(call_.words, means.comm, trace::kWorldSlot))) return;
  const std::int64_t made = trace::word_or(call_.words, means.new_comm, trace::kNull);
  const std::int64_t first = comm(made).world_rank(0);
  if (first >= 0) rank_.add_started({first, end});
}

// What words of calls stand for ------------------------------------------------------------------

std::span<const std::int64_t> LiveThread::array(std::int64_t index) const {
  if (trace::is_special(index) || static_cast<std::uint64_t>(index) >= arrays_.size()) return {};
  return arrays_[static_cast<std::size_t>(index)];
}

const trace::Communicators::View& LiveThread::comm(std::int64_t slot) const {
  return rank_.comm(slot).view;
}

std::int64_t LiveThread::rank_in(std::int64_t comm) const { return rank_.comm(comm).rank; }

bool LiveThread::is_inter(std::int64_t comm) const { return rank_.comm(comm).is_inter; }

std::optional<std::uint64_t> LiveThread::type_bytes(std::int64_t type) const {
  const auto found = rank_.type_bytes().find(type);
  if (found == rank_.type_bytes().end()) return std::nullopt;
  return found->second;
}

std::vector<std::int32_t> LiveThread::group(std::int64_t slot) const {
  const auto found = rank_.groups().find(slot);
  return found == rank_.groups().end() ? std::vector<std::int32_t>{} : found->second;
}

std::string LiveThread::text() const {
  return call_.function == nullptr ? "before its first call" : std::string(call_.function->name);
}

} // namespace rondo::simulate::internal
