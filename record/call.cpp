// SPDX-License-Identifier: Apache-2.0
#include "record/call.hpp"

#include "record/by_hand.hpp"
#include "record/mpi_errors.hpp"
#include "record/mpi_library.hpp"

namespace rondo::record {

Call::Call(std::uint16_t function, const void* return_address, bool resumes) {
  if (recorder == nullptr || recorder->stopped()) return;
  if (open_call.frame != nullptr) [[unlikely]] {
    if (is_inside_open_call(this)) return;
    close_left_call();
  }
  recorder_ = recorder;
  function_ = function;
  open_call.frame = this;
  lock();
  if (recorder_->live) [[unlikely]]
    recorder_->live->collect();
  stream_ = &recorder_->stream();
  if (++stream_->calls_begun % kSampled == 0) [[unlikely]]
    begun_ = clock_.ticks();
  if (resumes) [[unlikely]]
    recorder_->end_pause();
  quiet_ = !recorder_->steering.records(function);
  recorder_->quiet = quiet_;
  open_call.stream = stream_;
  open_call.function = function;
  open_call.size = 0;
  open_call.error = MPI_SUCCESS;
  open_call.is_quiet = quiet_;
  if (!open_call.is_watched) [[unlikely]]
    watch_thread();
  scratch().unknown.clear();
  word(function);
  const void* site = site_in_fortran(this);
  if (site == nullptr) site = return_address;
  word(quiet_ ? 0 : recorder_->sites.index_of(site));
}

void Call::array_of(const std::vector<std::int64_t>& words) {
  if (quiet_) return word(0);
  const std::int64_t index = program().array(words.data(), words.size());
  if (recorder_->live) [[unlikely]]
    recorder_->live->say_array(index, words);
  word(index);
}

void Call::note_error(int result) { event_words[0] |= error_number(error_class_of(result)) << 16; }

// Handles

std::int64_t Call::note_later(std::int64_t word, trace::FieldKind kind, std::uint64_t handle) {
  if (word == HandleWords::kUnknown) scratch().unknown.push_back({size_, kind, handle});
  return trace::kNothing;
}

// What the call failed with stays unknown, and says nothing.
void Call::note_unknown(bool succeeded) {
  if (!succeeded) return;
  for (const Scratch::Unknown& each : scratch().unknown) {
    const std::int64_t word = recorder_->note(each.kind, each.handle);
    if (each.word != Scratch::kInArray) event_words[each.word] = word;
  }
}

void Call::message(MPI_Message message) {
  if (message == MPI_MESSAGE_NO_PROC) return word(trace::kNoProcess);
  plain(trace::FieldKind::kMessage, key_of(message), message == MPI_MESSAGE_NULL);
}

void Call::made_message(MPI_Message message) {
  if (message == MPI_MESSAGE_NO_PROC) return word(trace::kNoProcess);
  word(recorder_->made_plain(trace::FieldKind::kMessage, key_of(message),
                             message == MPI_MESSAGE_NULL));
}

// Requests
// ----------------------------------------------------------------------------------------------

void Call::made_request(MPI_Request request, bool persistent, bool wildcard, bool is_receive) {
  if (quiet_) {
    recorder_->requests.add_quiet(key_of(request), persistent, *stream_);
  } else if (persistent) {
    recorder_->requests.add_persistent(key_of(request), wildcard, is_receive, *stream_);
  } else {
    recorder_->requests.add_nonblocking(key_of(request), wildcard, is_receive, *stream_);
  }
}

void Call::started(MPI_Request request) {
  Requests& requests = recorder_->requests;
  if (Request* known = requests.get(requests.find(key_of(request), *stream_))) known->active = true;
}

void Call::cancelled(MPI_Request request) {
  Requests& requests = recorder_->requests;
  if (Request* known = requests.get(requests.find(key_of(request), *stream_)))
    known->cancelled = true;
}

void Call::freed(std::uint64_t request) {
  Requests& requests = recorder_->requests;
  requests.remove(requests.find(request, *stream_), quiet_);
}

std::int64_t Call::request_word(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return trace::kNull;
  Requests& requests = recorder_->requests;
  const Request* known = requests.get(requests.find(key_of(request), *stream_));
  return known == nullptr ? trace::kNull : word_of(*known);
}

void Call::request_array(const MPI_Request* values, std::int64_t n) {
  Requests& requests = recorder_->requests;
  requests.begin_array();
  array(values, n, [&](MPI_Request request) {
    RequestId id;
    const Request* known = request == MPI_REQUEST_NULL
                               ? nullptr
                               : requests.find_in_array(key_of(request), *stream_, id);
    return known == nullptr ? trace::kNull : word_of(*known);
  });
}

// Statuses
// ----------------------------------------------------------------------------------------------

namespace {

std::int64_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes == MPI_UNDEFINED ? -1 : bytes;
}

} // namespace

void Call::status(const MPI_Status& status) {
  rank(status.MPI_SOURCE);
  tag(status.MPI_TAG);
  word(bytes_of(status));
}

void Call::status_of_send() {
  word(trace::kUndefined);
  word(trace::kUndefined);
  word(0);
}

void Call::append_status(std::vector<std::int64_t>& entries, std::int64_t index, bool is_send,
                         const MPI_Status& status) const {
  entries.push_back(index);
  if (is_send) {
    entries.insert(entries.end(), {trace::kUndefined, trace::kUndefined, 0});
    return;
  }
  const std::int64_t source = rank_word(status.MPI_SOURCE);
  entries.push_back(trace::is_special(source) ? source : source - recorder_->world_rank);
  entries.push_back(status.MPI_TAG == MPI_ANY_TAG ? trace::kAnyTag : status.MPI_TAG);
  entries.push_back(bytes_of(status));
}

void Call::statuses(const std::vector<std::int64_t>& entries, std::int64_t n) {
  if (entries.empty()) return word(0);
  std::vector<std::int64_t>& words = scratch().words;
  words.assign(1, n);
  words.insert(words.end(), entries.begin(), entries.end());
  array_of(words);
}

// Arrays
// ------------------------------------------------------------------------------------------------

std::int64_t Call::sum(const int* values, std::int64_t n) {
  std::int64_t sum = 0;
  if (values == nullptr) n = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += values[i];
  return sum;
}

// A hash (FNV-1a): of texts only whether they are the same matters.
std::int64_t Call::tag_of(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (; text != nullptr && *text != '\0'; ++text)
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return static_cast<std::int64_t>(hash >> 1);
}

void Call::weights(const int* values, std::int64_t n) {
  if (values == MPI_UNWEIGHTED) return word(trace::kUnweighted);
  if (values == MPI_WEIGHTS_EMPTY) return word(trace::kWeightsEmpty);
  integers(values, n);
}

void Call::ranks(const int* values, std::int64_t n) {
  array(values, n, [this](int rank) {
    const std::int64_t word = rank_word(rank);
    return trace::is_special(word) ? word : word - recorder_->world_rank;
  });
}

void Call::datatypes(const MPI_Datatype* values, std::int64_t n) {
  array(values, n, [this](MPI_Datatype datatype) {
    const std::int64_t word = recorder_->datatype_word(datatype);
    if (!is_unseen(word)) return word;
    if (word == HandleWords::kUnknown)
      scratch().unknown.push_back(
          {Scratch::kInArray, trace::FieldKind::kDatatype, key_of(datatype)});
    return trace::kNothing;
  });
}

std::int64_t Call::made_or_predefined_word(MPI_Datatype datatype) {
  return recorder_->is_predefined(datatype) ? recorder_->datatype_word(datatype)
                                            : recorder_->made_datatype(datatype);
}

void Call::made_datatypes(const MPI_Datatype* values, std::int64_t n) {
  array(values, n, [this](MPI_Datatype datatype) { return made_or_predefined_word(datatype); });
}

// Significance
// ------------------------------------------------------------------------------------------

// Before the call, MPI is asked about handles only that the program got from MPI and has not freed:
// of others it would call the program's error handler.

bool Call::is_root(MPI_Comm comm, int root) {
  const Comm& known = comm_of(comm);
  return known.is_inter ? root == MPI_ROOT : root == known.rank;
}

bool Call::is_active(MPI_Comm comm, int root) {
  return !comm_of(comm).is_inter || root != MPI_PROC_NULL;
}

bool Call::leads_group(MPI_Group group, int leader) {
  int rank = MPI_UNDEFINED;
  const std::int64_t word = recorder_->word_of(trace::FieldKind::kGroup, key_of(group));
  if (!trace::is_special(word)) PMPI_Group_rank(group, &rank);
  return rank == leader;
}

bool Call::is_leaf(MPI_Comm comm, int root) {
  return !comm_of(comm).is_inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

std::int64_t Call::comm_size(MPI_Comm comm) { return comm_of(comm).peers; }

std::int64_t Call::local_size(MPI_Comm comm) { return comm_of(comm).size; }

std::int64_t Call::cart_dims(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int dimensions = 0;
  if (comm_of(comm).size > 0) PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

void Call::count_neighbors(MPI_Comm comm, Comm& known) {
  known.sources = known.destinations = 0;
  int kind = MPI_UNDEFINED;
  if (!known.is_inter) PMPI_Topo_test(comm, &kind); // an inter-communicator has none
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    known.sources = known.destinations = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, static_cast<int>(known.rank), &known.sources);
    known.destinations = known.sources;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &known.sources, &known.destinations, &weighted);
  }
}

std::int64_t Call::sources(MPI_Comm comm) {
  Comm& known = recorder_->comm_of(recorder_->word_of(trace::FieldKind::kComm, key_of(comm)));
  if (known.size == 0) return 0;
  if (known.sources < 0) count_neighbors(comm, known);
  return known.sources;
}

std::int64_t Call::destinations(MPI_Comm comm) {
  Comm& known = recorder_->comm_of(recorder_->word_of(trace::FieldKind::kComm, key_of(comm)));
  if (known.size == 0) return 0;
  if (known.destinations < 0) count_neighbors(comm, known);
  return known.destinations;
}

Call::Contents Call::contents(MPI_Datatype datatype) {
  Contents contents;
  if (datatype == MPI_DATATYPE_NULL) return contents;
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  if (has_large_counts()) {
    PMPI_Type_get_envelope_c(datatype, &contents.integers, &contents.addresses,
                             &contents.large_counts, &contents.datatypes, &combiner);
    return contents;
  }
#endif
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
  contents = {integers, addresses, 0, datatypes};
  return contents;
}

} // namespace rondo::record
