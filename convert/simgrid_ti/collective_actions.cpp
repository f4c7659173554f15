// SPDX-License-Identifier: Apache-2.0
// Collective operations, those that no action says as their messages.
#include "convert/simgrid_ti/datatypes.hpp"
#include "convert/simgrid_ti/rank_actions.hpp"
#include "convert/simgrid_ti/whole_collectives.hpp"

#include <algorithm>
#include <limits>

namespace rondo::convert::internal {

using trace::CollectiveStep;
using trace::Mode;

namespace {

bool is_world(const trace::Communicators::View& view, std::int64_t ranks) {
  if (view.id == trace::Communicators::kWorld) return true;
  if (view.all != ranks || view.peer_count != ranks) return false;
  for (std::int64_t i = 0; i < ranks; ++i) {
    if (view.world_rank(i) != i) return false;
  }
  return true;
}

} // namespace

void RankActions::collective() {
  const trace::Function& function = *call_->function;
  const trace::Communicators::View& view =
      run_.comms.of(rank_, trace::CallView(trace::meaning_of(function), call_->words).comm());
  const bool is_blocking = function.mode == Mode::kBlocking;
  const bool goes_on = is_blocking || lowers("is a nonblocking or persistent collective operation",
                                             "as its messages, where it is completed");
  if (function.mode == Mode::kPersistent)
    return requests_.add_slot({call_->function, call_->words, {}});
  if (!goes_on) return;
  const bool is_whole = is_world(view, run_.trace.run.ranks);
  if (is_blocking && !is_whole && !lowers("is on a part of MPI_COMM_WORLD", "as its messages"))
    return;
  if (!is_blocking || !is_whole) return lower_collective(function, call_->words, nullptr);
  play(operations_.take_all(view.id));
  write_collective(
      {run_, rank_, amounts_, *call_, [this](std::int64_t index) { return array(index); }}, lines_);
}

// One that is nonblocking is played where it is completed, as no action goes on by itself.
void RankActions::lower_collective(const trace::Function& function, const Words& words,
                                   RequestSlot* slot) {
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
    return static_cast<std::uint64_t>(count) *
           static_cast<std::uint64_t>(amounts_.type_of(*call_->function, type).size_bytes);
  };
  const trace::WordReader reader{[this](std::int64_t index) { return array(index); }, bytes};
  const auto part = part_of(where, words, {view, position.rank, is_inter}, reader);
  run_.tags.of_steps(view.id); // its messages are on this communicator
  const std::uint64_t number = operations_.add({view.id, steps_of(part)});
  if (slot != nullptr) {
    slot->active = {RequestKey{.operation = number}};
  } else if (function.makes_request) {
    requests_.add({RequestKey{.operation = number}});
  } else {
    play(operations_.take_until(number));
  }
}

void RankActions::play(const std::vector<StartedOperations::Operation>& operations) {
  for (const StartedOperations::Operation& operation : operations) play(operation);
}

// Sends come first: SimGrid looks for the message of a receive without bytes when it is posted.
void RankActions::play(const StartedOperations::Operation& operation) {
  constexpr std::int64_t kEnough = std::numeric_limits<std::int32_t>::max(); // bytes of a receive
  const std::int64_t tag = run_.tags.of_steps(operation.comm);
  const std::vector<CollectiveStep>& steps = operation.steps;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t end = first + 1;
    while (end < steps.size() && steps[end - 1].goes_on) ++end;
    RequestKeys keys;
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
    for (const RequestKey& key : keys) wait(key);
    first = end;
  }
}

} // namespace rondo::convert::internal
