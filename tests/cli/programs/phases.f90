! SPDX-License-Identifier: Apache-2.0
program phases
  use mpi
  use rondo_phase
  integer :: error, i
  call MPI_Init(error)
  do i = 1, 20
    call rondo_phase_begin("solve")
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call rondo_phase_end("solve   ")
  end do
  call rondo_pause()
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call rondo_resume()
  call MPI_Finalize(error)
  print '(a)', 'phases: ok'
end program
