! SPDX-License-Identifier: Apache-2.0
! Strided sections as buffers: MPICH's mpi_f08 makes datatypes for them, Open MPI's compiler copies.
program strided
  use mpi_f08
  implicit none
  integer :: a(8, 4), b(4), rank, ranks, round
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  a = rank
  do round = 1, 3
    call MPI_Sendrecv(a(1:8:2, 2), 4, MPI_INTEGER, mod(rank + 1, ranks), 1, b, 4, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Bcast(a(2, :), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end do
  if (any(a(2, :) /= 0)) error stop 1
  call MPI_Finalize()
end program
