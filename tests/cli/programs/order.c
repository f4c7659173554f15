// SPDX-License-Identifier: Apache-2.0
// A master serves whoever comes first. How long tasks take is noise in real time, which costs
// nothing in virtual time; workers of higher ranks get longer messages.
//   order HOW SEED [BYTES]      HOW: recv, probe, mprobe, irecv, test, waitany (a receive is open
//   for
//                               each worker) or persistent
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 40, STEP = 20000 };

static char* buffer;
static int bytes = 64;

static void work(int rank, unsigned seed) {
  MPI_Status status;
  for (;;) {
    MPI_Recv(buffer, rank * STEP, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == 0) return;
    usleep(rand_r(&seed) % 3000);
    MPI_Send(buffer, bytes, MPI_BYTE, 0, status.MPI_TAG, MPI_COMM_WORLD);
  }
}

static MPI_Request requests[64];
static char* results[64];

// Another receive for a result that is to come.
static void expect(void) {
  int i = 0;
  while (requests[i] != MPI_REQUEST_NULL) ++i;
  if (results[i] == NULL) results[i] = malloc((size_t)bytes);
  MPI_Irecv(results[i], bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
}

static int take(const char* how) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  if (strcmp(how, "probe") == 0) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(buffer, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  } else if (strcmp(how, "mprobe") == 0) {
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(buffer, bytes, MPI_BYTE, &message, &status);
  } else if (strcmp(how, "irecv") == 0) {
    MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
  } else if (strcmp(how, "test") == 0) {
    int flag = 0;
    MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    while (!flag) MPI_Test(&request, &flag, &status);
  } else if (strcmp(how, "waitany") == 0) {
    int which;
    MPI_Waitany(64, requests, &which, &status);
    if (requests[which] != MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 5);
  } else if (strcmp(how, "persistent") == 0) {
    MPI_Recv_init(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
  } else {
    MPI_Recv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  }
  return status.MPI_SOURCE;
}

static void serve(const char* how, int size) {
  const int has_open = strcmp(how, "waitany") == 0;
  int next = 1;
  printf("served");
  for (int i = 0; i < 64; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int worker = 1; worker < size; ++worker) {
    if (has_open) expect();
    MPI_Send(buffer, worker * STEP, MPI_BYTE, worker, next++, MPI_COMM_WORLD);
  }
  for (int open = size - 1; open > 0;) {
    const int worker = take(how);
    printf(" %d", worker);
    open -= next > TASKS;
    if (has_open && next <= TASKS) expect();
    MPI_Send(buffer, worker * STEP, MPI_BYTE, worker, next > TASKS ? 0 : next, MPI_COMM_WORLD);
    ++next;
  }
  printf("\n");
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 3) bytes = atoi(argv[3]);
  buffer = calloc((size_t)(bytes + size * STEP), 1);
  if (rank == 0) {
    serve(argv[1], size);
  } else {
    work(rank, (unsigned)(atoi(argv[2]) * 100 + rank));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(buffer);
  return MPI_Finalize();
}
