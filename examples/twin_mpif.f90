! SPDX-License-Identifier: Apache-2.0
! One of four twins; twin_c.c says what they are for and why each step stands where it does. This one: include 'mpif.h'.
!   mpirun -n 4 twin_mpif [rounds]
program twin_mpif
  implicit none
  include 'mpif.h'
  integer, parameter :: most_ranks = 256
  integer :: rank, ranks, failures, ierr, r, i, round
  integer :: rounds, right, left, next, previous, west, east, column, total
  integer :: dims(2)
  logical :: periodic(2), keep(2), flag
  integer :: members(most_ranks), counts(most_ranks), starts(most_ranks), gathered(3 * most_ranks)
  integer :: shared, sum, index, indices(2), count, words(3)
  integer, asynchronous :: number, arrived, strided(8), four(4)
  double precision :: real, real_arrived
  double precision, asynchronous :: reals(3), reals_arrived(3)
  integer :: copy, half, grid, line, front
  integer :: everyone, first_half
  integer :: stripe
  integer :: requests(2), lasting(2)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  character(len=16) :: argument

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Pcontrol(1)
  rounds = 10
  failures = 0
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) rounds
  if (ranks > most_ranks) then
    if (rank == 0) write (0, '(a,i0)') 'twin_mpif: needs at most 256 ranks, not ', ranks
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  next = merge(right, MPI_PROC_NULL, ranks > 1) ! for blocking calls, which one rank must not use on itself
  previous = merge(left, MPI_PROC_NULL, ranks > 1)

  ! Communicators of all kinds, a datatype, persistent requests.
  dims = 0
  periodic = [.true., .false.]
  keep = [.false., .true.]
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, .false., grid, ierr)
  call MPI_Cart_shift(grid, 1, 1, west, east, ierr)
  call MPI_Cart_sub(grid, keep, line, ierr)
  call MPI_Comm_rank(line, column, ierr)
  members = [(r, r = 0, most_ranks - 1)]
  call MPI_Comm_group(MPI_COMM_WORLD, everyone, ierr)
  call MPI_Group_incl(everyone, (ranks + 1) / 2, members, first_half, ierr)
  call MPI_Comm_create(MPI_COMM_WORLD, first_half, front, ierr)
  call MPI_Group_free(first_half, ierr)
  call MPI_Group_free(everyone, ierr)
  call MPI_Type_vector(4, 1, 2, MPI_INTEGER, stripe, ierr)
  call MPI_Type_commit(stripe, ierr)
  call MPI_Send_init(number, 1, MPI_INTEGER, right, 7, copy, lasting(1), ierr)
  call MPI_Recv_init(arrived, 1, MPI_INTEGER, left, 7, copy, lasting(2), ierr)
  counts = [(mod(r, 3) + 1, r = 0, most_ranks - 1)]
  starts = [(3 * r, r = 0, most_ranks - 1)]

  do round = 1, rounds
    number = 100 * round + rank

    shared = number
    call MPI_Bcast(shared, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check('bcast', 100 * round, shared)

    ! Blocking, around the ring: even ranks send first.
    arrived = 100 * round + left
    if (mod(rank, 2) == 0) then
      call MPI_Send(number, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierr)
      call MPI_Recv(arrived, 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_Recv(arrived, 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Send(number, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierr)
    end if
    call check('recv', 100 * round + left, arrived)

    ! Nonblocking, around the ring.
    reals = [(dble(number + i), i = 0, 2)]
    call MPI_Irecv(reals_arrived, 3, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(reals, 3, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check('waitall', 100 * round + left + 2, nint(reals_arrived(3)))

    ! Every other integer, by a vector type; Waitany has one request left to wait for.
    strided = [(number + i, i = 0, 7)]
    call MPI_Isend(strided, 1, stripe, right, 3, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(four, 4, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Waitany(2, requests, index, status, ierr)
    call check('waitany', 2, index)
    call check('source', left, status(MPI_SOURCE))
    call check('vector', 100 * round + left + 6, four(4))

    ! Nobody has sent yet: the barrier stands between the test and the message.
    call MPI_Irecv(arrived, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Test(requests(1), flag, status, ierr)
    call check('test before the barrier', 0, merge(1, 0, flag))
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Send(number, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierr)
    call MPI_Wait(requests(1), status, ierr)
    call check('tag', 4, status(MPI_TAG))
    call check('wait', 100 * round + left, arrived)
    call MPI_Irecv(arrived, 1, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
    call check('test of nobody', 1, merge(1, 0, flag))

    call MPI_Sendrecv(number, 1, MPI_INTEGER, right, 5, arrived, 1, MPI_INTEGER, left, 5, &
                      MPI_COMM_WORLD, status, ierr)
    call check('sendrecv', 100 * round + left, arrived)
    shared = number
    call MPI_Sendrecv_replace(shared, 1, MPI_INTEGER, left, 5, right, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check('sendrecv_replace', 100 * round + right, shared)

    ! Wildcards, on the copy, where only the left neighbour speaks to us.
    call MPI_Isend(number, 1, MPI_INTEGER, right, 6, copy, requests(1), ierr)
    requests(2) = MPI_REQUEST_NULL
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call check('count', 1, count)
    call MPI_Recv(arrived, count, MPI_INTEGER, status(MPI_SOURCE), status(MPI_TAG), copy, MPI_STATUS_IGNORE, ierr)
    call check('recv after probe', 100 * round + left, arrived)
    call MPI_Waitsome(2, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call check('waitsome', 1, count)
    call MPI_Iprobe(MPI_ANY_SOURCE, 8, copy, flag, MPI_STATUS_IGNORE, ierr)
    call check('iprobe', 0, merge(1, 0, flag))

    ! Persistent, all at once and one by one.
    call MPI_Startall(2, lasting, ierr)
    call MPI_Waitall(2, lasting, MPI_STATUSES_IGNORE, ierr)
    call check('startall', 100 * round + left, arrived)
    call MPI_Start(lasting(2), ierr)
    call MPI_Start(lasting(1), ierr)
    call MPI_Waitall(2, lasting, statuses, ierr)
    call check('start', left, statuses(MPI_SOURCE, 2))

    ! Collectives, each on another communicator.
    sum = 1
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, half, ierr)
    call check('allreduce in place', (ranks + 1 - mod(rank, 2)) / 2, sum)
    words = number
    call MPI_Gatherv(words, mod(rank, 3) + 1, MPI_INTEGER, gathered, counts, starts, MPI_INTEGER, 0, &
                     MPI_COMM_WORLD, ierr)
    if (rank == 0) call check('gatherv', number + ranks - 1, gathered(3 * (ranks - 1) + 1))
    real = column
    call MPI_Allreduce(real, real_arrived, 1, MPI_DOUBLE_PRECISION, MPI_MAX, line, ierr)
    call check('allreduce on the line', dims(2) - 1, nint(real_arrived))
    if (front /= MPI_COMM_NULL) then
      shared = number
      call MPI_Bcast(shared, 1, MPI_INTEGER, 0, front, ierr)
      call check('bcast in front', 100 * round, shared)
    end if

    ! Along the open dimension of the grid, where the ends have nobody beside them.
    real = number
    real_arrived = -1
    call MPI_Sendrecv(real, 1, MPI_DOUBLE_PRECISION, east, 9, real_arrived, 1, MPI_DOUBLE_PRECISION, west, 9, &
                      grid, MPI_STATUS_IGNORE, ierr)
    call check('grid', merge(-1, 100 * round + west, west == MPI_PROC_NULL), nint(real_arrived))
  end do

  call MPI_Request_free(lasting(1), ierr)
  call MPI_Request_free(lasting(2), ierr)
  call MPI_Type_free(stripe, ierr)
  if (front /= MPI_COMM_NULL) call MPI_Comm_free(front, ierr)
  call MPI_Comm_free(line, ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Comm_free(copy, ierr)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. total == 0) write (*, '(2(a,i0),a)') 'twin_mpif: ok, ', ranks, ' ranks, ', rounds, ' rounds'
  call MPI_Finalize(ierr)
  if (total /= 0) stop 1

contains

  subroutine check(what, expected, came)
    character(len=*), intent(in) :: what
    integer, intent(in) :: expected, came
    if (came == expected) return
    if (failures == 0) write (0, '(a,i0,3a,i0,a,i0)') 'twin_mpif: rank ', rank, ', ', what, &
      ': expected ', expected, ', came ', came
    failures = failures + 1
  end subroutine
end program
