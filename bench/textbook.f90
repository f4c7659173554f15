! SPDX-License-Identifier: Apache-2.0
! Patterns of textbooks in Fortran, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_f90 f_heat
program textbook
  use mpi
  implicit none
  integer :: rank, ranks, ierr
  character(len=32) :: name
  double precision :: a(4096), b(4096)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, name)
  if (name == 'f_heat') call f_heat()
  if (name == 'f_pipeline') call f_pipeline()
  if (name == 'f_pencils') call f_pencils()
  if (name == 'f_gather') call f_gather()
  if (name == 'f_cube') call f_cube()
  if (name == 'f_jacobi') call f_jacobi()
  call MPI_Finalize(ierr)

contains

  subroutine f_heat()
    integer :: dims(2), up, down, left, right, comm, row, t, req(4)
    logical :: periods(2)
    dims = 0
    periods = (/ .false., .true. /)
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., comm, ierr)
    call MPI_Cart_shift(comm, 0, 1, up, down, ierr)
    call MPI_Cart_shift(comm, 1, 1, left, right, ierr)
    call MPI_Type_vector(32, 1, 64, MPI_DOUBLE_PRECISION, row, ierr)
    call MPI_Type_commit(row, ierr)
    do t = 1, 15
      call MPI_Irecv(b, 64, MPI_DOUBLE_PRECISION, up, 1, comm, req(1), ierr)
      call MPI_Irecv(b, 64, MPI_DOUBLE_PRECISION, down, 2, comm, req(2), ierr)
      call MPI_Send(a, 64, MPI_DOUBLE_PRECISION, down, 1, comm, ierr)
      call MPI_Send(a, 64, MPI_DOUBLE_PRECISION, up, 2, comm, ierr)
      call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
      call MPI_Sendrecv(a, 1, row, left, 3, b, 1, row, right, 3, comm, MPI_STATUS_IGNORE, ierr)
      call MPI_Sendrecv(a, 1, row, right, 4, b, 1, row, left, 4, comm, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Type_free(row, ierr)
  end subroutine

  subroutine f_pipeline()
    integer :: k
    do k = 1, 24
      if (rank /= 0) call MPI_Recv(a, 100, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, &
                                   MPI_STATUS_IGNORE, ierr)
      if (rank /= ranks - 1) call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, rank + 1, 0, &
                                           MPI_COMM_WORLD, ierr)
    end do
    call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine f_pencils()
    integer :: dims(2), grid, rows, columns, t
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (/ .false., .false. /), .false., grid, ierr)
    call MPI_Cart_sub(grid, (/ .true., .false. /), rows, ierr)
    call MPI_Cart_sub(grid, (/ .false., .true. /), columns, ierr)
    do t = 1, 8
      call MPI_Alltoall(a, 16, MPI_DOUBLE_COMPLEX, b, 16, MPI_DOUBLE_COMPLEX, columns, ierr)
      call MPI_Alltoall(b, 16, MPI_DOUBLE_COMPLEX, a, 16, MPI_DOUBLE_COMPLEX, rows, ierr)
    end do
  end subroutine

  subroutine f_gather()
    integer :: t, p, status(MPI_STATUS_SIZE)
    do t = 1, 12
      call MPI_Allreduce(a, b, 3, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      if (mod(t, 4) == 0) then
        if (rank == 0) then
          do p = 1, ranks - 1
            call MPI_Recv(b, 500, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, status, ierr)
          end do
        else
          call MPI_Send(a, 500, MPI_DOUBLE_PRECISION, 0, 11, MPI_COMM_WORLD, ierr)
        end if
      end if
    end do
  end subroutine

  subroutine f_cube()
    integer :: dims(3), comm, d, low, high, t
    dims = 0
    call MPI_Dims_create(ranks, 3, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, (/ .true., .true., .false. /), .false., comm, ierr)
    do t = 1, 10
      do d = 0, 2
        call MPI_Cart_shift(comm, d, 1, low, high, ierr)
        call MPI_Sendrecv(a, 200, MPI_DOUBLE_PRECISION, high, 0, b, 200, MPI_DOUBLE_PRECISION, low, 0, &
                          comm, MPI_STATUS_IGNORE, ierr)
        call MPI_Sendrecv(a, 200, MPI_DOUBLE_PRECISION, low, 1, b, 200, MPI_DOUBLE_PRECISION, high, 1, &
                          comm, MPI_STATUS_IGNORE, ierr)
      end do
    end do
  end subroutine

  ! Uneven strips, neighbours by MPI_PROC_NULL, and a result that is gathered.
  subroutine f_jacobi()
    integer :: left, right, t, counts(64), displs(64), p
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    counts(1:ranks) = (/ (100 / ranks + merge(1, 0, p < mod(100, ranks)), p = 0, ranks - 1) /)
    displs(1:ranks) = (/ (30 * p, p = 0, ranks - 1) /)
    do t = 1, 30
      call MPI_Sendrecv(a, 100, MPI_DOUBLE_PRECISION, right, 0, b, 100, MPI_DOUBLE_PRECISION, left, 0, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Sendrecv(a, 100, MPI_DOUBLE_PRECISION, left, 0, b, 100, MPI_DOUBLE_PRECISION, right, 0, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      if (mod(t, 10) == 0) call MPI_Reduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Gatherv(a, counts(rank + 1), MPI_DOUBLE_PRECISION, b, counts, displs, MPI_DOUBLE_PRECISION, 0, &
                     MPI_COMM_WORLD, ierr)
  end subroutine

end program
