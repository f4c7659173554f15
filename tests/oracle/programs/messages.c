// SPDX-License-Identifier: Apache-2.0
// Every way to send, receive and probe, and completion calls with requests of every kind: null,
// inactive, persistent, cancelled, of MPI_PROC_NULL. Nothing depends on time.
#include "check.h"

enum { kMany = 16 };
static int out[kMany], in[kMany];
static MPI_Comm comm;

static void clear(void) {
  for (int i = 0; i < kMany; ++i) out[i] = 100 * rank + i, in[i] = -1;
}

/// The last message from the previous rank is here.
static int came(void) { return in[0] == 100 * previous; }

#define RECEIVE(tag) SIZED(MPI_Recv)(in, kMany, MPI_INT, previous, tag, comm, MPI_STATUS_IGNORE)

static void sends(void) {
  char buffer[4096];
  void* detached;
  Count size;
  MPI_Request r[2];
  clear();
  SIZED(MPI_Isend)(out, 1, MPI_INT, next, 1, comm, &r[0]);
  RECEIVE(1);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK(came());
  if (ranks > 1) { // to itself it would wait for ever
    clear();
    if (rank == 0)
      SIZED(MPI_Send)(out, 1, MPI_INT, next, 2, comm), RECEIVE(2);
    else
      RECEIVE(2), out[0] = 100 * rank, SIZED(MPI_Send)(out, 1, MPI_INT, next, 2, comm);
    CHECK(came());
    clear();
    if (rank == 0)
      SIZED(MPI_Ssend)(out, 1, MPI_INT, next, 3, comm), RECEIVE(3);
    else
      RECEIVE(3), SIZED(MPI_Ssend)(out, 1, MPI_INT, next, 3, comm);
    CHECK(came());
  }
  SIZED(MPI_Send)(out, 1, MPI_INT, MPI_PROC_NULL, 2, comm);
  SIZED(MPI_Ssend)(out, 1, MPI_INT, MPI_PROC_NULL, 3, comm);
  clear();
  SIZED(MPI_Buffer_attach)(buffer, sizeof buffer);
  SIZED(MPI_Bsend)(out, 1, MPI_INT, next, 4, comm);
  RECEIVE(4);
  CHECK(came());
  clear();
  SIZED(MPI_Ibsend)(out, 1, MPI_INT, next, 5, comm, &r[0]);
  RECEIVE(5);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK(came());
  SIZED(MPI_Bsend_init)(out, 1, MPI_INT, next, 6, comm, &r[0]);
  for (int round = 0; round < 2; ++round) {
    clear();
    MPI_Start(&r[0]);
    RECEIVE(6);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    CHECK(came());
  }
  MPI_Request_free(&r[0]);
  SIZED(MPI_Buffer_detach)(&detached, &size);
  CHECK(detached == buffer && size == sizeof buffer);
  clear();
  SIZED(MPI_Issend)(out, 1, MPI_INT, next, 7, comm, &r[0]);
  RECEIVE(7);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK(came());
  clear();
  SIZED(MPI_Irecv)(in, kMany, MPI_INT, previous, 8, comm, &r[0]);
  MPI_Barrier(comm);
  SIZED(MPI_Rsend)(out, 1, MPI_INT, next, 8, comm);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK(came());
  clear();
  SIZED(MPI_Irecv)(in, kMany, MPI_INT, previous, 9, comm, &r[0]);
  MPI_Barrier(comm);
  SIZED(MPI_Irsend)(out, 1, MPI_INT, next, 9, comm, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  CHECK(came());
}

static void persistent(void) {
  MPI_Request r[4];
  SIZED(MPI_Send_init)(out, 1, MPI_INT, next, 21, comm, &r[0]);
  SIZED(MPI_Ssend_init)(out, 1, MPI_INT, next, 22, comm, &r[1]);
  SIZED(MPI_Recv_init)(in, kMany, MPI_INT, previous, 21, comm, &r[2]);
  SIZED(MPI_Recv_init)(in, kMany, MPI_INT, MPI_ANY_SOURCE, 22, comm, &r[3]);
  for (int round = 0; round < 3; ++round) {
    clear();
    MPI_Startall(4, r);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    CHECK(came());
  }
  MPI_Request_free(&r[0]);
  SIZED(MPI_Rsend_init)(out, 1, MPI_INT, next, 21, comm, &r[0]);
  clear();
  MPI_Start(&r[2]);
  MPI_Barrier(comm);
  MPI_Start(&r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  CHECK(came());
  for (int i = 0; i < 4; ++i) MPI_Request_free(&r[i]);
}

static void both(void) {
  MPI_Status status;
  clear();
  SIZED(MPI_Sendrecv)(out, 1, MPI_INT, next, 31, in, 1, MPI_INT, MPI_ANY_SOURCE, 31, comm, &status);
  CHECK(came() && status.MPI_SOURCE == previous);
  clear();
  SIZED(MPI_Sendrecv_replace)
  (out, 1, MPI_INT, next, 32, previous, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  CHECK(out[0] == 100 * previous);
#if MPI_VERSION >= 4
  MPI_Request r[2];
  clear();
  SIZED(MPI_Isendrecv)
  (out, 1, MPI_INT, next, 33, in, 1, MPI_INT, previous, MPI_ANY_TAG, comm, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK(came());
  clear();
  SIZED(MPI_Isendrecv_replace)(out, 1, MPI_INT, next, 34, previous, 34, comm, &r[0]);
  MPI_Wait(&r[0], &status);
  CHECK(out[0] == 100 * previous);
#endif
}

static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request r[2];
  int flag, count;
  clear();
  SIZED(MPI_Isend)(out, 3, MPI_INT, next, 41, comm, &r[0]);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 41 && count == 3);
  MPI_Iprobe(previous, 41, comm, &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Iprobe(previous, 42, comm, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Improbe(MPI_ANY_SOURCE, 42, comm, &flag, &message, &status);
  CHECK(!flag);
  MPI_Improbe(previous, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
  CHECK(flag);
  SIZED(MPI_Mrecv)(in, kMany, MPI_INT, &message, &status);
  CHECK(came() && message == MPI_MESSAGE_NULL);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  clear();
  SIZED(MPI_Isend)(out, 1, MPI_INT, next, 43, comm, &r[0]);
  MPI_Mprobe(previous, 43, comm, &message, MPI_STATUS_IGNORE);
  SIZED(MPI_Imrecv)(in, kMany, MPI_INT, &message, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  CHECK(came());
  MPI_Mprobe(MPI_PROC_NULL, MPI_ANY_TAG, comm, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  SIZED(MPI_Imrecv)(in, 1, MPI_INT, &message, &r[0]);
  MPI_Wait(&r[0], &status);
}

/// Null, inactive, of MPI_PROC_NULL and cancelled: what is ready is known, so the answers are.
static void completions(void) {
  enum { kNull, kInactive, kNowhere, kActive, kAll };
  MPI_Request r[kAll], none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[kAll];
  int index, flag, count, indices[kAll];
  r[kNull] = MPI_REQUEST_NULL;
  SIZED(MPI_Recv_init)(in, 1, MPI_INT, MPI_ANY_SOURCE, 51, comm, &r[kInactive]);
  MPI_Wait(&r[kInactive], &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && r[kInactive] != MPI_REQUEST_NULL);
  MPI_Test(&r[kInactive], &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Request_get_status(r[kInactive], &flag, &status);
  CHECK(flag);
  for (int round = 0; round < 6; ++round) {
    SIZED(MPI_Irecv)(in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &r[kNowhere]);
    SIZED(MPI_Irecv)(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[kActive]);
    MPI_Request_get_status(r[kActive], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Test(&r[kActive], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Testall(kAll, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    switch (round) {
    case 0:
      MPI_Waitany(kAll, r, &index, MPI_STATUS_IGNORE);
      CHECK(index == kNowhere);
      break;
    case 1:
      MPI_Testany(kAll, r, &index, &flag, &status);
      CHECK(flag && index == kNowhere);
      break;
    case 2:
      MPI_Waitsome(kAll, r, &count, indices, statuses);
      CHECK(count == 1 && indices[0] == kNowhere);
      break;
    case 3:
      MPI_Testsome(kAll, r, &count, indices, MPI_STATUSES_IGNORE);
      CHECK(count == 1 && indices[0] == kNowhere);
      break;
    case 4:
      MPI_Test(&r[kNowhere], &flag, &status);
      CHECK(flag);
      break;
    case 5:
      MPI_Request_free(&r[kNowhere]);
    }
    CHECK(r[kNowhere] == MPI_REQUEST_NULL);
    MPI_Testany(kAll, r, &index, &flag, &status);
    CHECK(!flag);
    MPI_Testsome(kAll, r, &count, indices, statuses);
    CHECK(count == 0);
    MPI_Barrier(comm); // else what others send would be here before its time
    if (round % 2) {
      MPI_Cancel(&r[kActive]);
      MPI_Waitall(kAll, r, statuses);
      MPI_Test_cancelled(&statuses[kActive], &flag);
      CHECK(flag);
    } else { // it gets what it waits for
      SIZED(MPI_Send)(out, 1, MPI_INT, next, 52 + round, comm);
      if (round == 0)
        MPI_Wait(&r[kActive], MPI_STATUS_IGNORE);
      else if (round == 2)
        MPI_Waitany(kAll, r, &index, MPI_STATUS_IGNORE);
      else
        MPI_Waitsome(kAll, r, &count, indices, MPI_STATUSES_IGNORE);
    }
    CHECK(r[kActive] == MPI_REQUEST_NULL);
    MPI_Barrier(comm);
  }
  MPI_Testall(kAll, r, &flag, statuses);
  CHECK(flag);
  MPI_Request_free(&r[kInactive]);
  MPI_Waitany(2, none, &index, &status);
  CHECK(index == MPI_UNDEFINED);
  MPI_Testany(2, none, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Waitsome(2, none, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  MPI_Testsome(2, none, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Waitall(2, none, MPI_STATUSES_IGNORE);
  MPI_Wait(&none[1], MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sends();
  persistent();
  both();
  probes();
  completions();
  MPI_Comm_free(&comm);
  return end("messages");
}
