// SPDX-License-Identifier: Apache-2.0
// Requests that the program completes itself, and messages that are sent in parts.
#include "oracle.hpp"

using namespace oracle;

CALL(Grequest_start,
     (MPI_Grequest_query_function * query_fn, MPI_Grequest_free_function* free_fn,
      MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request),
     (query_fn, free_fn, cancel_fn, extra_state, request)) {
  Line line("MPI_Grequest_start");
  int result = REAL(Grequest_start)(query_fn, free_fn, cancel_fn, extra_state, request);
  if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));
  return line.write(result);
}

CALL(Grequest_complete, (MPI_Request request), (request)) {
  Line line("MPI_Grequest_complete");
  line.in("request", request_text(requests_before(&request, 1)[0]));
  return line.write(REAL(Grequest_complete)(request));
}

#if MPI_VERSION >= 4

#define PARTITIONED(Name, Const, peer, name_of_peer)                                               \
  CALL(Name,                                                                                       \
       (Const void* buf, int partitions, MPI_Count count, MPI_Datatype type, int peer,             \
        int message_tag, MPI_Comm communicator, MPI_Info info, MPI_Request* request),              \
       (buf, partitions, count, type, peer, message_tag, communicator, info, request)) {           \
    Line line("MPI_" #Name);                                                                       \
    line.buffer("buf", buf);                                                                       \
    line.in("partitions", integer(partitions));                                                    \
    line.in("count", integer(count));                                                              \
    line.in("datatype", datatype(type));                                                           \
    line.in(name_of_peer, rank(peer));                                                             \
    line.in("tag", tag(message_tag));                                                              \
    line.in("comm", comm(communicator));                                                           \
    int result =                                                                                   \
        REAL(Name)(buf, partitions, count, type, peer, message_tag, communicator, info, request);  \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, true, false));             \
    return line.write(result);                                                                     \
  }
PARTITIONED(Psend_init, const, dest, "dest")
PARTITIONED(Precv_init, , source, "source")

CALL(Pready, (int partition, MPI_Request request), (partition, request)) {
  Line line("MPI_Pready");
  line.in("partition", integer(partition));
  line.in("request", request_text(requests_before(&request, 1)[0]));
  return line.write(REAL(Pready)(partition, request));
}

CALL(Pready_range, (int partition_low, int partition_high, MPI_Request request),
     (partition_low, partition_high, request)) {
  Line line("MPI_Pready_range");
  line.in("partition_low", integer(partition_low));
  line.in("partition_high", integer(partition_high));
  line.in("request", request_text(requests_before(&request, 1)[0]));
  return line.write(REAL(Pready_range)(partition_low, partition_high, request));
}

CALL(Pready_list, (int length, int* partitions, MPI_Request request),
     (length, partitions, request)) {
  Line line("MPI_Pready_list");
  line.in("array_of_partitions", integers(partitions, length));
  line.in("request", request_text(requests_before(&request, 1)[0]));
  return line.write(REAL(Pready_list)(length, partitions, request));
}

CALL(Parrived, (MPI_Request request, int partition, int* flag), (request, partition, flag)) {
  Line line("MPI_Parrived");
  line.in("request", request_text(requests_before(&request, 1)[0]));
  line.in("partition", integer(partition));
  int result = REAL(Parrived)(request, partition, flag);
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  return line.write(result);
}

#endif
