// SPDX-License-Identifier: Apache-2.0
// What MPI's rules on significant arguments need to know of a call's communicator, group or
// datatype.
#include "record/call.hpp"
#include "record/process/mpi_library.hpp"

namespace rondo::record {

// Before the call, MPI is asked about handles only that the program got from MPI and has not freed:
// of others it would call the program's error handler.

bool Call::is_root(MPI_Comm comm, int root) {
  const Comm& known = comm_of(comm);
  return known.is_inter ? root == MPI_ROOT : root == known.rank;
}

bool Call::is_active(MPI_Comm comm, int root) {
  return !comm_of(comm).is_inter || root != MPI_PROC_NULL;
}

bool Call::leads_group(MPI_Group group, int leader) {
  int rank = MPI_UNDEFINED;
  const std::int64_t word = recorder_->objects.word_of(trace::FieldKind::kGroup, key_of(group));
  if (!trace::is_special(word)) PMPI_Group_rank(group, &rank);
  return rank == leader;
}

bool Call::is_leaf(MPI_Comm comm, int root) {
  return !comm_of(comm).is_inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

std::int64_t Call::comm_size(MPI_Comm comm) { return comm_of(comm).peers; }

std::int64_t Call::local_size(MPI_Comm comm) { return comm_of(comm).size; }

std::int64_t Call::cart_dims(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int dimensions = 0;
  if (comm_of(comm).size > 0) PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

void Call::count_neighbors(MPI_Comm comm, Comm& known) {
  known.sources = known.destinations = 0;
  int kind = MPI_UNDEFINED;
  if (!known.is_inter) PMPI_Topo_test(comm, &kind); // an inter-communicator has none
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    known.sources = known.destinations = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, static_cast<int>(known.rank), &known.sources);
    known.destinations = known.sources;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &known.sources, &known.destinations, &weighted);
  }
}

std::int64_t Call::sources(MPI_Comm comm) {
  Comm& known =
      recorder_->objects.comm_of(recorder_->objects.word_of(trace::FieldKind::kComm, key_of(comm)));
  if (known.size == 0) return 0;
  if (known.sources < 0) count_neighbors(comm, known);
  return known.sources;
}

std::int64_t Call::destinations(MPI_Comm comm) {
  Comm& known =
      recorder_->objects.comm_of(recorder_->objects.word_of(trace::FieldKind::kComm, key_of(comm)));
  if (known.size == 0) return 0;
  if (known.destinations < 0) count_neighbors(comm, known);
  return known.destinations;
}

Call::Contents Call::contents(MPI_Datatype datatype) {
  Contents contents;
  if (datatype == MPI_DATATYPE_NULL) return contents;
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  if (has_large_counts()) {
    PMPI_Type_get_envelope_c(datatype, &contents.integers, &contents.addresses,
                             &contents.large_counts, &contents.datatypes, &combiner);
    return contents;
  }
#endif
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
  contents = {integers, addresses, 0, datatypes};
  return contents;
}

} // namespace rondo::record
