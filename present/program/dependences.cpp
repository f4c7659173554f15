// SPDX-License-Identifier: Apache-2.0
#include "present/program/dependences.hpp"

#include "present/program/folded_program.hpp"
#include "rondo/convert/dependences.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using nlohmann::json;

using Channel = std::pair<std::int64_t, std::int64_t>; // sender, receiver

// The calls that send on each channel what is received there, ascending.
std::map<Channel, std::vector<std::uint64_t>> channels_of(const convert::Dependences& found) {
  std::map<Channel, std::vector<std::uint64_t>> channels;
  for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
    for (const convert::Receipt& one : found.ranks[rank].receipts)
      channels[{one.sender, static_cast<std::int64_t>(rank)}].push_back(one.sent);
  }
  for (auto& [channel, calls] : channels) std::sort(calls.begin(), calls.end());
  return channels;
}

json sends_json(const std::map<Channel, std::vector<std::uint64_t>>& channels, std::int64_t rank) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> sends; // call, receiver
  for (auto at = channels.lower_bound({rank, -1}); at != channels.end() && at->first.first == rank;
       ++at) {
    for (const std::uint64_t call : at->second) sends.emplace_back(call, at->first.second);
  }
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
json receipts_json(const std::map<Channel, std::vector<std::uint64_t>>& channels,
                   const std::vector<convert::Receipt>& receipts, std::int64_t rank) {
  fold::ColumnBuilder calls, senders, skipped;
  std::map<std::int64_t, std::int64_t> expected; // by sender
  for (const convert::Receipt& one : receipts) {
    const auto& channel = channels.at({one.sender, rank});
    std::int64_t& next = expected[one.sender];
    std::int64_t index = next;
    if (static_cast<std::size_t>(index) >= channel.size() ||
        channel[static_cast<std::size_t>(index)] != one.sent)
      index = std::lower_bound(channel.begin(), channel.end(), one.sent) - channel.begin();
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
  const auto channels = channels_of(*found);
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
