! SPDX-License-Identifier: Apache-2.0
! The ping-pong of live.c; rank 0 prints what MPI_Wtime says it took.
program live
  use mpi
  implicit none
  integer :: rank, round, ierror
  double precision :: start, last, now
  character :: buffer(1000) = ' '

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  start = MPI_Wtime()
  last = start
  do round = 1, 100
    if (rank == 0) call MPI_Send(buffer, 1000, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, ierror)
    if (rank < 2) call MPI_Recv(buffer, 1000, MPI_CHARACTER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    if (rank == 1) call MPI_Send(buffer, 1000, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, ierror)
    now = MPI_Wtime()
    if (now < last .or. MPI_Wtick() > 1d-6) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
    last = now
  end do
  if (rank == 0) print '(f20.12)', last - start
  call MPI_Finalize(ierror)
end program
