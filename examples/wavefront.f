! SPDX-License-Identifier: Apache-2.0
! Two waves over a grid of ranks, plane by plane, as in NAS LU: one
! runs from the north-west corner to the south-east, the other back.
! A rank starts on a plane when its two neighbours upstream are done
! with it, so that ranks work on many planes at once.
!   mpirun -n 8 wavefront [rounds]
      program wavefront
      implicit none
      include 'mpif.h'
      integer nx, ny, nz
      parameter (nx = 6, ny = 4, nz = 8)
      double precision v(0:nx+1, 0:ny+1)
      integer rank, ranks, dims(2), row, col
      integer north, south, west, east
      integer rounds, round, plane, failures, worst, ierr
      character*16 argument
      common /field/ v
      common /place/ north, south, west, east

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      rounds = 10
      call get_command_argument(1, argument)
      if (argument .ne. ' ') read (argument, *) rounds

      dims(1) = 0
      dims(2) = 0
      call MPI_Dims_create(ranks, 2, dims, ierr)
      row = rank / dims(2)
      col = mod(rank, dims(2))
      north = -1
      south = -1
      west = -1
      east = -1
      if (row .gt. 0) north = rank - dims(2)
      if (row .lt. dims(1) - 1) south = rank + dims(2)
      if (col .gt. 0) west = rank - 1
      if (col .lt. dims(2) - 1) east = rank + 1

      failures = 0
      do round = 1, rounds
         do plane = 1, nz
            call lower(100 * round + plane, row * nx, col * ny,
     &                 failures)
         end do
         do plane = nz, 1, -1
            call upper(100 * round + plane, (dims(1) - row) * nx + 1,
     &                 (dims(2) - col) * ny + 1, failures)
         end do
      end do

      call MPI_Allreduce(failures, worst, 1, MPI_INTEGER, MPI_MAX,
     &                   MPI_COMM_WORLD, ierr)
      if (rank .eq. 0 .and. worst .eq. 0) then
         write (*, '(a,i0,a,i0,a,i0,a,i0,a)') 'wavefront: ok, ', ranks,
     &      ' ranks as ', dims(1), ' x ', dims(2), ', ', rounds,
     &      ' rounds'
      end if
      call MPI_Finalize(ierr)
      if (worst .ne. 0) stop 1
      end

! From the north-west: every cell is one more than the mean of its
! neighbours in the north and west, so base + i + j - 1 all over.
      subroutine lower(base, i0, j0, failures)
      implicit none
      include 'mpif.h'
      integer nx, ny
      parameter (nx = 6, ny = 4)
      integer base, i0, j0, failures
      double precision v(0:nx+1, 0:ny+1), line(nx)
      integer north, south, west, east, i, j, ierr
      common /field/ v
      common /place/ north, south, west, east

      do j = 1, ny
         v(0, j) = base + j0 + j - 1
      end do
      do i = 1, nx
         v(i, 0) = base + i0 + i - 1
      end do
      if (north .ge. 0) then
         call MPI_Recv(line, ny, MPI_DOUBLE_PRECISION, north, 1,
     &                 MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
         v(0, 1:ny) = line(1:ny)
      end if
      if (west .ge. 0) then
         call MPI_Recv(v(1, 0), nx, MPI_DOUBLE_PRECISION, west, 2,
     &                 MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      do j = 1, ny
         do i = 1, nx
            v(i, j) = (v(i-1, j) + v(i, j-1)) / 2 + 1
            call check(dble(base + i0 + i + j0 + j - 1), v(i, j),
     &                 failures)
         end do
      end do
      if (south .ge. 0) then
         line(1:ny) = v(nx, 1:ny)
         call MPI_Send(line, ny, MPI_DOUBLE_PRECISION, south, 1,
     &                 MPI_COMM_WORLD, ierr)
      end if
      if (east .ge. 0) then
         call MPI_Send(v(1, ny), nx, MPI_DOUBLE_PRECISION, east, 2,
     &                 MPI_COMM_WORLD, ierr)
      end if
      end

! From the south-east: the same, counted from the other corner.
      subroutine upper(base, i0, j0, failures)
      implicit none
      include 'mpif.h'
      integer nx, ny
      parameter (nx = 6, ny = 4)
      integer base, i0, j0, failures
      double precision v(0:nx+1, 0:ny+1), line(nx)
      integer north, south, west, east, i, j, ierr
      common /field/ v
      common /place/ north, south, west, east

      do j = 1, ny
         v(nx+1, j) = base + j0 - j - 1
      end do
      do i = 1, nx
         v(i, ny+1) = base + i0 - i - 1
      end do
      if (south .ge. 0) then
         call MPI_Recv(line, ny, MPI_DOUBLE_PRECISION, south, 3,
     &                 MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
         v(nx+1, 1:ny) = line(1:ny)
      end if
      if (east .ge. 0) then
         call MPI_Recv(v(1, ny+1), nx, MPI_DOUBLE_PRECISION, east, 4,
     &                 MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      do j = ny, 1, -1
         do i = nx, 1, -1
            v(i, j) = (v(i+1, j) + v(i, j+1)) / 2 + 1
            call check(dble(base + i0 - i + j0 - j - 1), v(i, j),
     &                 failures)
         end do
      end do
      if (north .ge. 0) then
         line(1:ny) = v(1, 1:ny)
         call MPI_Send(line, ny, MPI_DOUBLE_PRECISION, north, 3,
     &                 MPI_COMM_WORLD, ierr)
      end if
      if (west .ge. 0) then
         call MPI_Send(v(1, 1), nx, MPI_DOUBLE_PRECISION, west, 4,
     &                 MPI_COMM_WORLD, ierr)
      end if
      end

! Says what is wrong the first time only; one line per rank is enough.
      subroutine check(expected, came, failures)
      implicit none
      double precision expected, came
      integer failures
      if (abs(came - expected) .lt. 1d-6) return
      if (failures .eq. 0) write (0, '(a,f0.3,a,f0.3)')
     &   'wavefront: expected ', expected, ', came ', came
      failures = failures + 1
      end
