! SPDX-License-Identifier: Apache-2.0
! Mini-apps with mpif.h, as older codes have it, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_mpif o_pencils
program textbook_mpif
  implicit none
  include 'mpif.h'
  integer :: me, np, ierr
  character(len=32) :: name
  double precision :: a(8192), b(8192)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  call get_command_argument(1, name)
  if (name == 'o_redblack') call o_redblack()
  if (name == 'o_bodies') call o_bodies()
  if (name == 'o_pencils') call o_pencils()
  call MPI_Finalize(ierr)

contains

  ! Red and black on a plane of ranks whose sides are worked out by hand, no messages over the border.
  subroutine o_redblack()
    integer :: it, colour, nx, ny, x, y, status(MPI_STATUS_SIZE), n, requests(8)
    nx = int(sqrt(dble(np)))
    do while (mod(np, nx) /= 0)
      nx = nx - 1
    end do
    ny = np / nx
    x = mod(me, nx)
    y = me / nx
    do it = 1, 30
      do colour = 0, 1
        n = 0
        if (x > 0) then
          call MPI_Irecv(b(1), 50, MPI_DOUBLE_PRECISION, me - 1, colour, MPI_COMM_WORLD, requests(n + 1), ierr)
          call MPI_Isend(a(1), 50, MPI_DOUBLE_PRECISION, me - 1, colour, MPI_COMM_WORLD, requests(n + 2), ierr)
          n = n + 2
        end if
        if (x < nx - 1) then
          call MPI_Irecv(b(101), 50, MPI_DOUBLE_PRECISION, me + 1, colour, MPI_COMM_WORLD, requests(n + 1), ierr)
          call MPI_Isend(a(101), 50, MPI_DOUBLE_PRECISION, me + 1, colour, MPI_COMM_WORLD, requests(n + 2), ierr)
          n = n + 2
        end if
        if (y > 0) then
          call MPI_Irecv(b(201), 60, MPI_DOUBLE_PRECISION, me - nx, colour, MPI_COMM_WORLD, requests(n + 1), ierr)
          call MPI_Isend(a(201), 60, MPI_DOUBLE_PRECISION, me - nx, colour, MPI_COMM_WORLD, requests(n + 2), ierr)
          n = n + 2
        end if
        if (y < ny - 1) then
          call MPI_Irecv(b(301), 60, MPI_DOUBLE_PRECISION, me + nx, colour, MPI_COMM_WORLD, requests(n + 1), ierr)
          call MPI_Isend(a(301), 60, MPI_DOUBLE_PRECISION, me + nx, colour, MPI_COMM_WORLD, requests(n + 2), ierr)
          n = n + 2
        end if
        call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
      end do
      if (mod(it, 5) == 0) then
        call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      end if
    end do
    if (me /= 0) then
      call MPI_Send(a, 500, MPI_DOUBLE_PRECISION, 0, 77, MPI_COMM_WORLD, ierr)
    else
      do n = 1, np - 1
        call MPI_Recv(b, 500, MPI_DOUBLE_PRECISION, n, 77, MPI_COMM_WORLD, status, ierr)
      end do
    end if
  end subroutine

  ! Bodies round a ring, computed upon while the next ones travel; energy each fourth step.
  subroutine o_bodies()
    integer :: step, hop, r(2), status(MPI_STATUS_SIZE)
    do step = 1, 12
      do hop = 1, np - 1
        call MPI_Isend(a, 300, MPI_DOUBLE_PRECISION, mod(me + 1, np), hop, MPI_COMM_WORLD, r(1), ierr)
        call MPI_Irecv(b, 300, MPI_DOUBLE_PRECISION, mod(me + np - 1, np), hop, MPI_COMM_WORLD, r(2), ierr)
        call MPI_Wait(r(2), status, ierr)
        call MPI_Wait(r(1), status, ierr)
      end do
      if (mod(step, 4) == 1) then
        call MPI_Reduce(a, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      end if
    end do
  end subroutine

  ! A spectral code on pencils: transposes in rows, then in columns, forth and back.
  subroutine o_pencils()
    integer :: step, nx, rows, columns
    nx = int(sqrt(dble(np)))
    do while (mod(np, nx) /= 0)
      nx = nx - 1
    end do
    call MPI_Comm_split(MPI_COMM_WORLD, me / nx, me, rows, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, nx), me, columns, ierr)
    do step = 1, 10
      call MPI_Alltoall(a, 16, MPI_DOUBLE_COMPLEX, b, 16, MPI_DOUBLE_COMPLEX, rows, ierr)
      call MPI_Alltoall(b, 16, MPI_DOUBLE_COMPLEX, a, 16, MPI_DOUBLE_COMPLEX, columns, ierr)
      call MPI_Alltoall(a, 16, MPI_DOUBLE_COMPLEX, b, 16, MPI_DOUBLE_COMPLEX, columns, ierr)
      call MPI_Alltoall(b, 16, MPI_DOUBLE_COMPLEX, a, 16, MPI_DOUBLE_COMPLEX, rows, ierr)
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Comm_free(rows, ierr)
    call MPI_Comm_free(columns, ierr)
  end subroutine
end program
