! SPDX-License-Identifier: Apache-2.0
! Patterns of courses and applications with `use mpi`, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_courses_f90 f_life
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
  if (name == 'f_life') call f_life()
  if (name == 'f_cg') call f_cg()
  if (name == 'f_spectral') call f_spectral()
  if (name == 'f_output') call f_output()
  call MPI_Finalize(ierr)

contains

  ! Game of Life on a torus of ranks, with eight neighbours each.
  subroutine f_life()
    integer :: dims(2), at(2), to(2), grid, t, i, j, n, peer, req(16)
    logical :: periods(2)
    dims = 0
    periods = .true.
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
    call MPI_Cart_coords(grid, rank, 2, at, ierr)
    do t = 1, 20
      n = 0
      do j = -1, 1
        do i = -1, 1
          if (i == 0 .and. j == 0) cycle
          to = at + (/i, j/)
          call MPI_Cart_rank(grid, to, peer, ierr)
          call MPI_Irecv(a, 16, MPI_INTEGER, peer, 10 - 3 * i - j, grid, req(n + 1), ierr)
          call MPI_Isend(b, 16, MPI_INTEGER, peer, 10 + 3 * i + j, grid, req(n + 2), ierr)
          n = n + 2
        end do
      end do
      call MPI_Waitall(16, req, MPI_STATUSES_IGNORE, ierr)
    end do
  end subroutine

  ! Conjugate gradients with the whole vector on all ranks.
  subroutine f_cg()
    integer :: counts(ranks), starts(ranks), i, it
    double precision :: part, whole
    do i = 1, ranks
      counts(i) = 100 / ranks + merge(1, 0, i <= mod(100, ranks))
    end do
    starts(1) = 0
    do i = 2, ranks
      starts(i) = starts(i - 1) + counts(i - 1)
    end do
    part = 1
    call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    do it = 1, 30
      call MPI_Allgatherv(a, counts(rank + 1), MPI_DOUBLE_PRECISION, b, counts, starts, &
                          MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
      call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  ! Transposes of a spectral model within rows and columns of ranks.
  subroutine f_spectral()
    integer :: rows, row, col, t
    rows = 1
    do while ((rows + 1) * (rows + 1) <= ranks)
      rows = rows + 1
    end do
    do while (mod(ranks, rows) /= 0)
      rows = rows - 1
    end do
    call MPI_Comm_split(MPI_COMM_WORLD, rank / (ranks / rows), rank, row, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, ranks / rows), rank, col, ierr)
    do t = 1, 10
      call MPI_Alltoall(a, 8, MPI_DOUBLE_COMPLEX, b, 8, MPI_DOUBLE_COMPLEX, row, ierr)
      call MPI_Alltoall(a, 8, MPI_DOUBLE_COMPLEX, b, 8, MPI_DOUBLE_COMPLEX, col, ierr)
      call MPI_Alltoall(b, 8, MPI_DOUBLE_COMPLEX, a, 8, MPI_DOUBLE_COMPLEX, col, ierr)
      call MPI_Alltoall(b, 8, MPI_DOUBLE_COMPLEX, a, 8, MPI_DOUBLE_COMPLEX, row, ierr)
    end do
  end subroutine

  ! Rank 0 writes for all, one after the other, when told to.
  subroutine f_output()
    integer :: t, i, status(MPI_STATUS_SIZE)
    do t = 1, 3
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (rank == 0) then
        do i = 1, ranks - 1
          call MPI_Send(t, 1, MPI_INTEGER, i, 50, MPI_COMM_WORLD, ierr)
          call MPI_Recv(a, 300, MPI_DOUBLE_PRECISION, i, 51, MPI_COMM_WORLD, status, ierr)
        end do
      else
        call MPI_Recv(i, 1, MPI_INTEGER, 0, 50, MPI_COMM_WORLD, status, ierr)
        call MPI_Send(b, 300, MPI_DOUBLE_PRECISION, 0, 51, MPI_COMM_WORLD, ierr)
      end if
    end do
  end subroutine
end program
