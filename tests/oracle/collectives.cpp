// SPDX-License-Identifier: Apache-2.0
// Collective operations. Each block says which arguments MPI reads; it serves the blocking, the
// nonblocking and (since MPI-4) the persistent form, which differ in nothing else.
#include "oracle.hpp"

using namespace oracle;

#if MPI_VERSION >= 4
#define PERSISTENT(Name, Params, Args)                                                             \
  CALL(SIZED(Name##_init), (STRIP Params, MPI_Info info, MPI_Request * request),                   \
       (STRIP Args, info, request)) {                                                              \
    Line line("MPI_" #Name "_init" SUFFIX);                                                        \
    arguments_of_##Name(line, STRIP Args);                                                         \
    int result = REAL(SIZED(Name##_init))(STRIP Args, info, request);                              \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, true, false));             \
    return line.write(result);                                                                     \
  }
#else
#define PERSISTENT(Name, Params, Args)
#endif

/// Defines MPI_Name, MPI_Iname and MPI_Name_init; the block that follows puts the arguments into
/// `line`.
#define COLLECTIVE(Name, Iname, Params, Args)                                                      \
  static void arguments_of_##Name(Line& line, STRIP Params);                                       \
  CALL(SIZED(Name), Params, Args) {                                                                \
    Line line("MPI_" #Name SUFFIX);                                                                \
    arguments_of_##Name(line, STRIP Args);                                                         \
    return line.write(REAL(SIZED(Name)) Args);                                                     \
  }                                                                                                \
  CALL(SIZED(Iname), (STRIP Params, MPI_Request * request), (STRIP Args, request)) {               \
    Line line("MPI_" #Iname SUFFIX);                                                               \
    arguments_of_##Name(line, STRIP Args);                                                         \
    int result = REAL(SIZED(Iname))(STRIP Args, request);                                          \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));            \
    return line.write(result);                                                                     \
  }                                                                                                \
  PERSISTENT(Name, Params, Args)                                                                   \
  static void arguments_of_##Name(Line& line, STRIP Params)

/// Which arguments of a rooted collective count on this rank. Within one group every rank is a
/// leaf, the root too. Between two groups the root has root=MPI_ROOT, the other group's ranks are
/// the leaves, and those with root=MPI_PROC_NULL are neither.
struct Role {
  bool root, leaf;
};
static Role role(int root, MPI_Comm communicator) {
  if (is_inter(communicator)) return {root == MPI_ROOT, root != MPI_ROOT && root != MPI_PROC_NULL};
  return {rank_in(communicator) == root, true};
}

static void send_side(Line& line, const void* sendbuf, Count sendcount, MPI_Datatype sendtype) {
  line.buffer("sendbuf", sendbuf);
  if (sendbuf == MPI_IN_PLACE) return;
  line.in("sendcount", integer(sendcount));
  line.in("sendtype", datatype(sendtype));
}

static void recv_side(Line& line, const void* recvbuf, Count recvcount, MPI_Datatype recvtype) {
  line.buffer("recvbuf", recvbuf);
  if (recvbuf == MPI_IN_PLACE) return;
  line.in("recvcount", integer(recvcount));
  line.in("recvtype", datatype(recvtype));
}

static void sends_side(Line& line, const void* sendbuf, const Count* sendcounts,
                       const Displacement* displs, const char* name_of_displs,
                       MPI_Datatype sendtype, int length) {
  line.buffer("sendbuf", sendbuf);
  if (sendbuf == MPI_IN_PLACE) return;
  line.in("sendcounts", integers(sendcounts, length));
  line.in(name_of_displs, integers(displs, length));
  line.in("sendtype", datatype(sendtype));
}

static void recvs_side(Line& line, const void* recvbuf, const Count* recvcounts,
                       const Displacement* displs, const char* name_of_displs,
                       MPI_Datatype recvtype, int length) {
  line.buffer("recvbuf", recvbuf);
  line.in("recvcounts", integers(recvcounts, length));
  line.in(name_of_displs, integers(displs, length));
  line.in("recvtype", datatype(recvtype));
}

// ---- One to all, all to one --------------------------------------------------------------------

#ifndef LARGE_COUNTS
COLLECTIVE(Barrier, Ibarrier, (MPI_Comm communicator), (communicator)) {
  line.in("comm", comm(communicator));
}
#endif

COLLECTIVE(Bcast, Ibcast,
           (void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm communicator),
           (buffer, count, type, root, communicator)) {
  Role me = role(root, communicator);
  if (me.root || me.leaf) {
    line.buffer("buffer", buffer);
    line.in("count", integer(count));
    line.in("datatype", datatype(type));
  }
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Gather, Igather,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, communicator)) {
  Role me = role(root, communicator);
  if (me.leaf) send_side(line, sendbuf, sendcount, sendtype);
  if (me.root) recv_side(line, recvbuf, recvcount, recvtype);
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Gatherv, Igatherv,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype, int root,
            MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
            communicator)) {
  Role me = role(root, communicator);
  if (me.leaf) send_side(line, sendbuf, sendcount, sendtype);
  if (me.root)
    recvs_side(line, recvbuf, recvcounts, displs, "displs", recvtype, peers(communicator));
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Scatter, Iscatter,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, communicator)) {
  Role me = role(root, communicator);
  if (me.root) send_side(line, sendbuf, sendcount, sendtype);
  if (me.leaf) recv_side(line, recvbuf, recvcount, recvtype);
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Scatterv, Iscatterv,
           (const void* sendbuf, const Count* sendcounts, const Displacement* displs,
            MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root,
            MPI_Comm communicator),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
            communicator)) {
  Role me = role(root, communicator);
  if (me.root)
    sends_side(line, sendbuf, sendcounts, displs, "displs", sendtype, peers(communicator));
  if (me.leaf) recv_side(line, recvbuf, recvcount, recvtype);
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Reduce, Ireduce,
           (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op operation,
            int root, MPI_Comm communicator),
           (sendbuf, recvbuf, count, type, operation, root, communicator)) {
  Role me = role(root, communicator);
  if (me.leaf) line.buffer("sendbuf", sendbuf);
  if (me.root) line.buffer("recvbuf", recvbuf);
  if (me.root || me.leaf) {
    line.in("count", integer(count));
    line.in("datatype", datatype(type));
    line.in("op", op(operation));
  }
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
}

// ---- All to all --------------------------------------------------------------------------------

COLLECTIVE(Allgather, Iallgather,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recv_side(line, recvbuf, recvcount, recvtype);
  line.in("comm", comm(communicator));
}

COLLECTIVE(Allgatherv, Iallgatherv,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
            MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recvs_side(line, recvbuf, recvcounts, displs, "displs", recvtype, peers(communicator));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Alltoall, Ialltoall,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recv_side(line, recvbuf, recvcount, recvtype);
  line.in("comm", comm(communicator));
}

COLLECTIVE(Alltoallv, Ialltoallv,
           (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
            MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts,
            const Displacement* rdispls, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
            communicator)) {
  int length = peers(communicator);
  sends_side(line, sendbuf, sendcounts, sdispls, "sdispls", sendtype, length);
  recvs_side(line, recvbuf, recvcounts, rdispls, "rdispls", recvtype, length);
  line.in("comm", comm(communicator));
}

COLLECTIVE(Alltoallw, Ialltoallw,
           (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
            const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,
            const Displacement* rdispls, const MPI_Datatype* recvtypes, MPI_Comm communicator),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
            communicator)) {
  int length = peers(communicator);
  line.buffer("sendbuf", sendbuf);
  if (sendbuf != MPI_IN_PLACE) {
    line.in("sendcounts", integers(sendcounts, length));
    line.in("sdispls", integers(sdispls, length));
    line.in("sendtypes", datatypes(sendtypes, length));
  }
  line.buffer("recvbuf", recvbuf);
  line.in("recvcounts", integers(recvcounts, length));
  line.in("rdispls", integers(rdispls, length));
  line.in("recvtypes", datatypes(recvtypes, length));
  line.in("comm", comm(communicator));
}

// ---- Reductions on all -------------------------------------------------------------------------

static void reduction(Line& line, const void* sendbuf, const void* recvbuf, Count count,
                      MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
  line.buffer("sendbuf", sendbuf);
  line.buffer("recvbuf", recvbuf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
  line.in("op", op(operation));
  line.in("comm", comm(communicator));
}

#define REDUCTION(Name, Iname)                                                                     \
  COLLECTIVE(Name, Iname,                                                                          \
             (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type,                  \
              MPI_Op operation, MPI_Comm communicator),                                            \
             (sendbuf, recvbuf, count, type, operation, communicator)) {                           \
    reduction(line, sendbuf, recvbuf, count, type, operation, communicator);                       \
  }
REDUCTION(Allreduce, Iallreduce)
REDUCTION(Scan, Iscan)
REDUCTION(Exscan, Iexscan)

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void* sendbuf, void* recvbuf, const Count* recvcounts, MPI_Datatype type,
            MPI_Op operation, MPI_Comm communicator),
           (sendbuf, recvbuf, recvcounts, type, operation, communicator)) {
  line.buffer("sendbuf", sendbuf);
  line.buffer("recvbuf", recvbuf);
  // The result is spread over the own group, on an inter-communicator too.
  line.in("recvcounts", integers(recvcounts, local_size(communicator)));
  line.in("datatype", datatype(type));
  line.in("op", op(operation));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void* sendbuf, void* recvbuf, Count recvcount, MPI_Datatype type,
            MPI_Op operation, MPI_Comm communicator),
           (sendbuf, recvbuf, recvcount, type, operation, communicator)) {
  line.buffer("sendbuf", sendbuf);
  line.buffer("recvbuf", recvbuf);
  line.in("recvcount", integer(recvcount));
  line.in("datatype", datatype(type));
  line.in("op", op(operation));
  line.in("comm", comm(communicator));
}

// ---- Neighbourhoods ----------------------------------------------------------------------------

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recv_side(line, recvbuf, recvcount, recvtype);
  line.in("comm", comm(communicator));
}

COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
            MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recvs_side(line, recvbuf, recvcounts, displs, "displs", recvtype, neighbors_in(communicator));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, communicator)) {
  send_side(line, sendbuf, sendcount, sendtype);
  recv_side(line, recvbuf, recvcount, recvtype);
  line.in("comm", comm(communicator));
}

COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
           (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
            MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts,
            const Displacement* rdispls, MPI_Datatype recvtype, MPI_Comm communicator),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
            communicator)) {
  sends_side(line, sendbuf, sendcounts, sdispls, "sdispls", sendtype, neighbors_out(communicator));
  recvs_side(line, recvbuf, recvcounts, rdispls, "rdispls", recvtype, neighbors_in(communicator));
  line.in("comm", comm(communicator));
}

COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls,
            const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,
            const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm communicator),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
            communicator)) {
  int out = neighbors_out(communicator), in = neighbors_in(communicator);
  line.buffer("sendbuf", sendbuf);
  line.in("sendcounts", integers(sendcounts, out));
  line.in("sdispls", integers(sdispls, out));
  line.in("sendtypes", datatypes(sendtypes, out));
  line.buffer("recvbuf", recvbuf);
  line.in("recvcounts", integers(recvcounts, in));
  line.in("rdispls", integers(rdispls, in));
  line.in("recvtypes", datatypes(recvtypes, in));
  line.in("comm", comm(communicator));
}

// ---- Operations ------------------------------------------------------------------------------

CALL(SIZED(Op_create), (UserFunction * user_fn, int commute, MPI_Op* op), (user_fn, commute, op)) {
  Line line("MPI_Op_create" SUFFIX);
  line.in("commute", logical(commute));
  int result = REAL(SIZED(Op_create))(user_fn, commute, op);
  if (result == MPI_SUCCESS) line.out("op", new_op(*op));
  return line.write(result);
}

#ifndef LARGE_COUNTS
CALL(Op_free, (MPI_Op * operation), (operation)) {
  Line line("MPI_Op_free");
  line.in("op", op(*operation));
  MPI_Op before = *operation;
  int result = REAL(Op_free)(operation);
  if (result == MPI_SUCCESS) forget_op(before);
  return line.write(result);
}
#endif
