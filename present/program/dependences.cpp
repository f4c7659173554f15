// SPDX-License-Identifier: Apache-2.0
#include "present/program/dependences.hpp"

#include "present/program/folded_program.hpp"
#include "rondo/convert/dependences.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using nlohmann::json;

// The calls that send on each channel what is received there, ascending.
class Channels {
public:
  explicit Channels(const convert::Dependences& found) {
    for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
      for (const convert::Receipt& one : found.ranks[rank].receipts)
        sends_.push_back({one.sender, static_cast<std::int64_t>(rank), one.sent});
    }
    std::sort(sends_.begin(), sends_.end());
  }

  struct Send {
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    std::uint64_t call = 0;
    auto operator<=>(const Send&) const = default;
  };

  std::span<const Send> of_sender(std::int64_t rank) const {
    return between({rank, -1, 0}, {rank + 1, -1, 0});
  }
  std::span<const Send> of(std::int64_t sender, std::int64_t receiver) const {
    return between({sender, receiver, 0}, {sender, receiver + 1, 0});
  }

private:
  std::span<const Send> between(const Send& first, const Send& behind) const {
    const auto from = std::lower_bound(sends_.begin(), sends_.end(), first);
    return {from, std::lower_bound(from, sends_.end(), behind)};
  }

  std::vector<Send> sends_;
};

json sends_json(const Channels& channels, std::int64_t rank) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> sends; // call, receiver
  for (const Channels::Send& one : channels.of_sender(rank))
    sends.emplace_back(one.call, one.receiver);
  std::sort(sends.begin(), sends.end());
  fold::ColumnBuilder calls, receivers;
  for (const auto& [call, receiver] : sends) {
    calls.push(static_cast<std::int64_t>(call));
    receivers.push(receiver - rank);
  }
  return {{"call", column_json(calls.finish())}, {"receiver", column_json(receivers.finish())}};
}

// Which message of its channel a receipt is, is nearly always the next one: so nothing of it is
// written but zeros. The sender's calls would differ by something else each time.
json receipts_json(const Channels& channels, const std::vector<convert::Receipt>& receipts,
                   std::int64_t rank) {
  struct Channel {
    std::span<const Channels::Send> sends;
    std::int64_t next = 0; // that is expected
  };
  fold::ColumnBuilder calls, senders, skipped;
  std::map<std::int64_t, Channel> of_senders;
  for (const convert::Receipt& one : receipts) {
    const auto [known, is_new] = of_senders.try_emplace(one.sender);
    auto& [sends, next] = known->second;
    if (is_new) sends = channels.of(one.sender, rank);
    std::int64_t index = next;
    if (static_cast<std::size_t>(index) >= sends.size() ||
        sends[static_cast<std::size_t>(index)].call != one.sent)
      index =
          std::lower_bound(sends.begin(), sends.end(), Channels::Send{one.sender, rank, one.sent}) -
          sends.begin();
    calls.push(static_cast<std::int64_t>(one.call));
    senders.push(one.sender - rank);
    skipped.push(index - next);
    next = index + 1;
  }
  return {{"call", column_json(calls.finish())},
          {"sender", column_json(senders.finish())},
          {"skipped", column_json(skipped.finish())}};
}

json parts_json(const std::vector<convert::OperationPart>& parts) {
  fold::ColumnBuilder calls, began, comms, waits, roots;
  for (const convert::OperationPart& one : parts) {
    calls.push(static_cast<std::int64_t>(one.call));
    began.push(static_cast<std::int64_t>(one.began - one.call));
    comms.push(one.comm);
    waits.push(static_cast<std::int64_t>(one.waits_for));
    roots.push(one.root);
  }
  return {{"call", column_json(calls.finish())},
          {"began", column_json(began.finish())},
          {"comm", column_json(comms.finish())},
          {"waits_for", column_json(waits.finish())},
          {"root", column_json(roots.finish())}};
}

} // namespace

// A browser plays that much in a few seconds, with some 300 MB.
constexpr convert::DependenceLimits kOnAPage = {4096, 4'000'000, 2'000'000};
constexpr std::size_t kMostText = 8'000'000; // bytes, that compress to a tenth

json dependences_json(const trace::Trace& trace) {
  const auto found = convert::dependences_of(trace, kOnAPage);
  if (!found) return {{"why_not", found.error().message}};
  const Channels channels(*found);
  std::map<std::string, std::size_t> indices; // of columns, by their text
  json of_rank = json::array();
  json columns = json::array();
  std::size_t size = 0;
  for (std::size_t rank = 0; rank < found->ranks.size(); ++rank) {
    const convert::RankDependences& mine = found->ranks[rank];
    const auto number = static_cast<std::int64_t>(rank);
    json own = {{"sends", sends_json(channels, number)},
                {"receipts", receipts_json(channels, mine.receipts, number)},
                {"parts", parts_json(mine.parts)}};
    const auto [known, is_new] = indices.try_emplace(own.dump(), columns.size());
    if (is_new) {
      size += known->first.size();
      if (size > kMostText)
        return {{"why_not", "the order of messages does not repeat, and would take too much room"}};
      columns.push_back(std::move(own));
    }
    of_rank.push_back(known->second);
  }
  return {{"of_rank", std::move(of_rank)}, {"columns", std::move(columns)}};
}

} // namespace rondo::present
