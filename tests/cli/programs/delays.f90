! SPDX-License-Identifier: Apache-2.0
! Four ranks that sleep where it is known: some kinds of waiting once, for 0.3 s, and nothing else.
program delays
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(C)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, error, request, value, total, status(MPI_STATUS_SIZE), slept
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  value = rank
  call MPI_Pcontrol(0) ! that ranks leave MPI_Init apart is nobody's delay
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(1)
  if (rank == 0) then ! rank 1 waits for a late sender
    slept = usleep(300000)
    call MPI_Send(value, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
  else if (rank == 1) then
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error) ! two wait
  if (rank == 1) slept = usleep(300000)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! three wait
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) slept = usleep(300000)
  call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error) ! three wait
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 3) slept = usleep(300000)
  call MPI_Iallreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, status, error) ! three wait
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
