// SPDX-License-Identifier: Apache-2.0
#include "convert/dumpi/dumpi_rank.hpp"

#include "convert/calls/call_forms.hpp"
#include "convert/calls/each_rank.hpp"
#include "convert/dumpi/dumpi_words.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <utility>

namespace rondo::convert::internal {
namespace {

using trace::FieldKind;
using trace::Function;
using trace::Mode;
using trace::Role;

// libdumpi's numbers.
constexpr std::int64_t kDumpiNullComm = 1;
constexpr std::int64_t kDumpiWorld = 2;
constexpr std::int64_t kDumpiSelf = 3;
constexpr std::int64_t kDumpiRoot = -2;
constexpr std::string_view kDumpiTypes[] = {"",
                                            "",
                                            mpi::CHAR,
                                            mpi::SIGNED_CHAR,
                                            mpi::UNSIGNED_CHAR,
                                            mpi::BYTE,
                                            mpi::WCHAR,
                                            mpi::SHORT,
                                            mpi::UNSIGNED_SHORT,
                                            mpi::INT,
                                            mpi::UNSIGNED,
                                            mpi::LONG,
                                            mpi::UNSIGNED_LONG,
                                            mpi::FLOAT,
                                            mpi::DOUBLE,
                                            mpi::LONG_DOUBLE,
                                            mpi::LONG_LONG_INT,
                                            mpi::UNSIGNED_LONG_LONG,
                                            mpi::LONG_LONG,
                                            mpi::PACKED,
                                            mpi::LB,
                                            mpi::UB,
                                            mpi::FLOAT_INT,
                                            mpi::DOUBLE_INT,
                                            mpi::LONG_INT,
                                            mpi::SHORT_INT,
                                            mpi::_2INT,
                                            mpi::LONG_DOUBLE_INT};
constexpr std::int64_t kDumpiSizes[] = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                        8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
constexpr std::string_view kDumpiOperations[] = {
    "",       mpi::MAX, mpi::MIN,  mpi::SUM,  mpi::PROD,   mpi::LAND,   mpi::BAND,
    mpi::LOR, mpi::BOR, mpi::LXOR, mpi::BXOR, mpi::MINLOC, mpi::MAXLOC, mpi::REPLACE};

// Calls of other roles only ask, or are about what the trace says too little of.
bool is_kept(const Function& function) {
  switch (function.role) {
  case Role::kEnv:
    return function.name == mpi::Init || function.name == mpi::Init_thread ||
           function.name == mpi::Finalize;
  case Role::kSend:
  case Role::kRecv:
  case Role::kSendrecv:
  case Role::kProbe:
  case Role::kComplete:
  case Role::kRequest:
  case Role::kCollective:
  case Role::kComm:
  case Role::kTopo:
  case Role::kWin:
  case Role::kRma:
  case Role::kIo:
    return true;
  default:
    return false;
  }
}

// libdumpi numbers MPI's names from 1 in the order that they have in the table of calls; of
// window assertions it keeps the bits, and 255 is a sum of modes, which it does not know.
std::int64_t named_value(const Function& function, const DumpiField& field) {
  const auto found = std::find_if(function.fields.begin(), function.fields.end(),
                                  [&](const trace::Field& one) { return one.name == field.name; });
  const auto names = static_cast<std::int64_t>(found->names.size());
  if (field.name == "assert") return field.value >> names == 0 ? field.value : trace::kNothing;
  if (field.value < 1 || field.value > names) return trace::kNothing;
  const bool is_lock = field.name == "lock_type"; // the other way round
  const auto index = static_cast<int>(is_lock ? names - field.value : field.value - 1);
  return found->are_flags ? std::int64_t{1} << index : trace::choice(index);
}

std::vector<std::int64_t> unsaid_event(const Function& function) {
  std::vector<std::int64_t> event = {fold::header_word(function.id, 0), 0};
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
    event.insert(event.end(), is_status ? 3 : 1,
                 field.kind == FieldKind::kBuffer ? 0 : trace::kNothing);
  }
  return event;
}

} // namespace

std::vector<Remark> DumpiCounts::remarks() const {
  return counted_remarks(
      {{unknown_comms, "communicators that ranks made",
        "the trace does not say who else is in them"},
       {unknown_sizes, "uses of a datatype of the program's", "the trace does not say its size"},
       {unheard_requests, "requests that calls name", "no call that was recorded made them"},
       {user_operations, "reductions by an operation of the program's",
        "the trace does not say which"},
       {user_functions, "marks of the program's own functions", "left out"},
       {other_threads, "calls of further threads", "taken as the first one's"},
       {untimed, "calls without wall time", "they take no time"},
       {unfinished_ranks, "ranks without MPI_Finalize", "the trace is incomplete"}},
      left_out);
}

DumpiRank::DumpiRank(const ImportOptions& options, DumpiCounts& counts, const DumpiFile& file,
                     std::int64_t rank, std::int64_t ranks, std::uint64_t base_ns)
    : counts_(counts), file_(file), rank_(rank), base_ns_(base_ns),
      program_(options, rank, 0, ranks) {
  comms_[kDumpiWorld] = trace::kWorldSlot;
  comms_[kDumpiSelf] = trace::kSelfSlot;
}

CallSpan DumpiRank::span_of(const DumpiRecord& record) {
  if (!record.has_wall) ++counts_.untimed;
  const auto since_base = [&](std::uint64_t ns) {
    return std::max(record.has_wall && ns > base_ns_ ? ns - base_ns_ : 0, free_ns_);
  };
  CallSpan span{since_base(record.begin_ns), 0, 0};
  span.end_ns = std::max(since_base(record.end_ns), span.begin_ns);
  // Before its first call a rank was started, and maybe later than others.
  computation_ns_ += has_begun_ ? span.begin_ns - free_ns_ : 0;
  has_begun_ = true;
  free_ns_ = span.end_ns;
  if (!record.has_cpu) return span;
  if (!std::exchange(has_cpu_, true)) first_cpu_ns_ = record.cpu_begin_ns;
  cpu_ns_ = std::max(record.cpu_end_ns, first_cpu_ns_) - first_cpu_ns_;
  return span;
}

void DumpiRank::add(const DumpiRecord& record) {
  if (record.function.empty()) {
    ++counts_.user_functions;
    return;
  }
  counts_.other_threads += record.thread != 0 ? 1 : 0;
  CallSpan span = span_of(record);
  const Function* const function = trace::find_function(record.function);
  if (function == nullptr || !is_kept(*function)) {
    ++counts_.left_out[std::string(record.function)];
    return;
  }
  if (const DumpiField* arguments = record.field("argv")) command_ = arguments->text;
  Event event = unsaid_event(*function);
  fill(*function, record, event);
  span.computation_ns = std::exchange(computation_ns_, 0);
  program_.record(event, span);
  if (function->role == Role::kComplete) complete(record);
  is_finalized_ = is_finalized_ || function->name == mpi::Finalize;
}

void DumpiRank::fill(const Function& function, const DumpiRecord& record, Event& event) {
  const bool makes = function.makes_request || function.mode == Mode::kPersistent;
  if (function.role == Role::kComm || function.role == Role::kTopo) note_comm(record);
  if (makes) note_request(function, record);
  for (const DumpiField& field : record.fields) {
    if (makes && (field.kind == 'q' || field.kind == 'r')) continue; // given back
    fill_field(function, field, event);
  }
  fill_statuses(function, record, event);
  scale_counts(function, record, event);
  scale_lists(function, record, event);
  release_object(function, record);
}

// Its number may be given again.
void DumpiRank::release_object(const Function& function, const DumpiRecord& record) {
  if (function.name == mpi::Win_free)
    windows_.release(static_cast<std::uint32_t>(value_in(record, "win", 0)));
  if (function.name == mpi::File_close)
    files_.release(static_cast<std::uint32_t>(value_in(record, "fh", 0)));
  if (function.name != mpi::Request_free) return;
  const auto freed = requests_.find(value_in(record, "request", 0));
  if (freed == requests_.end()) return;
  if (freed->second.is_persistent) slots_[static_cast<std::size_t>(freed->second.number)] = false;
  requests_.erase(freed);
}

std::int64_t DumpiRank::number_of(const DumpiField& field) const {
  const std::int64_t value = field.value;
  switch (field.kind) {
  case 'd':
    return value < 0 ? trace::kProcNull : value;
  case 'e':
    return value == kDumpiAny ? trace::kAnySource : value < 0 ? trace::kProcNull : value;
  case 'm':
    return value == kDumpiAny ? trace::kAnyTag : value;
  case 'a':
    return value >= 0 ? value : value == kDumpiRoot ? trace::kRootHere : trace::kProcNull;
  case 'u':
    return value < 0 ? trace::kUndefined : value;
  default:
    return value;
  }
}

void DumpiRank::fill_field(const Function& function, const DumpiField& field, Event& event) {
  std::int64_t* const word = word_in(function, field.name, event);
  if (word == nullptr) return;
  constexpr std::string_view kNumbers = "ildemau";
  if (kNumbers.find(field.kind) != std::string_view::npos) {
    *word = number_of(field);
    return;
  }
  switch (field.kind) {
  case 'n':
    *word = named_value(function, field);
    return;
  case 't':
    *word = datatype_of(field.value);
    return;
  case 'c':
    *word = comm_of(field.value);
    return;
  case 'o':
    *word = operation_of(field.value);
    return;
  case 'w':
    *word = windows_.of(static_cast<std::uint32_t>(field.value));
    return;
  case 'f':
    *word = files_.of(static_cast<std::uint32_t>(field.value));
    return;
  case 'q':
  case 'r':
    *word = reference_to(field.value);
    return;
  case 's':
    *word = program_.builder().text(field.text);
    return;
  case 'I':
  case 'Q':
  case 'R':
    *word = array_of(field);
    return;
  default:
    return;
  }
}

std::int64_t DumpiRank::array_of(const DumpiField& field) {
  std::vector<std::int64_t> values = field.values;
  for (std::int64_t& value : values) {
    if (field.kind != 'I') value = reference_to(value);
  }
  return program_.array_of(values);
}

// Objects -----------------------------------------------------------------------------------------

std::int64_t DumpiRank::datatype_of(std::int64_t datatype) {
  if (datatype < 2) return trace::kNull;
  if (datatype >= static_cast<std::int64_t>(std::size(kDumpiTypes))) return byte_datatype();
  const auto index = static_cast<std::size_t>(datatype);
  const std::int64_t word = predefined_object(FieldKind::kDatatype, kDumpiTypes[index]);
  if (word == trace::kNothing || word == byte_datatype()) return word;
  const std::int64_t said = file_.size_of(datatype);
  datatypes_[word] = kDumpiTypes[index];
  sizes_[word] = said >= 0 ? said : kDumpiSizes[index];
  return word;
}

// Counts of a datatype that the program made are said in bytes.
void DumpiRank::scale_counts(const Function& function, const DumpiRecord& record, Event& event) {
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"count", "datatype"},
      {"sendcount", "sendtype"},
      {"recvcount", "recvtype"},
      {"sendcounts", "sendtype"},
      {"recvcounts", "recvtype"},
      {"recvcounts", "datatype"},
      {"sdispls", "sendtype"},
      {"rdispls", "recvtype"},
      {"displs", "recvtype"},
      {"origin_count", "origin_datatype"},
      {"target_count", "target_datatype"}};
  for (const auto& [count, type] : kPairs) {
    const DumpiField* const counted = record.field(count);
    const DumpiField* const typed = record.field(type);
    std::int64_t* const word = word_in(function, count, event);
    std::int64_t* const type_word = word_in(function, type, event);
    if (counted == nullptr || typed == nullptr || word == nullptr || type_word == nullptr) continue;
    if (typed->value < static_cast<std::int64_t>(std::size(kDumpiTypes))) continue;
    const std::int64_t size = file_.size_of(typed->value);
    if (size < 0) {
      ++counts_.unknown_sizes;
      *type_word = trace::kNothing;
    } else if (counted->kind == 'i') {
      *word = counted->value * size;
    } else {
      std::vector<std::int64_t> scaled = counted->values;
      for (std::int64_t& one : scaled) one *= size;
      *word = program_.array_of(scaled);
    }
  }
}

// The same of MPI_Alltoallw, which has a datatype for each rank.
void DumpiRank::scale_lists(const Function& function, const DumpiRecord& record, Event& event) {
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {{"sendcounts", "sendtypes"},
                                                                      {"recvcounts", "recvtypes"}};
  for (const auto& [count, type] : kPairs) {
    const DumpiField* const counted = record.field(count);
    const DumpiField* const typed = record.field(type);
    if (counted == nullptr || typed == nullptr || word_in(function, type, event) == nullptr)
      continue;
    std::vector<std::int64_t> counts = counted->values;
    std::vector<std::int64_t> types;
    for (std::size_t i = 0; i < typed->values.size(); ++i) {
      const std::int64_t datatype = typed->values[i];
      const bool is_made = datatype >= static_cast<std::int64_t>(std::size(kDumpiTypes));
      const std::int64_t size = is_made ? file_.size_of(datatype) : 1;
      counts_.unknown_sizes += size < 0 ? 1 : 0;
      types.push_back(size < 0 ? trace::kNothing : datatype_of(datatype));
      if (size > 0 && i < counts.size()) counts[i] *= size;
    }
    *word_in(function, count, event) = program_.array_of(counts);
    *word_in(function, type, event) = program_.array_of(types);
  }
}

std::int64_t DumpiRank::operation_of(std::int64_t operation) {
  const bool is_known =
      operation > 0 && operation < static_cast<std::int64_t>(std::size(kDumpiOperations));
  counts_.user_operations += is_known ? 0 : 1;
  if (!is_known) return trace::kNothing;
  return predefined_object(FieldKind::kOp, kDumpiOperations[static_cast<std::size_t>(operation)]);
}

std::int64_t DumpiRank::comm_of(std::int64_t comm) {
  const auto found = comms_.find(comm);
  if (found != comms_.end()) return found->second;
  return comm <= kDumpiNullComm ? trace::kNull : trace::kNothing;
}

// The slot that the call's new communicator gets, before the call's words ask for it.
void DumpiRank::note_comm(const DumpiRecord& record) {
  constexpr std::string_view kMade[] = {"newcomm", "comm_cart", "comm_graph", "newintercomm",
                                        "newintracomm"};
  const DumpiField* made = nullptr;
  for (const std::string_view name : kMade)
    if (made == nullptr) made = record.field(name);
  if (made == nullptr) return;
  constexpr std::string_view kParents[] = {"comm", "comm_old", "local_comm", "intercomm"};
  DumpiCreation creation;
  for (const std::string_view name : kParents)
    if (const DumpiField* const parent = record.field(name))
      creation.parent = comm_of(parent->value);
  if (record.function == mpi::Comm_dup) creation.kind = DumpiCreation::Kind::kDup;
  if (record.function == mpi::Comm_split) creation.kind = DumpiCreation::Kind::kSplit;
  if (record.function == mpi::Cart_create) creation.kind = DumpiCreation::Kind::kCart;
  if (record.function == mpi::Cart_sub) creation.kind = DumpiCreation::Kind::kCartSub;
  creation.color = value_in(record, "color", 0);
  creation.key = value_in(record, "key", 0);
  for (const std::string_view name : {"dims", "remain_dims"})
    if (const DumpiField* const dims = record.field(name)) creation.dims = dims->values;
  if (made->value > kDumpiNullComm) {
    creation.made = made_comms_++;
    comms_[made->value] = creation.made;
  }
  creations_.push_back(std::move(creation));
}

fold::RecordingPart DumpiRank::finish(std::uint64_t span_ns, std::int64_t start_unix_ns) {
  counts_.unfinished_ranks += is_finalized_ ? 0 : 1;
  fold::RecordingPart part = program_.finish({span_ns, start_unix_ns});
  part.ranks.front().second.cpu_ns = cpu_ns_;
  for (const auto& [word, name] : datatypes_)
    part.tables.datatypes.push_back(
        {word, std::string(name), sizes_[word], sizes_[word], trace::RankSet::of({rank_})});
  if (!file_.hostname().empty())
    part.tables.hosts.push_back({file_.hostname(), trace::RankSet::of({rank_})});
  return part;
}

} // namespace rondo::convert::internal
