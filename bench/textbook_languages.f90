! SPDX-License-Identifier: Apache-2.0
! Mini-apps with mpi_f08, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_languages l_boltzmann
program textbook_languages
  use mpi_f08
  implicit none
  integer :: me, np, left, right
  type(MPI_Comm) :: world
  character(len=32) :: name
  double precision :: a(8192), b(8192), c(64)

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, me)
  call MPI_Comm_size(world, np)
  left = merge(me - 1, MPI_PROC_NULL, me > 0)
  right = merge(me + 1, MPI_PROC_NULL, me < np - 1)
  a = me
  call get_command_argument(1, name)
  if (name == 'l_gradients') call l_gradients()
  if (name == 'l_boltzmann') call l_boltzmann()
  if (name == 'l_leapfrog') call l_leapfrog()
  if (name == 'l_floyd') call l_floyd()
  if (name == 'l_jordan') call l_jordan()
  if (name == 'l_alignment') call l_alignment()
  if (name == 'l_multigrid') call l_multigrid()
  if (name == 'l_refined') call l_refined()
  if (name == 'l_snapshots') call l_snapshots()
  call MPI_Finalize()

contains

  ! Conjugate gradients on a 7-point stencil, planes by rank: halo, two dot products, a norm at the end.
  subroutine l_gradients()
    integer :: it
    double precision :: rho, alpha, local
    local = 1
    call MPI_Allreduce(local, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
    do it = 1, 25
      call MPI_Sendrecv(a(1), 400, MPI_DOUBLE_PRECISION, left, 1, b(1), 400, MPI_DOUBLE_PRECISION, right, 1, &
                        world, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a(401), 400, MPI_DOUBLE_PRECISION, right, 2, b(401), 400, MPI_DOUBLE_PRECISION, left, 2, &
                        world, MPI_STATUS_IGNORE)
      call MPI_Allreduce(local, alpha, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
      call MPI_Allreduce(local, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
      if (rho < 1.0d-12) exit
    end do
    call MPI_Reduce(local, rho, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, world)
  end subroutine

  ! Lattice Boltzmann, D2Q9: populations to eight neighbours of a torus, mass every tenth step.
  subroutine l_boltzmann()
    integer :: step, q, dims(2), at(2), to(8), from(8)
    integer, parameter :: cx(8) = [1, 0, -1, 0, 1, -1, -1, 1], cy(8) = [0, 1, 0, -1, 1, 1, -1, -1]
    type(MPI_Comm) :: cart
    type(MPI_Request) :: requests(16)
    double precision :: mass
    dims = 0
    call MPI_Dims_create(np, 2, dims)
    call MPI_Cart_create(world, 2, dims, [.true., .true.], .false., cart)
    call MPI_Cart_coords(cart, me, 2, at)
    do q = 1, 8
      call MPI_Cart_rank(cart, [at(1) + cx(q), at(2) + cy(q)], to(q))
      call MPI_Cart_rank(cart, [at(1) - cx(q), at(2) - cy(q)], from(q))
    end do
    do step = 1, 40
      do q = 1, 8
        call MPI_Irecv(b(100 * q), merge(64, 1, q <= 4), MPI_DOUBLE_PRECISION, from(q), q, cart, requests(q))
        call MPI_Isend(a(100 * q), merge(64, 1, q <= 4), MPI_DOUBLE_PRECISION, to(q), q, cart, requests(8 + q))
      end do
      call MPI_Waitall(16, requests, MPI_STATUSES_IGNORE)
      if (mod(step, 10) == 0) then
        call MPI_Reduce(a(1), mass, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, cart)
      end if
    end do
    call MPI_Comm_free(cart)
  end subroutine

  ! Wave equation with leapfrog: points at both ends, a probe's owner tells the first in each 8th step.
  subroutine l_leapfrog()
    integer :: t, owner
    type(MPI_Request) :: r(4)
    owner = np / 2
    do t = 1, 48
      call MPI_Irecv(b(1), 1, MPI_DOUBLE_PRECISION, left, 10, world, r(1))
      call MPI_Irecv(b(2), 1, MPI_DOUBLE_PRECISION, right, 20, world, r(2))
      call MPI_Isend(a(1), 1, MPI_DOUBLE_PRECISION, left, 20, world, r(3))
      call MPI_Isend(a(2), 1, MPI_DOUBLE_PRECISION, right, 10, world, r(4))
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE)
      if (mod(t, 8) == 0) then
        if (me == owner) call MPI_Send(a, 3, MPI_DOUBLE_PRECISION, 0, 99, world)
        if (me == 0) call MPI_Recv(b, 3, MPI_DOUBLE_PRECISION, owner, 99, world, MPI_STATUS_IGNORE)
      end if
    end do
    call MPI_Gather(a, 100, MPI_DOUBLE_PRECISION, b, 100, MPI_DOUBLE_PRECISION, 0, world)
  end subroutine

  ! Floyd and Warshall on a grid of ranks: who owns row k and column k tells his column and his row.
  subroutine l_floyd()
    integer :: k, dims(2), at(2), n
    type(MPI_Comm) :: cart, rows, columns
    dims = 0
    call MPI_Dims_create(np, 2, dims)
    call MPI_Cart_create(world, 2, dims, [.false., .false.], .false., cart)
    call MPI_Cart_coords(cart, me, 2, at)
    call MPI_Cart_sub(cart, [.false., .true.], rows)
    call MPI_Cart_sub(cart, [.true., .false.], columns)
    n = 4 * dims(1) * dims(2)
    do k = 0, n - 1
      call MPI_Bcast(a, n / dims(2), MPI_INTEGER, k / (n / dims(1)), columns)
      call MPI_Bcast(b, n / dims(1), MPI_INTEGER, k / (n / dims(2)), rows)
    end do
    call MPI_Comm_free(rows)
    call MPI_Comm_free(columns)
  end subroutine

  ! Gauss and Jordan, rows dealt out cyclically: the pivot's owner is found, rows are swapped, the row goes to all.
  subroutine l_jordan()
    integer :: k, owner, holder
    double precision :: mine(2), best(2)
    do k = 1, 3 * np
      holder = mod(k - 1, np)
      mine = [dble(mod(7 * me + 3 * k, 2 * np + 1)), dble(me)]
      call MPI_Allreduce(mine, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, world)
      owner = nint(best(2))
      if (owner /= holder) then
        if (me == owner) call MPI_Sendrecv_replace(a, 3 * np + 1, MPI_DOUBLE_PRECISION, holder, 5, holder, 5, world, &
                                                   MPI_STATUS_IGNORE)
        if (me == holder) call MPI_Sendrecv_replace(a, 3 * np + 1, MPI_DOUBLE_PRECISION, owner, 5, owner, 5, world, &
                                                    MPI_STATUS_IGNORE)
      end if
      call MPI_Bcast(a, 3 * np + 1 - k, MPI_DOUBLE_PRECISION, holder, world)
    end do
    call MPI_Gather(a, 3, MPI_DOUBLE_PRECISION, b, 3, MPI_DOUBLE_PRECISION, 0, world)
  end subroutine

  ! Smith and Waterman: columns by rank, blocks of rows pass as a wavefront; the best score is wanted by all.
  subroutine l_alignment()
    integer :: block
    double precision :: score
    call MPI_Bcast(a, 512, MPI_CHARACTER, 0, world)
    call MPI_Scatter(a, 64, MPI_CHARACTER, b, 64, MPI_CHARACTER, 0, world)
    do block = 1, 20
      if (me > 0) call MPI_Recv(b, 32, MPI_INTEGER, me - 1, block, world, MPI_STATUS_IGNORE)
      if (me < np - 1) call MPI_Send(a, 32, MPI_INTEGER, me + 1, block, world)
    end do
    call MPI_Allreduce(a, score, 1, MPI_DOUBLE_PRECISION, MPI_MAX, world)
  end subroutine

  ! A V-cycle by hand on a chain: on each level every second rank rests, and knows who is left.
  subroutine l_multigrid()
    integer :: cycle, step, levels, level
    levels = 0
    do while (2**(levels + 1) < np)
      levels = levels + 1
    end do
    do cycle = 1, 6
      do level = 0, levels
        step = 2**level
        if (mod(me, step) == 0) call smooth(step)
      end do
      do level = levels - 1, 0, -1
        step = 2**level
        if (mod(me, step) == 0) call smooth(step)
      end do
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
    end do
  end subroutine

  subroutine smooth(step)
    integer, intent(in) :: step
    integer :: low, high
    low = merge(me - step, MPI_PROC_NULL, me - step >= 0)
    high = merge(me + step, MPI_PROC_NULL, me + step < np)
    call MPI_Sendrecv(a, 16, MPI_DOUBLE_PRECISION, low, 1, b, 16, MPI_DOUBLE_PRECISION, high, 1, world, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(a, 16, MPI_DOUBLE_PRECISION, high, 2, b, 16, MPI_DOUBLE_PRECISION, low, 2, world, MPI_STATUS_IGNORE)
  end subroutine

  ! Blocks of a refined mesh: the first half of the ranks has coarse ones, the rest two fine ones beside each; new
  ! counts after each fifth step.
  subroutine l_refined()
    integer :: step, i, n, with(64), coarse
    type(MPI_Request) :: requests(128)
    coarse = (np + 2) / 3
    n = 0
    do i = 0, np - 1
      if (i == me) cycle
      if (touches(me, i, coarse) .or. touches(i, me, coarse)) then
        n = n + 1
        with(n) = i
      end if
    end do
    do step = 1, 20
      do i = 1, n
        call MPI_Irecv(b(100 * i), 100, MPI_DOUBLE_PRECISION, with(i), 3, world, requests(i))
      end do
      do i = 1, n
        call MPI_Isend(a, merge(50, 100, with(i) >= coarse), MPI_DOUBLE_PRECISION, with(i), 3, world, requests(n + i))
      end do
      call MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE)
      if (mod(step, 5) == 0) call MPI_Allgather(n, 1, MPI_INTEGER, b, 1, MPI_INTEGER, world)
    end do
  end subroutine

  logical function touches(one, other, coarse)
    integer, intent(in) :: one, other, coarse
    touches = one < coarse .and. (other == one + 1 .and. other < coarse .or. other - coarse == 2 * one &
                                  .or. other - coarse == 2 * one + 1) .or. one >= coarse .and. other == one + 1
  end function

  ! A model that writes with all ranks every sixth step, and a restart at the end.
  subroutine l_snapshots()
    integer :: step, d, low, high
    integer(MPI_OFFSET_KIND) :: at
    type(MPI_File) :: file
    call MPI_File_open(world, '/tmp/textbook_languages.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
    do step = 1, 30
      do d = 1, -1, -2
        low = modulo(me - d, np)
        high = modulo(me + d, np)
        call MPI_Sendrecv(a, 32, MPI_DOUBLE_PRECISION, high, 4, b, 32, MPI_DOUBLE_PRECISION, low, 4, world, MPI_STATUS_IGNORE)
      end do
      call MPI_Allreduce(a, c, 1, MPI_DOUBLE_PRECISION, MPI_MIN, world)
      if (mod(step, 6) == 0) then
        at = 8_MPI_OFFSET_KIND * 100 * me
        call MPI_File_write_at_all(file, at, a, 100, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
      end if
    end do
    call MPI_File_read_at_all(file, at, b, 100, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
    call MPI_File_close(file)
  end subroutine
end program
