// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/call_forms.hpp"

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Act;
using trace::CallMeaning;
using trace::FieldKind;
using trace::Function;
using trace::Mode;
using trace::Role;

bool is_on_object(const Function& function) {
  switch (trace::meaning_of(function).act) {
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
  case Act::kFile:
  case Act::kFileAccess:
    return true;
  default: // all others, whatever comes to be one
    return false;
  }
}

// Other calls say too little in a trace to be of use: which persistent request starts. Their time
// is left out.
bool is_read(const Function& function, Objects objects) {
  if (is_on_object(function)) return objects == Objects::kNamed;
  if (function.mode == Mode::kPersistent || function.mode == Mode::kPartitioned) return false;
  const CallMeaning& means = trace::meaning_of(function);
  switch (means.act) {
  case Act::kInit:
  case Act::kFinalize:
  case Act::kTransfer:
  case Act::kTakeMatched:
  case Act::kProbe:
  case Act::kMakeComm:
  case Act::kFreeComm:
  case Act::kDisconnect:
    return true;
  case Act::kCollective:
    return function.role != Role::kNeighbor;
  case Act::kNameObject:
    return function.role == Role::kComm;
  case Act::kComplete:
    return !means.keeps_request;
  case Act::kLocal:
  case Act::kAbort:
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kMatchedProbe:
  case Act::kAskPartition:
  case Act::kStart:
  case Act::kReady:
  case Act::kCancel:
  case Act::kFreeRequest:
  case Act::kOwnRequest:
  case Act::kProcess:
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kAttach:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
  case Act::kFile:
  case Act::kFileAccess:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kFreeObject:
    return false;
  }
  return false;
}

std::vector<std::int64_t> unknown_event(const Function& function) {
  std::vector<std::int64_t> event = {fold::header_word(function.id, 0), 0};
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
    const bool is_quiet = field.kind == FieldKind::kBuffer;
    event.insert(event.end(), is_status ? 3 : 1, is_quiet ? 0 : trace::kNothing);
  }
  return event;
}

void find_message_words(const CallMeaning& means, CallForm& form) {
  form.dest = means.dest;
  form.source = means.source;
  form.send_tag = means.send_tag;
  form.receive_tag = means.receive_tag;
  form.sends = form.dest >= 0;
  form.receives = form.source >= 0 && means.act != Act::kProbe;
}

// Of calls with one count and one datatype, both directions have these.
void find_size_words(const CallMeaning& means, CallForm& form) {
  const bool moves = form.sends || form.receives || form.is_collective();
  if (!moves) return;
  const auto first_of = [](int word, int other) { return word >= 0 ? word : other; };
  const bool has_one_way = !form.is_collective();
  form.send_count =
      has_one_way ? first_of(means.send_count, means.receive_count) : means.send_count;
  form.send_type = first_of(means.send_type, means.receive_type);
  form.receive_count = first_of(means.receive_count, form.send_count);
  form.receive_type = first_of(means.receive_type, form.send_type);
  form.has_lists = means.has_send_counts || means.has_receive_counts;
  if (means.has_send_counts) form.send_count = -1;
  if (means.has_receive_counts) form.receive_count = -1;
  if (means.has_send_types) form.send_type = -1;
  if (means.has_receive_types) form.receive_type = -1;
}

void find_completion_words(const CallMeaning& means, CallForm& form) {
  if (means.act != Act::kComplete) return;
  form.request = means.request;
  form.requests = means.requests;
  form.request_count = means.request_count;
  form.index = means.index;
  form.indices = means.indices;
  form.completed_count = means.outcount;
  form.flag = means.flag;
  form.completes_all = means.waits() && means.completes == trace::Completes::kAll;
  form.waits = means.waits();
}

} // namespace

CallForm call_form(std::string_view name, Objects objects) {
  CallForm form;
  const Function* function = trace::find_function(name);
  if (function == nullptr || !is_read(*function, objects)) return form;
  form.function = function;
  form.is_on_object = is_on_object(*function);
  form.event = unknown_event(*function);
  form.comm = function->comm_word();
  const CallMeaning& means = trace::meaning_of(*function);
  form.root = form.is_collective() ? means.root : -1;
  find_message_words(means, form);
  find_size_words(means, form);
  find_completion_words(means, form);
  form.has_operation = form.is_collective() && means.op >= 0;
  // Messages are between ranks of the whole run; makers of communicators do not say of which.
  const bool ends_it = means.act == Act::kFreeComm || means.act == Act::kDisconnect;
  const auto put = [&form](int word, std::int64_t value) {
    form.event[fold::kEventHead + static_cast<std::size_t>(word)] = value;
  };
  if (form.comm >= 0 && !form.is_collective() && !ends_it) put(form.comm, trace::kWorldSlot);
  if (means.act == trace::Act::kProbe) { // for what, only some formats say; from any waits for all
    put(means.source, trace::kAnySource);
    put(means.receive_tag, trace::kAnyTag);
  }
  return form;
}

std::int64_t predefined_object(FieldKind kind, std::string_view name) {
  const auto names = trace::predefined_objects(kind);
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? trace::kNothing : -1 - (found - names.begin());
}

std::int64_t byte_datatype() {
  static const std::int64_t kWord = predefined_object(trace::FieldKind::kDatatype, mpi::BYTE);
  return kWord;
}

std::int64_t no_operation() {
  static const std::int64_t kWord = predefined_object(trace::FieldKind::kOp, mpi::NO_OP);
  return kWord;
}

} // namespace rondo::convert::internal
