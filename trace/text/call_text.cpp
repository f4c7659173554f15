// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/call_text.hpp"
#include "trace/mpi_names.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <utility>

namespace rondo::trace {
namespace {

std::string_view prefix_of(FieldKind kind) {
  switch (kind) {
  case FieldKind::kComm:
    return "comm#";
  case FieldKind::kGroup:
    return "group#";
  case FieldKind::kDatatype:
    return "type#";
  case FieldKind::kOp:
    return "op#";
  case FieldKind::kMessage:
    return "message#";
  case FieldKind::kWin:
    return "win#";
  case FieldKind::kFile:
    return "file#";
  case FieldKind::kSession:
    return "session#";
  default:
    return "#";
  }
}

std::string_view null_of(FieldKind kind) {
  switch (kind) {
  case FieldKind::kComm:
    return mpi::COMM_NULL;
  case FieldKind::kGroup:
    return mpi::GROUP_NULL;
  case FieldKind::kDatatype:
    return mpi::DATATYPE_NULL;
  case FieldKind::kOp:
    return mpi::OP_NULL;
  case FieldKind::kMessage:
    return mpi::MESSAGE_NULL;
  case FieldKind::kWin:
    return mpi::WIN_NULL;
  case FieldKind::kFile:
    return mpi::FILE_NULL;
  case FieldKind::kSession:
    return mpi::SESSION_NULL;
  default:
    return mpi::REQUEST_NULL;
  }
}

bool is_object(FieldKind kind) {
  return !prefix_of(kind).empty() && kind >= FieldKind::kComm && kind <= FieldKind::kSession;
}

std::string joined(const std::vector<RankRange>& members) {
  std::string text;
  for (const std::int64_t rank : sequence_of(members)) {
    if (!text.empty()) text += ' ';
    text += rank < 0 ? "?" : std::to_string(rank); // a process of another MPI_COMM_WORLD
  }
  return text;
}

std::string status_text(std::int64_t source, std::int64_t tag, std::int64_t bytes) {
  std::string text = "{source=";
  text += special_text(FieldKind::kRank, source);
  text += " tag=" + special_text(FieldKind::kTag, tag);
  return text + " bytes=" + std::to_string(bytes) + "}";
}

} // namespace

std::string foreign_request_text(std::int64_t reference) {
  const ForeignRequest request = foreign_request(reference);
  return "thread" + std::to_string(request.thread) + (request.persistent ? ".slot" : "#") +
         std::to_string(request.number);
}

std::string special_text(FieldKind kind, std::int64_t word) {
  switch (word) {
  case kNull:
    return std::string(null_of(kind));
  case kInPlace:
    return std::string(mpi::IN_PLACE);
  case kBottom:
    return std::string(mpi::BOTTOM);
  case kAnySource:
    return std::string(mpi::ANY_SOURCE);
  case kProcNull:
    return std::string(mpi::PROC_NULL);
  case kRootHere:
    return std::string(mpi::ROOT);
  case kAnyTag:
    return std::string(mpi::ANY_TAG);
  case kUndefined:
    return std::string(mpi::UNDEFINED);
  case kNoProcess:
    return std::string(mpi::MESSAGE_NO_PROC);
  case kUnweighted:
    return std::string(mpi::UNWEIGHTED);
  case kWeightsEmpty:
    return std::string(mpi::WEIGHTS_EMPTY);
  case kUnrecorded:
    return "unrecorded";
  case kNothing: // an argument that MPI does not read on a rank, among those of ranks where it does
    return "-";
  default:
    return std::to_string(word);
  }
}

CallLineWriter::CallLineWriter(const Trace& trace, const CallReader& reader, ArrayReader arrays)
    : trace_(&trace), reader_(&reader), arrays_(std::move(arrays)) {
  for (const auto& array : reader.program().arrays) {
    longest_array_ = std::max(longest_array_, static_cast<std::int64_t>(array.size()));
  }
}

std::string CallLineWriter::line(const CallInstance& call) {
  std::string inputs;
  std::string outcomes;
  std::string status; // after the other outcomes
  if (call.error == 0) count_new_request(call);
  std::size_t word = 0;
  for (const Field& field : call.function->fields) {
    const bool is_status = field.kind == FieldKind::kStatus;
    argument(is_status ? status : field.is_outcome ? outcomes : inputs, call, field, word);
    word += is_status && !field.is_array ? 3 : 1;
    // A request is given back where the C signature has it, behind whatever else is.
  }
  if (call.function->makes_request && call.error == 0) {
    if (!outcomes.empty()) outcomes += ", ";
    outcomes += "request=#" + std::to_string(requests_made_);
  }
  if (!status.empty()) outcomes += (outcomes.empty() ? "" : ", ") + status;
  if (call.error != 0)
    (outcomes += outcomes.empty() ? "error=" : ", error=") += error_class_name(call.error);
  count_freed(call);
  std::string text(call.function->name);
  text += '(' + inputs + ')';
  if (!outcomes.empty()) text += " -> " + outcomes;
  return text;
}

void CallLineWriter::argument(std::string& out, const CallInstance& call, const Field& field,
                              std::size_t word) {
  const std::int64_t w = call.words[word];
  if (w == kNothing || (field.kind == FieldKind::kBuffer && w == 0)) return;
  std::string text;
  if (field.kind == FieldKind::kStatus && !field.is_array) {
    text = status_text(w, call.words[word + 1], call.words[word + 2]);
  } else if (field.kind == FieldKind::kStatus) {
    if (w == 0 || is_special(w)) return;
    text = statuses(field, w);
  } else if (field.is_array) {
    text = array(call, field, w);
  } else {
    text = value(call, field, w);
  }
  if (!out.empty()) out += ", ";
  out += field.name;
  out += '=' + text;
}

std::string CallLineWriter::value(const CallInstance& call, const Field& field, std::int64_t word) {
  if (is_object(field.kind) && field.kind != FieldKind::kRequest) {
    return field.is_outcome ? new_object(field, word) : object(field, word);
  }
  if (std::string name = named_value(field, word); !name.empty()) return name;
  if (is_special(word)) return special_text(field.kind, word);
  switch (field.kind) {
  case FieldKind::kRequest:
    return request(word);
  case FieldKind::kText:
    return escape::quoted(reader_->program().texts[static_cast<std::size_t>(word)]);
  default:
    return std::to_string(word);
  }
}

std::string CallLineWriter::array(const CallInstance& call, const Field& field, std::int64_t word) {
  if (is_special(word)) return special_text(field.kind, word);
  std::string text = "[";
  for (std::int64_t element : elements(field, word)) {
    if (text.size() > 1) text += ' ';
    if (field.kind == FieldKind::kRank && !is_special(element))
      element = wrapping_sum(element, reader_->rank());
    text += value(call, field, element);
  }
  return text + "]";
}

std::vector<std::int64_t> CallLineWriter::elements(const Field& field, std::int64_t word) const {
  return arrays_ ? arrays_(field, word) : reader_->program().arrays[static_cast<std::size_t>(word)];
}

std::string CallLineWriter::object(const Field& field, std::int64_t word) {
  if (is_special(word)) return special_text(field.kind, word);
  if (word < 0) {
    const auto names = predefined_objects(field.kind);
    const auto index = static_cast<std::size_t>(-1 - word);
    return index < names.size() ? std::string(names[index]) : std::to_string(word);
  }
  const auto& numbers = number_[static_cast<std::size_t>(field.kind)];
  const auto found = numbers.find(word);
  if (found != numbers.end()) {
    if (field.kind == FieldKind::kComm && comm_names_ != nullptr) return comm_names_->of(word);
    return std::string(prefix_of(field.kind)) + std::to_string(found->second);
  }
  for (const DatatypeDefinition& type : trace_->datatypes) { // a named type that no call made
    if (field.kind == FieldKind::kDatatype && !type.name.empty() && type.slot == word &&
        type.holders.contains(reader_->rank())) {
      return escape::terminal(type.name);
    }
  }
  return new_object(field, word); // made by a call that was not recorded
}

std::string CallLineWriter::new_object(const Field& field, std::int64_t word) {
  if (is_special(word) || word < 0) return object(field, word);
  const auto kind = static_cast<std::size_t>(field.kind);
  number_[kind][word] = ++made_[kind];
  return object(field, word) + members(field.kind, word);
}

std::string CallLineWriter::members(FieldKind kind, std::int64_t slot) const {
  if (kind == FieldKind::kComm) {
    const CommDefinition* comm = reader_->positions().of(slot).comm;
    if (comm == nullptr) return "{?}";
    return "{" + joined(comm->members) + (comm->remote.empty() ? "" : "|" + joined(comm->remote)) +
           "}";
  }
  if (kind != FieldKind::kGroup) return "";
  for (const GroupDefinition& group : trace_->groups) {
    if (group.slot == slot && group.holders.contains(reader_->rank()))
      return "{" + joined(group.members) + "}";
  }
  return "{?}";
}

std::string CallLineWriter::request(std::int64_t reference) const {
  if (is_foreign(reference)) return foreign_request_text(reference);
  const std::uint64_t n = age_or_slot(reference);
  const auto& numbers = is_persistent(reference) ? by_slot_ : by_age_;
  if (n >= numbers.size()) return "#?";
  const std::size_t index = is_persistent(reference) ? n : numbers.size() - 1 - n;
  return "#" + std::to_string(numbers[index]);
}

// The array holds [index, source relative to this rank, tag, bytes] for each status that is kept,
// after the number of entries.
std::string CallLineWriter::statuses(const Field& field, std::int64_t word) const {
  const auto kept = elements(field, word);
  std::string text = "[";
  std::size_t next = 1;
  const std::int64_t size = kept.empty() ? 0 : std::min(kept.front(), longest_array_);
  for (std::int64_t i = 0; i < size; ++i) {
    if (i > 0) text += ' ';
    if (next + 3 < kept.size() && kept[next] == i) {
      const std::int64_t source = kept[next + 1];
      text += status_text(is_special(source) ? source : wrapping_sum(source, reader_->rank()),
                          kept[next + 2], kept[next + 3]);
      next += 4;
    } else {
      text += '-';
    }
  }
  return text + "]";
}

void CallLineWriter::count_new_request(const CallInstance& call) {
  if (!call.function->makes_request) return;
  ++requests_made_;
  const Mode mode = call.function->mode; // MPI_Comm_idup has none
  if (mode != Mode::kPersistent && mode != Mode::kPartitioned) {
    by_age_.push_back(requests_made_);
    return;
  }
  std::size_t slot = 0;
  while (slot < slot_in_use_.size() && slot_in_use_[slot]) ++slot;
  if (slot == slot_in_use_.size()) {
    slot_in_use_.push_back(true);
    by_slot_.push_back(0);
  }
  slot_in_use_[slot] = true;
  by_slot_[slot] = requests_made_;
}

void CallLineWriter::count_freed(const CallInstance& call) {
  if (meaning_of(*call.function).act != Act::kFreeRequest || call.error != 0 ||
      is_special(call.words[0]))
    return;
  const std::uint64_t slot = age_or_slot(call.words[0]);
  if (is_persistent(call.words[0]) && slot < slot_in_use_.size()) slot_in_use_[slot] = false;
}

} // namespace rondo::trace
