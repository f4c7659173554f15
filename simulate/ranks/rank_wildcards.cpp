// SPDX-License-Identifier: Apache-2.0
// Receives with wildcards while the program runs: whom a nonblocking one hears from is said by the
// call that completes it. Until then it has no channel, and receives that were posted after it and
// could take the same messages have to wait for theirs.
#include "simulate/ranks/rank_program.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::is_special;

namespace {

std::optional<Envelope> envelope_of(const trace::StatusWords& status) {
  if (is_special(status.source)) return std::nullopt;
  return Envelope{status.source, status.tag};
}

} // namespace

Request* RankProgram::post_unknown(const Unbound& receive, const CallView& call, bool is_blocking) {
  Unbound unbound = receive;
  unbound.request = transport_.unbound_receive(clock_, *this);
  if (is_blocking) { // it is over, and says what it got
    if (receive.is_wild) unbound.envelope = envelope_of(call.status());
    bind(unbound);
  } else if (receive.is_wild && call.means().sends()) {
    unsupported("receives from anywhere and does not say whom it heard from");
    transport_.finish(*unbound.request, clock_);
  } else {
    const bool may_be_held = stage_.options.orders_receives && receive.source == trace::kAnySource;
    if (may_be_held && call_->function->name == mpi::Irecv) unbound.held_since = calls_;
    unbound_.push_back(unbound);
  }
  return unbound.request;
}

bool RankProgram::has_unknown() const {
  return std::any_of(unbound_.begin(), unbound_.end(),
                     [this](const Unbound& each) { return !is_held(each); });
}

void RankProgram::take_held(std::int64_t held_before, Envelope envelope) {
  const auto found = std::find_if(unbound_.begin(), unbound_.end(), [&](const Unbound& each) {
    return is_held(each) && held_before-- == 0;
  });
  if (found == unbound_.end()) return;
  found->envelope = envelope;
  bind(*found);
  unbound_.erase(found);
}

// Whether a receive posted before could take its message.
bool RankProgram::must_follow(const Unbound& receive) const {
  return std::any_of(unbound_.begin(), unbound_.end(), [&](const Unbound& before) {
    const bool same_source = before.source == receive.source || before.source == trace::kAnySource;
    const bool same_tag = before.tag == receive.tag || before.tag == trace::kAnyTag;
    return before.comm == receive.comm && same_source && same_tag;
  });
}

void RankProgram::bind(Unbound& receive) {
  const Envelope envelope = receive.is_wild
                                ? receive.envelope.value_or(Envelope{trace::kProcNull, 0})
                                : Envelope{receive.source, receive.tag};
  const trace::Communicators::View& view = source_.comm(receive.comm);
  const std::int64_t world = is_special(envelope.source) ? -1 : view.world_rank(envelope.source);
  if (world < 0) // cancelled
    return transport_.finish(*receive.request, clock_);
  const ChannelKey key{view.id, static_cast<std::int32_t>(world), static_cast<std::int32_t>(rank_),
                       receive.line, envelope.tag};
  transport_.bind(*receive.request, transport_.channel_of(key));
}

// The call completes requests: those that nobody knew the messages of get them, in the order in
// which they were posted.
void RankProgram::bind_completed(const CallView& call) {
  const std::vector<Completion> done = completions(call);
  const auto completion_of = [&](const Request* request) {
    return std::find_if(done.begin(), done.end(),
                        [&](const Completion& each) { return each.request == request; });
  };
  std::vector<Unbound> waiting;
  waiting.swap(unbound_);
  for (Unbound& each : waiting) {
    const auto completion = completion_of(each.request);
    const bool is_completed = completion != done.end();
    if (is_completed && each.is_wild) each.envelope = completion->envelope;
    if (is_completed || (!each.is_wild && !must_follow(each))) {
      bind(each);
    } else {
      unbound_.push_back(each);
    }
  }
}

std::vector<RankProgram::Completion> RankProgram::completions(const CallView& call) {
  std::vector<Completion> done;
  if (call.means().completes == trace::Completes::kOne) {
    done.push_back({request_at(call.request()), envelope_of(call.status())});
    return done;
  }
  const auto requests = array(call.requests());
  const auto add = [&](std::int64_t index, std::optional<Envelope> envelope) {
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      done.push_back({request_at(requests[static_cast<std::size_t>(index)]), envelope});
  };
  if (call.means().completes == trace::Completes::kAny) {
    add(call.index(), envelope_of(call.status()));
    return done;
  }
  if (call.means().completes == trace::Completes::kSome) {
    for (const std::int64_t index : array(call.indices())) add(index, std::nullopt);
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i)
      add(static_cast<std::int64_t>(i), std::nullopt);
  }
  // [n, (index, source less this rank, tag, bytes)...]; where there is none, the array is empty
  const auto statuses = array(trace::word_or(call.words(), call.means().statuses, trace::kNothing));
  for (std::size_t i = 1; i + 3 < statuses.size(); i += 4) {
    const auto index = static_cast<std::size_t>(statuses[i]);
    if (index < done.size() && !is_special(statuses[i + 1]))
      done[index].envelope =
          Envelope{statuses[i + 1] + source_.rank_in(trace::kWorldSlot), statuses[i + 2]};
  }
  return done;
}

// A receive that nobody has sent to yet is taken back. Where messages are known beforehand, so are
// those that never came.
void RankProgram::cancel(std::int64_t reference) {
  if (source_.knows_envelopes()) return;
  Request* request = request_at(reference);
  const bool is_unbound = std::any_of(unbound_.begin(), unbound_.end(),
                                      [&](const Unbound& each) { return each.request == request; });
  if (request != nullptr && !is_unbound) transport_.withdraw(*request, clock_);
}

} // namespace rondo::simulate::internal
