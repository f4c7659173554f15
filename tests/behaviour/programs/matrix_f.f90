! SPDX-License-Identifier: Apache-2.0
! matrix.c in Fortran: matrix_f WHEN WAY FEATURE. WAY is return, stop, error_stop, exit, quick_exit, abort, term, segv,
! mpi_abort, fatal or nothing. All is said on stdout, the calls too, before they are made.
module ways
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: output_unit
  use mpi_f08
  implicit none
  character(len=20) :: when, way
  character(len=400) :: chosen
  interface
    subroutine quick_exit_c(status) bind(C, name='_exit')
      import c_int
      integer(c_int), value :: status
    end subroutine
    integer(c_int) function raise_c(number) bind(C, name='raise')
      import c_int
      integer(c_int), value :: number
    end function
  end interface
contains
  subroutine say(what)
    character(len=*), intent(in) :: what
    print '(a)', what
    flush (output_unit)
  end subroutine

  subroutine says(name)
    character(len=*), intent(in) :: name
    call say('call MPI_'//name)
  end subroutine

  subroutine go()
    integer(c_int) :: ignored
    select case (way)
    case ('stop')
      stop 3
    case ('error_stop')
      error stop 4
    case ('exit')
      call exit(3)
    case ('quick_exit')
      call quick_exit_c(4_c_int)
    case ('abort')
      call abort()
    case ('term')
      ignored = raise_c(15_c_int)
    case ('segv')
      ignored = raise_c(11_c_int)
    case ('mpi_abort')
      call says('Abort')
      call MPI_Abort(MPI_COMM_WORLD, 5)
    end select
  end subroutine

  logical function is_chosen(name)
    character(len=*), intent(in) :: name
    is_chosen = index(','//trim(chosen)//',', ','//name//',') > 0
  end function

  subroutine handled(error)
    integer, intent(in) :: error
    integer :: class
    character(len=30) :: line
    call MPI_Error_class(error, class)
    write (line, '(a, i0)') 'handler of class ', class
    call say(trim(line))
    call go()
  end subroutine

  subroutine on_error(comm, error)
    type(MPI_Comm) :: comm
    integer :: error
    if (comm == MPI_COMM_NULL) call say('of no communicator')
    call handled(error)
  end subroutine

  subroutine on_window_error(win, error)
    type(MPI_Win) :: win
    integer :: error
    if (win == MPI_WIN_NULL) call say('of no window')
    call handled(error)
  end subroutine

  subroutine on_file_error(file, error)
    type(MPI_File) :: file
    integer :: error
    if (file == MPI_FILE_NULL) call say('of no file')
    call handled(error)
  end subroutine

  subroutine forget(comm, keyval, attribute, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute, extra
    call say('attribute deleted')
    ierror = MPI_SUCCESS
    if (extra /= 0 .and. attribute == 7 .and. keyval /= MPI_KEYVAL_INVALID .and. comm /= MPI_COMM_NULL) &
      ierror = MPI_ERR_OTHER
  end subroutine

  subroutine add(in, inout, size, datatype)
    type(c_ptr), value :: in, inout
    integer :: size
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [size])
    call c_f_pointer(inout, b, [size])
    if (datatype == MPI_INTEGER) b = a + b
    call say('operation')
    if (when == 'inside') call go()
  end subroutine

  subroutine query(extra, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    integer :: ierror
    call say('queried')
    call MPI_Status_set_elements(status, MPI_INTEGER, 1)
    call MPI_Status_set_cancelled(status, extra == 17)
    status%MPI_SOURCE = MPI_UNDEFINED
    status%MPI_TAG = MPI_UNDEFINED
    ierror = MPI_SUCCESS
    if (when == 'inside') call go()
    if (when == 'inside' .and. way == 'fatal') ierror = MPI_ERR_OTHER
  end subroutine

  subroutine forget_request(extra, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    if (extra == 0) call say('request freed')
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel_request(extra, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    if (complete .and. extra == 17) call say('cancelled')
    ierror = MPI_SUCCESS
  end subroutine

  subroutine watch(comm)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Errhandler) :: handler
    if (way == 'fatal') return
    call MPI_Comm_create_errhandler(on_error, handler)
    call MPI_Comm_set_errhandler(comm, handler)
  end subroutine
end module

! Each in two parts: used up or left open, and a call that fails.
module features
  use ways
  implicit none
  integer, asynchronous, save :: numbers(16) = 0
  integer, asynchronous, save :: total = 0
  type(MPI_Request), save :: both(2)
  type(MPI_Win), save :: left = MPI_WIN_NULL
contains
  subroutine messages()
    type(MPI_Status) :: status
    call says('Sendrecv')
    call MPI_Sendrecv(numbers(1:1), 1, MPI_INTEGER, 0, 5, numbers(2:2), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                      MPI_COMM_SELF, status)
  end subroutine

  subroutine requests(is_open)
    logical, intent(in) :: is_open
    call says('Irecv')
    call MPI_Irecv(numbers, 1, MPI_INTEGER, 0, 7, MPI_COMM_SELF, both(1))
    if (is_open) return
    call says('Isend')
    call MPI_Isend(numbers(5:5), 1, MPI_INTEGER, 0, 7, MPI_COMM_SELF, both(2))
    call says('Waitall')
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine persistent(is_open)
    logical, intent(in) :: is_open
    call says('Recv_init')
    call MPI_Recv_init(numbers(1:1), 1, MPI_INTEGER, 0, 8, MPI_COMM_SELF, both(1))
    call says('Send_init')
    call MPI_Send_init(numbers(2:2), 1, MPI_INTEGER, 0, 8, MPI_COMM_SELF, both(2))
    call says('Startall')
    call MPI_Startall(2, both)
    if (is_open) return
    call says('Waitall')
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call says('Request_free')
    call MPI_Request_free(both(1))
    call says('Request_free')
    call MPI_Request_free(both(2))
  end subroutine

  subroutine collectives()
    integer :: i
    call says('Bcast')
    call MPI_Bcast(numbers, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    do i = 1, 20
      call says('Allreduce')
      call MPI_Allreduce(numbers, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end do
  end subroutine

  subroutine icollectives(is_open)
    logical, intent(in) :: is_open
    call says('Iallreduce')
    call MPI_Iallreduce(numbers, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, both(1))
    if (is_open) return
    call says('Wait')
    call MPI_Wait(both(1), MPI_STATUS_IGNORE)
  end subroutine

  type(MPI_Win) function window()
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = 64
    call says('Win_create')
    call MPI_Win_create(numbers, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  end function

  subroutine fence(win)
    type(MPI_Win), intent(in) :: win
    call says('Win_fence')
    call MPI_Win_fence(0, win)
  end subroutine

  subroutine put(win, rank)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: rank
    integer(MPI_ADDRESS_KIND) :: place
    place = 1
    call says('Put')
    call MPI_Put(total, 1, MPI_INTEGER, rank, place, 1, MPI_INTEGER, win)
  end subroutine

  subroutine windows(is_open)
    logical, intent(in) :: is_open
    left = window()
    call fence(left)
    call put(left, 0)
    if (.not. is_open) call close_window()
  end subroutine

  subroutine close_window()
    if (left == MPI_WIN_NULL) return
    call fence(left)
    call says('Win_free')
    call MPI_Win_free(left)
  end subroutine

  subroutine fail_windows()
    type(MPI_Errhandler) :: handler
    left = window()
    call MPI_Win_create_errhandler(on_window_error, handler)
    if (way /= 'fatal') call MPI_Win_set_errhandler(left, handler)
    call fence(left)
    call put(left, 99)
  end subroutine

  subroutine files(is_open, count)
    logical, intent(in) :: is_open
    integer, intent(in) :: count
    type(MPI_Errhandler) :: handler
    type(MPI_File) :: file
    integer(MPI_OFFSET_KIND) :: place
    place = 8
    call says('File_open')
    call MPI_File_open(MPI_COMM_WORLD, 'matrix.dat', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file)
    call MPI_File_create_errhandler(on_file_error, handler)
    if (way == 'fatal') handler = MPI_ERRORS_ARE_FATAL
    call MPI_File_set_errhandler(file, handler)
    call says('File_write_at')
    call MPI_File_write_at(file, place, numbers, count, MPI_INTEGER, MPI_STATUS_IGNORE)
    if (is_open) return
    call says('File_close')
    call MPI_File_close(file)
  end subroutine

  subroutine datatypes(is_open)
    logical, intent(in) :: is_open
    type(MPI_Datatype) :: datatype
    call says('Type_vector')
    call MPI_Type_vector(2, 1, 3, MPI_INTEGER, datatype)
    call says('Type_commit')
    call MPI_Type_commit(datatype)
    if (is_open) return
    call says('Bcast')
    call MPI_Bcast(numbers, 1, datatype, 0, MPI_COMM_WORLD)
    call says('Type_free')
    call MPI_Type_free(datatype)
  end subroutine

  subroutine communicators(is_open)
    logical, intent(in) :: is_open
    type(MPI_Comm) :: comm
    type(MPI_Group) :: group
    call says('Comm_dup')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call says('Comm_group')
    call MPI_Comm_group(comm, group)
    if (is_open) return
    call says('Group_free')
    call MPI_Group_free(group)
    call says('Comm_free')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine grids(is_open, size)
    logical, intent(in) :: is_open
    integer, intent(in) :: size
    type(MPI_Comm) :: comm
    call says('Cart_create')
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., comm)
    if (is_open) return
    call says('Neighbor_allgather')
    call MPI_Neighbor_allgather(total, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, comm)
    call says('Comm_free')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine attributes(is_open, extra)
    logical, intent(in) :: is_open
    integer(MPI_ADDRESS_KIND), intent(in) :: extra
    type(MPI_Comm) :: comm
    integer :: key
    integer(MPI_ADDRESS_KIND) :: attribute
    attribute = 7
    call says('Comm_dup')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    if (extra /= 0) call watch(comm)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, key, extra)
    call MPI_Comm_set_attr(comm, key, attribute)
    if (is_open) return
    call says('Comm_free')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine operations(is_open)
    logical, intent(in) :: is_open
    type(MPI_Op) :: op
    op = MPI_OP_NULL
    if (when == 'inside' .and. way == 'fatal') then
      call says('Reduce')
      call MPI_Reduce(numbers, total, 1, MPI_INTEGER, op, 0, MPI_COMM_WORLD)
    end if
    call says('Op_create')
    call MPI_Op_create(add, .true., op)
    if (is_open) return
    call MPI_Reduce_local(numbers(1:2), numbers(5:6), 2, MPI_INTEGER, op) ! local: not recorded
    call says('Op_free')
    call MPI_Op_free(op)
  end subroutine

  subroutine generalized(is_open)
    logical, intent(in) :: is_open
    integer(MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    extra = 0
    call says('Grequest_start')
    call MPI_Grequest_start(query, forget_request, cancel_request, extra, both(1))
    if (is_open) return
    call says('Grequest_complete')
    call MPI_Grequest_complete(both(1))
    call says('Wait')
    call MPI_Wait(both(1), status)
  end subroutine

  subroutine use_all(is_open)
    logical, intent(in) :: is_open
    integer(MPI_ADDRESS_KIND) :: extra
    extra = 0
    if (is_chosen('messages')) call messages()
    if (is_chosen('requests')) call requests(is_open)
    if (is_chosen('persistent')) call persistent(is_open)
    if (is_chosen('collectives')) call collectives()
    if (is_chosen('icollectives')) call icollectives(is_open)
    if (is_chosen('windows')) call windows(is_open)
    if (is_chosen('files')) call files(is_open, 4)
    if (is_chosen('datatypes')) call datatypes(is_open)
    if (is_chosen('communicators')) call communicators(is_open)
    if (is_chosen('grids')) call grids(is_open, 1)
    if (is_chosen('attributes')) call attributes(is_open, extra)
    if (is_chosen('operations')) call operations(is_open)
    if (is_chosen('generalized')) call generalized(is_open)
  end subroutine

  subroutine fail(name)
    character(len=*), intent(in) :: name
    type(MPI_Datatype) :: datatype
    type(MPI_Comm) :: comm
    integer(MPI_ADDRESS_KIND) :: extra
    extra = 1
    call watch(MPI_COMM_WORLD)
    select case (name)
    case ('messages')
      call says('Send')
      call MPI_Send(numbers, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD)
    case ('requests')
      call says('Irecv')
      call MPI_Irecv(numbers, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, both(1))
    case ('persistent')
      call says('Send_init')
      call MPI_Send_init(numbers, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, both(1))
    case ('collectives')
      call says('Bcast')
      call MPI_Bcast(numbers, 1, MPI_INTEGER, 99, MPI_COMM_WORLD)
    case ('icollectives')
      call says('Ibcast')
      call MPI_Ibcast(numbers, 1, MPI_INTEGER, 99, MPI_COMM_WORLD, both(1))
    case ('windows')
      call fail_windows()
    case ('files')
      call files(.true., -1)
    case ('datatypes')
      call says('Type_contiguous')
      call MPI_Type_contiguous(-1, MPI_INTEGER, datatype)
    case ('communicators')
      call says('Comm_create')
      call MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, comm)
    case ('grids')
      call grids(.true., 5)
    case ('attributes')
      call attributes(.false., extra)
    case ('operations')
      call operations(.false.)
    case ('generalized')
      call generalized(.false.)
    end select
  end subroutine
end module

program matrix_f
  use features
  implicit none
  character(len=14), parameter :: names(13) = [character(len=14) :: 'messages', 'requests', 'persistent', 'collectives', &
    'icollectives', 'windows', 'files', 'datatypes', 'communicators', 'grids', 'attributes', 'operations', 'generalized']
  integer :: level, i

  call get_command_argument(1, when)
  call get_command_argument(2, way)
  call get_command_argument(3, chosen)
  if (when == 'before') then
    call go()
    stop 6
  end if
  call says('Init_thread')
  call MPI_Init_thread(MPI_THREAD_SINGLE, level)
  if (when == 'after') call use_all(.false.)
  if (when == 'between') then
    call use_all(.true.)
    call go()
    if (way == 'return') stop
  end if
  if (when == 'inside') then
    do i = 1, size(names)
      if (is_chosen(trim(names(i)))) call fail(trim(names(i)))
    end do
  end if
  call close_window()
  call says('Finalize')
  call MPI_Finalize()
  call say('finalized')
  if (when == 'after') call go()
end program
