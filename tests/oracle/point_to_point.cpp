// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks, requests and their completion.
#include "oracle.hpp"

using namespace oracle;

// ---- Sends -----------------------------------------------------------------------------------

static void send_arguments(Line& line, const void* buf, Count count, MPI_Datatype type, int dest,
                           int message_tag, MPI_Comm communicator) {
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("dest", rank(dest));
  line.in("tag", tag(message_tag));
  line.in("comm", comm(communicator));
}

#define SEND(Name)                                                                                 \
  CALL(SIZED(Name),                                                                                \
       (const void* buf, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),        \
       (buf, count, type, dest, tag, comm)) {                                                      \
    Line line("MPI_" #Name SUFFIX);                                                                \
    send_arguments(line, buf, count, type, dest, tag, comm);                                       \
    return line.write(REAL(SIZED(Name))(buf, count, type, dest, tag, comm));                       \
  }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define SEND_WITH_REQUEST(Name, persistent)                                                        \
  CALL(SIZED(Name),                                                                                \
       (const void* buf, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,         \
        MPI_Request* request),                                                                     \
       (buf, count, type, dest, tag, comm, request)) {                                             \
    Line line("MPI_" #Name SUFFIX);                                                                \
    send_arguments(line, buf, count, type, dest, tag, comm);                                       \
    int result = REAL(SIZED(Name))(buf, count, type, dest, tag, comm, request);                    \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, persistent, false));       \
    return line.write(result);                                                                     \
  }
SEND_WITH_REQUEST(Isend, false)
SEND_WITH_REQUEST(Ibsend, false)
SEND_WITH_REQUEST(Issend, false)
SEND_WITH_REQUEST(Irsend, false)
SEND_WITH_REQUEST(Send_init, true)
SEND_WITH_REQUEST(Bsend_init, true)
SEND_WITH_REQUEST(Ssend_init, true)
SEND_WITH_REQUEST(Rsend_init, true)

// ---- Receives --------------------------------------------------------------------------------

static void recv_arguments(Line& line, void* buf, Count count, MPI_Datatype type, int source,
                           int message_tag, MPI_Comm communicator) {
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("source", rank(source));
  line.in("tag", tag(message_tag));
  line.in("comm", comm(communicator));
}

static bool is_wildcard(int source, int tag) {
  return source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
}

CALL(SIZED(Recv),
     (void* buf, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
      MPI_Status* status),
     (buf, count, type, source, tag, comm, status)) {
  Line line("MPI_Recv" SUFFIX);
  recv_arguments(line, buf, count, type, source, tag, comm);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(SIZED(Recv))(buf, count, type, source, tag, comm, used.get());
  if (result == MPI_SUCCESS && is_wildcard(source, tag)) line.out("status", status_text(used[0]));
  return line.write(result);
}

#define RECV_WITH_REQUEST(Name, persistent)                                                        \
  CALL(SIZED(Name),                                                                                \
       (void* buf, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,             \
        MPI_Request* request),                                                                     \
       (buf, count, type, source, tag, comm, request)) {                                           \
    Line line("MPI_" #Name SUFFIX);                                                                \
    recv_arguments(line, buf, count, type, source, tag, comm);                                     \
    int result = REAL(SIZED(Name))(buf, count, type, source, tag, comm, request);                  \
    if (result == MPI_SUCCESS)                                                                     \
      line.out("request", new_request(request, persistent, is_wildcard(source, tag)));             \
    return line.write(result);                                                                     \
  }
RECV_WITH_REQUEST(Irecv, false)
RECV_WITH_REQUEST(Recv_init, true)

// ---- Both ------------------------------------------------------------------------------------

#define SENDRECV_PARAMS                                                                            \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,              \
      void *recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag,              \
      MPI_Comm communicator
#define SENDRECV_ARGS                                                                              \
  sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,      \
      communicator

static void sendrecv_arguments(Line& line, SENDRECV_PARAMS) {
  line.buffer("sendbuf", sendbuf);
  line.in("sendcount", integer(sendcount));
  line.in("sendtype", datatype(sendtype));
  line.in("dest", rank(dest));
  line.in("sendtag", tag(sendtag));
  line.buffer("recvbuf", recvbuf);
  line.in("recvcount", integer(recvcount));
  line.in("recvtype", datatype(recvtype));
  line.in("source", rank(source));
  line.in("recvtag", tag(recvtag));
  line.in("comm", comm(communicator));
}

CALL(SIZED(Sendrecv), (SENDRECV_PARAMS, MPI_Status* status), (SENDRECV_ARGS, status)) {
  Line line("MPI_Sendrecv" SUFFIX);
  sendrecv_arguments(line, SENDRECV_ARGS);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(SIZED(Sendrecv))(SENDRECV_ARGS, used.get());
  if (result == MPI_SUCCESS && is_wildcard(source, recvtag))
    line.out("status", status_text(used[0]));
  return line.write(result);
}

#define REPLACE_PARAMS                                                                             \
  void *buf, Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,       \
      MPI_Comm communicator
#define REPLACE_ARGS buf, count, type, dest, sendtag, source, recvtag, communicator

static void replace_arguments(Line& line, REPLACE_PARAMS) {
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("dest", rank(dest));
  line.in("sendtag", tag(sendtag));
  line.in("source", rank(source));
  line.in("recvtag", tag(recvtag));
  line.in("comm", comm(communicator));
}

CALL(SIZED(Sendrecv_replace), (REPLACE_PARAMS, MPI_Status* status), (REPLACE_ARGS, status)) {
  Line line("MPI_Sendrecv_replace" SUFFIX);
  replace_arguments(line, REPLACE_ARGS);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(SIZED(Sendrecv_replace))(REPLACE_ARGS, used.get());
  if (result == MPI_SUCCESS && is_wildcard(source, recvtag))
    line.out("status", status_text(used[0]));
  return line.write(result);
}

#if MPI_VERSION >= 4
// Their statuses say nothing, whatever the source: MPICH 4.0 leaves in them what was there before.
CALL(SIZED(Isendrecv), (SENDRECV_PARAMS, MPI_Request* request), (SENDRECV_ARGS, request)) {
  Line line("MPI_Isendrecv" SUFFIX);
  sendrecv_arguments(line, SENDRECV_ARGS);
  int result = REAL(SIZED(Isendrecv))(SENDRECV_ARGS, request);
  if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));
  return line.write(result);
}

CALL(SIZED(Isendrecv_replace), (REPLACE_PARAMS, MPI_Request* request), (REPLACE_ARGS, request)) {
  Line line("MPI_Isendrecv_replace" SUFFIX);
  replace_arguments(line, REPLACE_ARGS);
  int result = REAL(SIZED(Isendrecv_replace))(REPLACE_ARGS, request);
  if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));
  return line.write(result);
}
#endif

// ---- Matched messages ------------------------------------------------------------

CALL(SIZED(Mrecv),
     (void* buf, Count count, MPI_Datatype type, MPI_Message* handle, MPI_Status* status),
     (buf, count, type, handle, status)) {
  Line line("MPI_Mrecv" SUFFIX);
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("message", message(*handle));
  MPI_Message before = *handle;
  int result = REAL(SIZED(Mrecv))(buf, count, type, handle, status);
  if (*handle == MPI_MESSAGE_NULL) forget_message(before);
  return line.write(result);
}

CALL(SIZED(Imrecv),
     (void* buf, Count count, MPI_Datatype type, MPI_Message* handle, MPI_Request* request),
     (buf, count, type, handle, request)) {
  Line line("MPI_Imrecv" SUFFIX);
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("message", message(*handle));
  MPI_Message before = *handle;
  int result = REAL(SIZED(Imrecv))(buf, count, type, handle, request);
  if (*handle == MPI_MESSAGE_NULL) forget_message(before);
  if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));
  return line.write(result);
}

// ---- Buffers ------------------------------------------------------------

CALL(SIZED(Buffer_attach), (void* buffer, Count size), (buffer, size)) {
  Line line("MPI_Buffer_attach" SUFFIX);
  line.buffer("buffer", buffer);
  line.in("size", integer(size));
  return line.write(REAL(SIZED(Buffer_attach))(buffer, size));
}

CALL(SIZED(Buffer_detach), (void* buffer, Count* size), (buffer, size)) {
  Line line("MPI_Buffer_detach" SUFFIX);
  int result = REAL(SIZED(Buffer_detach))(buffer, size);
  line.out("size", integer(*size));
  return line.write(result);
}

#ifndef LARGE_COUNTS // nothing below counts elements

// ---- Probes and matched messages ---------------------------------------------------------------

static void probe_arguments(Line& line, int source, int message_tag, MPI_Comm communicator) {
  line.in("source", rank(source));
  line.in("tag", tag(message_tag));
  line.in("comm", comm(communicator));
}

CALL(Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status), (source, tag, comm, status)) {
  Line line("MPI_Probe");
  probe_arguments(line, source, tag, comm);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Probe)(source, tag, comm, used.get());
  if (result == MPI_SUCCESS) line.out("status", status_text(used[0]));
  return line.write(result);
}

CALL(Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
     (source, tag, comm, flag, status)) {
  Line line("MPI_Iprobe");
  probe_arguments(line, source, tag, comm);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Iprobe)(source, tag, comm, flag, used.get());
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  if (result == MPI_SUCCESS && *flag) line.out("status", status_text(used[0]));
  return line.write(result);
}

CALL(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
     (source, tag, comm, message, status)) {
  Line line("MPI_Mprobe");
  probe_arguments(line, source, tag, comm);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Mprobe)(source, tag, comm, message, used.get());
  if (result == MPI_SUCCESS) {
    line.out("message", new_message(*message));
    line.out("status", status_text(used[0]));
  }
  return line.write(result);
}

CALL(Improbe,
     (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
     (source, tag, comm, flag, message, status)) {
  Line line("MPI_Improbe");
  probe_arguments(line, source, tag, comm);
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Improbe)(source, tag, comm, flag, message, used.get());
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  if (result == MPI_SUCCESS && *flag) {
    line.out("message", new_message(*message));
    line.out("status", status_text(used[0]));
  }
  return line.write(result);
}

// ---- Starting, freeing, cancelling -------------------------------------------------------------

CALL(Start, (MPI_Request * request), (request)) {
  std::vector<Request> before = requests_before(request, 1);
  Line line("MPI_Start");
  line.in("request", request_text(before[0]));
  int result = REAL(Start)(request);
  if (result == MPI_SUCCESS) request_started(before[0]);
  return line.write(result);
}

CALL(Startall, (int count, MPI_Request* requests), (count, requests)) {
  std::vector<Request> before = requests_before(requests, count);
  Line line("MPI_Startall");
  line.in("array_of_requests", requests_text(before));
  int result = REAL(Startall)(count, requests);
  if (result == MPI_SUCCESS)
    for (const Request& request : before) request_started(request);
  return line.write(result);
}

CALL(Request_free, (MPI_Request * request), (request)) {
  std::vector<Request> before = requests_before(request, 1);
  Line line("MPI_Request_free");
  line.in("request", request_text(before[0]));
  int result = REAL(Request_free)(request);
  if (result == MPI_SUCCESS) request_freed(before[0]);
  return line.write(result);
}

CALL(Cancel, (MPI_Request * request), (request)) {
  std::vector<Request> before = requests_before(request, 1);
  Line line("MPI_Cancel");
  line.in("request", request_text(before[0]));
  const int result = REAL(Cancel)(request);
  if (result == MPI_SUCCESS) request_cancelled(before[0]);
  return line.write(result);
}

// ---- Completion ------------------------------------------------------------------------------

/// After a call that failed: what MPI set to the null request is gone, whatever the error was.
static void drop_nulls(const std::vector<Request>& before, const MPI_Request* handles) {
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].handle != MPI_REQUEST_NULL && handles[i] == MPI_REQUEST_NULL)
      request_freed(before[i]);
}

/// One request is complete: what its status says, and bookkeeping.
static void completed_one(Line& line, const Request& before, MPI_Request handle,
                          const MPI_Status& status) {
  std::string says = completion_text(before, status);
  if (says != "-") line.out("status", says);
  request_completed(before, handle);
}

/// All requests of an array are complete.
static void completed_all(Line& line, const std::vector<Request>& before,
                          const MPI_Request* handles, const Statuses& statuses) {
  std::string list;
  bool any = false;
  for (size_t i = 0; i < before.size(); ++i) {
    std::string says = completion_text(before[i], statuses[static_cast<int>(i)]);
    any = any || says != "-";
    list += (i ? " " : "") + says;
    request_completed(before[i], handles[i]);
  }
  if (any) line.out("array_of_statuses", "[" + list + "]");
}

/// The requests that `indices` point to are complete.
static void completed_some(Line& line, const std::vector<Request>& before,
                           const MPI_Request* handles, int outcount, const int* indices,
                           const Statuses& statuses) {
  line.out("outcount", integer_or_undefined(outcount));
  if (outcount == MPI_UNDEFINED) return;
  line.out("array_of_indices", integers(indices, outcount));
  std::string list;
  bool any = false;
  for (int i = 0; i < outcount; ++i) {
    size_t index = static_cast<size_t>(indices[i]);
    std::string says = completion_text(before[index], statuses[i]);
    any = any || says != "-";
    list += (i ? " " : "") + says;
    request_completed(before[index], handles[index]);
  }
  if (any) line.out("array_of_statuses", "[" + list + "]");
}

CALL(Wait, (MPI_Request * request, MPI_Status* status), (request, status)) {
  std::vector<Request> before = requests_before(request, 1);
  Line line("MPI_Wait");
  line.in("request", request_text(before[0]));
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Wait)(request, used.get());
  if (result == MPI_SUCCESS) completed_one(line, before[0], *request, used[0]);
  drop_nulls(before, request);
  return line.write(result);
}

CALL(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status)) {
  std::vector<Request> before = requests_before(request, 1);
  Line line("MPI_Test");
  line.in("request", request_text(before[0]));
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Test)(request, flag, used.get());
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  if (result == MPI_SUCCESS && *flag) completed_one(line, before[0], *request, used[0]);
  drop_nulls(before, request);
  return line.write(result);
}

CALL(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status),
     (request, flag, status)) {
  // The handle comes by value: there is no address to tell equal handles apart.
  static thread_local MPI_Request by_value;
  by_value = request;
  std::vector<Request> before = requests_before(&by_value, 1);
  Line line("MPI_Request_get_status");
  line.in("request", request_text(before[0]));
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Request_get_status)(request, flag, used.get());
  if (result == MPI_SUCCESS) {
    line.out("flag", logical(*flag));
    std::string says = *flag ? completion_text(before[0], used[0]) : "-";
    if (says != "-") line.out("status", says);
  }
  return line.write(result);
}

CALL(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses),
     (count, requests, statuses)) {
  std::vector<Request> before = requests_before(requests, count);
  Line line("MPI_Waitall");
  line.in("array_of_requests", requests_text(before));
  Statuses used(statuses, statuses == MPI_STATUSES_IGNORE, count);
  int result = REAL(Waitall)(count, requests, used.get());
  if (result == MPI_SUCCESS) completed_all(line, before, requests, used);
  drop_nulls(before, requests);
  return line.write(result);
}

CALL(Testall, (int count, MPI_Request* requests, int* flag, MPI_Status* statuses),
     (count, requests, flag, statuses)) {
  std::vector<Request> before = requests_before(requests, count);
  Line line("MPI_Testall");
  line.in("array_of_requests", requests_text(before));
  Statuses used(statuses, statuses == MPI_STATUSES_IGNORE, count);
  int result = REAL(Testall)(count, requests, flag, used.get());
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  if (result == MPI_SUCCESS && *flag) completed_all(line, before, requests, used);
  drop_nulls(before, requests);
  return line.write(result);
}

CALL(Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status),
     (count, requests, index, status)) {
  std::vector<Request> before = requests_before(requests, count);
  Line line("MPI_Waitany");
  line.in("array_of_requests", requests_text(before));
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Waitany)(count, requests, index, used.get());
  if (result == MPI_SUCCESS) {
    line.out("index", integer_or_undefined(*index));
    if (*index != MPI_UNDEFINED)
      completed_one(line, before[static_cast<size_t>(*index)], requests[*index], used[0]);
  }
  drop_nulls(before, requests);
  return line.write(result);
}

CALL(Testany, (int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status),
     (count, requests, index, flag, status)) {
  std::vector<Request> before = requests_before(requests, count);
  Line line("MPI_Testany");
  line.in("array_of_requests", requests_text(before));
  Statuses used(status, status == MPI_STATUS_IGNORE, 1);
  int result = REAL(Testany)(count, requests, index, flag, used.get());
  if (result == MPI_SUCCESS) {
    if (*flag) line.out("index", integer_or_undefined(*index));
    line.out("flag", logical(*flag));
    if (*flag && *index != MPI_UNDEFINED)
      completed_one(line, before[static_cast<size_t>(*index)], requests[*index], used[0]);
  }
  drop_nulls(before, requests);
  return line.write(result);
}

CALL(Waitsome,
     (int incount, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses),
     (incount, requests, outcount, indices, statuses)) {
  std::vector<Request> before = requests_before(requests, incount);
  Line line("MPI_Waitsome");
  line.in("array_of_requests", requests_text(before));
  Statuses used(statuses, statuses == MPI_STATUSES_IGNORE, incount);
  int result = REAL(Waitsome)(incount, requests, outcount, indices, used.get());
  if (result == MPI_SUCCESS) completed_some(line, before, requests, *outcount, indices, used);
  drop_nulls(before, requests);
  return line.write(result);
}

CALL(Testsome,
     (int incount, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses),
     (incount, requests, outcount, indices, statuses)) {
  std::vector<Request> before = requests_before(requests, incount);
  Line line("MPI_Testsome");
  line.in("array_of_requests", requests_text(before));
  Statuses used(statuses, statuses == MPI_STATUSES_IGNORE, incount);
  int result = REAL(Testsome)(incount, requests, outcount, indices, used.get());
  if (result == MPI_SUCCESS) completed_some(line, before, requests, *outcount, indices, used);
  drop_nulls(before, requests);
  return line.write(result);
}

#endif
