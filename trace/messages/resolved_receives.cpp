// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/resolved_receives.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <unordered_set>

namespace rondo::trace {
namespace {

std::unordered_set<std::int64_t> values_of(const Column& column) {
  std::unordered_set<std::int64_t> values;
  if (column.kind() == Column::Kind::kRuns) {
    for (const Run& run : column.runs()) values.insert(run.value);
    return values;
  }
  ColumnReader reader(column);
  while (const auto next = reader.next()) values.insert(*next);
  return values;
}

bool is_special_for_any(const RankClass& c, const Word& word, std::int64_t special) {
  if (word.form == Word::Form::kConstant) return word.value == special;
  if (word.form != Word::Form::kByRank) return false; // a rank of the communicator
  const std::vector<std::int64_t> ranks = c.ranks.ranks();
  return std::any_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
    return value_of_word(*c.program, word, rank, {rank, 1, nullptr}) == special;
  });
}

// Matching costs more than playing, so a word that merely varies is looked into.
bool may_be_wild(const RankClass& c, const Call& call, int index, std::int64_t special) {
  if (index < 0) return false;
  const Word& word = call.words[static_cast<std::size_t>(index)];
  if (!is_column(word)) return is_special_for_any(c, word, special);
  const auto values = values_of(c.program->columns[static_cast<std::size_t>(word.value)]);
  return std::any_of(values.begin(), values.end(), [&](std::int64_t value) {
    return is_special_for_any(c, word_at(word, value), special);
  });
}

bool may_be_wild(const RankClass& c, const Call& call) {
  const CallMeaning& means = meaning_of(*find_function(call.function));
  return means.receives() && (may_be_wild(c, call, means.source, kAnySource) ||
                              may_be_wild(c, call, means.receive_tag, kAnyTag));
}

} // namespace

ResolvedReceives::ResolvedReceives(const Trace& trace)
    : may_cancel_(static_cast<std::size_t>(trace.run.ranks)) {
  bool is_needed = false;
  for (const RankClass& c : trace.classes) {
    for (const Call& call : c.program->calls) {
      const bool cancels = meaning_of(*find_function(call.function)).act == Act::kCancel;
      is_needed = is_needed || cancels || may_be_wild(c, call);
      if (!cancels) continue;
      for (const std::int64_t rank : c.ranks.ranks())
        may_cancel_[static_cast<std::size_t>(rank)] = true;
    }
  }
  if (is_needed) find(trace);
}

void ResolvedReceives::find(const Trace& trace) {
  // By class: which calls post receives that will ask. Starts may mean any request.
  std::vector<std::vector<bool>> asking(trace.classes.size());
  std::vector<const std::vector<bool>*> of_rank(may_cancel_.size()); // of each first thread
  for (const RankClass& c : trace.classes) {
    std::vector<bool>& asks = asking[static_cast<std::size_t>(&c - trace.classes.data())];
    for (const std::int64_t rank : c.ranks.ranks()) {
      if (c.thread == 0) of_rank[static_cast<std::size_t>(rank)] = &asks;
    }
    for (const Call& call : c.program->calls) {
      const Act act = meaning_of(*find_function(call.function)).act;
      asks.push_back(may_be_wild(c, call) || act == Act::kStart ||
                     may_cancel_[static_cast<std::size_t>(c.ranks.front())]);
    }
  }
  MatchVisitor visitor;
  visitor.message = [&](const Message& message) {
    const MessageEnd& end = message.receive;
    const std::vector<bool>* asks = of_rank[static_cast<std::size_t>(end.rank)];
    if (end.thread != 0)
      asks = &asking[static_cast<std::size_t>(trace.class_of(end.rank, end.thread) -
                                              trace.classes.data())];
    if (!(*asks)[end.symbol]) return;
    by_stream_[{end.rank, end.thread}].push_back({end.call, {message.send.rank, message.tag}});
  };
  const MatchSummary summary = match_messages(trace, visitor);
  for (auto& [stream, found] : by_stream_) { // messages are met as they match
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.call < b.call; });
  }
  if (summary.inferred > 0) {
    const bool is_one = summary.inferred == 1;
    remarks_.push_back(std::to_string(summary.inferred) +
                       (is_one
                            ? " receive from any source does not say whom it heard from: it takes"
                            : " receives from any source do not say whom they heard from: each "
                              "takes") +
                       " the oldest message that no other must have");
  }
}

EnvelopeReader::EnvelopeReader(const ResolvedReceives& receives, std::int64_t rank,
                               std::uint32_t thread) {
  const auto found = receives.by_stream_.find({rank, thread});
  if (found != receives.by_stream_.end()) left_ = found->second;
}

std::optional<Envelope> EnvelopeReader::take(std::uint64_t call) {
  while (!left_.empty() && left_.front().call < call) left_ = left_.subspan(1);
  if (left_.empty() || left_.front().call != call) return std::nullopt;
  const Envelope envelope = left_.front().envelope;
  left_ = left_.subspan(1);
  return envelope;
}

std::uint64_t EnvelopeReader::repeats(std::uint64_t from, std::uint64_t calls,
                                      std::uint64_t most) const {
  const auto first_at = [&](std::uint64_t call) {
    return std::partition_point(left_.begin(), left_.end(),
                                [call](const auto& found) { return found.call < call; });
  };
  const auto begin = first_at(from);
  const auto one = std::span(begin, first_at(from + calls));
  auto next = begin + static_cast<std::ptrdiff_t>(one.size());
  if (one.empty())
    return next == left_.end()
               ? most
               : std::min(most, (next->call - from) / std::max(calls, std::uint64_t{1}));
  for (std::uint64_t times = 1; times < most; ++times) {
    for (const ResolvedReceives::Found& found : one) {
      if (next == left_.end() || next->call != found.call + times * calls ||
          next->envelope.source != found.envelope.source ||
          next->envelope.tag != found.envelope.tag)
        return times;
      ++next;
    }
    if (next != left_.end() && next->call < from + (times + 1) * calls) return times;
  }
  return most;
}

} // namespace rondo::trace
