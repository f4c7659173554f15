! SPDX-License-Identifier: Apache-2.0
! V-cycles over a hypercube of ranks. On the way down the two ranks of a pair, whose numbers differ in one bit, split
! their vector: each gives one half away and adds what it gets to the half it keeps, so that messages halve from level
! to level. At the bottom every rank has its share of the sum over all ranks; on the way up the halves come back.
!   mpirun -n 8 vcycle [rounds]
program vcycle
  use mpi_f08
  implicit none
  integer, parameter :: length = 256
  integer :: rank, ranks, levels, rounds, round, failures, worst, i
  double precision :: u(length), expected(length)
  character(len=16) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (popcnt(ranks) /= 1 .or. ranks > length) then
    if (rank == 0) write (0, '(2(a,i0))') 'vcycle: needs a power of two of at most ', length, ' ranks, not ', ranks
    call MPI_Finalize()
    stop 2, quiet=.true.
  end if
  levels = trailz(ranks)
  rounds = 10
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) rounds

  failures = 0
  do round = 1, rounds
    u = [(dble(rank + 1) * i + round, i = 1, length)]
    expected = [(dble(ranks) * (ranks + 1) / 2 * i + dble(ranks) * round, i = 1, length)]
    call cycle_down_and_up(0, 1, length)
    call check('sum', maxval(abs(u - expected)), 0d0)
  end do

  call MPI_Allreduce(failures, worst, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0 .and. worst == 0) write (*, '(3(a,i0),a)') &
    'vcycle: ok, ', ranks, ' ranks, ', levels, ' levels, ', rounds, ' rounds'
  call MPI_Finalize()
  if (worst /= 0) stop 1

contains

  ! Works on u(first : first+count-1), shared by all ranks that differ in bits `level` and above.
  recursive subroutine cycle_down_and_up(level, first, count)
    integer, intent(in) :: level, first, count
    integer :: partner, half, keep, give
    if (level == levels) then
      call check_bottom(first, count)
      return
    end if
    partner = ieor(rank, 2**level)
    half = count / 2
    keep = first
    give = first + half
    if (btest(rank, level)) then
      keep = first + half
      give = first
    end if
    call give_and_add(partner, give, keep, half, level)
    call cycle_down_and_up(level + 1, keep, half)
    call MPI_Sendrecv(u(keep), half, MPI_DOUBLE_PRECISION, partner, 100 + level, &
                      u(give), half, MPI_DOUBLE_PRECISION, partner, 100 + level, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  subroutine give_and_add(partner, give, keep, half, level)
    integer, intent(in) :: partner, give, keep, half, level
    double precision, asynchronous :: arriving(half)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    call MPI_Irecv(arriving, half, MPI_DOUBLE_PRECISION, partner, level, MPI_COMM_WORLD, request)
    call MPI_Send(u(give), half, MPI_DOUBLE_PRECISION, partner, level, MPI_COMM_WORLD)
    call MPI_Wait(request, status)
    call check('source', dble(status%MPI_SOURCE), dble(partner))
    u(keep:keep+half-1) = u(keep:keep+half-1) + arriving
  end subroutine

  ! The shares of all ranks together must make up the whole.
  subroutine check_bottom(first, count)
    integer, intent(in) :: first, count
    double precision :: share, whole
    share = sum(u(first:first+count-1))
    call MPI_Allreduce(share, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call check('sum of the shares', whole, sum(expected))
  end subroutine

  subroutine check(what, came, wanted)
    character(len=*), intent(in) :: what
    double precision, intent(in) :: came, wanted
    if (abs(came - wanted) < 1d-6) return
    if (failures == 0) write (0, '(a,i0,3a,f0.3,a,f0.3)') &
      'vcycle: rank ', rank, ', ', what, ': expected ', wanted, ', came ', came
    failures = failures + 1
  end subroutine
end program
