// SPDX-License-Identifier: Apache-2.0
// The run itself, and what programs make: communicators, groups, datatypes, operations.
#include "oracle.hpp"

#include <cstdint>
#include <numeric>

using namespace oracle;

// ---- The run ---------------------------------------------------------------------------------

CALL(Init, (int* argc, char*** argv), (argc, argv)) {
  return Line("MPI_Init").write(REAL(Init)(argc, argv));
}

CALL(Init_thread, (int* argc, char*** argv, int required, int* provided),
     (argc, argv, required, provided)) {
  Line line("MPI_Init_thread");
  line.in("required", integer(required));
  int result = REAL(Init_thread)(argc, argv, required, provided);
  line.out("provided", integer(*provided));
  return line.write(result);
}

CALL(Finalize, (void), ()) { return Line("MPI_Finalize").write(REAL(Finalize)()); }

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

CALL(Buffer_attach, (void* buffer, int size), (buffer, size)) {
  Line line("MPI_Buffer_attach");
  line.buffer("buffer", buffer);
  line.in("size", integer(size));
  return line.write(REAL(Buffer_attach)(buffer, size));
}

CALL(Buffer_detach, (void* buffer, int* size), (buffer, size)) {
  Line line("MPI_Buffer_detach");
  int result = REAL(Buffer_detach)(buffer, size);
  line.out("size", integer(*size));
  return line.write(result);
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
  line.in("split_type", integer_or_undefined(split_type));
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

CALL(Comm_get_parent, (MPI_Comm * parent), (parent)) {
  Line line("MPI_Comm_get_parent");
  int result = REAL(Comm_get_parent)(parent);
  if (result == MPI_SUCCESS) line.out("parent", new_comm(*parent));
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
  int ndims = 0;
  PMPI_Cartdim_get(communicator, &ndims);
  Line line("MPI_Cart_sub");
  line.in("comm", comm(communicator));
  line.in("remain_dims", array(remain_dims, ndims, logical));
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
  line.in("edges", integers(edges, nnodes > 0 ? index[nnodes - 1] : 0));
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
  int edges = std::accumulate(degrees, degrees + n, 0);
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

// ---- Datatypes -------------------------------------------------------------------------------

CALL(Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype),
     (count, oldtype, newtype)) {
  Line line("MPI_Type_contiguous");
  line.in("count", integer(count));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(Type_contiguous)(count, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

#define TYPE_VECTOR(Name, Stride)                                                                  \
  CALL(Name,                                                                                       \
       (int count, int blocklength, Stride stride, MPI_Datatype oldtype, MPI_Datatype* newtype),   \
       (count, blocklength, stride, oldtype, newtype)) {                                           \
    Line line("MPI_" #Name);                                                                       \
    line.in("count", integer(count));                                                              \
    line.in("blocklength", integer(blocklength));                                                  \
    line.in("stride", integer(stride));                                                            \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(Name)(count, blocklength, stride, oldtype, newtype);                         \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_VECTOR(Type_vector, int)
TYPE_VECTOR(Type_create_hvector, MPI_Aint)

#define TYPE_INDEXED(Name, Displacement)                                                           \
  CALL(Name,                                                                                       \
       (int count, const int* blocklengths, const Displacement* displacements,                     \
        MPI_Datatype oldtype, MPI_Datatype* newtype),                                              \
       (count, blocklengths, displacements, oldtype, newtype)) {                                   \
    Line line("MPI_" #Name);                                                                       \
    line.in("array_of_blocklengths", integers(blocklengths, count));                               \
    line.in("array_of_displacements", integers(displacements, count));                             \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(Name)(count, blocklengths, displacements, oldtype, newtype);                 \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_INDEXED(Type_indexed, int)
TYPE_INDEXED(Type_create_hindexed, MPI_Aint)

#define TYPE_INDEXED_BLOCK(Name, Displacement)                                                     \
  CALL(Name,                                                                                       \
       (int count, int blocklength, const Displacement* displacements, MPI_Datatype oldtype,       \
        MPI_Datatype* newtype),                                                                    \
       (count, blocklength, displacements, oldtype, newtype)) {                                    \
    Line line("MPI_" #Name);                                                                       \
    line.in("blocklength", integer(blocklength));                                                  \
    line.in("array_of_displacements", integers(displacements, count));                             \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(Name)(count, blocklength, displacements, oldtype, newtype);                  \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_INDEXED_BLOCK(Type_create_indexed_block, int)
TYPE_INDEXED_BLOCK(Type_create_hindexed_block, MPI_Aint)

CALL(Type_create_struct,
     (int count, const int* blocklengths, const MPI_Aint* displacements, const MPI_Datatype* types,
      MPI_Datatype* newtype),
     (count, blocklengths, displacements, types, newtype)) {
  Line line("MPI_Type_create_struct");
  line.in("array_of_blocklengths", integers(blocklengths, count));
  line.in("array_of_displacements", integers(displacements, count));
  line.in("array_of_types", datatypes(types, count));
  int result = REAL(Type_create_struct)(count, blocklengths, displacements, types, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_create_resized,
     (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype),
     (oldtype, lb, extent, newtype)) {
  Line line("MPI_Type_create_resized");
  line.in("oldtype", datatype(oldtype));
  line.in("lb", integer(lb));
  line.in("extent", integer(extent));
  int result = REAL(Type_create_resized)(oldtype, lb, extent, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_create_subarray,
     (int ndims, const int* sizes, const int* subsizes, const int* starts, int order,
      MPI_Datatype oldtype, MPI_Datatype* newtype),
     (ndims, sizes, subsizes, starts, order, oldtype, newtype)) {
  Line line("MPI_Type_create_subarray");
  line.in("array_of_sizes", integers(sizes, ndims));
  line.in("array_of_subsizes", integers(subsizes, ndims));
  line.in("array_of_starts", integers(starts, ndims));
  line.in("order", integer(order));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(Type_create_subarray)(ndims, sizes, subsizes, starts, order, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_create_darray,
     (int size, int of_rank, int ndims, const int* gsizes, const int* distribs, const int* dargs,
      const int* psizes, int order, MPI_Datatype oldtype, MPI_Datatype* newtype),
     (size, of_rank, ndims, gsizes, distribs, dargs, psizes, order, oldtype, newtype)) {
  Line line("MPI_Type_create_darray");
  line.in("size", integer(size));
  line.in("rank", rank(of_rank));
  line.in("array_of_gsizes", integers(gsizes, ndims));
  line.in("array_of_distribs", integers(distribs, ndims));
  line.in("array_of_dargs", integers(dargs, ndims));
  line.in("array_of_psizes", integers(psizes, ndims));
  line.in("order", integer(order));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(Type_create_darray)(size, of_rank, ndims, gsizes, distribs, dargs, psizes,
                                        order, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype), (oldtype, newtype)) {
  Line line("MPI_Type_dup");
  line.in("oldtype", datatype(oldtype));
  int result = REAL(Type_dup)(oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_commit, (MPI_Datatype * type), (type)) {
  Line line("MPI_Type_commit");
  line.in("datatype", datatype(*type));
  return line.write(REAL(Type_commit)(type));
}

CALL(Type_free, (MPI_Datatype * type), (type)) {
  Line line("MPI_Type_free");
  line.in("datatype", datatype(*type));
  MPI_Datatype before = *type;
  int result = REAL(Type_free)(type);
  if (result == MPI_SUCCESS) forget_datatype(before);
  return line.write(result);
}

// ---- Operations ------------------------------------------------------------------------------

CALL(Op_create, (MPI_User_function * user_fn, int commute, MPI_Op* op), (user_fn, commute, op)) {
  Line line("MPI_Op_create");
  line.in("commute", logical(commute));
  int result = REAL(Op_create)(user_fn, commute, op);
  if (result == MPI_SUCCESS) line.out("op", new_op(*op));
  return line.write(result);
}

CALL(Op_free, (MPI_Op * operation), (operation)) {
  Line line("MPI_Op_free");
  line.in("op", op(*operation));
  MPI_Op before = *operation;
  int result = REAL(Op_free)(operation);
  if (result == MPI_SUCCESS) forget_op(before);
  return line.write(result);
}
