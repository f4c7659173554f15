// SPDX-License-Identifier: Apache-2.0
// Receives with wildcards while the program runs (unknown_receives.hpp).
#include "simulate/ranks/rank_wildcards.hpp"

#include "trace/mpi_names.hpp"

namespace rondo::simulate::internal {

using trace::CallView;
using trace::is_special;

namespace {

std::optional<Envelope> envelope_of(const trace::StatusWords& status) {
  if (is_special(status.source)) return std::nullopt;
  return Envelope{status.source, status.tag};
}

} // namespace

Request* RankWildcards::post(UnknownReceive receive, const CallView& call, bool is_blocking) {
  receive.request = rank_.transport().unbound_receive(rank_.clock(), rank_);
  if (is_blocking) { // it is over, and says what it got
    if (receive.is_wild) receive.envelope = envelope_of(call.status());
    bind(receive);
  } else if (receive.is_wild && call.means().sends()) {
    rank_.unsupported("receives from anywhere and does not say whom it heard from");
    rank_.transport().finish(*receive.request, rank_.clock());
  } else {
    const bool may_be_held =
        rank_.stage().options.orders_receives && receive.source == trace::kAnySource;
    if (may_be_held && rank_.call().function->name == mpi::Irecv)
      receive.held_since = rank_.calls();
    receives_.add(receive);
  }
  return receive.request;
}

void RankWildcards::take_held(std::int64_t held_before, Envelope envelope) {
  std::optional<UnknownReceive> receive = receives_.take_held(held_before);
  if (!receive) return;
  receive->envelope = envelope;
  bind(*receive);
}

void RankWildcards::bind(const UnknownReceive& receive) {
  const Envelope envelope = receive.is_wild
                                ? receive.envelope.value_or(Envelope{trace::kProcNull, 0})
                                : Envelope{receive.source, receive.tag};
  const trace::Communicators::View& view = rank_.source().comm(receive.comm);
  const std::int64_t world = is_special(envelope.source) ? -1 : view.world_rank(envelope.source);
  if (world < 0) // cancelled
    return rank_.transport().finish(*receive.request, rank_.clock());
  const ChannelKey key{view.id, static_cast<std::int32_t>(world),
                       static_cast<std::int32_t>(rank_.rank()), receive.line, envelope.tag};
  rank_.transport().bind(*receive.request, rank_.transport().channel_of(key));
}

std::vector<UnknownReceives::Completion> RankWildcards::completions(const CallView& call) {
  std::vector<UnknownReceives::Completion> done;
  if (call.means().completes == trace::Completes::kOne) {
    done.push_back({rank_.open().find(call.request()), envelope_of(call.status())});
    return done;
  }
  const auto requests = rank_.array(call.requests());
  const auto add = [&](std::int64_t index, std::optional<Envelope> envelope) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      done.push_back({rank_.open().find(requests[static_cast<std::size_t>(index)]), envelope});
  };
  if (call.means().completes == trace::Completes::kAny) {
    add(call.index(), envelope_of(call.status()));
    return done;
  }
  if (call.means().completes == trace::Completes::kSome) {
    for (const std::int64_t index : rank_.array(call.indices())) add(index, std::nullopt);
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i)
      add(static_cast<std::int64_t>(i), std::nullopt);
  }
  // [n, (index, source less this rank, tag, bytes)...]; where there is none, the array is empty
  const auto statuses =
      rank_.array(trace::word_or(call.words(), call.means().statuses, trace::kNothing));
  for (std::size_t i = 1; i + 3 < statuses.size(); i += 4) {
    const auto index = static_cast<std::size_t>(statuses[i]);
    if (index < done.size() && !is_special(statuses[i + 1]))
      done[index].envelope =
          Envelope{statuses[i + 1] + rank_.source().rank_in(trace::kWorldSlot), statuses[i + 2]};
  }
  return done;
}

void RankWildcards::settle(const CallView& call) {
  if (receives_.is_empty()) return;
  for (const UnknownReceive& known : receives_.take(completions(call))) bind(known);
}

// A receive that nobody has sent to yet is taken back. Where messages are known beforehand, so are
// those that never came.
void RankWildcards::cancel(std::int64_t reference) {
  if (rank_.source().knows_envelopes()) return;
  Request* const request = rank_.open().find(reference);
  if (request != nullptr && !receives_.has(request))
    rank_.transport().withdraw(*request, rank_.clock());
}

} // namespace rondo::simulate::internal
