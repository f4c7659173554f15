! SPDX-License-Identifier: Apache-2.0
! Calls of every group from Fortran, one source for the three bindings: `use mpi_f08` with F08, mpif.h
! with MPIF, else `use mpi`. Handles and statuses differ in type, nothing else does.
#ifdef F08
#define HANDLE(Name) type(Name)
#define STATUS type(MPI_Status)
#define SOURCE_OF(s) s%MPI_SOURCE
#else
#define HANDLE(Name) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#endif

module work
#ifdef F08
  use mpi_f08
#elif !defined MPIF
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer :: rank, ranks, next, previous, ierror, checks = 0, wrong = 0

#if defined F08 && !defined OPEN_MPI
  integer, parameter :: kFirst = 0 ! MPICH 4.0's mpi_f08 forgets that Fortran counts from 1
#else
  integer, parameter :: kFirst = 1
#endif

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    checks = checks + 1
    if (holds) return
    wrong = wrong + 1
    print *, 'rank', rank, ': not so: ', what
  end subroutine

  subroutine messages()
#ifdef F08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: place
#else
    integer(MPI_ADDRESS_KIND) :: place
#endif
    HANDLE(MPI_Request) :: r(3)
    HANDLE(MPI_Message) :: message
    STATUS :: s
#ifdef F08
    type(MPI_Status) :: all(3)
#else
    integer :: all(MPI_STATUS_SIZE, 3)
#endif
    integer :: out(8), in(8), buffer(1000), index, indices(3), count, length, round
    logical :: flag
    out = rank
    length = 4 * size(buffer)
    call MPI_Buffer_attach(buffer, length, ierror)
    call MPI_Bsend(out, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierror)
    call MPI_Recv(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, s, ierror)
    call check(SOURCE_OF(s) == previous .and. in(1) == previous, 'Bsend')
    call MPI_Ibsend(out, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, r(1), ierror)
    call MPI_Recv(in, 8, MPI_INTEGER, previous, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierror)
    call MPI_Buffer_detach(place, length, ierror)
    call MPI_Issend(out, 2, MPI_INTEGER, next, 3, MPI_COMM_WORLD, r(1), ierror)
    call MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, message, s, ierror)
    call MPI_Imrecv(in, 8, MPI_INTEGER, message, r(2), ierror)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierror)
    call MPI_Isend(out, 2, MPI_INTEGER, next, 4, MPI_COMM_WORLD, r(1), ierror)
    call MPI_Probe(previous, 4, MPI_COMM_WORLD, s, ierror)
    call MPI_Iprobe(previous, 4, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call check(flag, 'Iprobe')
    call MPI_Improbe(previous, 55, MPI_COMM_WORLD, flag, message, s, ierror)
    call check(.not. flag, 'Improbe')
    call MPI_Mprobe(previous, 4, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, ierror)
    call MPI_Mrecv(in, 8, MPI_INTEGER, message, s, ierror)
    call MPI_Waitany(1, r, index, s, ierror)
    call check(index == kFirst, 'Waitany')
    call MPI_Sendrecv_replace(out, 1, MPI_INTEGER, next, 5, previous, 5, MPI_COMM_WORLD, s, ierror)
    call MPI_Irecv(in, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, r(1), ierror)
    call MPI_Irecv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, r(2), ierror)
    r(3) = MPI_REQUEST_NULL
    call MPI_Waitsome(3, r, count, indices, all, ierror)
    call check(count == 1 .and. indices(1) == kFirst, 'Waitsome')
    call MPI_Testsome(3, r, count, indices, MPI_STATUSES_IGNORE, ierror)
    call MPI_Testany(3, r, index, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Testall(3, r, flag, MPI_STATUSES_IGNORE, ierror)
    call MPI_Test(r(2), flag, s, ierror)
    call MPI_Request_get_status(r(2), flag, s, ierror)
    call MPI_Cancel(r(2), ierror)
    call MPI_Waitall(3, r, all, ierror)
    call MPI_Testany(3, r, index, flag, MPI_STATUS_IGNORE, ierror)
    call check(flag, 'Testany') ! MPICH 4.0 adds 1 to MPI_UNDEFINED
    call MPI_Send_init(out, 1, MPI_INTEGER, next, 6, MPI_COMM_WORLD, r(1), ierror)
    call MPI_Recv_init(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, r(2), ierror)
    call MPI_Rsend_init(out, 1, MPI_INTEGER, MPI_PROC_NULL, 6, MPI_COMM_WORLD, r(3), ierror)
    do round = 1, 3
      call MPI_Startall(2, r, ierror)
      call MPI_Start(r(3), ierror)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, ierror)
    end do
    do index = 1, 3
      call MPI_Request_free(r(index), ierror)
    end do
  end subroutine

  subroutine collectives(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    HANDLE(MPI_Request) :: r
    HANDLE(MPI_Datatype) :: types(ranks)
    HANDLE(MPI_Op) :: op
    integer :: out(ranks), in(ranks), counts(ranks), places(ranks), offsets(ranks), i
    counts = 1
    places = [(i, i = 0, ranks - 1)]
    offsets = 4 * places
    types = MPI_INTEGER
    out = 10 * rank + places
    call MPI_Alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, comm, ierror)
    call check(in(ranks) == 10 * (ranks - 1) + rank, 'Alltoallv')
    call MPI_Alltoallw(out, counts, offsets, types, in, counts, offsets, types, comm, ierror)
    call check(in(ranks) == 10 * (ranks - 1) + rank, 'Alltoallw')
    call MPI_Gather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, ranks - 1, comm, ierror)
    call MPI_Scatterv(out, counts, places, MPI_INTEGER, in, 1, MPI_INTEGER, 0, comm, ierror)
    call check(in(1) == rank, 'Scatterv')
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INTEGER, comm, ierror)
    call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, comm, ierror)
    call MPI_Op_create(add, .true., op, ierror)
    call MPI_Iallreduce(out, in, 1, MPI_INTEGER, op, comm, r, ierror)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
    call check(in(1) == 5 * ranks * (ranks - 1), 'Iallreduce')
    call MPI_Op_free(op, ierror)
    call MPI_Ibarrier(comm, r, ierror)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
    call MPI_Exscan(out, in, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
  end subroutine

#ifdef F08
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = inout + in
  end subroutine
#else
  subroutine add(in, inout, len, datatype)
    integer :: len, in(len), inout(len), datatype
    inout = inout + in
  end subroutine
#endif

  subroutine objects()
    HANDLE(MPI_Comm) :: a, b, c
    HANDLE(MPI_Group) :: all, part
    integer :: dims(2), range(3, 1), n, weights(1)
    logical :: periods(2), keep(2)
    character(MPI_MAX_OBJECT_NAME) :: name
    call MPI_Comm_dup(MPI_COMM_WORLD, a, ierror)
    call MPI_Comm_set_name(a, 'blanks behind  ', ierror)
    call MPI_Comm_get_name(a, name, n, ierror)
    call check(name(1:n) == 'blanks behind', 'Comm_set_name')
    dims = [ranks, 1]
    periods = [.true., .false.]
    keep = [.true., .false.]
    call MPI_Cart_create(a, 2, dims, periods, .false., b, ierror)
    call MPI_Cart_sub(b, keep, c, ierror)
    call MPI_Comm_size(c, n, ierror)
    call check(n == ranks, 'Cart_sub')
    call collectives(c)
    call MPI_Comm_free(c, ierror)
    call MPI_Comm_free(b, ierror)
    weights = 7
    call MPI_Dist_graph_create_adjacent(a, 1, [previous], weights, 1, [next], weights, MPI_INFO_NULL, .false., b, ierror)
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, n, 1, MPI_INTEGER, b, ierror)
    call check(n == previous, 'Neighbor_allgather')
    call MPI_Comm_free(b, ierror)
    call MPI_Dist_graph_create(a, 1, [rank], [1], [next], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., b, ierror)
    call MPI_Comm_free(b, ierror)
    call MPI_Comm_group(a, all, ierror)
    range(:, 1) = [0, ranks - 1, 2]
    call MPI_Group_range_incl(all, 1, range, part, ierror)
    call MPI_Comm_create(a, part, b, ierror)
    if (b /= MPI_COMM_NULL) call MPI_Comm_free(b, ierror)
    call MPI_Group_free(part, ierror)
    call MPI_Group_incl(all, 1, [0], part, ierror)
    call MPI_Group_free(part, ierror)
    call MPI_Group_free(all, ierror)
    call MPI_Comm_split(a, merge(MPI_UNDEFINED, 0, rank == 0), -rank, b, ierror)
    if (b /= MPI_COMM_NULL) call MPI_Comm_free(b, ierror)
    call MPI_Comm_split_type(a, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, b, ierror)
    call MPI_Comm_free(b, ierror)
    call MPI_Comm_free(a, ierror)
  end subroutine

  subroutine datatypes()
    HANDLE(MPI_Datatype) :: vector, both, parts(2), got(2)
    integer(MPI_ADDRESS_KIND) :: places(2), addresses(2)
    integer :: out(8), in(8), integers(4)
    out = [1, 2, 3, 4, 5, 6, 7, 8]
    in = 0
    places = [0, 16]
    call MPI_Type_vector(2, 1, 3, MPI_INTEGER, vector, ierror)
    call MPI_Type_commit(vector, ierror)
    call MPI_Sendrecv(out, 1, vector, next, 1, in, 2, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call check(in(1) == 1 .and. in(2) == 4, 'Type_vector')
    parts(1) = vector
    parts(2) = MPI_DOUBLE_PRECISION
    call MPI_Type_create_struct(2, [1, 1], places, parts, both, ierror)
    call MPI_Type_set_name(both, 'a vector and a number', ierror)
    call MPI_Type_get_contents(both, 3, 2, 2, integers, addresses, got, ierror)
    call check(integers(1) == 2 .and. got(2) == MPI_DOUBLE_PRECISION, 'Type_get_contents')
    call MPI_Type_free(got(1), ierror)
    call MPI_Type_free(both, ierror)
    call MPI_Type_create_subarray(2, [4, 2], [2, 1], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, both, ierror)
    call MPI_Type_free(both, ierror)
    call MPI_Type_create_resized(vector, places(1), places(2), both, ierror)
    call MPI_Type_free(both, ierror)
    call MPI_Type_create_f90_integer(9, both, ierror)
    call MPI_Bcast(out, 1, both, 0, MPI_COMM_WORLD, ierror)
#ifdef MPIF
    ! Gone since MPI-3.0, still in the libraries.
    call MPI_Type_hvector(2, 1, 16, MPI_INTEGER, both, ierror)
    call MPI_Type_commit(both, ierror)
    call MPI_Bcast(out, 1, both, 0, MPI_COMM_WORLD, ierror)
    call MPI_Type_free(both, ierror)
    call MPI_Type_hindexed(2, [1, 1], [0, 8], MPI_INTEGER, both, ierror)
    call MPI_Type_free(both, ierror)
    call MPI_Type_struct(2, [1, 1], [0, 64], parts, both, ierror)
    call MPI_Type_free(both, ierror)
#endif
    call MPI_Type_free(vector, ierror)
  end subroutine

  subroutine windows()
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Group) :: all, to, from
    HANDLE(MPI_Request) :: r
    integer, volatile :: memory(4), value, got, compare ! the compiler sees no one write to them
    integer(MPI_ADDRESS_KIND) :: bytes, zero, one
    bytes = 16
    zero = 0
    one = 1
    memory = -1
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_set_name(win, 'memory', ierror)
    value = rank
    call MPI_Win_fence(ior(MPI_MODE_NOPRECEDE, MPI_MODE_NOSTORE), win, ierror)
    call MPI_Put(value, 1, MPI_INTEGER, next, zero, 1, MPI_INTEGER, win, ierror)
    call MPI_Accumulate(value, 1, MPI_INTEGER, next, one, 1, MPI_INTEGER, MPI_REPLACE, win, ierror)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
    call check(memory(1) == previous .and. memory(2) == previous, 'Put')
    call MPI_Win_get_group(win, all, ierror)
    call MPI_Group_incl(all, 1, [next], to, ierror)
    call MPI_Group_incl(all, 1, [previous], from, ierror)
    call MPI_Win_post(from, 0, win, ierror)
    call MPI_Win_start(to, 0, win, ierror)
    call MPI_Get(got, 1, MPI_INTEGER, next, zero, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_complete(win, ierror)
    call MPI_Win_wait(win, ierror)
    call check(got == rank, 'Get')
    call MPI_Group_free(from, ierror)
    call MPI_Group_free(to, ierror)
    call MPI_Group_free(all, ierror)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win, ierror)
    compare = rank
    call MPI_Compare_and_swap(value, compare, got, MPI_INTEGER, next, zero, win, ierror)
    call MPI_Win_flush(next, win, ierror)
    call MPI_Fetch_and_op(value, got, MPI_INTEGER, next, zero, MPI_SUM, win, ierror)
    call MPI_Win_unlock(next, win, ierror)
    call check(got == rank, 'Fetch_and_op')
    call MPI_Win_lock_all(0, win, ierror)
    call MPI_Get_accumulate(value, 1, MPI_INTEGER, got, 1, MPI_INTEGER, next, one, 1, MPI_INTEGER, MPI_MAX, win, ierror)
    call MPI_Win_flush_local_all(win, ierror)
    call MPI_Rput(value, 1, MPI_INTEGER, next, one, 1, MPI_INTEGER, win, r, ierror)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
    call MPI_Win_sync(win, ierror)
    call MPI_Win_unlock_all(win, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine

  subroutine files()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: etype, filetype
    HANDLE(MPI_Request) :: r
    STATUS :: s
    integer :: out(4), in(4)
    integer(MPI_OFFSET_KIND) :: mine, zero
    character(MPI_MAX_DATAREP_STRING) :: form
    out = rank + 3
    mine = 4 * rank
    zero = 0
    call MPI_File_open(MPI_COMM_WORLD, 'with blanks  ', ior(MPI_MODE_RDWR, MPI_MODE_CREATE), MPI_INFO_NULL, file, ierror)
    call MPI_File_set_view(file, zero, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierror)
    call MPI_File_get_view(file, zero, etype, filetype, form, ierror)
    call check(etype == MPI_INTEGER .and. form == 'native', 'File_get_view')
    call MPI_File_write_at_all(file, mine, out, 4, MPI_INTEGER, s, ierror)
    call MPI_File_sync(file, ierror)
    call MPI_File_iread_at(file, mine, in, 4, MPI_INTEGER, r, ierror)
    call MPI_Wait(r, s, ierror)
    call check(all(in == rank + 3), 'File_iread_at')
    call MPI_File_seek(file, mine, MPI_SEEK_SET, ierror)
    call MPI_File_write_all_begin(file, out, 4, MPI_INTEGER, ierror)
    call MPI_File_write_all_end(file, out, s, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_File_seek_shared(file, zero, MPI_SEEK_SET, ierror)
    call MPI_File_read_ordered(file, in, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call check(all(in == rank + 3), 'File_read_ordered')
    call MPI_File_close(file, ierror)
    if (rank == 0) call MPI_File_delete('with blanks', MPI_INFO_NULL, ierror)
  end subroutine

  subroutine query(state, s, error)
    integer(MPI_ADDRESS_KIND) :: state
    STATUS :: s
    integer :: error
    integer :: mine
    call MPI_Status_set_elements(s, MPI_INTEGER, 1, mine)
    call MPI_Status_set_cancelled(s, .false., mine)
    error = MPI_SUCCESS
  end subroutine

  subroutine release(state, error)
    integer(MPI_ADDRESS_KIND) :: state
    integer :: error
    error = MPI_SUCCESS
  end subroutine

  subroutine cancel(state, complete, error)
    integer(MPI_ADDRESS_KIND) :: state
    logical :: complete
    integer :: error
    error = MPI_SUCCESS
  end subroutine

  subroutine generalised()
    HANDLE(MPI_Request) :: r
    integer(MPI_ADDRESS_KIND) :: state
    STATUS :: s
    integer :: n
    state = 3
    call MPI_Grequest_start(query, release, cancel, state, r, ierror)
    call MPI_Grequest_complete(r, ierror)
    call MPI_Wait(r, s, ierror)
    call MPI_Get_count(s, MPI_INTEGER, n, ierror)
    call check(n == 1, 'Grequest_start')
  end subroutine

#if defined F08 && !defined OPEN_MPI
  ! With large counts, where mpi_f08 has them.
  subroutine large_counts()
    type(MPI_Datatype) :: type
    type(MPI_Request) :: r
    type(MPI_Win) :: win
    type(MPI_Datatype) :: types(1)
    integer :: integers(1)
    integer(MPI_COUNT_KIND) :: one, larges(1), counts(ranks)
    integer(MPI_ADDRESS_KIND) :: places(ranks), bytes, unit
    integer, volatile :: out(ranks), in(ranks), memory(2)
    integer :: i
    one = 1
    counts = 1
    places = [(i, i = 0, ranks - 1)]
    out = rank
    call MPI_Isend(out, one, MPI_INTEGER, next, 1, MPI_COMM_WORLD, r, ierror)
    call MPI_Recv(in, one, MPI_INTEGER, previous, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
    call check(in(1) == previous, 'Recv_c')
    call MPI_Alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(in(ranks) == ranks - 1, 'Alltoallv_c')
    call MPI_Iallgatherv(out, one, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, r, ierror)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierror)
    call MPI_Type_contiguous(one, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Bcast(out, one, type, ranks - 1, MPI_COMM_WORLD, ierror)
    call check(out(1) == ranks - 1, 'Bcast_c')
    call MPI_Type_get_contents(type, 0_MPI_COUNT_KIND, 0_MPI_COUNT_KIND, one, one, integers, places, larges, types, ierror)
    call check(larges(1) == 1 .and. types(1) == MPI_INTEGER, 'Type_get_contents_c')
    call MPI_Type_free(type, ierror)
    bytes = 8
    unit = 4
    call MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call MPI_Put(rank, one, MPI_INTEGER, next, bytes / 8, one, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call check(memory(2) == previous, 'Put_c')
    call MPI_Win_free(win, ierror)
  end subroutine
#endif

end module

program bindings
  use work
  implicit none
  integer :: all(2), provided
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  call messages()
  call objects()
  call datatypes()
#ifdef OPEN_MPI
  if (ranks > 1) call windows() ! 4.1 makes no window of one rank's memory
#else
  call windows()
#endif
  call files()
  call generalised()
#if defined F08 && !defined OPEN_MPI
  call large_counts()
#endif
  call MPI_Pcontrol(1)
  all = [checks, wrong]
  call MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a, i0, a)', 'bindings: ', all(1), ' checks, ', all(2), ' wrong'
  call MPI_Finalize(ierror)
  if (all(2) /= 0) error stop 1
end program
