// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_calls.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace rondo::simulate::internal {

namespace live = trace::live;

namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr std::int64_t kMostMembers = std::int64_t{1} << 24;

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

// A persistent one counts once, where it is made.
bool is_unsteered(const trace::Function& function, std::span<const std::int64_t> words) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  return means.receives() && (function.makes_request || means.sends()) &&
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

LiveCalls::LiveCalls(LiveCommunicators& comms, std::int64_t rank, std::int64_t ranks,
                     bool wants_times)
    : comms_(comms), rank_(rank), wants_times_(wants_times) {
  comm_[trace::kWorldSlot] = {
      {trace::Communicators::kWorld, ranks, 0, nullptr, ranks}, rank, false};
  comm_[trace::kSelfSlot] = {{trace::Communicators::kSelf, 1, rank, nullptr, 1}, 0, false};
}

bool LiveCalls::take(const live::Item& item) {
  const auto words = item.words;
  switch (item.kind) {
  case live::Kind::kComm:
    return take_comm(words);
  case live::Kind::kGroup: {
    if (words.empty()) return false;
    auto rest = words.subspan(1);
    const auto members = members_of(rest);
    if (members) groups_[words[0]].assign(members->begin(), members->end());
    return members.has_value();
  }
  case live::Kind::kDatatype:
    if (words.size() != 2) return false;
    type_bytes_[words[0]] = static_cast<std::uint64_t>(std::max<std::int64_t>(words[1], 0));
    return true;
  case live::Kind::kArray:
    if (words.empty() || words[0] < 0 || static_cast<std::size_t>(words[0]) > current_.size())
      return false;
    current_.resize(static_cast<std::size_t>(words[0]));
    current_.push_back(static_cast<std::int64_t>(arrays_.size()));
    arrays_.emplace_back(words.begin() + 1, words.end());
    return true;
  case live::Kind::kCall:
    return take_call(words);
  default:
    return false;
  }
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
                              {this->comm(rest[0]).id, rest[1], rest[2]});
  comm_[slot] = comm;
  return true;
}

bool LiveCalls::take_call(std::span<const std::int64_t> words) {
  if (words.size() < 4) return false;
  const trace::Function* function =
      trace::find_function(static_cast<std::uint16_t>(words[2] & 0xffff));
  if (function == nullptr || words.size() != 4 + function->words()) return false;
  if (words[0] != 0) { // of another thread: nobody plays it
    ++other_threads_;
    return true;
  }
  if (is_unsteered(*function, words.subspan(4))) ++unsteered_receives_;
  Words call(words.begin() + 1, words.end());
  std::size_t at = 3;
  for (const trace::Field& field : function->fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    if (field.is_array && !trace::is_special(call[at])) {
      const auto index = static_cast<std::uint64_t>(call[at]);
      if (index >= current_.size()) return false;
      call[at] = current_[index];
    }
    at += is_status ? 3 : 1;
  }
  waiting_.push(std::move(call));
  return true;
}

CallSource::Next LiveCalls::next() {
  if (waiting_.empty()) return has_ended_ ? Next::kEnd : Next::kLater;
  const Words words = waiting_.pop();
  computing_s_ = static_cast<double>(words[0]) * kSecondsPerNs;
  call_.function = trace::find_function(static_cast<std::uint16_t>(words[1] & 0xffff));
  call_.error = static_cast<std::uint16_t>(words[1] >> 16 & 0xffff);
  call_.site = static_cast<std::uint32_t>(words[2]);
  call_.symbol = (call_.site * 31 + call_.function->id) % kSymbols;
  call_.words.assign(words.begin() + 3, words.end());
  return Next::kCall;
}

void LiveCalls::ended(double start, double end) {
  end_s_ = end;
  if (!wants_times_) return;
  times_.push_back(live::word_of(start));
  times_.push_back(live::word_of(end));
}

std::span<const std::int64_t> LiveCalls::array(std::int64_t index) const {
  if (trace::is_special(index) || static_cast<std::uint64_t>(index) >= arrays_.size()) return {};
  return arrays_[static_cast<std::size_t>(index)];
}

const trace::Communicators::View& LiveCalls::comm(std::int64_t slot) const {
  const auto found = comm_.find(slot);
  return found == comm_.end() ? unknown_.view : found->second.view;
}

std::int64_t LiveCalls::rank_in(std::int64_t comm) const {
  const auto found = comm_.find(comm);
  return found == comm_.end() ? 0 : found->second.rank;
}

bool LiveCalls::is_inter(std::int64_t comm) const {
  const auto found = comm_.find(comm);
  return found != comm_.end() && found->second.is_inter;
}

std::optional<std::uint64_t> LiveCalls::type_bytes(std::int64_t type) const {
  const auto found = type_bytes_.find(type);
  if (found == type_bytes_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::int32_t> LiveCalls::group(std::int64_t slot) const {
  const auto found = groups_.find(slot);
  return found == groups_.end() ? std::vector<std::int32_t>{} : found->second;
}

std::string LiveCalls::text() const {
  return call_.function == nullptr ? "before its first call" : std::string(call_.function->name);
}

} // namespace rondo::simulate::internal
