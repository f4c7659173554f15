! SPDX-License-Identifier: Apache-2.0
! Patterns with mpi_f08, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_f08 f_halo3
program textbook
  use mpi_f08
  implicit none
  integer :: rank, ranks
  character(len=32) :: name
  double precision :: a(4096), b(4096)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, name)
  if (name == 'f_columns') call f_columns()
  if (name == 'f_halo3') call f_halo3()
  if (name == 'f_boundary') call f_boundary()
  if (name == 'f_root') call f_root()
  if (name == 'f_reduction') call f_reduction()
  if (name == 'f_wave') call f_wave()
  if (name == 'f_tasks') call f_tasks()
  call MPI_Finalize()

contains

  ! Columns of a matrix dealt out cyclically, the pivot column to all, LU as in a course.
  subroutine f_columns()
    integer :: k
    do k = 1, 40
      call MPI_Bcast(a, 40 - k + 1, MPI_DOUBLE_PRECISION, mod(k - 1, ranks), MPI_COMM_WORLD)
    end do
    call MPI_Gather(a, 40, MPI_DOUBLE_PRECISION, b, 40, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  end subroutine

  ! Halo in three dimensions with subarrays, a residual in every tenth step.
  subroutine f_halo3()
    integer :: dims(3), d, t, low(3), high(3)
    logical :: periods(3)
    type(MPI_Comm) :: cart
    type(MPI_Datatype) :: face
    type(MPI_Request) :: req(4)
    double precision :: sum
    dims = 0
    periods = .false.
    call MPI_Dims_create(ranks, 3, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, .false., cart)
    call MPI_Type_create_subarray(2, [8, 8], [6, 6], [1, 1], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, face)
    call MPI_Type_commit(face)
    do d = 1, 3
      call MPI_Cart_shift(cart, d - 1, 1, low(d), high(d))
    end do
    do t = 1, 30
      do d = 1, 3
        call MPI_Irecv(a, 1, face, low(d), 2 * d, cart, req(1))
        call MPI_Irecv(a, 1, face, high(d), 2 * d + 1, cart, req(2))
        call MPI_Isend(b, 1, face, high(d), 2 * d, cart, req(3))
        call MPI_Isend(b, 1, face, low(d), 2 * d + 1, cart, req(4))
        call MPI_Waitall(4, req, MPI_STATUSES_IGNORE)
      end do
      if (mod(t, 10) == 0) call MPI_Allreduce(a(1), sum, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cart)
    end do
  end subroutine

  ! Only the first and the last rank have boundary data, and tell the others.
  subroutine f_boundary()
    integer :: t
    do t = 1, 10
      if (rank == 0) call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, ranks - 1, 1, MPI_COMM_WORLD)
      if (rank == ranks - 1) call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == ranks - 1) call MPI_Send(b, 100, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD)
      if (rank == 0) call MPI_Recv(a, 100, MPI_DOUBLE_PRECISION, ranks - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Bcast(a, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      call MPI_Bcast(a, 10, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    end do
  end subroutine

  ! Rank 0 reads and deals out rows one by one; sums come back by any order.
  subroutine f_root()
    integer :: i
    type(MPI_Status) :: status
    if (rank == 0) then
      do i = 0, 5 * (ranks - 1) - 1
        call MPI_Send(a, 64, MPI_DOUBLE_PRECISION, 1 + mod(i, ranks - 1), i, MPI_COMM_WORLD)
      end do
      do i = 1, 5 * (ranks - 1)
        call MPI_Recv(b, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
      end do
    else
      do i = 1, 5
        call MPI_Recv(a, 64, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call MPI_Send(b, 1, MPI_DOUBLE_PRECISION, 0, status%MPI_TAG, MPI_COMM_WORLD)
      end do
    end if
  end subroutine
  ! Cyclic reduction of a tridiagonal system, one row for each rank: each step reaches twice as far.
  subroutine f_reduction()
    integer :: step, low, high
    type(MPI_Request) :: req(4)
    step = 1
    do while (step < ranks)
      low = merge(rank - step, MPI_PROC_NULL, rank >= step)
      high = merge(rank + step, MPI_PROC_NULL, rank + step < ranks)
      call MPI_Irecv(a(1), 4, MPI_DOUBLE_PRECISION, low, step, MPI_COMM_WORLD, req(1))
      call MPI_Irecv(a(5), 4, MPI_DOUBLE_PRECISION, high, step, MPI_COMM_WORLD, req(2))
      call MPI_Isend(b, 4, MPI_DOUBLE_PRECISION, low, step, MPI_COMM_WORLD, req(3))
      call MPI_Isend(b, 4, MPI_DOUBLE_PRECISION, high, step, MPI_COMM_WORLD, req(4))
      call MPI_Waitall(4, req, MPI_STATUSES_IGNORE)
      step = 2 * step
    end do
  end subroutine

  ! A wave equation on a plane: parameters from the first, blocks of different sizes, the time step
  ! from all, and a picture that the first collects with the sizes of the others.
  subroutine f_wave()
    integer :: dims(2), t, other, n, west, east, south, north, at(2)
    type(MPI_Comm) :: cart
    type(MPI_Status) :: status
    double precision :: dt
    dims = 0
    call MPI_Bcast(a, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., cart)
    call MPI_Cart_coords(cart, rank, 2, at)
    call MPI_Cart_shift(cart, 0, 1, west, east)
    call MPI_Cart_shift(cart, 1, 1, south, north)
    n = 20 + merge(1, 0, at(1) < mod(100, dims(1)))
    do t = 1, 20
      call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, north, 1, b, n, MPI_DOUBLE_PRECISION, south, 1, cart, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, south, 2, b, n, MPI_DOUBLE_PRECISION, north, 2, cart, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 20, MPI_DOUBLE_PRECISION, east, 3, b, 20, MPI_DOUBLE_PRECISION, west, 3, cart, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 20, MPI_DOUBLE_PRECISION, west, 4, b, 20, MPI_DOUBLE_PRECISION, east, 4, cart, MPI_STATUS_IGNORE)
      call MPI_Allreduce(a, dt, 1, MPI_DOUBLE_PRECISION, MPI_MIN, cart)
    end do
    if (rank == 0) then
      do other = 1, ranks - 1
        call MPI_Recv(n, 1, MPI_INTEGER, other, 7, cart, status)
        call MPI_Recv(b, 20 * n, MPI_DOUBLE_PRECISION, other, 8, cart, status)
      end do
    else
      call MPI_Send(n, 1, MPI_INTEGER, 0, 7, cart)
      call MPI_Send(a, 20 * n, MPI_DOUBLE_PRECISION, 0, 8, cart)
    end if
  end subroutine

  ! Integrals of many functions: the next one to whoever asks, by a shared counter at the first.
  subroutine f_tasks()
    integer :: next, task
    if (rank == 0) then
      do task = 1, 4 * (ranks - 1) + (ranks - 1)
        call MPI_Recv(next, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Send(merge(task, 0, task <= 4 * (ranks - 1)), 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
      end do
    else
      task = 1
      do while (task > 0)
        call MPI_Send(rank, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD)
        call MPI_Recv(task, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
    end if
    call MPI_Reduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  end subroutine
end program
