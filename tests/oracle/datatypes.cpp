// SPDX-License-Identifier: Apache-2.0
// Constructors of datatypes.
#include "oracle.hpp"

using namespace oracle;

static std::string order_text(int order) {
  if (order == MPI_ORDER_C) return "MPI_ORDER_C";
  if (order == MPI_ORDER_FORTRAN) return "MPI_ORDER_FORTRAN";
  return integer(order);
}

static std::string distribution(int kind) {
  if (kind == MPI_DISTRIBUTE_BLOCK) return "MPI_DISTRIBUTE_BLOCK";
  if (kind == MPI_DISTRIBUTE_CYCLIC) return "MPI_DISTRIBUTE_CYCLIC";
  if (kind == MPI_DISTRIBUTE_NONE) return "MPI_DISTRIBUTE_NONE";
  return integer(kind);
}

static std::string distribution_argument(int size) {
  return size == MPI_DISTRIBUTE_DFLT_DARG ? "MPI_DISTRIBUTE_DFLT_DARG" : integer(size);
}

// ---- Datatypes -------------------------------------------------------------------------------

CALL(SIZED(Type_contiguous), (Count count, MPI_Datatype oldtype, MPI_Datatype* newtype),
     (count, oldtype, newtype)) {
  Line line("MPI_Type_contiguous" SUFFIX);
  line.in("count", integer(count));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(SIZED(Type_contiguous))(count, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

#define TYPE_VECTOR(Name, Stride)                                                                  \
  CALL(SIZED(Name),                                                                                \
       (Count count, Count blocklength, Stride stride, MPI_Datatype oldtype,                       \
        MPI_Datatype * newtype),                                                                   \
       (count, blocklength, stride, oldtype, newtype)) {                                           \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("count", integer(count));                                                              \
    line.in("blocklength", integer(blocklength));                                                  \
    line.in("stride", integer(stride));                                                            \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(SIZED(Name))(count, blocklength, stride, oldtype, newtype);                  \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_VECTOR(Type_vector, Count)
TYPE_VECTOR(Type_create_hvector, TypeDisplacement)

#define TYPE_INDEXED(Name, Offset)                                                                 \
  CALL(SIZED(Name),                                                                                \
       (Count count, const Count* blocklengths, const Offset* displacements, MPI_Datatype oldtype, \
        MPI_Datatype* newtype),                                                                    \
       (count, blocklengths, displacements, oldtype, newtype)) {                                   \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("array_of_blocklengths", integers(blocklengths, count));                               \
    line.in("array_of_displacements", integers(displacements, count));                             \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(SIZED(Name))(count, blocklengths, displacements, oldtype, newtype);          \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_INDEXED(Type_indexed, Count)
TYPE_INDEXED(Type_create_hindexed, TypeDisplacement)

#define TYPE_INDEXED_BLOCK(Name, Offset)                                                           \
  CALL(SIZED(Name),                                                                                \
       (Count count, Count blocklength, const Offset* displacements, MPI_Datatype oldtype,         \
        MPI_Datatype* newtype),                                                                    \
       (count, blocklength, displacements, oldtype, newtype)) {                                    \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("blocklength", integer(blocklength));                                                  \
    line.in("array_of_displacements", integers(displacements, count));                             \
    line.in("oldtype", datatype(oldtype));                                                         \
    int result = REAL(SIZED(Name))(count, blocklength, displacements, oldtype, newtype);           \
    if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));                        \
    return line.write(result);                                                                     \
  }
TYPE_INDEXED_BLOCK(Type_create_indexed_block, Count)
TYPE_INDEXED_BLOCK(Type_create_hindexed_block, TypeDisplacement)

CALL(SIZED(Type_create_struct),
     (Count count, const Count* blocklengths, const TypeDisplacement* displacements,
      const MPI_Datatype* types, MPI_Datatype* newtype),
     (count, blocklengths, displacements, types, newtype)) {
  Line line("MPI_Type_create_struct" SUFFIX);
  line.in("array_of_blocklengths", integers(blocklengths, count));
  line.in("array_of_displacements", integers(displacements, count));
  line.in("array_of_types", datatypes(types, count));
  int result = REAL(SIZED(Type_create_struct))(count, blocklengths, displacements, types, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(SIZED(Type_create_resized),
     (MPI_Datatype oldtype, TypeDisplacement lb, TypeDisplacement extent, MPI_Datatype* newtype),
     (oldtype, lb, extent, newtype)) {
  Line line("MPI_Type_create_resized" SUFFIX);
  line.in("oldtype", datatype(oldtype));
  line.in("lb", integer(lb));
  line.in("extent", integer(extent));
  int result = REAL(SIZED(Type_create_resized))(oldtype, lb, extent, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(SIZED(Type_create_subarray),
     (int ndims, const Count* sizes, const Count* subsizes, const Count* starts, int order,
      MPI_Datatype oldtype, MPI_Datatype* newtype),
     (ndims, sizes, subsizes, starts, order, oldtype, newtype)) {
  Line line("MPI_Type_create_subarray" SUFFIX);
  line.in("array_of_sizes", integers(sizes, ndims));
  line.in("array_of_subsizes", integers(subsizes, ndims));
  line.in("array_of_starts", integers(starts, ndims));
  line.in("order", order_text(order));
  line.in("oldtype", datatype(oldtype));
  int result =
      REAL(SIZED(Type_create_subarray))(ndims, sizes, subsizes, starts, order, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(SIZED(Type_create_darray),
     (int size, int of_rank, int ndims, const Count* gsizes, const int* distribs, const int* dargs,
      const int* psizes, int order, MPI_Datatype oldtype, MPI_Datatype* newtype),
     (size, of_rank, ndims, gsizes, distribs, dargs, psizes, order, oldtype, newtype)) {
  Line line("MPI_Type_create_darray" SUFFIX);
  line.in("size", integer(size));
  line.in("rank", rank(of_rank));
  line.in("array_of_gsizes", integers(gsizes, ndims));
  line.in("array_of_distribs", array(distribs, ndims, distribution));
  line.in("array_of_dargs", array(dargs, ndims, distribution_argument));
  line.in("array_of_psizes", integers(psizes, ndims));
  line.in("order", order_text(order));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(SIZED(Type_create_darray))(size, of_rank, ndims, gsizes, distribs, dargs,
                                               psizes, order, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

#ifndef LARGE_COUNTS

CALL(Type_create_f90_real, (int p, int r, MPI_Datatype* newtype), (p, r, newtype)) {
  Line line("MPI_Type_create_f90_real");
  line.in("p", integer_or_undefined(p));
  line.in("r", integer_or_undefined(r));
  int result = REAL(Type_create_f90_real)(p, r, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_create_f90_complex, (int p, int r, MPI_Datatype* newtype), (p, r, newtype)) {
  Line line("MPI_Type_create_f90_complex");
  line.in("p", integer_or_undefined(p));
  line.in("r", integer_or_undefined(r));
  int result = REAL(Type_create_f90_complex)(p, r, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_create_f90_integer, (int r, MPI_Datatype* newtype), (r, newtype)) {
  Line line("MPI_Type_create_f90_integer");
  line.in("r", integer(r));
  int result = REAL(Type_create_f90_integer)(r, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

// Gives handles that the program must free, hence new numbers, for all but the predefined types.
CALL(Type_get_contents,
     (MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int* integer_list,
      MPI_Aint* address_list, MPI_Datatype* type_list),
     (type, max_integers, max_addresses, max_datatypes, integer_list, address_list, type_list)) {
  Line line("MPI_Type_get_contents");
  line.in("datatype", datatype(type));
  line.in("max_integers", integer(max_integers));
  line.in("max_addresses", integer(max_addresses));
  line.in("max_datatypes", integer(max_datatypes));
  int count[3] = {0, 0, 0}, combiner = 0;
  if (type != MPI_DATATYPE_NULL)
    PMPI_Type_get_envelope(type, &count[0], &count[1], &count[2], &combiner);
  int result = REAL(Type_get_contents)(type, max_integers, max_addresses, max_datatypes,
                                       integer_list, address_list, type_list);
  if (result == MPI_SUCCESS) {
    line.out("array_of_integers", integers(integer_list, count[0]));
    line.out("array_of_addresses", integers(address_list, count[1]));
    line.out("array_of_datatypes", array(type_list, count[2], new_or_predefined_datatype));
  }
  return line.write(result);
}

CALL(Type_set_name, (MPI_Datatype type, const char* type_name), (type, type_name)) {
  Line line("MPI_Type_set_name");
  line.in("datatype", datatype(type));
  line.in("type_name", text(type_name));
  return line.write(REAL(Type_set_name)(type, type_name));
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

// ---- Datatypes of MPI-1 ----------------------------------------------------------------------
// Gone from the headers since MPI-3.0, still in both libraries and called from Fortran.

#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct
#undef PMPI_Type_hvector
#undef PMPI_Type_hindexed
#undef PMPI_Type_struct
extern "C" {
int PMPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_hindexed(int, int*, MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_struct(int, int*, MPI_Aint*, MPI_Datatype*, MPI_Datatype*);
}

TYPE_VECTOR(Type_hvector, MPI_Aint)

CALL(Type_hindexed,
     (int count, int* blocklengths, MPI_Aint* displacements, MPI_Datatype oldtype,
      MPI_Datatype* newtype),
     (count, blocklengths, displacements, oldtype, newtype)) {
  Line line("MPI_Type_hindexed");
  line.in("array_of_blocklengths", integers(blocklengths, count));
  line.in("array_of_displacements", integers(displacements, count));
  line.in("oldtype", datatype(oldtype));
  int result = REAL(Type_hindexed)(count, blocklengths, displacements, oldtype, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

CALL(Type_struct,
     (int count, int* blocklengths, MPI_Aint* displacements, MPI_Datatype* types,
      MPI_Datatype* newtype),
     (count, blocklengths, displacements, types, newtype)) {
  Line line("MPI_Type_struct");
  line.in("array_of_blocklengths", integers(blocklengths, count));
  line.in("array_of_displacements", integers(displacements, count));
  line.in("array_of_types", datatypes(types, count));
  int result = REAL(Type_struct)(count, blocklengths, displacements, types, newtype);
  if (result == MPI_SUCCESS) line.out("newtype", new_datatype(*newtype));
  return line.write(result);
}

#endif
