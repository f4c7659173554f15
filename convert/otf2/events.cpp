// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/events.hpp"
#include "rondo/base/command_line.hpp"

namespace rondo::convert::internal {
namespace {

using Kind = Otf2Message::Kind;
using Attributes = OTF2_AttributeList*;

Otf2Stream& stream_of(void* data) {
  auto& sink = *static_cast<Otf2EventSink*>(data);
  ++sink.used;
  return *sink.stream;
}

// Tags are int in MPI and kept as uint32.
std::int64_t tag_word(std::uint32_t tag) { return static_cast<std::int32_t>(tag); }

OTF2_CallbackCode on_enter(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data, Attributes,
                           OTF2_RegionRef region) {
  stream_of(data).enter(region, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_leave(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data, Attributes,
                           OTF2_RegionRef) {
  stream_of(data).leave(tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_context_enter(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                                   Attributes, OTF2_CallingContextRef context, uint32_t) {
  const auto& contexts = static_cast<Otf2EventSink*>(data)->run->definitions.contexts;
  const auto found = contexts.find(context);
  stream_of(data).enter(found == contexts.end() ? OTF2_UNDEFINED_REGION : found->second, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_context_leave(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                                   Attributes, OTF2_CallingContextRef) {
  stream_of(data).leave(tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_flush(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data, Attributes,
                           OTF2_TimeStamp stop) {
  stream_of(data).flushed(tick, stop);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_send(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data, Attributes,
                          uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes) {
  stream_of(data).message({Kind::kSend, receiver, comm, tag_word(tag), size_word(bytes), 0}, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_isend(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data, Attributes,
                           uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                           uint64_t request) {
  stream_of(data).message({Kind::kIsend, receiver, comm, tag_word(tag), size_word(bytes), request},
                          tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                             Attributes, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                             uint64_t bytes) {
  stream_of(data).message({Kind::kReceive, sender, comm, tag_word(tag), size_word(bytes), 0}, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_ireceive(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                              Attributes, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                              uint64_t bytes, uint64_t request) {
  stream_of(data).received(
      {Kind::kIreceive, sender, comm, tag_word(tag), size_word(bytes), request}, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_request(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                             Attributes, uint64_t request) {
  stream_of(data).makes_request(request, tick);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_complete(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                              uint64_t request) {
  stream_of(data).completes(request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_test(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                          uint64_t request) {
  stream_of(data).tests(request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_end(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                    Attributes, OTF2_CollectiveOp, OTF2_CommRef comm, uint32_t root,
                                    uint64_t sent, uint64_t received) {
  stream_of(data).collective({comm, root, sent, received});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_done(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                     Attributes, OTF2_CollectiveOp, OTF2_CommRef comm,
                                     uint32_t root, uint64_t sent, uint64_t received,
                                     uint64_t request) {
  stream_of(data).collective_done({comm, root, sent, received}, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_begin(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                      Attributes) {
  stream_of(data);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm_create(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                                 OTF2_CommRef comm) {
  stream_of(data).makes_comm(comm);
  return OTF2_CALLBACK_SUCCESS;
}

// Windows and files ------------------------------------------------------------------------------

// Records count as used only where they say something of a call.
OTF2_CallbackCode count_used(void* data, bool is_used) {
  static_cast<Otf2EventSink*>(data)->used += is_used ? 1 : 0;
  return OTF2_CALLBACK_SUCCESS;
}

Otf2Stream& quietly(void* data) { return *static_cast<Otf2EventSink*>(data)->stream; }

OTF2_CallbackCode on_window(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                            OTF2_RmaWinRef window) {
  return count_used(data, quietly(data).on_window({window}));
}

OTF2_CallbackCode on_window_operation(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                      Attributes, OTF2_CollectiveOp, OTF2_RmaSyncLevel,
                                      OTF2_RmaWinRef window, uint32_t, uint64_t, uint64_t) {
  return count_used(data, quietly(data).on_window({window}));
}

OTF2_CallbackCode on_group_sync(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                                OTF2_RmaSyncLevel, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  Otf2WindowRecord said{window};
  said.group = group;
  return count_used(data, quietly(data).on_window(said));
}

OTF2_CallbackCode on_lock(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                          OTF2_RmaWinRef window, uint32_t target, uint64_t, OTF2_LockType type) {
  Otf2WindowRecord said{window, target};
  said.lock = type;
  return count_used(data, quietly(data).on_window(said));
}

OTF2_CallbackCode on_unlock(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                            OTF2_RmaWinRef window, uint32_t target, uint64_t) {
  return count_used(data, quietly(data).on_window({window, target}));
}

OTF2_CallbackCode on_sync(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                          OTF2_RmaWinRef window, uint32_t target, OTF2_RmaSyncType) {
  return count_used(data, quietly(data).on_window({window, target}));
}

OTF2_CallbackCode on_put(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                         OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t id) {
  return count_used(data, quietly(data).on_window({window, target, bytes, 0, id}));
}

OTF2_CallbackCode on_get(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                         OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t id) {
  return count_used(data, quietly(data).on_window({window, target, 0, bytes, id}));
}

OTF2_CallbackCode on_atomic(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                            OTF2_RmaWinRef window, uint32_t target, OTF2_RmaAtomicType,
                            uint64_t sent, uint64_t received, uint64_t id) {
  return count_used(data, quietly(data).on_window({window, target, sent, received, id}));
}

OTF2_CallbackCode on_transfer_here(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                   Attributes, OTF2_RmaWinRef window, uint64_t id) {
  return count_used(data, quietly(data).transfer_ended(window, id, false));
}

OTF2_CallbackCode on_transfer_there(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                    Attributes, OTF2_RmaWinRef window, uint64_t id) {
  return count_used(data, quietly(data).transfer_ended(window, id, true));
}

OTF2_CallbackCode on_transfer_test(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                   Attributes, OTF2_RmaWinRef, uint64_t id) {
  stream_of(data).tests(window_request(id));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_open(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                          OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                          OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status) {
  Otf2FileRecord said{handle};
  said.opening = {mode, creation, status};
  return count_used(data, quietly(data).on_file(said));
}

OTF2_CallbackCode on_close(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                           OTF2_IoHandleRef handle) {
  return count_used(data, quietly(data).on_file({handle}));
}

OTF2_CallbackCode on_seek(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                          OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,
                          uint64_t) {
  Otf2FileRecord said{handle};
  said.offset = offset;
  said.whence = whence;
  return count_used(data, quietly(data).on_file(said));
}

OTF2_CallbackCode on_access(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                            OTF2_IoHandleRef handle, OTF2_IoOperationMode, OTF2_IoOperationFlag,
                            uint64_t bytes, uint64_t id) {
  Otf2FileRecord said{handle};
  said.bytes = bytes;
  said.operation = id;
  return count_used(data, quietly(data).on_file(said));
}

OTF2_CallbackCode on_access_test(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                                 OTF2_IoHandleRef, uint64_t id) {
  stream_of(data).tests(file_request(id));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_access_issued(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                   Attributes, OTF2_IoHandleRef handle, uint64_t) {
  return count_used(data, quietly(data).on_file({handle}));
}

OTF2_CallbackCode on_access_end(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data, Attributes,
                                OTF2_IoHandleRef handle, uint64_t, uint64_t id) {
  return count_used(data, quietly(data).access_ended(handle, id));
}

OTF2_CallbackCode on_access_cancelled(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* data,
                                      Attributes, OTF2_IoHandleRef handle, uint64_t id) {
  return count_used(data, quietly(data).access_ended(handle, id));
}

void set_object_callbacks(OTF2_EvtReaderCallbacks* all) {
  OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(all, &on_window);
  OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(all, &on_window);
  OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(all, &on_window);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(all, &on_collective_begin);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(all, &on_window_operation);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(all, &on_group_sync);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(all, &on_lock);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(all, &on_lock);
  OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(all, &on_lock);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(all, &on_unlock);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(all, &on_sync);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(all, &on_put);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(all, &on_get);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(all, &on_atomic);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(all, &on_transfer_here);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(all, &on_transfer_here);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(all, &on_transfer_there);
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(all, &on_transfer_test);
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(all, &on_open);
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(all, &on_close);
  OTF2_EvtReaderCallbacks_SetIoSeekCallback(all, &on_seek);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(all, &on_access);
  OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(all, &on_access_test);
  OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback(all, &on_access_issued);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(all, &on_access_end);
  OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(all, &on_access_cancelled);
}

OTF2_CallbackCode on_program_begin(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                                   Attributes, OTF2_StringRef name, uint32_t count,
                                   const OTF2_StringRef* arguments) {
  stream_of(data).saw(tick);
  Otf2Run& run = *static_cast<Otf2EventSink*>(data)->run;
  if (!run.command.empty()) return OTF2_CALLBACK_SUCCESS;
  std::vector<std::string> words = {std::string(run.definitions.text(name))};
  constexpr std::uint32_t kMostArguments = 64;
  for (std::uint32_t i = 0; i < count && i < kMostArguments; ++i)
    words.emplace_back(run.definitions.text(arguments[i]));
  run.command = command_line(words);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_program_end(OTF2_LocationRef, OTF2_TimeStamp tick, uint64_t, void* data,
                                 Attributes, int64_t) {
  stream_of(data).saw(tick);
  return OTF2_CALLBACK_SUCCESS;
}

} // namespace

Otf2EventCallbacks otf2_event_callbacks() {
  Otf2EventCallbacks owner(OTF2_EvtReaderCallbacks_New(), &OTF2_EvtReaderCallbacks_Delete);
  OTF2_EvtReaderCallbacks* const all = owner.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(all, &on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(all, &on_leave);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(all, &on_context_enter);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(all, &on_context_leave);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all, &on_flush);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(all, &on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(all, &on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, &on_complete);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(all, &on_receive);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, &on_request);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(all, &on_ireceive);
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(all, &on_test);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(all, &on_complete);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(all, &on_collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(all, &on_collective_end);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all, &on_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(all, &on_collective_done);
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(all, &on_comm_create);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(all, &on_program_begin);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(all, &on_program_end);
  set_object_callbacks(all);
  return owner;
}

} // namespace rondo::convert::internal
