! SPDX-License-Identifier: Apache-2.0
! The same in Fortran as injected.c: four ranks, one of which sleeps in each phase. Prints "phase seconds",
! by the program's own clock.
module injected_waits
  use mpi
  use rondo_phase
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: ranks = 4, large = 1048576
  integer, parameter :: one_for_other = 1, all_for_all = 2, all_for_root = 3, root_for_all = 4
  integer, parameter :: for_lower = 5, for_neighbours = 6
  integer :: rank, error
  integer(c_int) :: delay_us = 1000000
  double precision :: came, entered, went
  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    integer(c_int) function usleep(microseconds) bind(C)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
    integer(c_int) function clock_gettime(clock, time) bind(C)
      import :: c_int, timespec
      integer(c_int), value :: clock
      type(timespec) :: time
    end function
  end interface
contains
  double precision function now()
    type(timespec) :: time
    integer(c_int) :: done
    done = clock_gettime(1_c_int, time) ! CLOCK_MONOTONIC
    now = dble(time%seconds) + 1d-9 * dble(time%nanoseconds)
  end function

  subroutine late(who)
    integer, intent(in) :: who
    integer(c_int) :: slept
    if (rank == who) slept = usleep(delay_us)
  end subroutine

  subroutine begin(phase)
    character(len=*), intent(in) :: phase
    came = 0
    entered = 0
    went = 0
    call MPI_Barrier(MPI_COMM_WORLD, error) ! what is waited for here is of no phase
    call rondo_phase_begin(phase)
  end subroutine

  subroutine comes()
    came = now()
  end subroutine

  subroutine enters()
    entered = now()
    if (came == 0) came = entered
  end subroutine

  subroutine goes()
    went = now()
  end subroutine

  logical function waits(kind, one, other, who, whom)
    integer, intent(in) :: kind, one, other, who, whom
    waits = .false.
    select case (kind)
    case (one_for_other)
      waits = who == one .and. whom == other
    case (all_for_all)
      waits = .true.
    case (all_for_root)
      waits = who /= other .and. whom == other
    case (root_for_all)
      waits = who == one
    case (for_lower)
      waits = whom < who
    case (for_neighbours)
      waits = whom == modulo(who + 1, ranks) .or. whom == modulo(who - 1, ranks)
    end select
  end function

  subroutine finish(phase, kind, one, other)
    character(len=*), intent(in) :: phase
    integer, intent(in) :: kind, one, other
    double precision :: own(3), all(3, 0:ranks - 1), until, total
    integer :: who, whom
    call rondo_phase_end(phase)
    call MPI_Pcontrol(0)
    own = [came, entered, went]
    call MPI_Gather(own, 3, MPI_DOUBLE_PRECISION, all, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    call MPI_Pcontrol(1)
    if (rank /= 0) return
    total = 0
    do who = 0, ranks - 1
      until = 0
      do whom = 0, ranks - 1
        if (whom /= who .and. waits(kind, one, other, who, whom)) until = max(until, all(1, whom))
      end do
      until = min(until, all(3, who))
      total = total + max(0d0, until - all(2, who))
    end do
    print '(a, f14.9)', phase, total
  end subroutine
end module

program injected
  use injected_waits
  implicit none
  character, allocatable :: buffer(:)
  character(len=16) :: argument
  integer :: value, total, request, ring, win, peer, everyone, twin
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), values(2), requests(2)
  integer :: four(ranks), others(ranks), around(2)
  integer(kind=MPI_ADDRESS_KIND) :: bytes = 4, at = 0
  integer, asynchronous :: cell
  double precision :: seconds
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) seconds
    delay_us = int(seconds * 1d6, c_int)
  end if
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  around = [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, &
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, error)
  allocate (buffer(large))
  buffer = ' '
  value = rank
  four = rank
  call messages()
  call collectives()
  call completions()
  call windows()
  call MPI_Comm_free(ring, error)
  call MPI_Finalize(error)
contains
  subroutine messages()
    call begin('late sender')
    call late(0)
    if (rank == 0) then
      call comes()
      call MPI_Send(value, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call enters()
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error)
      call goes()
    end if
    call finish('late sender', one_for_other, 1, 0)

    call begin('late sender, waitall')
    call late(3)
    if (rank == 2) then
      call MPI_Irecv(values(1), 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, requests(1), error)
      call MPI_Irecv(values(2), 1, MPI_INTEGER, 3, 2, MPI_COMM_WORLD, requests(2), error)
      call enters()
      call MPI_Waitall(2, requests, statuses, error)
      call goes()
    else if (rank /= 1) then
      call comes()
      call MPI_Send(value, 1, MPI_INTEGER, 2, 2, MPI_COMM_WORLD, error)
    end if
    call finish('late sender, waitall', root_for_all, 2, 0)

    call begin('late receiver')
    call late(3)
    if (rank == 2) then
      call enters()
      call MPI_Send(buffer, large, MPI_CHARACTER, 3, 3, MPI_COMM_WORLD, error)
      call goes()
    else if (rank == 3) then
      call comes()
      call MPI_Recv(buffer, large, MPI_CHARACTER, 2, 3, MPI_COMM_WORLD, status, error)
    end if
    call finish('late receiver', one_for_other, 2, 3)

    call begin('late receiver, synchronous')
    call late(3)
    if (rank == 2) then
      call enters()
      call MPI_Ssend(value, 1, MPI_INTEGER, 3, 3, MPI_COMM_WORLD, error)
      call goes()
    else if (rank == 3) then
      call comes()
      call MPI_Recv(value, 1, MPI_INTEGER, 2, 3, MPI_COMM_WORLD, status, error)
    end if
    call finish('late receiver, synchronous', one_for_other, 2, 3)

    call begin('messages in wrong order')
    if (rank == 0) then
      call MPI_Send(values(1), 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
      call late(0)
      call comes()
      call MPI_Send(values(2), 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call enters()
      call MPI_Recv(values(2), 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, status, error)
      call goes()
      call MPI_Recv(values(1), 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error)
    end if
    call finish('messages in wrong order', one_for_other, 1, 0)
  end subroutine

  subroutine collectives()
    call begin('wait at barrier')
    call late(2)
    call enters()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call goes()
    call finish('wait at barrier', all_for_all, 0, 0)
    call begin('wait at all-to-all')
    call late(1)
    call enters()
    call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call goes()
    call finish('wait at all-to-all', all_for_all, 0, 0)
    call begin('wait at all-to-all, alltoall')
    call late(3)
    call enters()
    call MPI_Alltoall(four, 1, MPI_INTEGER, others, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call goes()
    call finish('wait at all-to-all, alltoall', all_for_all, 0, 0)
    call begin('wait at all-to-all, dup')
    call late(1)
    call enters()
    call MPI_Comm_dup(MPI_COMM_WORLD, twin, error)
    call goes()
    call finish('wait at all-to-all, dup', all_for_all, 0, 0)
    call MPI_Comm_free(twin, error)
    call begin('late broadcast')
    call late(0)
    call enters()
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call goes()
    call finish('late broadcast', all_for_root, 0, 0)
    call begin('late broadcast, scatter')
    call late(0)
    call enters()
    call MPI_Scatter(four, 1, MPI_INTEGER, value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call goes()
    call finish('late broadcast, scatter', all_for_root, 0, 0)
    call begin('early reduce')
    call late(1)
    call enters()
    call MPI_Reduce(value, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    call goes()
    call finish('early reduce', root_for_all, 0, 0)
    call begin('early scan')
    call late(0)
    call enters()
    call MPI_Scan(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call goes()
    call finish('early scan', for_lower, 0, 0)
    call begin('early scan, exscan')
    call late(0)
    call enters()
    call MPI_Exscan(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call goes()
    call finish('early scan, exscan', for_lower, 0, 0)
    call begin('wait for neighbours')
    call late(3)
    call enters()
    call MPI_Neighbor_allgather(value, 1, MPI_INTEGER, around, 1, MPI_INTEGER, ring, error)
    call goes()
    call finish('wait for neighbours', for_neighbours, 0, 0)
  end subroutine

  subroutine completions()
    call begin('wait for completion')
    call late(0)
    call comes()
    call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
    call enters()
    call MPI_Wait(request, status, error)
    call goes()
    call finish('wait for completion', all_for_all, 0, 0)
    call begin('wait for completion, iallreduce')
    call late(1)
    call comes()
    call MPI_Iallreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
    call enters()
    call MPI_Wait(request, status, error)
    call goes()
    call finish('wait for completion, iallreduce', all_for_all, 0, 0)
  end subroutine

  subroutine windows()
    call MPI_Comm_group(MPI_COMM_WORLD, everyone, error)
    call MPI_Group_incl(everyone, 1, [ieor(rank, 1)], peer, error)
    call begin('wait at window')
    call late(3)
    call enters()
    call MPI_Win_create(cell, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
    call goes()
    call finish('wait at window', all_for_all, 0, 0)
    call MPI_Win_fence(0, win, error)
    call begin('wait at fence')
    call late(1)
    call enters()
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, error)
    call goes()
    call finish('wait at fence', all_for_all, 0, 0)
    call begin('late post')
    call late(0)
    if (rank == 1) then
      call enters()
      call MPI_Win_start(peer, 0, win, error)
      call MPI_Put(value, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, win, error)
      call MPI_Win_complete(win, error)
      call goes()
    else if (rank == 0) then
      call comes()
      call MPI_Win_post(peer, 0, win, error)
      call MPI_Win_wait(win, error)
    end if
    call finish('late post', one_for_other, 1, 0)
    call begin('late complete')
    if (rank == 1) then
      call MPI_Win_start(peer, 0, win, error)
      call MPI_Put(value, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, win, error)
      call late(1)
      call comes()
      call MPI_Win_complete(win, error)
    else if (rank == 0) then
      call MPI_Win_post(peer, 0, win, error)
      call enters()
      call MPI_Win_wait(win, error)
      call goes()
    end if
    call finish('late complete', one_for_other, 0, 1)
    call begin('wait for lock')
    if (rank < 2) then
      call late(1)
      call enters()
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win, error)
      call MPI_Put(value, 1, MPI_INTEGER, 3, at, 1, MPI_INTEGER, win, error)
      call MPI_Win_flush(3, win, error)
      call goes()
      call late(0)
      call late(0)
      call comes()
      call MPI_Win_unlock(3, win, error)
    end if
    call finish('wait for lock', one_for_other, 1, 0)
    call begin('wait at window, free')
    call late(2)
    call enters()
    call MPI_Win_free(win, error)
    call goes()
    call finish('wait at window, free', all_for_all, 0, 0)
    call MPI_Group_free(peer, error)
    call MPI_Group_free(everyone, error)
  end subroutine
end program
