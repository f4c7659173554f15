! SPDX-License-Identifier: Apache-2.0
! Partners by the numbers of the rank and of the round, with mpi_f08, one subroutine each, for textbook.py.
!   mpirun -n 12 textbook_by_numbers n_merge_sort
program textbook_by_numbers
  use mpi_f08
  implicit none
  integer :: me, np
  type(MPI_Comm) :: world
  character(len=32) :: name
  double precision :: a(4096), b(4096)

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, me)
  call MPI_Comm_size(world, np)
  a = me
  call get_command_argument(1, name)
  if (name == 'n_merge_sort') call n_merge_sort()
  if (name == 'n_max_by_doubling') call n_max_by_doubling()
  if (name == 'n_tridiagonal') call n_tridiagonal()
  if (name == 'n_meetings') call n_meetings()
  if (name == 'n_first_guess') call n_first_guess()
  call MPI_Finalize()

contains

  ! Odd-even merges until nothing changes, which is known after as many rounds as there are ranks.
  subroutine n_merge_sort()
    integer :: round, partner
    logical :: is_done
    type(MPI_Request) :: requests(2)
    do round = 1, np
      partner = merge(me + 1, me - 1, mod(me + round, 2) == 0)
      if (partner < 0 .or. partner >= np) partner = MPI_PROC_NULL
      call MPI_Irecv(b, 80, MPI_DOUBLE_PRECISION, partner, round, world, requests(1))
      call MPI_Isend(a, 80, MPI_DOUBLE_PRECISION, partner, round, world, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    end do
    call MPI_Allreduce(.true., is_done, 1, MPI_LOGICAL, MPI_LAND, world)
  end subroutine

  ! The greatest of all by steps that double round the ring.
  subroutine n_max_by_doubling()
    integer :: step, distance
    do step = 1, 8
      distance = 1
      do while (distance < np)
        call MPI_Sendrecv(a, 1, MPI_DOUBLE_PRECISION, mod(me + distance, np), 2, b, 1, MPI_DOUBLE_PRECISION, &
                          mod(me - distance + np, np), 2, world, MPI_STATUS_IGNORE)
        distance = 2 * distance
      end do
    end do
  end subroutine

  ! A tridiagonal system: half as many ranks are left each time, then back.
  subroutine n_tridiagonal()
    integer :: distance
    distance = 1
    do while (distance < np)
      if (mod(me, 2 * distance) == distance) then
        call MPI_Send(a, 6, MPI_DOUBLE_PRECISION, me - distance, 1, world)
      else if (mod(me, 2 * distance) == 0 .and. me + distance < np) then
        call MPI_Recv(b, 6, MPI_DOUBLE_PRECISION, me + distance, 1, world, MPI_STATUS_IGNORE)
      end if
      distance = 2 * distance
    end do
    do while (distance > 1)
      distance = distance / 2
      if (mod(me, 2 * distance) == distance) then
        call MPI_Recv(a, 2, MPI_DOUBLE_PRECISION, me - distance, 2, world, MPI_STATUS_IGNORE)
      else if (mod(me, 2 * distance) == 0 .and. me + distance < np) then
        call MPI_Send(b, 2, MPI_DOUBLE_PRECISION, me + distance, 2, world)
      end if
    end do
  end subroutine

  ! All meet all, the nearest first, with a sum after each meeting.
  subroutine n_meetings()
    integer :: round
    type(MPI_Request) :: request
    do round = 1, np - 1
      call MPI_Irecv(b, 60, MPI_DOUBLE_PRECISION, modulo(me - round, np), 3, world, request)
      call MPI_Send(a, 60, MPI_DOUBLE_PRECISION, modulo(me + round, np), 3, world)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
    end do
  end subroutine

  ! An iteration whose first step has a guess to hand out between the exchange and the sum.
  subroutine n_first_guess()
    integer :: step, left, right
    left = merge(me - 1, MPI_PROC_NULL, me > 0)
    right = merge(me + 1, MPI_PROC_NULL, me < np - 1)
    do step = 1, 20
      call MPI_Sendrecv(a, 90, MPI_DOUBLE_PRECISION, right, 1, b, 90, MPI_DOUBLE_PRECISION, left, 1, world, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 90, MPI_DOUBLE_PRECISION, left, 2, b, 90, MPI_DOUBLE_PRECISION, right, 2, world, MPI_STATUS_IGNORE)
      if (step == 1) call MPI_Bcast(a, 5, MPI_DOUBLE_PRECISION, 0, world)
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world)
    end do
  end subroutine
end program
