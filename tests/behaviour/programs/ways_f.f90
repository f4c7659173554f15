! SPDX-License-Identifier: Apache-2.0
! ways.c in Fortran, as far as Fortran goes: ways_f WHEN WAY; WAY may be return, stop or fatal.
module handlers
  use mpi_f08
  implicit none
contains
  subroutine on_error(comm, error)
    type(MPI_Comm) :: comm
    integer :: error
    integer :: class
    call MPI_Error_class(error, class)
    print '(a, l2)', 'handler of a rank:', class == MPI_ERR_RANK .and. comm == MPI_COMM_WORLD
    stop 3
  end subroutine
end module

program ways_f
  use mpi_f08
  use handlers
  implicit none
  character(len=20) :: when, way
  type(MPI_Errhandler) :: handler
  integer :: value, total, level

  call get_command_argument(1, when)
  call get_command_argument(2, way)
  if (when == 'before' .and. way == 'stop') stop 3
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level)
  value = 1
  call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Sendrecv(value, 1, MPI_INTEGER, 0, 5, total, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &
                    MPI_STATUS_IGNORE)
  if (when == 'inside') then
    call MPI_Comm_create_errhandler(on_error, handler)
    if (way /= 'fatal') call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
    call MPI_Send(value, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD)
  end if
  if (when == 'between') then
    if (way == 'stop') stop 3
  else
    call MPI_Finalize()
    print '(a)', 'finalized'
    if (way == 'stop') stop 3
  end if
end program
