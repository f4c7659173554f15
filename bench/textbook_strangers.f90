! SPDX-License-Identifier: Apache-2.0
! Patterns of Fortran codes that grew over years, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_strangers_f90 f_ssor
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
  if (name == 'f_ssor') call f_ssor()
  if (name == 'f_nine_points') call f_nine_points()
  if (name == 'f_rows') call f_rows()
  if (name == 'f_blocks') call f_blocks()
  if (name == 'f_climate') call f_climate()
  call MPI_Finalize(ierr)

contains

  ! Lower and upper sweeps over a plane of blocks, level by level, and a residual now and then.
  subroutine f_ssor()
    integer :: it, level, nx, x, y, dims(2), status(MPI_STATUS_SIZE)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    nx = dims(2)
    x = mod(rank, nx)
    y = rank / nx
    do it = 1, 6
      do level = 1, 5
        if (x > 0) call MPI_Recv(a, 20, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, status, ierr)
        if (y > 0) call MPI_Recv(a, 30, MPI_DOUBLE_PRECISION, rank - nx, 1, MPI_COMM_WORLD, status, ierr)
        if (x < nx - 1) call MPI_Send(b, 20, MPI_DOUBLE_PRECISION, rank + 1, 1, MPI_COMM_WORLD, ierr)
        if (y < dims(1) - 1) call MPI_Send(b, 30, MPI_DOUBLE_PRECISION, rank + nx, 1, MPI_COMM_WORLD, ierr)
      end do
      do level = 5, 1, -1
        if (x < nx - 1) call MPI_Recv(a, 20, MPI_DOUBLE_PRECISION, rank + 1, 2, MPI_COMM_WORLD, status, ierr)
        if (y < dims(1) - 1) call MPI_Recv(a, 30, MPI_DOUBLE_PRECISION, rank + nx, 2, MPI_COMM_WORLD, status, ierr)
        if (x > 0) call MPI_Send(b, 20, MPI_DOUBLE_PRECISION, rank - 1, 2, MPI_COMM_WORLD, ierr)
        if (y > 0) call MPI_Send(b, 30, MPI_DOUBLE_PRECISION, rank - nx, 2, MPI_COMM_WORLD, ierr)
      end do
      if (mod(it, 3) == 1) call MPI_Allreduce(a, b, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  ! Nine points: columns first, then rows with the corners in them.
  subroutine f_nine_points()
    integer :: it, dims(2), grid, west, east, south, north, r(4)
    logical :: periods(2)
    dims = 0
    periods = .false.
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, ierr)
    call MPI_Cart_shift(grid, 0, 1, west, east, ierr)
    call MPI_Cart_shift(grid, 1, 1, south, north, ierr)
    do it = 1, 14
      call MPI_Irecv(a, 40, MPI_DOUBLE_PRECISION, west, 0, grid, r(1), ierr)
      call MPI_Irecv(a, 40, MPI_DOUBLE_PRECISION, east, 0, grid, r(2), ierr)
      call MPI_Isend(b, 40, MPI_DOUBLE_PRECISION, west, 0, grid, r(3), ierr)
      call MPI_Isend(b, 40, MPI_DOUBLE_PRECISION, east, 0, grid, r(4), ierr)
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
      call MPI_Irecv(a, 42, MPI_DOUBLE_PRECISION, south, 1, grid, r(1), ierr)
      call MPI_Irecv(a, 42, MPI_DOUBLE_PRECISION, north, 1, grid, r(2), ierr)
      call MPI_Isend(b, 42, MPI_DOUBLE_PRECISION, south, 1, grid, r(3), ierr)
      call MPI_Isend(b, 42, MPI_DOUBLE_PRECISION, north, 1, grid, r(4), ierr)
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
      if (mod(it, 4) == 0) then
        call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid, ierr)
        call MPI_Bcast(a, 1, MPI_DOUBLE_PRECISION, 0, grid, ierr)
      end if
    end do
    call MPI_Comm_free(grid, ierr)
  end subroutine

  ! Rank 0 reads rows and sends each to the rank whose turn it is; all send their sums back.
  subroutine f_rows()
    integer :: row, status(MPI_STATUS_SIZE)
    integer, parameter :: rows = 24
    if (rank == 0) then
      do row = 0, rows - 1
        if (mod(row, ranks) /= 0) &
          call MPI_Send(a, 50, MPI_DOUBLE_PRECISION, mod(row, ranks), row, MPI_COMM_WORLD, ierr)
      end do
      do row = 1, ranks - 1
        call MPI_Recv(b, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, status, ierr)
      end do
    else
      do row = rank, rows - 1, ranks
        call MPI_Recv(a, 50, MPI_DOUBLE_PRECISION, 0, row, MPI_COMM_WORLD, status, ierr)
      end do
      call MPI_Send(b, 1, MPI_DOUBLE_PRECISION, 0, 99, MPI_COMM_WORLD, ierr)
    end if
  end subroutine

  ! Six faces of blocks, each direction in a loop of its own with its own tag.
  subroutine f_blocks()
    integer :: it, d, dims(3), grid, below(3), above(3), status(MPI_STATUS_SIZE)
    logical :: periods(3)
    dims = 0
    periods = (/ .true., .false., .false. /)
    call MPI_Dims_create(ranks, 3, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, .false., grid, ierr)
    do d = 1, 3
      call MPI_Cart_shift(grid, d - 1, 1, below(d), above(d), ierr)
    end do
    do it = 1, 10
      do d = 1, 3
        call MPI_Sendrecv(a, 100 * d, MPI_DOUBLE_PRECISION, above(d), d, &
          b, 100 * d, MPI_DOUBLE_PRECISION, below(d), d, grid, status, ierr)
        call MPI_Sendrecv(a, 100 * d, MPI_DOUBLE_PRECISION, below(d), d, &
          b, 100 * d, MPI_DOUBLE_PRECISION, above(d), d, grid, status, ierr)
      end do
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MIN, grid, ierr)
      if (it == 1 .or. it == 10) call MPI_Reduce(a, b, 8, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid, ierr)
    end do
    call MPI_Comm_free(grid, ierr)
  end subroutine

  ! Latitudes: neighbours by strips, a filter near the poles by transposes, daily output to rank 0.
  subroutine f_climate()
    integer :: hour, status(MPI_STATUS_SIZE), south, north, r
    south = rank - 1
    north = rank + 1
    if (south < 0) south = MPI_PROC_NULL
    if (north >= ranks) north = MPI_PROC_NULL
    do hour = 1, 30
      call MPI_Sendrecv(a, 60, MPI_DOUBLE_PRECISION, north, 1, b, 60, MPI_DOUBLE_PRECISION, south, 1, MPI_COMM_WORLD, status, ierr)
      call MPI_Sendrecv(a, 60, MPI_DOUBLE_PRECISION, south, 2, b, 60, MPI_DOUBLE_PRECISION, north, 2, MPI_COMM_WORLD, status, ierr)
      call MPI_Alltoall(a, 8, MPI_DOUBLE_PRECISION, b, 8, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
      if (mod(hour, 6) == 0) then
        if (rank == 0) then
          do r = 1, ranks - 1
            call MPI_Recv(b, 120, MPI_DOUBLE_PRECISION, r, 3, MPI_COMM_WORLD, status, ierr)
          end do
        else
          call MPI_Send(a, 120, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, ierr)
        end if
      end if
    end do
  end subroutine
end program
