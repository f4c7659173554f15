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

// The first of these words that the function has.
int word_of_any(const Function& function, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const int word = function.word_of(name); word >= 0) return word;
  }
  return -1;
}

void find_message_words(CallForm& form) {
  const Function& function = *form.function;
  form.dest = function.word_of("dest");
  form.source = function.word_of("source");
  form.send_tag = form.dest < 0 ? -1 : word_of_any(function, {"sendtag", "tag"});
  form.receive_tag = form.source < 0 ? -1 : word_of_any(function, {"recvtag", "tag"});
  form.sends = form.dest >= 0;
  form.receives = form.source >= 0 && function.role != Role::kProbe;
}

void find_size_words(CallForm& form) {
  const Function& function = *form.function;
  const bool moves = form.sends || form.receives || form.is_collective();
  if (!moves) return;
  const bool is_shared = function.word_of("count") >= 0; // one count for both directions
  form.send_count = word_of_any(function, {"sendcount", "count"});
  form.send_type = word_of_any(function, {"sendtype", "datatype"});
  form.receive_count = is_shared ? form.send_count : function.word_of("recvcount");
  form.receive_type = word_of_any(function, {"recvtype", "datatype"});
  form.has_lists = form.is_collective() &&
                   (function.word_of("sendcounts") >= 0 || function.word_of("recvcounts") >= 0);
}

void find_completion_words(CallForm& form) {
  const Function& function = *form.function;
  if (function.role != Role::kComplete) return;
  form.request = function.word_of("request");
  form.requests = function.word_of("array_of_requests");
  form.request_count = word_of_any(function, {"count", "incount"});
  form.index = function.word_of("index");
  form.indices = function.word_of("array_of_indices");
  form.completed_count = function.word_of("outcount");
  form.flag = function.word_of("flag");
  const CallMeaning& means = trace::meaning_of(function);
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
  form.root = form.is_collective() ? function->word_of("root") : -1;
  find_message_words(form);
  find_size_words(form);
  find_completion_words(form);
  form.has_operation = form.is_collective() && function->word_of("op") >= 0;
  // Messages are between ranks of the whole run; makers of communicators do not say of which.
  const Act act = trace::meaning_of(*function).act;
  const bool ends_it = act == Act::kFreeComm || act == Act::kDisconnect;
  if (form.comm >= 0 && !form.is_collective() && !ends_it)
    form.event[fold::kEventHead + static_cast<std::size_t>(form.comm)] = trace::kWorldSlot;
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
