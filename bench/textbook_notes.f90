! SPDX-License-Identifier: Apache-2.0
! Patterns of lecture notes with mpi_f08, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_notes_f90 f_euler
program textbook
  use mpi_f08
  implicit none
  integer :: rank, ranks
  character(len=32) :: name
  double precision :: a(16384), b(16384)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, name)
  if (name == 'f_euler') call f_euler()
  if (name == 'f_reduction_cyclic') call f_reduction_cyclic()
  if (name == 'f_shift') call f_shift()
  if (name == 'f_subarrays') call f_subarrays()
  if (name == 'f_radiation') call f_radiation()
  if (name == 'f_tides') call f_tides()
  call MPI_Finalize()

contains

  ! Euler's equations: Runge-Kutta in three stages, halos of a plane, the time step from all.
  subroutine f_euler()
    type(MPI_Comm) :: grid
    integer :: step, stage, d, low(2), high(2), dims(2)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid)
    do d = 1, 2
      call MPI_Cart_shift(grid, d - 1, 1, low(d), high(d))
    end do
    do step = 1, 20
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MIN, grid)
      do stage = 1, 3
        do d = 1, 2
          call MPI_Sendrecv(a, 40, MPI_DOUBLE_PRECISION, low(d), 0, b, 40, MPI_DOUBLE_PRECISION, high(d), 0, grid, &
            MPI_STATUS_IGNORE)
          call MPI_Sendrecv(a, 40, MPI_DOUBLE_PRECISION, high(d), 0, b, 40, MPI_DOUBLE_PRECISION, low(d), 0, grid, &
            MPI_STATUS_IGNORE)
        end do
      end do
      if (mod(step, 5) == 0 .or. step == 1) call MPI_Gather(a, 30, MPI_DOUBLE_PRECISION, b, 30, MPI_DOUBLE_PRECISION, 0, grid)
    end do
    call MPI_Comm_free(grid)
  end subroutine

  ! Cyclic reduction: every second equation goes, from neighbours at a distance of 1, 2, 4, ...
  subroutine f_reduction_cyclic()
    integer :: far, n
    type(MPI_Request) :: requests(4)
    far = 1
    do while (far < ranks)
      n = 0
      if (rank - far >= 0) then
        call MPI_Irecv(b(1:4), 4, MPI_DOUBLE_PRECISION, rank - far, far, MPI_COMM_WORLD, requests(n + 1))
        call MPI_Isend(a(1:4), 4, MPI_DOUBLE_PRECISION, rank - far, far, MPI_COMM_WORLD, requests(n + 2))
        n = n + 2
      end if
      if (rank + far < ranks) then
        call MPI_Irecv(b(5:8), 4, MPI_DOUBLE_PRECISION, rank + far, far, MPI_COMM_WORLD, requests(n + 1))
        call MPI_Isend(a(5:8), 4, MPI_DOUBLE_PRECISION, rank + far, far, MPI_COMM_WORLD, requests(n + 2))
        n = n + 2
      end if
      call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE)
      far = 2 * far
    end do
  end subroutine

  ! A cshift by three over the ranks, then a sum by hand on the first rank and back.
  subroutine f_shift()
    integer :: it, other
    do it = 1, 7
      call MPI_Sendrecv_replace(a, 80, MPI_DOUBLE_PRECISION, mod(rank + 3, ranks), 1, mod(rank - 3 + 3 * ranks, ranks), 1, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == 0) then
        do other = 1, ranks - 1
          call MPI_Recv(b, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
        do other = 1, ranks - 1
          call MPI_Send(b, 1, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD)
        end do
      else
        call MPI_Send(a, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD)
        call MPI_Recv(a, 1, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end if
    end do
  end subroutine

  ! Blocks of a plane by subarrays, dealt out by the first rank and collected again.
  subroutine f_subarrays()
    type(MPI_Datatype) :: block
    integer :: other, dims(2), it
    dims = 0
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Type_create_subarray(2, [10 * dims(1), 10 * dims(2)], [10, 10], [0, 0], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, block)
    call MPI_Type_commit(block)
    if (rank == 0) then
      do other = 1, ranks - 1
        call MPI_Send(a, 1, block, other, 0, MPI_COMM_WORLD)
      end do
    else
      call MPI_Recv(a, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    do it = 1, 12
      call MPI_Bcast(a, 3, MPI_DOUBLE_PRECISION, mod(it, ranks), MPI_COMM_WORLD)
    end do
    if (rank == 0) then
      do other = 1, ranks - 1
        call MPI_Recv(a, 1, block, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
    else
      call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
    end if
    call MPI_Type_free(block)
  end subroutine

  ! Radiation in a column of layers: rays go up, then down, angle by angle.
  subroutine f_radiation()
    integer :: it, angle
    do it = 1, 5
      do angle = 1, 8
        if (angle <= 4) then
          if (rank > 0) call MPI_Recv(a, 12, MPI_DOUBLE_PRECISION, rank - 1, angle, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
          if (rank < ranks - 1) call MPI_Send(a, 12, MPI_DOUBLE_PRECISION, rank + 1, angle, MPI_COMM_WORLD)
        else
          if (rank < ranks - 1) call MPI_Recv(a, 12, MPI_DOUBLE_PRECISION, rank + 1, angle, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
          if (rank > 0) call MPI_Send(a, 12, MPI_DOUBLE_PRECISION, rank - 1, angle, MPI_COMM_WORLD)
        end if
      end do
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    end do
  end subroutine

  ! Tides: halos by requests each step, boundary values from the first rank each hour, sums each day.
  subroutine f_tides()
    integer :: step, west, east
    type(MPI_Request) :: requests(4)
    west = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    east = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    do step = 1, 48
      if (mod(step, 4) == 1) call MPI_Bcast(a, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      call MPI_Irecv(b(1:20), 20, MPI_DOUBLE_PRECISION, west, 1, MPI_COMM_WORLD, requests(1))
      call MPI_Irecv(b(21:40), 20, MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, requests(2))
      call MPI_Isend(a(1:20), 20, MPI_DOUBLE_PRECISION, west, 2, MPI_COMM_WORLD, requests(3))
      call MPI_Isend(a(21:40), 20, MPI_DOUBLE_PRECISION, east, 1, MPI_COMM_WORLD, requests(4))
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
      if (mod(step, 24) == 0) call MPI_Reduce(a, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    end do
  end subroutine
end program
