! SPDX-License-Identifier: Apache-2.0
! A cube of p x p x p cells on p x p ranks, p cells each, dealt out as in NAS BT and SP: in whatever direction one
! sweeps, every rank has a cell in every layer and nobody waits. Next along x, y and z are the ranks at (1,0), (0,1)
! and (-1,1) on the mesh with wrap-around. Sweeping sums along each of the three axes leaves the grand total everywhere.
!   mpirun -n 9 multipartition [rounds]
program multipartition
  use mpi
  implicit none
  integer, parameter :: values = 5, x = 1, y = 2, z = 3
  integer :: rank, ranks, p, place(2), next(3), previous(3), rounds, round, failures, worst, ierr
  double precision, allocatable, asynchronous :: u(:, :)
  double precision, allocatable :: carry(:), total(:)
  character(len=16) :: argument

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  p = nint(sqrt(dble(ranks)))
  if (p * p /= ranks) then
    if (rank == 0) write (0, '(a,i0)') 'multipartition: needs a square number of ranks (1, 4, 9, 16), not ', ranks
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if
  rounds = 10
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) rounds

  place = [mod(rank, p), rank / p]
  next = [rank_at(place + [1, 0]), rank_at(place + [0, 1]), rank_at(place + [-1, 1])]
  previous = [rank_at(place - [1, 0]), rank_at(place - [0, 1]), rank_at(place - [-1, 1])]
  allocate (u(values, 0:p-1), carry(values), total(values))

  failures = 0
  do round = 1, rounds
    u = cells_at(place)
    call copy_faces
    call sweep(x)
    call sweep(y)
    call sweep(z)
    call check('total', spread(grand_total(), 2, p), u)
  end do

  call MPI_Allreduce(failures, worst, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. worst == 0) write (*, '(4(a,i0),a)') &
    'multipartition: ok, ', ranks, ' ranks as ', p, ' x ', p, ', ', rounds, ' rounds'
  call MPI_Finalize(ierr)
  if (worst /= 0) stop 1

contains

  integer function rank_at(at)
    integer, intent(in) :: at(2)
    rank_at = modulo(at(1), p) + p * modulo(at(2), p)
  end function

  ! What the p cells of the rank at a place hold when a round begins; cell c lies in layer c along z.
  function cells_at(at) result(cells)
    integer, intent(in) :: at(2)
    double precision :: cells(values, 0:p-1)
    integer :: c, k
    do c = 0, p - 1
      cells(:, c) = [(dble(k * (round + modulo(at(1) + c, p) + 10 * modulo(at(2) - c, p) + 100 * c)), k = 1, values)]
    end do
  end function

  function grand_total()
    double precision :: grand_total(values)
    integer :: k
    grand_total = [(dble(k) * p**3 * (round + 111 * (p - 1) / 2d0), k = 1, values)]
  end function

  ! All cells go to all six neighbours.
  subroutine copy_faces
    double precision, asynchronous :: from_previous(values, 0:p-1, 3), from_next(values, 0:p-1, 3)
    integer :: d, requests(12)
    integer, parameter :: shift(2, 3) = reshape([1, 0, 0, 1, -1, 1], [2, 3])
    do d = x, z
      call MPI_Irecv(from_previous(:, :, d), values * p, MPI_DOUBLE_PRECISION, previous(d), d, &
                     MPI_COMM_WORLD, requests(d), ierr)
      call MPI_Irecv(from_next(:, :, d), values * p, MPI_DOUBLE_PRECISION, next(d), 10 + d, &
                     MPI_COMM_WORLD, requests(3 + d), ierr)
    end do
    do d = x, z
      call MPI_Isend(u, values * p, MPI_DOUBLE_PRECISION, next(d), d, MPI_COMM_WORLD, requests(6 + d), ierr)
      call MPI_Isend(u, values * p, MPI_DOUBLE_PRECISION, previous(d), 10 + d, MPI_COMM_WORLD, requests(9 + d), ierr)
    end do
    call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE, ierr)
    do d = x, z
      call check('face from before', cells_at(place - shift(:, d)), from_previous(:, :, d))
      call check('face from after', cells_at(place + shift(:, d)), from_next(:, :, d))
    end do
  end subroutine

  ! Forward, the sum grows from layer to layer; backward, the whole sum goes to all layers.
  subroutine sweep(d)
    integer, intent(in) :: d
    integer :: layer, c
    carry = 0
    do layer = 0, p - 1
      c = cell_in(d, layer)
      carry = carry + u(:, c)
      if (layer < p - 1) call pass_on(carry, next(d), previous(d), 20 + d)
    end do
    total = carry
    do layer = p - 1, 0, -1
      u(:, cell_in(d, layer)) = total
      if (layer > 0) call pass_on(total, previous(d), next(d), 30 + d)
    end do
  end subroutine

  integer function cell_in(d, layer)
    integer, intent(in) :: d, layer
    cell_in = layer
    if (d == x) cell_in = modulo(layer - place(1), p)
    if (d == y) cell_in = modulo(place(2) - layer, p)
  end function

  subroutine pass_on(sums, to, from, tag)
    double precision, asynchronous, intent(inout) :: sums(values)
    integer, intent(in) :: to, from, tag
    double precision, asynchronous :: arriving(values)
    integer :: requests(2)
    call MPI_Irecv(arriving, values, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(sums, values, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    sums = arriving
  end subroutine

  subroutine check(what, expected, came)
    character(len=*), intent(in) :: what
    double precision, intent(in) :: expected(:, :), came(:, :)
    if (all(abs(came - expected) < 1d-6)) return
    if (failures == 0) write (0, '(a,i0,4a,f0.1,a,f0.1)') 'multipartition: rank ', rank, ', ', what, &
      ', first cell: ', 'expected ', expected(1, 1), ', came ', came(1, 1)
    failures = failures + 1
  end subroutine
end program
