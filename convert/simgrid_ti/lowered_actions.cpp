// SPDX-License-Identifier: Apache-2.0
// Calls that no action says, as what is nearest to them: collective operations as their messages,
// what else there is as a simpler call or as nothing.
#include "convert/simgrid_ti/datatypes.hpp"
#include "convert/simgrid_ti/rank_actions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace rondo::convert::internal {

using trace::CollectiveStep;

bool RankActions::lowers(std::string_view why, std::string_view as) {
  const std::string_view name = call_->function->name;
  if (run_.approximates) {
    ++run_.lowered[fmt::format("{}: {}", name, as)];
  } else {
    Refusal& refusal = run_.refused[fmt::format("{}: {}", name, why)];
    ++refusal.times;
    refusal.lowered_as = as;
  }
  return run_.approximates;
}

// One that is nonblocking is played where it is completed, as no action goes on by itself.
void RankActions::lower_collective(const trace::Function& function, const Words& words,
                                   Slot* slot) {
  const trace::CollectiveWords where = trace::collective_words_of(function);
  if (!trace::collective_kind_of(function))
    return refuse("is a collective operation whose messages are not known");
  const std::int64_t comm = words[static_cast<std::size_t>(function.comm_word())];
  const trace::Communicators::View& view = run_.comms.of(rank_, comm);
  if (view.id == trace::Communicators::kUnknown)
    return refuse("is on a communicator that the trace does not know");
  const trace::Positions::Position& position = reader_.positions().of(comm);
  const bool is_inter = position.comm != nullptr && !position.comm->remote.empty();
  const auto bytes = [this](std::int64_t count, std::int64_t type) {
    if (count <= 0) return std::uint64_t{0};
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(type_of(type).size_bytes);
  };
  const trace::WordReader reader{[this](std::int64_t index) { return array(index); }, bytes};
  const auto part = part_of(where, words, {view, position.rank, is_inter}, reader);
  run_.tag_offsets[view.id]; // its messages are on this communicator
  run_.has_steps = true;
  operations_[++started_] = {view.id, steps_of(part)};
  if (slot != nullptr) {
    slot->active = {Key{.operation = started_}};
  } else if (function.makes_request) {
    ++made_;
    open_.emplace_back(Keys{Key{.operation = started_}});
  } else {
    play_until(started_);
  }
}

// Operations of a communicator are played in the order in which they were started, which is the
// same on all its ranks.
void RankActions::play_until(std::uint64_t number) {
  const auto last = operations_.find(number);
  if (last == operations_.end()) return; // it was played before a later one
  const std::uint32_t comm = last->second.comm;
  for (auto each = operations_.begin(); each != operations_.end() && each->first <= number;) {
    if (each->second.comm == comm) {
      play(each->second);
      each = operations_.erase(each);
    } else {
      ++each;
    }
  }
}

void RankActions::play_all(std::uint32_t comm) {
  for (auto each = operations_.rbegin(); each != operations_.rend(); ++each) {
    if (each->second.comm == comm) return play_until(each->first);
  }
}

// Sends come first: SimGrid looks for the message of a receive without bytes when it is posted.
void RankActions::play(const Operation& operation) {
  constexpr std::int64_t kEnough = std::numeric_limits<std::int32_t>::max(); // bytes of a receive
  const std::int64_t tag = run_.tag_offsets[operation.comm] + run_.highest_tag + 1;
  const std::vector<CollectiveStep>& steps = operation.steps;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t end = first + 1;
    while (end < steps.size() && steps[end - 1].goes_on) ++end;
    Keys keys;
    for (std::size_t i = first; i < end; ++i) {
      if (steps[i].to < 0) continue;
      keys.push_back({rank_, steps[i].to, tag});
      const auto bytes = static_cast<std::int64_t>(
          std::min<std::uint64_t>(steps[i].bytes, std::numeric_limits<std::int64_t>::max()));
      post("isend", steps[i].to, keys.back(), {bytes, kByteType});
    }
    for (std::size_t i = first; i < end; ++i) {
      if (steps[i].from < 0) continue;
      keys.push_back({steps[i].from, rank_, tag});
      post("irecv", steps[i].from, keys.back(), {kEnough, kByteType});
    }
    open_keys_ += keys.size();
    for (const Key& key : keys) wait(key);
    first = end;
  }
}

} // namespace rondo::convert::internal
