// SPDX-License-Identifier: Apache-2.0
// A master hands out tasks to whoever is free. It takes results from any worker and with any tag,
// and probes first, because results differ in length. Who does what changes from run to run; what
// comes out does not.
//   mpirun -n 4 workers [rounds]      each round is 4 tasks per worker
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTasksPerWorker = 4, kLongest = 8, kTaskTag = 1, kStopTag = 2, kResultTag = 100 };

// Task t: the powers t, t^2, t^3, ...; how many, depends on the task.
static int solve(int task, long* powers) {
  const int count = 1 + task % kLongest;
  powers[0] = task;
  for (int i = 1; i < count; i++) powers[i] = powers[i - 1] * task % 10007;
  return count;
}

static long sum_of(const long* numbers, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += numbers[i];
  return sum;
}

static long solve_all_alone(int tasks) {
  long powers[kLongest], sum = 0;
  for (int task = 0; task < tasks; task++) {
    const int count = solve(task, powers);
    sum += sum_of(powers, count);
  }
  return sum;
}

// The number of the task comes back in the tag.
static void work(void) {
  for (;;) {
    int task;
    long powers[kLongest];
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStopTag) return;
    const int count = solve(task, powers);
    MPI_Send(powers, count, MPI_LONG, 0, kResultTag + task, MPI_COMM_WORLD);
  }
}

static long receive_result(int* worker) {
  long powers[kLongest], expected[kLongest];
  int count;
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_LONG, &count);
  const int task = status.MPI_TAG - kResultTag, longest = solve(task, expected);
  if (count != longest) {
    fprintf(stderr, "workers: task %d: expected %d numbers, came %d\n", task, longest, count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  *worker = status.MPI_SOURCE;
  MPI_Recv(powers, count, MPI_LONG, *worker, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sum_of(powers, count);
}

// Everybody gets a task to begin with, then whoever is done gets the next one, or is sent home.
static long hand_out(int tasks, int workers) {
  long sum = 0;
  int next = 0, done = 0;
  for (int worker = 1; worker <= workers; worker++, next++)
    MPI_Send(&next, 1, MPI_INT, worker, next < tasks ? kTaskTag : kStopTag, MPI_COMM_WORLD);
  for (; done < tasks; done++, next++) {
    int worker;
    sum += receive_result(&worker);
    MPI_Send(&next, 1, MPI_INT, worker, next < tasks ? kTaskTag : kStopTag, MPI_COMM_WORLD);
  }
  return sum;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10, workers = ranks - 1;
  const int tasks = rounds * kTasksPerWorker * (workers > 0 ? workers : 1);
  int failed = 0;
  if (rank > 0) {
    work();
  } else {
    const long expected = solve_all_alone(tasks);
    const long came = workers > 0 ? hand_out(tasks, workers) : solve_all_alone(tasks);
    failed = came != expected;
    if (failed)
      fprintf(stderr, "workers: expected sum %ld, came %ld\n", expected, came);
    else
      printf("workers: ok, %d ranks, %d tasks, sum %ld\n", ranks, tasks, came);
  }
  MPI_Finalize();
  return failed;
}
