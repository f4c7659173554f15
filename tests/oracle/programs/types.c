// SPDX-License-Identifier: Apache-2.0
// Every constructor of datatypes; what it made says so itself and sends what it should.
#include "check.h"

static int out[64], in[64];

/// Sends one element to this rank itself as plain integers: what comes is what the type selects.
static void selects(MPI_Datatype type, const char* integers) {
  MPI_Datatype copy;
  char text[200] = "", one[16];
  int count;
  MPI_Status status;
  for (int i = 0; i < 64; ++i) out[i] = i, in[i] = -1;
  MPI_Type_commit(&type);
  MPI_Sendrecv(out, 1, type, 0, 1, in, 64, MPI_INT, 0, 1, MPI_COMM_SELF, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  for (int i = 0; i < count && i < 12; ++i) {
    snprintf(one, sizeof one, " %d", in[i]);
    strcat(text, one);
  }
  if (strcmp(text, integers)) fprintf(stderr, "found%s, expected%s\n", text, integers);
  CHECK(strcmp(text, integers) == 0);
  MPI_Type_dup(type, &copy);
  SIZED(MPI_Bcast)(out, 1, copy, 0, MPI_COMM_WORLD);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Datatype type, parts[2] = {MPI_INT, MPI_INT}, got[4];
  Count lengths[2] = {1, 2}, places[2] = {0, 3};
  TypeDisplacement bytes[2] = {4, 20};
  begin(&argc, &argv);
  SIZED(MPI_Type_contiguous)(3, MPI_INT, &type);
  selects(type, " 0 1 2");
  SIZED(MPI_Type_vector)(2, 1, 3, MPI_INT, &type);
  selects(type, " 0 3");
  SIZED(MPI_Type_create_hvector)(2, 2, 16, MPI_INT, &type);
  selects(type, " 0 1 4 5");
  SIZED(MPI_Type_indexed)(2, lengths, places, MPI_INT, &type);
  selects(type, " 0 3 4");
  SIZED(MPI_Type_create_hindexed)(2, lengths, bytes, MPI_INT, &type);
  selects(type, " 1 5 6");
  SIZED(MPI_Type_create_indexed_block)(2, 2, places, MPI_INT, &type);
  selects(type, " 0 1 3 4");
  SIZED(MPI_Type_create_hindexed_block)(2, 1, bytes, MPI_INT, &type);
  selects(type, " 1 5");
  SIZED(MPI_Type_create_struct)(2, lengths, bytes, parts, &type);
  selects(type, " 1 5 6");
  SIZED(MPI_Type_create_resized)(MPI_INT, -4, 40, &type);
  selects(type, " 0");
  Count whole[2] = {4, 6}, part[2] = {2, 2}, start[2] = {1, 2};
  int kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 1};
  SIZED(MPI_Type_create_subarray)(2, whole, part, start, MPI_ORDER_C, MPI_INT, &type);
  selects(type, " 8 9 14 15");
  SIZED(MPI_Type_create_subarray)(2, whole, part, start, MPI_ORDER_FORTRAN, MPI_INT, &type);
  selects(type, " 9 10 13 14");
  SIZED(MPI_Type_create_darray)
  (2, 1, 2, whole, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  selects(type, " 6 7 8 9 10 11 18 19 20 21 22 23");

  // Named ones, and ones of a precision.
  SIZED(MPI_Type_contiguous)(2, MPI_FLOAT, &type);
  MPI_Type_set_name(type, "two \\ floats");
  MPI_Type_commit(&type);
  SIZED(MPI_Bcast)(out, 1, type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  MPI_Type_create_f90_real(6, MPI_UNDEFINED, &got[0]);
  MPI_Type_create_f90_complex(6, 30, &got[1]);
  MPI_Type_create_f90_integer(5, &got[2]);
  for (int i = 0; i < 3; ++i) MPI_Bcast(out, 1, got[i], 0, MPI_COMM_WORLD);

  // What a type is made of: of a type of a type, and of two.
  int integers[8], combiner;
  MPI_Aint addresses[8];
  SIZED(MPI_Type_vector)(2, 1, 3, MPI_INT, &parts[0]);
  parts[1] = MPI_DOUBLE;
  SIZED(MPI_Type_create_struct)(2, lengths, bytes, parts, &type);
#ifdef LARGE_COUNTS
  MPI_Count n[4], larges[8];
  MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner);
  CHECK(combiner == MPI_COMBINER_STRUCT && n[2] == 5 && n[3] == 2);
  MPI_Type_get_contents_c(type, 8, 8, 8, 4, integers, addresses, larges, got);
  CHECK(larges[0] == 2 && larges[3] == bytes[0]);
#else
  int n[3];
  MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
  CHECK(combiner == MPI_COMBINER_STRUCT && n[0] == 3 && n[1] == 2 && n[2] == 2);
  MPI_Type_get_contents(type, 3, 2, 2, integers, addresses, got);
  CHECK(integers[0] == 2 && addresses[1] == bytes[1]);
#endif
  CHECK(got[1] == MPI_DOUBLE);
  MPI_Type_commit(&got[0]);
  SIZED(MPI_Bcast)(out, 1, got[0], 0, MPI_COMM_WORLD);
  MPI_Type_free(&got[0]);
  MPI_Type_free(&parts[0]);
  MPI_Type_free(&type);

  // Packed by hand: MPI keeps no record of that, the messages are.
  char packed[64];
  int position = 0, value = rank + 5;
  MPI_Aint external = 0;
  MPI_Pack(&value, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Sendrecv_replace(packed, position, MPI_PACKED, next, 3, previous, 3, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &value, 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(value == previous + 5);
  MPI_Pack_external("external32", &value, 1, MPI_INT, packed, sizeof packed, &external);
  CHECK(external == 4 && packed[3] == value);
  external = 0;
  MPI_Unpack_external("external32", packed, 4, &external, &value, 1, MPI_INT);
  CHECK(value == previous + 5);
  return end("types");
}
