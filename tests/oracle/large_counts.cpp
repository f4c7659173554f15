// SPDX-License-Identifier: Apache-2.0
// Calls with large counts: the blocks of the calls that count something, read once more with wider
// types. They are the only difference, so there is nothing to write twice.
#define LARGE_COUNTS
#include "oracle.hpp"

#if MPI_VERSION >= 4

#include "collectives.cpp"
#include "datatypes.cpp"
#include "files.cpp"
#include "one_sided.cpp"
#include "point_to_point.cpp"

// The one call whose arguments are others in its large form.
CALL(Type_get_contents_c,
     (MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses,
      MPI_Count max_large_counts, MPI_Count max_datatypes, int* integer_list,
      MPI_Aint* address_list, MPI_Count* large_list, MPI_Datatype* type_list),
     (type, max_integers, max_addresses, max_large_counts, max_datatypes, integer_list,
      address_list, large_list, type_list)) {
  Line line("MPI_Type_get_contents_c");
  line.in("datatype", datatype(type));
  line.in("max_integers", integer(max_integers));
  line.in("max_addresses", integer(max_addresses));
  line.in("max_large_counts", integer(max_large_counts));
  line.in("max_datatypes", integer(max_datatypes));
  MPI_Count count[4] = {0, 0, 0, 0};
  int combiner = 0;
  if (type != MPI_DATATYPE_NULL)
    PMPI_Type_get_envelope_c(type, &count[0], &count[1], &count[2], &count[3], &combiner);
  int result =
      REAL(Type_get_contents_c)(type, max_integers, max_addresses, max_large_counts, max_datatypes,
                                integer_list, address_list, large_list, type_list);
  if (result == MPI_SUCCESS) {
    line.out("array_of_integers", integers(integer_list, count[0]));
    line.out("array_of_addresses", integers(address_list, count[1]));
    line.out("array_of_large_counts", integers(large_list, count[2]));
    line.out("array_of_datatypes", array(type_list, count[3], new_or_predefined_datatype));
  }
  return line.write(result);
}

#endif
