// SPDX-License-Identifier: Apache-2.0
// Processes that come later: spawned by all, met at a port, joined over a socket. The spawned ones
// are this program again, told apart by an argument.
#include "check.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/// Both groups speak to each other: the ranks of each get the sum over the other's.
static void meet(MPI_Comm inter, int expected) {
  int one = 1, sum = -1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == expected);
}

static int child(void) {
  MPI_Comm parent, all;
  int there, here;
  MPI_Comm_get_parent(&parent);
  CHECK(parent != MPI_COMM_NULL);
  MPI_Comm_remote_size(parent, &there);
  meet(parent, there);
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Comm_size(all, &here);
  CHECK(here == there + ranks);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return wrong != 0;
}

static void spawn(char* program) {
  char *argv[] = {"child", NULL}, **argvs[] = {argv, argv}, *programs[] = {program, program};
  int codes[3], counts[2] = {1, 1}, last = ranks - 1, here;
  MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm inter, all;
  MPI_Comm_spawn(program, argv, 2, MPI_INFO_NULL, last, MPI_COMM_WORLD, &inter, codes);
  CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
  meet(inter, 2);
  MPI_Intercomm_merge(inter, 0, &all);
  MPI_Comm_size(all, &here);
  CHECK(here == ranks + 2);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
  CHECK(inter == MPI_COMM_NULL);
  MPI_Comm_spawn_multiple(2, programs, argvs, counts, infos, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
  meet(inter, 2);
  MPI_Intercomm_merge(inter, 0, &all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
}

/// Even and odd ranks meet as strangers.
static void ports(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm part, inter;
  int even = (ranks + 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank % 2 == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, part, &inter);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, part, &inter);
  meet(inter, rank % 2 ? even : ranks - even);
  MPI_Comm_disconnect(&inter);
  if (rank == 0) MPI_Close_port(port);
  MPI_Comm_free(&part);
}

/// Two ranks that are connected by a socket.
static void join(void) {
  MPI_Comm inter;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, 0), accepted;
  if (rank == 0) {
    bind(fd, (struct sockaddr*)&address, sizeof address);
    listen(fd, 1);
    getsockname(fd, (struct sockaddr*)&address, &size);
    MPI_Send(&address, sizeof address, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    accepted = accept(fd, NULL, NULL);
    close(fd);
    fd = accepted;
  } else {
    MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    connect(fd, (struct sockaddr*)&address, sizeof address);
  }
  MPI_Comm_join(fd, &inter);
  CHECK(inter != MPI_COMM_NULL);
  meet(inter, 1);
  MPI_Comm_disconnect(&inter);
  close(fd);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  begin(&argc, &argv);
  if (argc > 1) return child();
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  spawn(argv[0]);
  if (ranks > 1) ports();
  if (ranks > 1 && rank < 2) join();
  return end("processes");
}
