! SPDX-License-Identifier: Apache-2.0
! Patterns of Fortran tutorials and of codes for flows, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_tutorials_f90 f_channel
program textbook
  use mpi
  implicit none
  integer :: rank, ranks, ierr
  character(len=32) :: name
  double precision :: a(16384), b(16384)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, name)
  if (name == 'f_channel') call f_channel()
  if (name == 'f_shallow') call f_shallow()
  if (name == 'f_print') call f_print()
  if (name == 'f_wavefront') call f_wavefront()
  call MPI_Finalize(ierr)

contains

  ! A channel in pencils: transposes along rows and columns, and a halo in between.
  subroutine f_channel()
    integer :: it, stage, rows, cols, dims(2), row, col, north, south, status(MPI_STATUS_SIZE)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    cols = dims(2)
    rows = dims(1)
    call MPI_Comm_split(MPI_COMM_WORLD, rank / cols, rank, row, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, cols), rank, col, ierr)
    south = rank - cols
    north = rank + cols
    if (south < 0) south = MPI_PROC_NULL
    if (north >= ranks) north = MPI_PROC_NULL
    do it = 1, 8
      do stage = 1, 3
        call MPI_Alltoall(a, 20, MPI_DOUBLE_PRECISION, b, 20, MPI_DOUBLE_PRECISION, row, ierr)
        call MPI_Alltoall(a, 30, MPI_DOUBLE_PRECISION, b, 30, MPI_DOUBLE_PRECISION, col, ierr)
        call MPI_Sendrecv(a, 50, MPI_DOUBLE_PRECISION, north, 1, b, 50, MPI_DOUBLE_PRECISION, south, 1, &
          MPI_COMM_WORLD, status, ierr)
        call MPI_Sendrecv(a, 50, MPI_DOUBLE_PRECISION, south, 2, b, 50, MPI_DOUBLE_PRECISION, north, 2, &
          MPI_COMM_WORLD, status, ierr)
      end do
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      if (mod(it, 4) == 0) call MPI_Gather(a, 10, MPI_DOUBLE_PRECISION, b, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Comm_free(col, ierr)
    call MPI_Comm_free(row, ierr)
  end subroutine

  ! Shallow water, periodic from west to east; three fields, each by requests.
  subroutine f_shallow()
    integer :: it, field, n, nx, ny, x, y, dims(2), requests(8)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    nx = dims(1)
    ny = dims(2)
    x = mod(rank, nx)
    y = rank / nx
    do it = 1, 24
      do field = 1, 3
        n = 0
        call neighbour(mod(x + 1, nx) + nx * y, 1, field, n, requests)
        call neighbour(mod(x + nx - 1, nx) + nx * y, 2, field, n, requests)
        if (y + 1 < ny) call neighbour(rank + nx, 3, field, n, requests)
        if (y > 0) call neighbour(rank - nx, 4, field, n, requests)
        call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
      end do
      if (mod(it, 6) == 1) call MPI_Reduce(a, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine neighbour(other, side, field, n, requests)
    integer, intent(in) :: other, side, field
    integer, intent(inout) :: n, requests(8)
    integer, parameter :: back(4) = (/ 2, 1, 4, 3 /)
    call MPI_Irecv(b(100 * side), 64, MPI_DOUBLE_PRECISION, other, 10 * field + back(side), MPI_COMM_WORLD, &
      requests(n + 1), ierr)
    call MPI_Isend(a(100 * side), 64, MPI_DOUBLE_PRECISION, other, 10 * field + side, MPI_COMM_WORLD, requests(n + 2), ierr)
    n = n + 2
  end subroutine

  ! Output in the order of ranks by barriers, as many print.
  subroutine f_print()
    integer :: it, turn, status(MPI_STATUS_SIZE)
    do it = 1, 5
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      do turn = 0, ranks - 1
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
      end do
      if (rank > 0) call MPI_Recv(b, 1, MPI_INTEGER, rank - 1, it, MPI_COMM_WORLD, status, ierr)
      if (rank < ranks - 1) call MPI_Send(a, 1, MPI_INTEGER, rank + 1, it, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  ! Two-dimensional wavefront of blocks, forward and backward, on rows of ranks.
  subroutine f_wavefront()
    integer :: it, block, status(MPI_STATUS_SIZE)
    do it = 1, 4
      do block = 1, 10
        if (rank > 0) call MPI_Recv(b, 40, MPI_DOUBLE_PRECISION, rank - 1, block, MPI_COMM_WORLD, status, ierr)
        if (rank < ranks - 1) call MPI_Send(a, 40, MPI_DOUBLE_PRECISION, rank + 1, block, MPI_COMM_WORLD, ierr)
      end do
      do block = 10, 1, -1
        if (rank < ranks - 1) call MPI_Recv(b, 40, MPI_DOUBLE_PRECISION, rank + 1, block, MPI_COMM_WORLD, status, ierr)
        if (rank > 0) call MPI_Send(a, 40, MPI_DOUBLE_PRECISION, rank - 1, block, MPI_COMM_WORLD, ierr)
      end do
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    end do
  end subroutine
end program
