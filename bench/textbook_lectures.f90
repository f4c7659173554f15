! SPDX-License-Identifier: Apache-2.0
! Patterns of lectures with `use mpi_f08`, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_lectures_f90 f_poisson
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
  if (name == 'f_poisson') call f_poisson()
  if (name == 'f_matmul') call f_matmul()
  if (name == 'f_ocean') call f_ocean()
  if (name == 'f_bcast_chain') call f_bcast_chain()
  call MPI_Finalize()

contains

  ! Poisson on strips: the copy of the tutorial that has exchange by parity of the rank.
  subroutine f_poisson()
    integer :: it, below, above
    type(MPI_Status) :: status
    double precision :: diff, all
    below = rank - 1
    above = rank + 1
    if (below < 0) below = MPI_PROC_NULL
    if (above >= ranks) above = MPI_PROC_NULL
    do it = 1, 15
      if (mod(rank, 2) == 0) then
        call MPI_Send(a, 50, MPI_DOUBLE_PRECISION, above, 0, MPI_COMM_WORLD)
        call MPI_Recv(b, 50, MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, status)
        call MPI_Send(a, 50, MPI_DOUBLE_PRECISION, below, 1, MPI_COMM_WORLD)
        call MPI_Recv(b, 50, MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, status)
      else
        call MPI_Recv(b, 50, MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, status)
        call MPI_Send(a, 50, MPI_DOUBLE_PRECISION, above, 0, MPI_COMM_WORLD)
        call MPI_Recv(b, 50, MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, status)
        call MPI_Send(a, 50, MPI_DOUBLE_PRECISION, below, 1, MPI_COMM_WORLD)
      end if
      diff = 1
      call MPI_Allreduce(diff, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end do
  end subroutine

  ! Matrix times matrix, rows dealt out by a manager as workers ask for them.
  subroutine f_matmul()
    integer :: row, sent, answers, worker
    type(MPI_Status) :: status
    integer, parameter :: rows = 60
    call MPI_Bcast(b, 400, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      sent = 0
      do worker = 1, min(ranks - 1, rows)
        sent = sent + 1
        call MPI_Send(a, 20, MPI_DOUBLE_PRECISION, worker, sent, MPI_COMM_WORLD)
      end do
      do answers = 1, rows
        call MPI_Recv(a, 20, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        if (sent < rows) then
          sent = sent + 1
          call MPI_Send(a, 20, MPI_DOUBLE_PRECISION, status%MPI_SOURCE, sent, MPI_COMM_WORLD)
        else
          call MPI_Send(a, 0, MPI_DOUBLE_PRECISION, status%MPI_SOURCE, 0, MPI_COMM_WORLD)
        end if
      end do
    else
      do
        call MPI_Recv(a, 20, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        row = status%MPI_TAG
        if (row == 0) exit
        call MPI_Send(a, 20, MPI_DOUBLE_PRECISION, 0, row, MPI_COMM_WORLD)
      end do
    end if
  end subroutine

  ! An ocean periodic from west to east: baroclinic steps, each with barotropic ones within.
  subroutine f_ocean()
    integer :: dims(2), step, fast, west, east, south, north
    logical :: periods(2)
    type(MPI_Comm) :: ocean
    type(MPI_Request) :: r(4)
    dims = 0
    periods = (/.true., .false./)
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., ocean)
    call MPI_Cart_shift(ocean, 0, 1, west, east)
    call MPI_Cart_shift(ocean, 1, 1, south, north)
    do step = 1, 8
      call MPI_Sendrecv(a, 300, MPI_REAL8, west, 1, b, 300, MPI_REAL8, east, 1, ocean, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 300, MPI_REAL8, east, 2, b, 300, MPI_REAL8, west, 2, ocean, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 200, MPI_REAL8, south, 3, b, 200, MPI_REAL8, north, 3, ocean, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 200, MPI_REAL8, north, 4, b, 200, MPI_REAL8, south, 4, ocean, MPI_STATUS_IGNORE)
      do fast = 1, 6
        call MPI_Irecv(b, 30, MPI_REAL8, west, 5, ocean, r(1))
        call MPI_Irecv(b, 30, MPI_REAL8, south, 6, ocean, r(2))
        call MPI_Isend(a, 30, MPI_REAL8, east, 5, ocean, r(3))
        call MPI_Isend(a, 30, MPI_REAL8, north, 6, ocean, r(4))
        call MPI_Waitall(4, r, MPI_STATUSES_IGNORE)
      end do
      if (mod(step, 4) == 0) call MPI_Gather(a, 60, MPI_REAL8, b, 60, MPI_REAL8, 0, ocean)
    end do
  end subroutine

  ! A broadcast down a chain in pieces.
  subroutine f_bcast_chain()
    integer :: piece
    do piece = 1, 24
      if (rank > 0) call MPI_Recv(a, 128, MPI_REAL8, rank - 1, piece, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank < ranks - 1) call MPI_Send(a, 128, MPI_REAL8, rank + 1, piece, MPI_COMM_WORLD)
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine
end program
