// SPDX-License-Identifier: Apache-2.0
// What is known of a call as its words.
#include "convert/paraver/stream.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::convert::internal {
namespace {

// Open at a time. Sends whose requests are tested leave no trace of their end, and stay.
constexpr std::size_t kMostRequests = std::size_t{1} << 16;

bool gathers_to_root(const trace::Function& function) {
  return function.name.find("ather") != std::string_view::npos;
}

} // namespace

void ParaverStream::put(int word, std::int64_t value) {
  if (word >= 0) event_[fold::kEventHead + static_cast<std::size_t>(word)] = value;
}

// Sizes are in bytes: the trace does not know datatypes.
void ParaverStream::put_bytes(int count_word, int type_word, std::int64_t bytes) {
  if (count_word < 0 || bytes == trace::kNothing) return;
  put(count_word, bytes);
  put(type_word, byte_datatype());
}

std::int64_t ParaverStream::array_of(const std::vector<std::int64_t>& values) {
  return program_.array(values.data(), values.size());
}

void ParaverStream::record(Held& call) {
  const CallForm& form = *call.form;
  event_ = form.event;
  fill_message(call);
  if (form.is_collective()) fill_collective(call);
  if (form.completes()) fill_completion(call);
  if (form.makes_request()) {
    requests_.push_back({++made_, {}});
    if (call.in) requests_.back().done_ns = call.in->physical_ns;
    if (requests_.size() > kMostRequests) requests_.pop_front();
  }
  const std::uint64_t inside_ns = call.end_ns - call.begin_ns;
  program_.record(event_.data(), event_.size(), call.computation_ns, inside_ns);
  if (stamps_) stamps_->add({call.begin_ns, call.computation_ns, inside_ns});
  facts_.inside_ns += inside_ns;
  is_finalized_ = is_finalized_ || form.function->name == mpi::Finalize;
}

// Messages ----------------------------------------------------------------------------------------

void ParaverStream::fill_message(const Held& call) {
  const CallForm& form = *call.form;
  if (form.receives) {
    put(form.source, call.in ? call.in->peer : trace::kProcNull);
    if (call.in) put(form.receive_tag, call.in->tag);
    if (call.in) put_bytes(form.receive_count, form.receive_type, call.in->bytes);
    run_.counts.unknown_senders += call.in ? 0 : 1;
  }
  if (form.sends) {
    put(form.dest, call.out ? call.out->peer : trace::kProcNull);
    if (call.out) put(form.send_tag, call.out->tag);
    if (call.out) put_bytes(form.send_count, form.send_type, call.out->bytes);
    run_.counts.unknown_receivers += call.out ? 0 : 1;
  }
}

// Collective operations ---------------------------------------------------------------------------

std::optional<std::int64_t> ParaverStream::root_of(const Held& call) const {
  const auto place = places_.find(call.comm);
  if (call.is_root && place != places_.end()) return place->second.in.rank;
  ParaverComm* comm = place == places_.end() ? nullptr : run_.comms.find(call.comm);
  if (comm == nullptr || comm->roots.is_confused()) return trace::kNothing; // never known
  return comm->roots.root_of(call.ordinal);
}

void ParaverStream::fill_collective(Held& call) {
  const CallForm& form = *call.form;
  const auto place = places_.find(call.comm);
  const bool is_member = place != places_.end();
  if (is_member) put(form.comm, place->second.in.slot);
  run_.counts.communicators += is_member ? 0 : 1;
  run_.counts.operations += form.has_operation ? 1 : 0;
  run_.counts.lists += form.has_lists ? 1 : 0;
  if (form.root >= 0) {
    const std::int64_t root = root_of(call).value_or(trace::kNothing);
    put(form.root, root);
    run_.counts.roots += root == trace::kNothing ? 1 : 0;
    ParaverComm* comm = is_member ? run_.comms.find(call.comm) : nullptr;
    if (comm != nullptr) comm->roots.end(call.ordinal);
  }
  fill_sizes(call, is_member ? static_cast<std::uint64_t>(place->second.in.size) : 0, is_member);
}

// Some versions of Extrae give what a rank exchanges with each other one, some what it exchanges
// with all of them together. MPI has the former.
void ParaverStream::fill_sizes(const Held& call, std::uint64_t size, bool knows_size) {
  const CallForm& form = *call.form;
  std::int64_t sent = call.send_bytes;
  std::int64_t received = call.receive_bytes;
  if (form.send_count == form.receive_count) {
    put_bytes(form.send_count, form.send_type, std::max(sent, received));
    return;
  }
  const auto ranks = static_cast<std::int64_t>(size);
  if (knows_size && sent > 0 && received / ranks == sent && received % ranks == 0) received = sent;
  if (knows_size && received > 0 && sent / ranks == received && sent % ranks == 0) sent = received;
  const bool has_root = form.root >= 0;
  const bool gathers = gathers_to_root(*form.function);
  if (!has_root || gathers || call.is_root) put_bytes(form.send_count, form.send_type, sent);
  if (!has_root || !gathers || call.is_root)
    put_bytes(form.receive_count, form.receive_type, received);
}

// Requests ----------------------------------------------------------------------------------------

// The words of the requests that a call completes: receives whose message came in the meantime, and
// of the others, which leave no trace, as many as the function stands for.
std::vector<std::int64_t> ParaverStream::complete(const Held& call) {
  const CallForm& form = *call.form;
  const auto came = [&](const Request& request) {
    return request.done_ns && *request.done_ns >= call.begin_ns && *request.done_ns <= call.end_ns;
  };
  const bool waits = form.flag < 0 && form.waits;
  const bool has_message = std::any_of(requests_.begin(), requests_.end(), came);
  std::size_t guesses = !waits ? 0 : form.completes_all ? requests_.size() : has_message ? 0 : 1;
  std::size_t most = form.request >= 0 || form.index >= 0 ? 1 : requests_.size();
  std::vector<std::int64_t> words;
  std::erase_if(requests_, [&](const Request& request) {
    const bool is_guess = !request.done_ns && guesses > 0;
    if (most == 0 || (!came(request) && !is_guess)) return false;
    words.push_back(trace::request_by_age(made_ - request.number));
    run_.counts.guessed_requests += is_guess ? 1 : 0;
    guesses -= is_guess ? 1 : 0;
    --most;
    return true;
  });
  return words;
}

void ParaverStream::fill_completion(const Held& call) {
  const CallForm& form = *call.form;
  const std::vector<std::int64_t> done = complete(call);
  const auto count = static_cast<std::int64_t>(done.size());
  const bool waits = form.waits;
  if (!waits && done.empty()) {
    ++run_.counts.open_tests;
    return;
  }
  if (form.flag >= 0) put(form.flag, 1);
  if (form.request >= 0) put(form.request, done.empty() ? trace::kNull : done.front());
  if (form.requests < 0) return;
  put(form.requests, array_of(done));
  put(form.request_count, count);
  if (form.index >= 0) put(form.index, done.empty() ? trace::kUndefined : 0);
  if (form.completed_count < 0) return;
  std::vector<std::int64_t> indices(done.size());
  std::iota(indices.begin(), indices.end(), 0);
  put(form.completed_count, done.empty() ? trace::kUndefined : count);
  put(form.indices, array_of(indices));
}

} // namespace rondo::convert::internal
