// SPDX-License-Identifier: Apache-2.0
// What the records in a region say of its call, as the call's words.
#include "convert/otf2/stream.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::convert::internal {
namespace {

bool is_send(const Otf2Message& message) {
  return message.kind == Otf2Message::Kind::kSend || message.kind == Otf2Message::Kind::kIsend;
}

bool is_receive(const Otf2Message& message) { return message.kind == Otf2Message::Kind::kReceive; }

template <class Matches>
std::optional<Otf2Message> take_message(std::vector<Otf2Message>& messages, Matches matches) {
  const auto found = std::find_if(messages.begin(), messages.end(), matches);
  if (found == messages.end()) return std::nullopt;
  const Otf2Message message = *found;
  messages.erase(found);
  return message;
}

// A record has what a rank exchanges with all others together, MPI's words what it exchanges with
// one of them. All ranks' parts are equal in the operations that have one count, so that the
// smaller sum is one part, but where both are sums.
std::uint64_t part_bytes(const CallForm& form, const Otf2Collective& operation,
                         std::int64_t ranks) {
  const std::uint64_t most = std::max(operation.sent, operation.received);
  const std::uint64_t least = std::min(operation.sent, operation.received);
  if (least == 0) return most;
  const bool has_two_counts = form.send_count != form.receive_count;
  const bool are_sums = has_two_counts && form.root < 0 && least == most && ranks > 1;
  if (!are_sums) return least;
  const auto all = static_cast<std::uint64_t>(ranks);
  if (most % all == 0) return most / all;
  return most % (all - 1) == 0 ? most / (all - 1) : most;
}

} // namespace

std::int64_t Otf2Stream::slot_of(OTF2_CommRef comm) {
  const auto found = run_.layout.comms.find(comm);
  if (found != run_.layout.comms.end()) return found->second.slot;
  ++run_.counts.unknown_comms;
  return trace::kNothing;
}

// Messages ----------------------------------------------------------------------------------------

// Some tools write what the program gave: MPI_PROC_NULL is below 0 in all libraries.
std::int64_t Otf2Stream::peer_of(const Otf2Message& message) {
  if (message.peer >> 31 == 0) return message.peer;
  ++run_.counts.null_peers;
  return trace::kProcNull;
}

void Otf2Stream::fill_send(const CallForm& form, const Otf2Message& message, CallWords& words) {
  words.put(form.dest, peer_of(message));
  words.put(form.send_tag, message.tag);
  words.put_bytes(form.send_count, form.send_type, message.bytes);
  words.put(form.comm, slot_of(message.comm));
}

void Otf2Stream::fill_receive(const CallForm& form, const Otf2Message& message, CallWords& words) {
  words.put(form.source, peer_of(message));
  words.put(form.receive_tag, message.tag);
  words.put_bytes(form.receive_count, form.receive_type, message.bytes);
  words.put(form.comm, slot_of(message.comm));
}

// True if a record further down says the rest.
bool Otf2Stream::fill_messages(const CallForm& form, Open& open, CallWords& words,
                               std::optional<std::uint64_t>& request) {
  bool is_told = false;
  if (form.sends) {
    const auto message = take_message(open.messages, is_send);
    if (message)
      fill_send(form, *message, words);
    else
      words.put(form.dest, trace::kProcNull);
    run_.counts.no_receiver += message ? 0 : 1;
    is_told = message.has_value();
    if (message && message->kind == Otf2Message::Kind::kIsend) request = message->request;
  }
  if (form.receives && form.makes_request() && !open.made.empty()) {
    request = open.made.front();
    open.made.erase(open.made.begin());
    return true;
  }
  if (form.receives) {
    const auto message = take_message(open.messages, is_receive);
    if (message)
      fill_receive(form, *message, words);
    else
      words.put(form.source, trace::kProcNull);
    run_.counts.no_sender += message ? 0 : 1;
    is_told = is_told || message;
  }
  if (form.sends || form.receives) note_record(form, is_told);
  return false;
}

void Otf2Stream::note_record(const CallForm& form, bool has_record) {
  if (!has_record) {
    ++run_.counts.silent[std::string(form.function->name)];
    return;
  }
  const std::size_t id = form.function->id;
  if (id >= telling_.size()) telling_.resize(id + 1);
  if (telling_[id]) return;
  telling_[id] = true;
  ++run_.counts.telling[std::string(form.function->name)];
}

// Collective operations ---------------------------------------------------------------------------

void Otf2Stream::fill_collective(const CallForm& form, const Otf2Collective& operation,
                                 CallWords& words) {
  words.put(form.comm, slot_of(operation.comm));
  const auto comm = run_.layout.comms.find(operation.comm);
  const std::int64_t ranks = comm == run_.layout.comms.end() ? 0 : comm->second.size;
  const bool is_root_said = operation.root < OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  if (form.root >= 0) {
    std::int64_t root = is_root_said ? std::int64_t{operation.root} : trace::kNothing;
    if (operation.root == OTF2_COLLECTIVE_ROOT_SELF) root = trace::kRootHere;
    if (operation.root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) root = trace::kProcNull;
    words.put(form.root, root);
  }
  if (!form.is_collective()) return;
  if (form.has_lists) { // the count that is none of the list
    words.put_bytes(form.send_count, form.send_type, size_word(operation.sent));
    words.put_bytes(form.receive_count, form.receive_type, size_word(operation.received));
    return;
  }
  const std::int64_t part = size_word(part_bytes(form, operation, ranks));
  words.put_bytes(form.send_count, form.send_type, part);
  words.put_bytes(form.receive_count, form.receive_type, part);
}

// Communicators -----------------------------------------------------------------------------------

// Who made it is in its definition, and the grid that MPI_Cart_create gave it.
void Otf2Stream::fill_new_comm(const CallForm& form, OTF2_CommRef made, CallWords& words) {
  const trace::CallMeaning& means = trace::meaning_of(*form.function);
  if (means.new_comm < 0) return;
  words.put(means.new_comm, slot_of(made));
  const auto definition = run_.definitions.comms.find(made);
  if (definition == run_.definitions.comms.end()) return;
  const auto parent = run_.layout.comms.find(definition->second.parent);
  if (parent != run_.layout.comms.end()) words.put(means.comm, parent->second.slot);
  const auto grid = run_.definitions.grids.find(made);
  if (means.topology != trace::MadeTopology::kCart || grid == run_.definitions.grids.end()) return;
  words.put(form.function->word_of("dims"), program_.array_of(grid->second.dims));
  words.put(form.function->word_of("periods"), program_.array_of(grid->second.periods));
}

// Requests ----------------------------------------------------------------------------------------

// Requests that have no number in the archive leave no trace of their end.
std::vector<std::int64_t> Otf2Stream::guess(const CallForm& form, std::size_t known) {
  const bool waits = form.flag < 0 && form.waits;
  const bool says_enough = known > 0 && !form.completes_all;
  std::size_t count = !waits || says_enough ? 0 : form.completes_all ? silent_.size() : 1;
  std::vector<std::int64_t> words;
  for (; count > 0 && !silent_.empty(); --count) {
    words.push_back(trace::request_by_age(made_ - silent_.front()));
    silent_.pop_front();
    ++run_.counts.guessed_requests;
  }
  return words;
}

void Otf2Stream::fill_completion(const CallForm& form, Open& open, CallWords& words) {
  for (const std::int64_t word : guess(form, open.done.size())) open.done.push_back(word);
  const bool waits = form.waits;
  if (!waits && open.done.empty() && open.tested.empty()) {
    ++run_.counts.open_tests;
    return;
  }
  const bool is_done = !open.done.empty() && (!form.completes_all || open.tested.empty());
  if (form.flag >= 0) words.put(form.flag, is_done ? 1 : 0);
  std::vector<std::int64_t> all = open.done;
  all.insert(all.end(), open.tested.begin(), open.tested.end());
  if (form.request >= 0) words.put(form.request, all.empty() ? trace::kNull : all.front());
  if (form.requests < 0) return;
  words.put(form.requests, program_.array_of(all));
  words.put(form.request_count, static_cast<std::int64_t>(all.size()));
  if (form.index >= 0) words.put(form.index, open.done.empty() ? trace::kUndefined : 0);
  if (form.completed_count < 0) return;
  const auto count = static_cast<std::int64_t>(open.done.size());
  std::vector<std::int64_t> indices(open.done.size());
  std::iota(indices.begin(), indices.end(), 0);
  words.put(form.completed_count, all.empty() ? trace::kUndefined : count);
  words.put(form.indices, program_.array_of(indices));
}

// Remarks -----------------------------------------------------------------------------------------

std::vector<Remark> Otf2Counts::remarks() const {
  return counted_remarks(
      {
          {no_receiver, "sends without a record", "taken as sends to MPI_PROC_NULL"},
          {no_sender, "receives without a record", "taken as receives from MPI_PROC_NULL"},
          {null_peers, "messages to or from a rank below 0", "taken as MPI_PROC_NULL"},
          {unfinished, "receives and collective operations that nothing completes",
           "the trace does not say what they got"},
          {unheard_requests, "requests that are completed by another thread, or that no call made",
           "their messages are calls of MPI_Recv where they were completed"},
          {guessed_requests, "requests without a number that calls waited for",
           "MPI_Waitall is taken to wait for all of them, others for the oldest"},
          {open_tests, "calls that tested requests",
           "the trace does not say which, or what they found"},
          {stray, "messages in calls that have none of their own, or outside of calls",
           "they became calls of MPI_Send, MPI_Isend, MPI_Recv and MPI_Irecv; so MPI_Start does"},
          {operations, "reductions", "the trace does not say with which operation"},
          {lists, "collective operations with counts for each rank",
           "the trace has only their sums"},
          {silent_collectives, "collective operations without a record",
           "their communicator and sizes are unknown"},
          {worldwide_collectives, "collective operations of an archive without communicators",
           "taken to be on MPI_COMM_WORLD; their sizes are unknown"},
          {unknown_comms, "records on communicators that are not defined",
           "their communicator is unknown"},
          {quiet_regions, "visits of regions in which no MPI call stands",
           "left out; other regions are the calls' sites"},
          {flushes, "flushes of the tool's buffers", "their time is neither computation nor MPI"},
          {endless, "calls without an end", "they end with the trace"},
          {added_ends, "ranks of a tool that records neither MPI_Init nor MPI_Finalize",
           "they come to both, at their first and last event"},
          {unfinished_ranks, "ranks without MPI_Finalize", "the trace is incomplete"},
      },
      left_out);
}

} // namespace rondo::convert::internal
