! SPDX-License-Identifier: Apache-2.0
! Communication as everybody writes it, in Fortran; main adds four calls and a loop.
!   mpirun -n 12 classics plane [steps]
program classics
  use mpi
  implicit none
  integer :: rank, ranks, ierror, step, steps, columns, rows
  character(len=32) :: what, number
  double precision :: field(0:41, 0:41)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, what)
  call get_command_argument(2, number)
  steps = 10
  if (number /= '') read (number, *) steps
  columns = int(sqrt(real(ranks)))
  do while (mod(ranks, columns) /= 0)
    columns = columns - 1
  end do
  rows = ranks / columns
  field = rank
  do step = 1, steps
    if (what == 'plane') call plane
    if (what == 'rounds') call rounds
  end do
  call MPI_Finalize(ierror)

contains

  ! Halo with a type for rows, a branch at each border, and the residual at rank 0: 10 calls.
  subroutine plane
    integer, save :: row = MPI_DATATYPE_NULL
    integer :: x, y, status(MPI_STATUS_SIZE)
    double precision :: mine, all
    x = mod(rank, columns)
    y = rank / columns
    if (row == MPI_DATATYPE_NULL) then
      call MPI_Type_vector(40, 1, 42, MPI_DOUBLE_PRECISION, row, ierror)
      call MPI_Type_commit(row, ierror)
    end if
    if (y > 0) call MPI_Send(field(1, 1), 1, row, rank - columns, 1, MPI_COMM_WORLD, ierror)
    if (y < rows - 1) then
      call MPI_Recv(field(41, 1), 1, row, rank + columns, 1, MPI_COMM_WORLD, status, ierror)
      call MPI_Send(field(40, 1), 1, row, rank + columns, 2, MPI_COMM_WORLD, ierror)
    end if
    if (y > 0) call MPI_Recv(field(0, 1), 1, row, rank - columns, 2, MPI_COMM_WORLD, status, ierror)
    if (x > 0) call MPI_Sendrecv(field(1, 1), 40, MPI_DOUBLE_PRECISION, rank - 1, 3, field(1, 0), 40, &
      MPI_DOUBLE_PRECISION, rank - 1, 3, MPI_COMM_WORLD, status, ierror)
    if (x < columns - 1) call MPI_Sendrecv(field(1, 40), 40, MPI_DOUBLE_PRECISION, rank + 1, 3, field(1, 41), 40, &
      MPI_DOUBLE_PRECISION, rank + 1, 3, MPI_COMM_WORLD, status, ierror)
    mine = 1
    call MPI_Reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    call MPI_Bcast(all, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine

  ! Blocks go round, and come back the other way: 6 calls, 2 loops.
  subroutine rounds
    integer :: k, next, previous, requests(2)
    next = mod(rank + 1, ranks)
    previous = mod(rank + ranks - 1, ranks)
    do k = 1, ranks - 1
      call MPI_Irecv(field(1, 1), 40, MPI_DOUBLE_PRECISION, previous, 5, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend(field(1, 2), 40, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end do
    do k = 1, ranks - 1
      call MPI_Irecv(field(1, 1), 40, MPI_DOUBLE_PRECISION, next, 6, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend(field(1, 2), 40, MPI_DOUBLE_PRECISION, previous, 6, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end do
  end subroutine
end program
