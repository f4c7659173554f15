! SPDX-License-Identifier: Apache-2.0
! Patterns of students' codes with mpi_f08, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_students g_diffusion
program textbook
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right
  character(len=32) :: name
  double precision :: a(4096), b(4096)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  call get_command_argument(1, name)
  if (name == 'g_diffusion') call g_diffusion()
  if (name == 'g_advection') call g_advection()
  if (name == 'g_blocks') call g_blocks()
  if (name == 'g_spectrum') call g_spectrum()
  if (name == 'g_levels') call g_levels()
  call MPI_Finalize()

contains

  ! Diffusion in a rod: a halo, a picture at the first step and every 25th, a norm each step.
  subroutine g_diffusion()
    integer :: it
    type(MPI_Request) :: requests(4)
    do it = 1, 200
      call MPI_Irecv(b(1), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
      call MPI_Irecv(b(2), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2))
      call MPI_Isend(a(1), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3))
      call MPI_Isend(a(2), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(4))
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
      if (it == 1 .or. mod(it, 25) == 0) then
        call MPI_Gather(a, 16, MPI_DOUBLE_PRECISION, b, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      end if
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    end do
  end subroutine

  ! Upwind advection on a ring: one way only, output by intervals at the beginning of a step.
  subroutine g_advection()
    integer :: it, up, down
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    do it = 0, 119
      if (mod(it, 30) == 0) then
        call MPI_Reduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
      end if
      call MPI_Sendrecv(a, 1, MPI_DOUBLE_PRECISION, down, 3, b, 1, MPI_DOUBLE_PRECISION, up, 3, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (mod(it, 50) == 49) then
        call MPI_Gather(a, 16, MPI_DOUBLE_PRECISION, b, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      end if
    end do
  end subroutine

  ! Jacobi on blocks with subarrays, tested every 20 sweeps, until a limit.
  subroutine g_blocks()
    integer :: sweep, dims(2), west, east, south, north
    logical :: walls(2)
    type(MPI_Comm) :: plane
    type(MPI_Datatype) :: column
    type(MPI_Request) :: requests(8)
    dims = 0
    walls = .false.
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, walls, .true., plane)
    call MPI_Cart_shift(plane, 0, 1, west, east)
    call MPI_Cart_shift(plane, 1, 1, south, north)
    call MPI_Type_create_subarray(2, [32, 32], [32, 1], [0, 0], MPI_ORDER_FORTRAN, &
                                  MPI_DOUBLE_PRECISION, column)
    call MPI_Type_commit(column)
    do sweep = 1, 140
      call MPI_Irecv(b(1), 32, MPI_DOUBLE_PRECISION, west, 10, plane, requests(1))
      call MPI_Irecv(b(101), 32, MPI_DOUBLE_PRECISION, east, 11, plane, requests(2))
      call MPI_Irecv(b(201), 1, column, south, 12, plane, requests(3))
      call MPI_Irecv(b(1301), 1, column, north, 13, plane, requests(4))
      call MPI_Isend(a(1), 32, MPI_DOUBLE_PRECISION, east, 10, plane, requests(5))
      call MPI_Isend(a(101), 32, MPI_DOUBLE_PRECISION, west, 11, plane, requests(6))
      call MPI_Isend(a(201), 1, column, north, 12, plane, requests(7))
      call MPI_Isend(a(1301), 1, column, south, 13, plane, requests(8))
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
      if (mod(sweep, 20) == 0) then
        call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, plane)
      end if
    end do
    call MPI_Type_free(column)
    call MPI_Comm_free(plane)
  end subroutine

  ! A spectral code: two transposes in each of three stages, energy every 12 steps.
  subroutine g_spectrum()
    integer :: it, stage
    do it = 1, 36
      do stage = 1, 3
        call MPI_Alltoall(a, 8, MPI_DOUBLE_COMPLEX, b, 8, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD)
        call MPI_Alltoall(b, 8, MPI_DOUBLE_COMPLEX, a, 8, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD)
      end do
      if (mod(it, 12) == 0) then
        call MPI_Reduce(a, b, 32, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
      end if
    end do
  end subroutine

  ! Sub-steps of a fine model within those of a coarse one; both have halos, the coarse one output.
  subroutine g_levels()
    integer :: it, sub
    do it = 1, 60
      call MPI_Sendrecv(a, 4, MPI_DOUBLE_PRECISION, right, 1, b, 4, MPI_DOUBLE_PRECISION, left, 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      do sub = 1, 5
        call MPI_Sendrecv(a, 64, MPI_DOUBLE_PRECISION, right, 2, b, 64, MPI_DOUBLE_PRECISION, &
                          left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
      if (mod(it, 20) == 0) then
        call MPI_Gather(a, 16, MPI_DOUBLE_PRECISION, b, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      end if
    end do
  end subroutine
end program
