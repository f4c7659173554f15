// SPDX-License-Identifier: Apache-2.0
// The run itself, and what programs make: communicators, groups, operations.
#include "oracle.hpp"

#include <numeric>

using namespace oracle;

// ---- Integers that stand for a choice ----------------------------------------------------------

static std::string thread_level(int level) {
  if (level == MPI_THREAD_SINGLE) return "MPI_THREAD_SINGLE";
  if (level == MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED";
  if (level == MPI_THREAD_SERIALIZED) return "MPI_THREAD_SERIALIZED";
  if (level == MPI_THREAD_MULTIPLE) return "MPI_THREAD_MULTIPLE";
  return integer(level);
}

static std::string split_type_text(int type) {
  if (type == MPI_COMM_TYPE_SHARED) return "MPI_COMM_TYPE_SHARED";
#if MPI_VERSION >= 4
  if (type == MPI_COMM_TYPE_HW_GUIDED) return "MPI_COMM_TYPE_HW_GUIDED";
  if (type == MPI_COMM_TYPE_HW_UNGUIDED) return "MPI_COMM_TYPE_HW_UNGUIDED";
#endif
  return integer_or_undefined(type);
}

// ---- The run ---------------------------------------------------------------------------------

CALL(Init, (int* argc, char*** argv), (argc, argv)) {
  return Line("MPI_Init").write(REAL(Init)(argc, argv));
}

CALL(Init_thread, (int* argc, char*** argv, int required, int* provided),
     (argc, argv, required, provided)) {
  Line line("MPI_Init_thread");
  line.in("required", thread_level(required));
  int result = REAL(Init_thread)(argc, argv, required, provided);
  line.out("provided", thread_level(*provided));
  return line.write(result);
}

CALL(Finalize, (void), ()) {
  Line("MPI_Finalize").write(MPI_SUCCESS); // afterwards mpirun may kill us because of another rank
  return REAL(Finalize)();
}

CALL(Abort, (MPI_Comm communicator, int errorcode), (communicator, errorcode)) {
  Line line("MPI_Abort");
  line.in("comm", comm(communicator));
  line.in("errorcode", integer(errorcode));
  line.write(MPI_SUCCESS); // it does not come back
  return REAL(Abort)(communicator, errorcode);
}

CALL(Pcontrol, (const int level, ...), (level)) {
  Line line("MPI_Pcontrol");
  line.in("level", integer(level));
  return line.write(REAL(Pcontrol)(level));
}

// ---- Communicators ---------------------------------------------------------------------------

CALL(Comm_dup, (MPI_Comm communicator, MPI_Comm* newcomm), (communicator, newcomm)) {
  Line line("MPI_Comm_dup");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_dup)(communicator, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Comm_dup_with_info, (MPI_Comm communicator, MPI_Info info, MPI_Comm* newcomm),
     (communicator, info, newcomm)) {
  Line line("MPI_Comm_dup_with_info");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_dup_with_info)(communicator, info, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Comm_idup, (MPI_Comm communicator, MPI_Comm* newcomm, MPI_Request* request),
     (communicator, newcomm, request)) {
  Line line("MPI_Comm_idup");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_idup)(communicator, newcomm, request);
  if (result == MPI_SUCCESS) {
    // Nothing may be asked of the new communicator before the request is complete.
    line.out("newcomm", new_comm_like(*newcomm, communicator));
    line.out("request", new_request(request, false, false));
  }
  return line.write(result);
}

#if MPI_VERSION >= 4
CALL(Comm_idup_with_info,
     (MPI_Comm communicator, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request),
     (communicator, info, newcomm, request)) {
  Line line("MPI_Comm_idup_with_info");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_idup_with_info)(communicator, info, newcomm, request);
  if (result == MPI_SUCCESS) {
    line.out("newcomm", new_comm_like(*newcomm, communicator));
    line.out("request", new_request(request, false, false));
  }
  return line.write(result);
}
#endif

CALL(Comm_split, (MPI_Comm communicator, int color, int key, MPI_Comm* newcomm),
     (communicator, color, key, newcomm)) {
  Line line("MPI_Comm_split");
  line.in("comm", comm(communicator));
  line.in("color", integer_or_undefined(color));
  line.in("key", integer(key));
  int result = REAL(Comm_split)(communicator, color, key, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Comm_split_type,
     (MPI_Comm communicator, int split_type, int key, MPI_Info info, MPI_Comm* newcomm),
     (communicator, split_type, key, info, newcomm)) {
  Line line("MPI_Comm_split_type");
  line.in("comm", comm(communicator));
  line.in("split_type", split_type_text(split_type));
  line.in("key", integer(key));
  int result = REAL(Comm_split_type)(communicator, split_type, key, info, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Comm_create, (MPI_Comm communicator, MPI_Group members, MPI_Comm* newcomm),
     (communicator, members, newcomm)) {
  Line line("MPI_Comm_create");
  line.in("comm", comm(communicator));
  line.in("group", group(members));
  int result = REAL(Comm_create)(communicator, members, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Comm_create_group, (MPI_Comm communicator, MPI_Group members, int with_tag, MPI_Comm* newcomm),
     (communicator, members, with_tag, newcomm)) {
  Line line("MPI_Comm_create_group");
  line.in("comm", comm(communicator));
  line.in("group", group(members));
  line.in("tag", tag(with_tag));
  int result = REAL(Comm_create_group)(communicator, members, with_tag, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Intercomm_create,
     (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int with_tag,
      MPI_Comm* newintercomm),
     (local_comm, local_leader, peer_comm, remote_leader, with_tag, newintercomm)) {
  Line line("MPI_Intercomm_create");
  line.in("local_comm", comm(local_comm));
  line.in("local_leader", rank(local_leader));
  if (rank_in(local_comm) == local_leader) { // MPI reads these on the leader alone
    line.in("peer_comm", comm(peer_comm));
    line.in("remote_leader", rank(remote_leader));
  }
  line.in("tag", tag(with_tag));
  int result = REAL(Intercomm_create)(local_comm, local_leader, peer_comm, remote_leader, with_tag,
                                      newintercomm);
  if (result == MPI_SUCCESS) line.out("newintercomm", new_comm(*newintercomm));
  return line.write(result);
}

CALL(Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm),
     (intercomm, high, newintracomm)) {
  Line line("MPI_Intercomm_merge");
  line.in("intercomm", comm(intercomm));
  line.in("high", logical(high));
  int result = REAL(Intercomm_merge)(intercomm, high, newintracomm);
  if (result == MPI_SUCCESS) line.out("newintracomm", new_comm(*newintracomm));
  return line.write(result);
}

CALL(Comm_set_name, (MPI_Comm communicator, const char* comm_name), (communicator, comm_name)) {
  Line line("MPI_Comm_set_name");
  line.in("comm", comm(communicator));
  line.in("comm_name", text(comm_name));
  return line.write(REAL(Comm_set_name)(communicator, comm_name));
}

CALL(Comm_free, (MPI_Comm * communicator), (communicator)) {
  Line line("MPI_Comm_free");
  line.in("comm", comm(*communicator));
  MPI_Comm before = *communicator;
  int result = REAL(Comm_free)(communicator);
  if (result == MPI_SUCCESS) forget_comm(before);
  return line.write(result);
}

CALL(Comm_disconnect, (MPI_Comm * communicator), (communicator)) {
  Line line("MPI_Comm_disconnect");
  line.in("comm", comm(*communicator));
  MPI_Comm before = *communicator;
  int result = REAL(Comm_disconnect)(communicator);
  if (result == MPI_SUCCESS) forget_comm(before);
  return line.write(result);
}

// ---- Process topologies ----------------------------------------------------------------------

CALL(Cart_create,
     (MPI_Comm comm_old, int ndims, const int* dims, const int* periods, int reorder,
      MPI_Comm* comm_cart),
     (comm_old, ndims, dims, periods, reorder, comm_cart)) {
  Line line("MPI_Cart_create");
  line.in("comm_old", comm(comm_old));
  line.in("dims", integers(dims, ndims));
  line.in("periods", array(periods, ndims, logical));
  line.in("reorder", logical(reorder));
  int result = REAL(Cart_create)(comm_old, ndims, dims, periods, reorder, comm_cart);
  if (result == MPI_SUCCESS) line.out("comm_cart", new_comm(*comm_cart));
  return line.write(result);
}

CALL(Cart_sub, (MPI_Comm communicator, const int* remain_dims, MPI_Comm* newcomm),
     (communicator, remain_dims, newcomm)) {
  Line line("MPI_Cart_sub");
  line.in("comm", comm(communicator));
  line.in("remain_dims", array(remain_dims, cart_dims(communicator), logical));
  int result = REAL(Cart_sub)(communicator, remain_dims, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Graph_create,
     (MPI_Comm comm_old, int nnodes, const int* index, const int* edges, int reorder,
      MPI_Comm* comm_graph),
     (comm_old, nnodes, index, edges, reorder, comm_graph)) {
  Line line("MPI_Graph_create");
  line.in("comm_old", comm(comm_old));
  line.in("index", integers(index, nnodes));
  line.in("edges", integers(edges, index && nnodes > 0 ? index[nnodes - 1] : 0));
  line.in("reorder", logical(reorder));
  int result = REAL(Graph_create)(comm_old, nnodes, index, edges, reorder, comm_graph);
  if (result == MPI_SUCCESS) line.out("comm_graph", new_comm(*comm_graph));
  return line.write(result);
}

static std::string weights_text(const int* weights, int length) {
  if (weights == MPI_UNWEIGHTED) return "MPI_UNWEIGHTED";
  if (weights == MPI_WEIGHTS_EMPTY) return "MPI_WEIGHTS_EMPTY";
  return integers(weights, length);
}

CALL(Dist_graph_create,
     (MPI_Comm comm_old, int n, const int* sources, const int* degrees, const int* destinations,
      const int* weights, MPI_Info info, int reorder, MPI_Comm* comm_dist_graph),
     (comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph)) {
  int edges = degrees && n > 0 ? std::accumulate(degrees, degrees + n, 0) : 0;
  Line line("MPI_Dist_graph_create");
  line.in("comm_old", comm(comm_old));
  line.in("sources", array(sources, n, rank));
  line.in("degrees", integers(degrees, n));
  line.in("destinations", array(destinations, edges, rank));
  line.in("weights", weights_text(weights, edges));
  line.in("reorder", logical(reorder));
  int result = REAL(Dist_graph_create)(comm_old, n, sources, degrees, destinations, weights, info,
                                       reorder, comm_dist_graph);
  if (result == MPI_SUCCESS) line.out("comm_dist_graph", new_comm(*comm_dist_graph));
  return line.write(result);
}

CALL(Dist_graph_create_adjacent,
     (MPI_Comm comm_old, int indegree, const int* sources, const int* sourceweights, int outdegree,
      const int* destinations, const int* destweights, MPI_Info info, int reorder,
      MPI_Comm* comm_dist_graph),
     (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
      reorder, comm_dist_graph)) {
  Line line("MPI_Dist_graph_create_adjacent");
  line.in("comm_old", comm(comm_old));
  line.in("sources", array(sources, indegree, rank));
  line.in("sourceweights", weights_text(sourceweights, indegree));
  line.in("destinations", array(destinations, outdegree, rank));
  line.in("destweights", weights_text(destweights, outdegree));
  line.in("reorder", logical(reorder));
  int result =
      REAL(Dist_graph_create_adjacent)(comm_old, indegree, sources, sourceweights, outdegree,
                                       destinations, destweights, info, reorder, comm_dist_graph);
  if (result == MPI_SUCCESS) line.out("comm_dist_graph", new_comm(*comm_dist_graph));
  return line.write(result);
}

// ---- Groups ----------------------------------------------------------------------------------

CALL(Comm_group, (MPI_Comm communicator, MPI_Group* members), (communicator, members)) {
  Line line("MPI_Comm_group");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_group)(communicator, members);
  if (result == MPI_SUCCESS) line.out("group", new_group(*members));
  return line.write(result);
}

CALL(Comm_remote_group, (MPI_Comm communicator, MPI_Group* members), (communicator, members)) {
  Line line("MPI_Comm_remote_group");
  line.in("comm", comm(communicator));
  int result = REAL(Comm_remote_group)(communicator, members);
  if (result == MPI_SUCCESS) line.out("group", new_group(*members));
  return line.write(result);
}

#define GROUP_OF_TWO(Name)                                                                         \
  CALL(Name, (MPI_Group group1, MPI_Group group2, MPI_Group * newgroup),                           \
       (group1, group2, newgroup)) {                                                               \
    Line line("MPI_" #Name);                                                                       \
    line.in("group1", group(group1));                                                              \
    line.in("group2", group(group2));                                                              \
    int result = REAL(Name)(group1, group2, newgroup);                                             \
    if (result == MPI_SUCCESS) line.out("newgroup", new_group(*newgroup));                         \
    return line.write(result);                                                                     \
  }
GROUP_OF_TWO(Group_union)
GROUP_OF_TWO(Group_intersection)
GROUP_OF_TWO(Group_difference)

#define GROUP_BY_RANKS(Name)                                                                       \
  CALL(Name, (MPI_Group old, int n, const int* ranks, MPI_Group* newgroup),                        \
       (old, n, ranks, newgroup)) {                                                                \
    Line line("MPI_" #Name);                                                                       \
    line.in("group", group(old));                                                                  \
    line.in("ranks", integers(ranks, n));                                                          \
    int result = REAL(Name)(old, n, ranks, newgroup);                                              \
    if (result == MPI_SUCCESS) line.out("newgroup", new_group(*newgroup));                         \
    return line.write(result);                                                                     \
  }
GROUP_BY_RANKS(Group_incl)
GROUP_BY_RANKS(Group_excl)

// A range is three integers: first, last, stride.
#define GROUP_BY_RANGES(Name)                                                                      \
  CALL(Name, (MPI_Group old, int n, int ranges[][3], MPI_Group* newgroup),                         \
       (old, n, ranges, newgroup)) {                                                               \
    Line line("MPI_" #Name);                                                                       \
    line.in("group", group(old));                                                                  \
    line.in("ranges", integers(n > 0 ? ranges[0] : nullptr, 3 * n));                               \
    int result = REAL(Name)(old, n, ranges, newgroup);                                             \
    if (result == MPI_SUCCESS) line.out("newgroup", new_group(*newgroup));                         \
    return line.write(result);                                                                     \
  }
GROUP_BY_RANGES(Group_range_incl)
GROUP_BY_RANGES(Group_range_excl)

CALL(Group_free, (MPI_Group * members), (members)) {
  Line line("MPI_Group_free");
  line.in("group", group(*members));
  MPI_Group before = *members;
  int result = REAL(Group_free)(members);
  if (result == MPI_SUCCESS) forget_group(before);
  return line.write(result);
}
