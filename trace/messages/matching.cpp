// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/matching.hpp"

#include "trace/messages/channels.hpp"
#include "trace/messages/unmatched_text.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace rondo::trace {
namespace {

using namespace internal;

/// An operation that some ranks have come to and others not yet.
struct OpenOperation {
  std::uint16_t function = 0;
  bool agrees = true;
  std::vector<MessageEnd> ends;
};

/// The operations of one communicator, or of one persistent collective request on it.
struct CollectiveLine {
  std::int64_t all = 0;
  std::uint64_t first = 0; // number of operations.front()
  std::deque<OpenOperation> operations;
  std::unordered_map<std::int64_t, std::uint64_t> next; // by rank: the operation it comes to next
  std::vector<std::size_t> paused;
};

bool may_cancel(const Program& program) {
  return std::any_of(program.calls.begin(), program.calls.end(), [](const Call& call) {
    return meaning_of(*find_function(call.function)).act == Act::kCancel;
  });
}

/// The ranks that one of several readers goes through.
struct Share {
  std::int64_t mine = 0;
  std::int64_t of = 1;
  bool has(std::int64_t rank) const { return rank % of == mine; }
};

/// Counts what is posted on each channel, so that receives of unknown source leave to the others
/// what only those can take.
class SurplusCounter final : public PostSink {
public:
  explicit SurplusCounter(Channels& channels) : channels_(&channels) {}
  std::uint32_t channel_of(std::uint32_t comm, std::int64_t source, std::int64_t destination,
                           std::int64_t tag, std::uint32_t line) override {
    return channels_->find_or_add(comm, source, destination, tag, line);
  }
  void post(const Posted& posted) override {
    (*channels_)[posted.channel].surplus += posted.is_send ? 1 : -1;
  }
  bool take_unknown(const Posted& /*posted*/) override { return true; }
  void collective(std::uint32_t, std::uint32_t, std::int64_t, std::uint16_t,
                  const MessageEnd&) override {}

private:
  Channels* channels_;
};

/// Reads all streams side by side. A stream that is far ahead of its partners on some channel is
/// paused until they catch up; if all are paused, they may go further ahead. So memory stays small
/// wherever messages match, whatever is not matched.
class Matcher final : public PostSink {
public:
  Matcher(const Trace& trace, const MatchVisitor& visitor, const MatchOptions& options)
      : trace_(trace), visitor_(visitor), options_(options), comms_(trace) {}

  MatchSummary run() {
    for (const RankClass& c : trace_.classes)
      summary_.has_threads = summary_.has_threads || c.thread > 0;
    open_streams(*this, open_, streams_);
    is_paused_.assign(streams_.size(), false);
    is_ready_.assign(streams_.size(), false);
    streams_of_.assign(open_.size(), {});
    for (const auto& stream : streams_)
      streams_of_[static_cast<std::size_t>(stream->rank())].push_back(stream.get());
    for (std::size_t i = streams_.size(); i > 0; --i) make_ready(i - 1);
    while (!ready_.empty()) {
      const std::size_t stream = ready_.back();
      ready_.pop_back();
      is_ready_[stream] = is_paused_[stream] = false;
      run_stream(stream);
      if (ready_.empty()) let_go_further();
    }
    current_ = kNoStream;
    for (auto& stream : streams_) stream->close();
    list_unmatched();
    return std::move(summary_);
  }

  std::uint32_t channel_of(std::uint32_t comm, std::int64_t source, std::int64_t destination,
                           std::int64_t tag, std::uint32_t line) override {
    return channels_.find_or_add(comm, source, destination, tag, line);
  }

  void post(const Posted& posted) override {
    Channel& channel = channels_[posted.channel];
    if (!channel.waiting.empty() && channel.sends_wait != posted.is_send) {
      match(channel, posted, false);
      return;
    }
    channel.sends_wait = posted.is_send;
    channel.waiting.push(
        {posted.end.call, posted.bytes, arrivals_++, posted.end.thread, posted.end.symbol});
    if (channel.waiting.size() > most_ahead_) pause(channel.paused);
    if (posted.is_send && !waiters_.empty()) wake_waiters(channel);
  }

  bool take_unknown(const Posted& posted) override {
    if (!std::exchange(has_surplus_, true)) count_surplus();
    const std::int64_t own = posted.end.rank;
    Channel* oldest = nullptr;
    for (const std::uint32_t index : channels_.towards(posted.comm, own)) {
      Channel& channel = channels_[index];
      const bool fits = (posted.peer == kAnySource || posted.peer == channel.source) &&
                        (posted.tag == kAnyTag || posted.tag == channel.tag) &&
                        channel.surplus > 0 && channel.sends_wait && !channel.waiting.empty();
      if (fits &&
          (oldest == nullptr || channel.waiting.front().arrival < oldest->waiting.front().arrival))
        oldest = &channel;
    }
    if (oldest == nullptr) {
      waiters_.emplace(posted.comm, own);
      return false;
    }
    --oldest->surplus;
    match(*oldest, posted, true);
    return true;
  }

  void collective(std::uint32_t comm, std::uint32_t line_number, std::int64_t all,
                  std::uint16_t function, const MessageEnd& end) override {
    const std::uint64_t rank =
        comm == Communicators::kSelf ? static_cast<std::uint64_t>(end.rank) : 0;
    CollectiveLine& line = lines_[{comm, line_number, rank}];
    line.all = all;
    const std::uint64_t number = line.next[end.rank]++;
    if (number < line.first) return; // by a rank that is not said to be a member
    const std::size_t index = static_cast<std::size_t>(number - line.first);
    if (index >= line.operations.size()) line.operations.resize(index + 1);
    OpenOperation& operation = line.operations[index];
    if (operation.ends.empty()) operation.function = function;
    operation.agrees = operation.agrees && operation.function == function;
    operation.ends.push_back(end);
    if (index > most_ahead_) pause(line.paused);
    if (static_cast<std::int64_t>(operation.ends.size()) < all) return;
    finish(comm, operation);
    while (!line.operations.empty() && line.operations.front().ends.empty()) {
      line.operations.pop_front();
      ++line.first;
    }
    if (line.operations.size() <= most_ahead_ / 2) wake(line.paused);
  }

private:
  static constexpr std::size_t kFirstMostAhead = 64;
  static constexpr std::size_t kNoStream = ~std::size_t{0};
  using LineKey = std::array<std::uint64_t, 3>;

  using Streams = std::vector<std::unique_ptr<PostedCalls>>;

  /// @param open   requests by rank; the streams refer to them
  void open_streams(PostSink& sink, std::deque<OpenRequests>& open, Streams& streams,
                    const Share& share = {}) const {
    open.resize(static_cast<std::size_t>(std::max<std::int64_t>(trace_.run.ranks, 0)));
    for (const RankClass& c : trace_.classes) {
      if (!summary_.has_threads || !may_cancel(*c.program)) continue;
      for (const std::int64_t rank : c.ranks.ranks()) {
        if (rank >= 0 && rank < trace_.run.ranks && share.has(rank))
          foresee_cancels(trace_, c, rank, open[static_cast<std::size_t>(rank)]);
      }
    }
    for (const RankClass& c : trace_.classes) {
      for (const std::int64_t rank : c.ranks.ranks()) {
        if (rank < 0 || rank >= trace_.run.ranks || !share.has(rank)) continue;
        streams.push_back(std::make_unique<PostedCalls>(
            trace_, c, rank, comms_, open[static_cast<std::size_t>(rank)], sink));
      }
    }
  }

  // Goes through all streams once more, so it waits until some receive asks for it. Ranks count
  // each for itself, so two halves of them go side by side.
  void count_surplus() {
    auto others = std::async(std::launch::async, [this] { return channels_of({1, 2}); });
    Channels mine = channels_of({0, 2});
    Channels theirs = others.get();
    for (Channels* half : {&mine, &theirs}) {
      for (const Channel& c : half->all())
        channels_[channels_.find_or_add(c.comm, c.source, c.destination, c.tag, c.line)].surplus +=
            c.surplus;
    }
  }

  Channels channels_of(const Share& share) const {
    Channels channels;
    SurplusCounter counter(channels);
    std::deque<OpenRequests> open;
    Streams streams;
    open_streams(counter, open, streams, share);
    for (auto& stream : streams) {
      while (stream->step()) continue;
    }
    for (auto& stream : streams) stream->close();
    return channels;
  }

  void run_stream(std::size_t stream) {
    current_ = stream;
    while (!is_paused_[stream]) {
      if (!streams_[stream]->step()) return;
    }
  }

  void pause(std::vector<std::size_t>& list) {
    if (current_ == kNoStream || is_paused_[current_]) return;
    is_paused_[current_] = true;
    list.push_back(current_);
  }

  void wake(std::vector<std::size_t>& list) {
    for (const std::size_t stream : list) {
      if (stream == current_) {
        is_paused_[stream] = false;
      } else if (is_paused_[stream]) {
        make_ready(stream);
      }
    }
    list.clear();
  }

  void make_ready(std::size_t stream) {
    if (is_ready_[stream]) return;
    is_ready_[stream] = true;
    ready_.push_back(stream);
  }

  // Nobody can go on: what the paused streams are ahead by will perhaps never be matched.
  void let_go_further() {
    most_ahead_ *= 2;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (is_paused_[i]) make_ready(i);
    }
  }

  void match(Channel& channel, const Posted& posted, bool is_inferred) {
    const WaitingEnd& other = channel.waiting.front();
    const std::int64_t other_rank = posted.is_send ? channel.destination : channel.source;
    const MessageEnd end{other_rank, other.call, other.thread, other.symbol};
    Message message;
    message.send = posted.is_send ? posted.end : end;
    message.receive = posted.is_send ? end : posted.end;
    message.comm = channel.comm;
    message.tag = channel.tag;
    message.bytes = posted.is_send ? posted.bytes : other.bytes;
    message.is_inferred = is_inferred;
    ++summary_.messages;
    summary_.bytes += message.bytes;
    summary_.inferred += is_inferred ? 1 : 0;
    channel.waiting.pop();
    if (!channel.paused.empty() && channel.waiting.size() <= most_ahead_ / 2) wake(channel.paused);
    if (visitor_.message) visitor_.message(message);
  }

  void finish(std::uint32_t comm, OpenOperation& operation) {
    ++summary_.collectives;
    summary_.disagreeing_collectives += operation.agrees ? 0 : 1;
    if (visitor_.collective)
      visitor_.collective({comm, operation.function, operation.agrees, operation.ends});
    if (!operation.agrees) keep(UnmatchedKind::kCollective, operation.ends.front());
    operation.ends.clear();
  }

  // A send may be what a receive of unknown source has been waiting for.
  void wake_waiters(const Channel& channel) {
    if (waiters_.erase({channel.comm, channel.destination}) == 0) return;
    const auto rank = static_cast<std::size_t>(channel.destination); // channels may move
    for (PostedCalls* stream : streams_of_[rank]) stream->drain_all();
  }

  void keep(UnmatchedKind kind, const MessageEnd& end) { unmatched_.push_back({kind, end, ""}); }

  void list_unmatched() {
    for (const auto& stream : streams_) {
      summary_.cancelled += stream->losses().cancelled;
      summary_.unknown_peers += stream->losses().unknown_peers;
      summary_.unknown_requests += stream->losses().unknown_requests;
      stream->for_each_held([&](const Posted& posted) {
        ++summary_.unmatched_receives;
        keep(UnmatchedKind::kReceive, posted.end);
      });
    }
    for (const Channel& channel : channels_.all()) {
      (channel.sends_wait ? summary_.unmatched_sends : summary_.unmatched_receives) +=
          channel.waiting.size();
      const std::int64_t rank = channel.sends_wait ? channel.source : channel.destination;
      for (const WaitingEnd& end : channel.waiting)
        keep(channel.sends_wait ? UnmatchedKind::kSend : UnmatchedKind::kReceive,
             {rank, end.call, end.thread, end.symbol});
    }
    for (const auto& [key, line] : lines_) {
      for (const OpenOperation& operation : line.operations) {
        if (operation.ends.empty()) continue;
        ++summary_.unmatched_collectives;
        keep(UnmatchedKind::kCollective, operation.ends.front());
      }
    }
    summary_.unmatched = first_with_text(trace_, std::move(unmatched_), options_.most_listed);
  }

  const Trace& trace_;
  const MatchVisitor& visitor_;
  const MatchOptions& options_;
  Communicators comms_;
  Channels channels_;
  std::map<LineKey, CollectiveLine> lines_;
  std::deque<OpenRequests> open_; // by rank
  Streams streams_;
  std::vector<bool> is_paused_;
  std::vector<bool> is_ready_;
  std::vector<std::size_t> ready_;
  std::size_t current_ = 0;
  std::size_t most_ahead_ = kFirstMostAhead;
  std::uint64_t arrivals_ = 0;
  bool has_surplus_ = false; // the channels' are counted
  std::vector<std::vector<PostedCalls*>> streams_of_; // by rank
  std::set<std::pair<std::uint32_t, std::int64_t>> waiters_; // (communicator, destination)
  std::vector<Unmatched> unmatched_;
  MatchSummary summary_;
};

} // namespace

MatchSummary match_messages(const Trace& trace, const MatchVisitor& visitor,
                            const MatchOptions& options) {
  return Matcher(trace, visitor, options).run();
}

} // namespace rondo::trace
