// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/stream.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <utility>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kMostHeldCalls = std::size_t{1} << 18;
constexpr std::size_t kMostOpenRequests = std::size_t{1} << 18;

} // namespace

Otf2Stream::Otf2Stream(Otf2Run& run, std::size_t rank, std::uint32_t thread, CallPaths& paths)
    : run_(run), rank_(rank), thread_(thread), paths_(paths),
      adds_ends_(thread == 0 && !run.definitions.has_ends),
      program_(run.options, static_cast<std::int64_t>(rank), thread,
               static_cast<std::int64_t>(run.layout.ranks.size())) {
  for (const Otf2Place& place : run.layout.places[rank])
    program_.builder().set_position(place.slot, place.rank, place.size);
}

std::uint64_t Otf2Stream::time(std::uint64_t tick) const {
  return std::max(run_.definitions.time_ns(tick), free_ns_);
}

void Otf2Stream::saw(std::uint64_t tick) {
  last_tick_ = std::max(last_tick_, tick);
  if (has_begun_) return;
  has_begun_ = true; // before its first event a location was not there
  free_ns_ = run_.definitions.time_ns(tick);
  static const CallForm kInit = call_form(mpi::Init);
  if (adds_ends_) add_end(kInit);
}

// Regions -----------------------------------------------------------------------------------------

void Otf2Stream::enter(OTF2_RegionRef ref, std::uint64_t tick) {
  saw(tick);
  if (open_) {
    ++open_->nested;
    return;
  }
  const auto region = run_.definitions.regions.find(ref);
  const bool is_defined = region != run_.definitions.regions.end();
  if (is_defined && region->second.is_mpi()) return begin_call(region->second, time(tick));
  if (stack_.size() < CallPaths::kDeepest)
    stack_.push_back({is_defined ? region->second.first : ref});
  else
    ++too_deep_;
}

void Otf2Stream::leave(std::uint64_t tick) {
  saw(tick);
  if (open_ && open_->nested > 0) {
    --open_->nested;
    return;
  }
  if (open_) return end_call(time(tick));
  if (too_deep_ > 0) {
    --too_deep_;
    return;
  }
  if (stack_.empty()) return; // entered before the measurement began
  const bool has_calls = stack_.back().has_calls;
  run_.counts.quiet_regions += has_calls ? 0 : 1;
  stack_.pop_back();
  if (!stack_.empty() && has_calls) stack_.back().has_calls = true;
}

void Otf2Stream::flushed(std::uint64_t tick, std::uint64_t stop_tick) {
  saw(tick);
  ++run_.counts.flushes;
  if (open_ || stop_tick < tick) return;
  const std::uint64_t begin_ns = time(tick);
  computation_ns_ += begin_ns - free_ns_;
  free_ns_ = time(stop_tick);
}

// Calls -------------------------------------------------------------------------------------------

void Otf2Stream::begin_call(const Otf2Region& region, std::uint64_t time_ns) {
  computation_ns_ += time_ns - free_ns_;
  call_.clear();
  open_ = &call_;
  open_->region = &region;
  open_->begin_ns = time_ns;
  open_->site = paths_.site_of(stack_);
}

void Otf2Stream::end_call(std::uint64_t time_ns) {
  Open& open = call_;
  open_ = nullptr;
  free_ns_ = std::max(time_ns, open.begin_ns);
  CallSpan span{open.begin_ns, free_ns_, 0};
  const CallForm& form = open.region->call.form;
  span.computation_ns = computation_ns_;
  if (form.function != nullptr && add_call(form, open, span)) {
    computation_ns_ = 0;
    span = {free_ns_, free_ns_, 0};
  } else {
    span.computation_ns = 0;
    const bool says_something = !open.messages.empty() || !open.made.empty();
    if (!says_something) ++run_.counts.left_out[open.region->call.canonical];
  }
  add_strays(open, span);
  release();
}

// False if too little is said of it.
bool Otf2Stream::add_call(const CallForm& form, Open& open, CallSpan span) {
  CallWords& words = words_;
  words.event = form.event;
  words.put_site(open.site);
  std::optional<std::uint64_t> request;
  if (form.is_on_object && !fill_object(form, open, words, request)) return false;
  bool is_open = fill_messages(form, open, words, request);
  if (open.collective) fill_collective(form, *open.collective, words);
  if (form.is_collective()) {
    run_.counts.operations += form.has_operation ? 1 : 0;
    run_.counts.lists += form.has_lists ? 1 : 0;
    if (form.makes_request() && !open.made.empty()) {
      request = open.made.front();
      open.made.erase(open.made.begin());
      is_open = !open.collective;
    } else if (!open.collective) {
      const bool has_comms = !run_.layout.comms.empty();
      ++(has_comms ? run_.counts.silent_collectives : run_.counts.worldwide_collectives);
      if (!has_comms) words.put(form.comm, trace::kWorldSlot);
    }
  }
  if (open.new_comm) fill_new_comm(form, *open.new_comm, words);
  if (form.completes()) fill_completion(form, open, words);
  hold(form, words, span, request, is_open);
  return true;
}

// Messages that the call of the region could not have: those of MPI_Startall, or of functions that
// the program's records stand outside of. They become calls of their own.
void Otf2Stream::add_strays(Open& open, CallSpan span) {
  static const CallForm kForms[] = {call_form(mpi::Send), call_form(mpi::Isend),
                                    call_form(mpi::Recv), call_form(mpi::Irecv)};
  const auto add = [&](const CallForm& form, const Otf2Message* message,
                       std::optional<std::uint64_t> request) {
    ++run_.counts.stray;
    CallWords& words = words_;
    words.event = form.event;
    words.put_site(open.site);
    if (message != nullptr && form.sends) fill_send(form, *message, words);
    if (message != nullptr && form.receives) fill_receive(form, *message, words);
    if (computation_ns_ > 0) span.computation_ns = std::exchange(computation_ns_, 0);
    hold(form, words, span, request, message == nullptr);
    span = {span.end_ns, span.end_ns, 0};
  };
  for (const Otf2Message& message : open.messages) {
    const bool has_request = message.kind == Otf2Message::Kind::kIsend;
    const auto index = message.kind == Otf2Message::Kind::kReceive ? 2 : has_request ? 1 : 0;
    add(kForms[index], &message, has_request ? std::optional(message.request) : std::nullopt);
  }
  for (const std::uint64_t request : open.made) add(kForms[3], nullptr, request);
}

void Otf2Stream::hold(const CallForm& form, CallWords& words, const CallSpan& span,
                      std::optional<std::uint64_t> request, bool is_open) {
  if (form.makes_request()) {
    ++made_;
    if (request)
      requests_[*request] = {made_, made_calls_};
    else
      silent_.push_back(made_);
    if (silent_.size() > kMostOpenRequests) silent_.pop_front();
    if (requests_.size() > kMostOpenRequests) requests_.erase(requests_.begin());
  }
  ++made_calls_;
  if (held_.empty() && !is_open) { // most calls wait for nothing
    program_.record(words.event, span);
    ++released_;
    return;
  }
  held_.push_back({&form, words, span, is_open});
}

void Otf2Stream::release() {
  while (!held_.empty() && (!held_.front().is_open || held_.size() > kMostHeldCalls)) {
    Held& call = held_.front();
    run_.counts.unfinished += call.is_open ? 1 : 0;
    program_.record(call.words.event, call.span);
    held_.pop_front();
    ++released_;
  }
}

// Records -----------------------------------------------------------------------------------------

void Otf2Stream::message(const Otf2Message& message, std::uint64_t tick) {
  saw(tick);
  if (open_) {
    open_->messages.push_back(message);
    return;
  }
  Open open;
  open.messages.push_back(message);
  take_stray(std::move(open), tick);
  release();
}

void Otf2Stream::makes_request(std::uint64_t request, std::uint64_t tick) {
  saw(tick);
  if (open_) {
    open_->made.push_back(request);
    return;
  }
  Open open;
  open.made.push_back(request);
  take_stray(std::move(open), tick);
}

// What stands outside of all calls becomes calls of its own, which take no time.
void Otf2Stream::take_stray(Open open, std::uint64_t tick) {
  open.site = paths_.site_of(stack_);
  const std::uint64_t now_ns = time(tick);
  computation_ns_ += now_ns - std::exchange(free_ns_, now_ns);
  add_strays(open, {now_ns, now_ns, 0});
}

void Otf2Stream::received(const Otf2Message& message, std::uint64_t tick) {
  const auto found = requests_.find(message.request);
  if (found == requests_.end()) { // its start is in no stream, or in another thread's
    Otf2Message alone = message;
    alone.kind = Otf2Message::Kind::kReceive;
    ++run_.counts.unheard_requests;
    return this->message(alone, tick);
  }
  const std::uint64_t call = found->second.call;
  if (call >= released_ && call - released_ < held_.size()) {
    Held& held = held_[call - released_];
    if (held.is_open) fill_receive(*held.form, message, held.words);
    held.is_open = false;
  }
  completes(message.request);
  if (!open_) release();
}

// The word of a request that is completed, which is open no more.
std::int64_t Otf2Stream::take_request(std::uint64_t request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) {
    ++run_.counts.unheard_requests;
    return trace::kUnrecorded;
  }
  const std::uint64_t age = made_ - found->second.number;
  requests_.erase(found);
  return trace::request_by_age(age);
}

void Otf2Stream::completes(std::uint64_t request) {
  const std::int64_t word = take_request(request);
  if (open_) open_->done.push_back(word);
}

void Otf2Stream::tests(std::uint64_t request) {
  const auto found = requests_.find(request);
  if (!open_ || found == requests_.end()) return;
  open_->tested.push_back(trace::request_by_age(made_ - found->second.number));
}

void Otf2Stream::collective(const Otf2Collective& operation) {
  if (open_) open_->collective = operation;
}

void Otf2Stream::collective_done(const Otf2Collective& operation, std::uint64_t request) {
  const auto found = requests_.find(request);
  if (found != requests_.end() && found->second.call >= released_ &&
      found->second.call - released_ < held_.size()) {
    Held& held = held_[found->second.call - released_];
    if (held.is_open) fill_collective(*held.form, operation, held.words);
    held.is_open = false;
  }
  completes(request);
  if (!open_) release();
}

void Otf2Stream::makes_comm(OTF2_CommRef comm) {
  if (open_) open_->new_comm = comm;
}

// The end -----------------------------------------------------------------------------------------

// A call that the tool does not record, without time.
void Otf2Stream::add_end(const CallForm& form) {
  CallWords words(form);
  hold(form, words, {free_ns_, free_ns_, std::exchange(computation_ns_, 0)}, std::nullopt, false);
}

// As long as the trace, if that is said. Without a record nobody knows what it was about to do.
void Otf2Stream::end_in_call(std::uint64_t end_ns) {
  ++run_.counts.endless;
  const Open& open = call_;
  const CallForm& form = open.region->call.form;
  if (form.function != nullptr) {
    CallWords words(form);
    words.put_site(open.site);
    program_.end_in(words.event, end_ns - std::min(end_ns, open.begin_ns));
  }
  const bool says_something = !open.messages.empty() || !open.made.empty() || !open.done.empty() ||
                              open.collective || open.new_comm || open.window || open.file;
  if (says_something)
    end_call(end_ns);
  else
    open_ = nullptr;
}

fold::RecordingPart Otf2Stream::finish(std::vector<trace::CallSite> sites) {
  const bool ends_in_call = open_ != nullptr;
  if (open_) end_in_call(time(std::max(last_tick_, run_.definitions.end_tick())));
  while (!held_.empty()) {
    run_.counts.unfinished += held_.front().is_open ? 1 : 0;
    held_.front().is_open = false;
    release();
  }
  if (adds_ends_ && has_begun_ && !ends_in_call) {
    computation_ns_ += time(last_tick_) - std::exchange(free_ns_, time(last_tick_));
    ++run_.counts.added_ends;
    static const CallForm kFinalize = call_form(mpi::Finalize);
    add_end(kFinalize);
  }
  program_.compute(computation_ns_);
  run_.last_tick = std::max(run_.last_tick, last_tick_);
  fold::RecordingPart part = program_.finish({0, run_.definitions.start_unix_ns, std::move(sites)});
  part.tables.groups = std::move(groups_);
  if (thread_ == 0) run_.counts.unfinished_ranks += part.run.complete ? 0 : 1;
  return part;
}

} // namespace rondo::convert::internal
