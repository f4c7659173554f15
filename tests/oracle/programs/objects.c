// SPDX-License-Identifier: Apache-2.0
// Requests that the program completes, communicators and groups from
// everywhere, and what passes through unrecorded: attributes, info, error handlers.
#include "check.h"

static int queried, freed, cancelled, copied, deleted;

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return ++queried, MPI_SUCCESS;
}
static int release(void* state) { return ++freed, MPI_SUCCESS; }
static int cancel(void* state, int complete) { return ++cancelled, MPI_SUCCESS; }

static void generalised(void) {
  int size = 3, count, flag;
  MPI_Request r[3];
  MPI_Status status;
  MPI_Grequest_start(query, release, cancel, &size, &r[0]);
  MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Grequest_complete(r[0]);
  MPI_Wait(&r[0], &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 3 && queried && freed == 1 && r[0] == MPI_REQUEST_NULL);
  // Among others, and cancelled.
  MPI_Grequest_start(query, release, cancel, &size, &r[0]);
  MPI_Irecv(&count, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Grequest_start(query, release, cancel, &size, &r[2]);
  MPI_Cancel(&r[2]);
  MPI_Grequest_complete(r[2]);
  MPI_Grequest_complete(r[0]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  CHECK(freed == 3 && cancelled == 1);
  MPI_Grequest_start(query, release, cancel, &size, &r[0]);
  MPI_Grequest_complete(r[0]);
  MPI_Request_free(&r[0]);
}

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  *(void**)copy = value;
  *flag = 1;
  return ++copied, MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  int me; // a call inside a call of the program is none of the program's
  MPI_Comm_rank(MPI_COMM_SELF, &me);
  MPI_Barrier(MPI_COMM_SELF);
  return ++deleted, MPI_SUCCESS;
}

static void communicators(void) {
  MPI_Comm a, b, c, part;
  MPI_Request r;
  MPI_Info info;
  int key, here, there, flag, value = 5, *found, dims[2] = {0, 0}, periods[2] = {1, 0},
                              keep[2] = {1, 0};
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_set_attr(a, key, &value);
  MPI_Comm_dup(a, &b);
  MPI_Comm_get_attr(b, key, &found, &flag);
  CHECK(flag && *found == 5 && copied == 1);
  MPI_Comm_free(&b);
  CHECK(deleted == 1);
  MPI_Comm_delete_attr(a, key);
  MPI_Comm_free_keyval(&key);

  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Comm_dup_with_info(a, info, &b);
  MPI_Comm_set_name(b, "with info");
  MPI_Comm_get_name(b, name, &here);
  CHECK(strcmp(name, "with info") == 0);
#if MPI_VERSION >= 4
  MPI_Comm_idup_with_info(b, info, &c, &r);
#else
  MPI_Comm_idup(b, &c, &r);
#endif
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Comm_compare(b, c, &here);
  CHECK(here == MPI_CONGRUENT);
  MPI_Comm_disconnect(&c);
  MPI_Comm_idup(b, &c, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Comm_free(&c);
  MPI_Comm_free(&b);
  MPI_Info_free(&info);

  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(a, 2, dims, periods, 1, &b);
  MPI_Cart_sub(b, keep, &c);
  MPI_Comm_size(c, &here);
  CHECK(here == dims[0]);
  MPI_Cart_shift(b, 0, 1, &here, &there);
  MPI_Comm_free(&c);
  MPI_Comm_free(&b);
  MPI_Comm_split_type(a, MPI_UNDEFINED, 0, MPI_INFO_NULL, &b);
  CHECK(b == MPI_COMM_NULL);
  if (ranks > 1) { // groups of an inter-communicator
    MPI_Group group;
    MPI_Comm_split(a, rank % 2, 0, &part);
    MPI_Intercomm_create(part, 0, a, 1 - rank % 2, 3, &b);
    MPI_Comm_remote_group(b, &group);
    MPI_Group_size(group, &there);
    MPI_Comm_remote_size(b, &here);
    CHECK(here == there);
    MPI_Group_free(&group);
    MPI_Intercomm_merge(b, rank % 2, &c);
    MPI_Comm_size(c, &here);
    CHECK(here == ranks);
    MPI_Comm_free(&c);
    MPI_Comm_free(&b);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&a);
}

static void groups(void) {
  MPI_Group all, one, others, made;
  MPI_Comm comm;
  int first = 0, range[1][3] = {{0, ranks - 1, 2}}, size, compare;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &one);
  MPI_Group_excl(all, 1, &first, &others);
  MPI_Group_union(one, others, &made);
  MPI_Group_compare(all, made, &compare);
  CHECK(compare == MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_intersection(all, one, &made);
  MPI_Group_size(made, &size);
  CHECK(size == 1);
  MPI_Group_free(&made);
  MPI_Group_difference(all, all, &made);
  CHECK(made == MPI_GROUP_EMPTY);
  MPI_Group_range_excl(all, 1, range, &made);
  MPI_Group_size(made, &size);
  CHECK(size == ranks / 2);
  if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
  MPI_Group_range_incl(all, 1, range, &made);
  MPI_Comm_create(MPI_COMM_WORLD, made, &comm);
  CHECK((comm == MPI_COMM_NULL) == rank % 2);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, made, 4, &comm);
    MPI_Comm_size(comm, &size);
    CHECK(size == (ranks + 1) / 2);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&made);
  if (others != MPI_GROUP_EMPTY) MPI_Group_free(&others);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

#if MPI_VERSION >= 4
static void sessions(void) {
  MPI_Session session;
  MPI_Group all, half, rest;
  MPI_Comm comm, inter;
  int size, range[1][3] = {{0, ranks - 1, 2}};
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_size(all, &size);
  CHECK(size == ranks);
  MPI_Comm_create_from_group(all, "a tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_SUM, comm);
  CHECK(size == ranks * ranks);
  MPI_Comm_free(&comm);
  if (ranks > 1) {
    MPI_Group_range_incl(all, 1, range, &half);
    MPI_Group_range_excl(all, 1, range, &rest);
    if (rank % 2 == 0)
      MPI_Intercomm_create_from_groups(half, 0, rest, 0, "between", MPI_INFO_NULL,
                                       MPI_ERRORS_RETURN, &inter);
    else
      MPI_Intercomm_create_from_groups(rest, 0, half, 0, "between", MPI_INFO_NULL,
                                       MPI_ERRORS_RETURN, &inter);
    MPI_Comm_remote_size(inter, &size);
    CHECK(size == (rank % 2 ? (ranks + 1) / 2 : ranks / 2));
    MPI_Comm_free(&inter);
    MPI_Group_free(&half);
    MPI_Group_free(&rest);
  }
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
  CHECK(session == MPI_SESSION_NULL);
}
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
  generalised();
  communicators();
  groups();
#if MPI_VERSION >= 4
  sessions();
#endif
  return end("objects");
}
