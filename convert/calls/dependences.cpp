// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/dependences.hpp"

#include "convert/calls/call_messages.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <bit>
#include <string>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

WaitsFor waits_for(const CallCollective& part, std::int64_t rank) {
  switch (trace::collective_kind_of(*part.function).value_or(trace::CollectiveKind::kBarrier)) {
  case trace::CollectiveKind::kBcast:
  case trace::CollectiveKind::kScatter:
  case trace::CollectiveKind::kScatterv:
    return part.root == rank ? WaitsFor::kNobody : WaitsFor::kRoot;
  case trace::CollectiveKind::kGather:
  case trace::CollectiveKind::kGatherv:
  case trace::CollectiveKind::kReduce:
    return part.root == rank ? WaitsFor::kAll : WaitsFor::kNobody;
  case trace::CollectiveKind::kScan:
  case trace::CollectiveKind::kExscan:
    return WaitsFor::kEarlier;
  default:
    return WaitsFor::kAll;
  }
}

tl::unexpected<Error> too_large(const std::string& what, std::uint64_t most) {
  return fail(ErrorCode::kUnsupported,
              "the run has more than " + std::to_string(most) + " " + what);
}

// The sends of a run by the ids of their messages. A flat table, as one that allocates each of 10^6
// entries takes most of the time in all that is done here.
class Senders {
public:
  struct Send {
    std::uint64_t id = 0;
    std::int64_t rank = 0;
    std::uint64_t call = 0;
  };

  void add(const Send& send) { sends_.push_back(send); }
  std::size_t size() const { return sends_.size(); }

  /// Before the first find().
  void index() {
    table_.assign(std::bit_ceil(2 * sends_.size() + 1), kNone);
    for (std::size_t i = 0; i < sends_.size(); ++i)
      table_[place_of(sends_[i].id)] = static_cast<std::uint32_t>(i); // the last of equal ids
  }

  const Send* find(std::uint64_t id) const {
    const std::uint32_t at = table_[place_of(id)];
    return at == kNone ? nullptr : &sends_[at];
  }

private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Where an id is, or would be.
  std::size_t place_of(std::uint64_t id) const {
    std::size_t place = id & (table_.size() - 1); // ids are hashes
    while (table_[place] != kNone && sends_[table_[place]].id != id)
      place = (place + 1) & (table_.size() - 1);
    return place;
  }

  std::vector<Send> sends_;
  std::vector<std::uint32_t> table_; // indices of sends_
};

class DependenceFinder {
public:
  DependenceFinder(const trace::Trace& trace, const DependenceLimits& limits)
      : trace_(trace), limits_(limits), run_(trace) {}

  Result<Dependences> find() {
    found_.ranks.resize(static_cast<std::size_t>(trace_.run.ranks));
    open_.resize(found_.ranks.size());
    for (std::int64_t rank = 0; rank < trace_.run.ranks; ++rank) {
      const trace::RankClass* const stream = trace_.class_of(rank);
      if (stream == nullptr) continue;
      if (const auto read = read_rank(*stream, rank); !read) return propagate(read);
    }
    senders_.index();
    for (std::size_t rank = 0; rank < open_.size(); ++rank) find_senders(rank);
    return std::move(found_);
  }

private:
  Status read_rank(const trace::RankClass& stream, std::int64_t rank) {
    trace::CallReader reader(trace_, stream, rank);
    CallMessages messages(run_, reader, stream.thread);
    RankDependences& mine = found_.ranks[static_cast<std::size_t>(rank)];
    for (std::uint64_t call = 0; const trace::CallInstance* one = reader.next(); ++call) {
      for (const CallMessage& message : messages.of(*one)) {
        if (message.is_sent) {
          senders_.add({message.id, rank, call});
        } else {
          open_[static_cast<std::size_t>(rank)].emplace_back(call, message.id);
        }
      }
      for (const CallCollective& part : messages.collectives()) {
        if (part.comm == trace::Communicators::kSelf || part.comm == trace::Communicators::kUnknown)
          continue;
        mine.parts.push_back({call, part.began, part.comm, waits_for(part, rank), part.root});
        ++parts_;
      }
      if (senders_.size() > limits_.messages) return too_large("messages", limits_.messages);
      if (parts_ > limits_.messages)
        return too_large("parts in collective operations", limits_.messages);
    }
    return {};
  }

  void find_senders(std::size_t rank) {
    for (const auto& [call, id] : open_[rank]) {
      if (const Senders::Send* send = senders_.find(id))
        found_.ranks[rank].receipts.push_back({call, send->rank, send->call});
    }
  }

  const trace::Trace& trace_;
  const DependenceLimits& limits_;
  MessageRun run_;
  Dependences found_;
  Senders senders_;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> open_; // call and id, by rank
  std::uint64_t parts_ = 0;
};

} // namespace
} // namespace internal

Result<Dependences> dependences_of(const trace::Trace& trace, const DependenceLimits& limits) {
  if (trace.run.ranks > limits.ranks)
    return internal::too_large("ranks", static_cast<std::uint64_t>(limits.ranks));
  std::uint64_t calls = 0;
  for (const trace::RankFacts& rank : trace.ranks) calls = trace::saturating_add(calls, rank.calls);
  if (calls > limits.calls) return internal::too_large("calls", limits.calls);
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread != 0)
      return fail(ErrorCode::kUnsupported, "ranks of the run have several threads");
  }
  return internal::DependenceFinder(trace, limits).find();
}

} // namespace rondo::convert
