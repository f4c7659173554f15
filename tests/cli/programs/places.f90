! SPDX-License-Identifier: Apache-2.0
module Solver
  use mpi
contains
  subroutine Exchange(value)
    integer, intent(inout) :: value
    integer :: error
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error) ! at exchange
    value = value + 1
  end subroutine
end module

program places
  use mpi
  use Solver
  integer :: value, error
  call MPI_Init(error)
  value = 1
  call Exchange(value) ! at main, exchanging
  call Relax() ! at main, relaxing
  call MPI_Finalize(error)
end program

subroutine Relax()
  use mpi
  integer :: error
  call MPI_Barrier(MPI_COMM_WORLD, error) ! at relax
end subroutine
