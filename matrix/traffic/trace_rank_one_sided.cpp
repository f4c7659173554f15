// SPDX-License-Identifier: Apache-2.0
// One-sided calls of one rank as messages.
#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "trace/mpi_names.hpp"

namespace rondo::matrix::internal {
namespace {

std::int64_t no_op() {
  static const std::int64_t word = [] {
    const auto ops = trace::predefined_objects(trace::FieldKind::kOp);
    std::int64_t found = trace::kNull;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i] == mpi::NO_OP) found = -1 - static_cast<std::int64_t>(i);
    }
    return found;
  }();
  return word;
}

std::uint64_t elements_of(std::int64_t count) {
  return count > 0 ? static_cast<std::uint64_t>(count) : 0; // specials are negative
}

} // namespace

// With MPI_NO_OP nothing is handed over, only fetched.
RankTraffic::Ways RankTraffic::ways_of(const TalliedCall& call, TrafficLoss& loss) const {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const auto bytes = [&](int count, int type, std::uint64_t times) {
    const Amounts one{{1}, {value_of(call, type)}, times};
    const std::uint64_t elements = count < 0 ? 1 : elements_of(value_of(call, count));
    return elements == 0 ? 0 : elements * bytes_of(one, call.executions, loss);
  };
  Ways ways;
  const bool is_fetch_only = means.gives_back && value_of(call, means.op) == no_op();
  // A compare-and-swap carries the new value and the one to compare.
  if (!means.gets && !is_fetch_only)
    ways.there = bytes(means.send_count, means.send_type, means.compares ? 2 : 1);
  if (means.gives_back) ways.back = bytes(means.receive_count, means.receive_type, 1);
  return ways;
}

std::vector<MessagesSent> RankTraffic::one_sided_messages_of(const TalliedCall& call,
                                                             TrafficLoss& loss) const {
  const std::int64_t peer = value_of(call, trace::meaning_of(*call.function).target);
  if (peer == trace::kProcNull || call.executions == 0) return {};
  const auto target =
      peer_of_ ? std::optional(peer_of_(rank_, peer)) : world_rank(comm_slot_of(call), peer);
  const Ways ways = ways_of(call, loss);
  if (!target) {
    count_lost(call, ways.there.value_or(0) + ways.back.value_or(0), loss);
    return {};
  }
  std::vector<MessagesSent> result;
  if (ways.there) result.push_back({call.function, rank_, *target, call.executions, *ways.there});
  if (ways.back) result.push_back({call.function, *target, rank_, call.executions, *ways.back});
  return result;
}

std::int64_t RankTraffic::comm_of_window(std::int64_t window) const {
  const auto known = comm_of_window_.find(window);
  if (known != comm_of_window_.end()) return known->second;
  return comm_of_window_[window] = find_comm_of_window(window);
}

// Different windows may have stood in one slot, one after the other; where their communicators
// differ the answer is not known.
std::int64_t RankTraffic::find_comm_of_window(std::int64_t window) const {
  std::int64_t found = trace::kNothing;
  for (const trace::Call& made : program_->calls) {
    const trace::Function* function = trace::find_function(made.function);
    if (function == nullptr || made.error != 0) continue;
    const trace::CallMeaning& means = trace::meaning_of(*function);
    if (means.act != trace::Act::kMakeWindow) continue;
    const trace::Word& made_window = made.words[static_cast<std::size_t>(means.window)];
    const trace::Word& comm = made.words[static_cast<std::size_t>(means.comm)];
    const bool may_be_it = trace::is_column(made_window) ||
                           trace::value_of_word(*program_, made_window, rank_,
                                                positions_.of(trace::kWorldSlot)) == window;
    if (!may_be_it) continue;
    if (trace::is_column(comm)) return trace::kNothing;
    const std::int64_t slot =
        trace::value_of_word(*program_, comm, rank_, positions_.of(trace::kWorldSlot));
    if (found != trace::kNothing && found != slot) return trace::kNothing;
    found = slot;
  }
  return found;
}

} // namespace rondo::matrix::internal
