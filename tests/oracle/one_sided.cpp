// SPDX-License-Identifier: Apache-2.0
// Windows, one-sided communication and its synchronisation.
#include "oracle.hpp"

using namespace oracle;

// ---- Windows that someone makes ----------------------------------------------------------------

CALL(SIZED(Win_create),
     (void* base, MPI_Aint size, Displacement disp_unit, MPI_Info info, MPI_Comm communicator,
      MPI_Win* made),
     (base, size, disp_unit, info, communicator, made)) {
  Line line("MPI_Win_create" SUFFIX);
  line.buffer("base", base);
  line.in("size", integer(size));
  line.in("disp_unit", integer(disp_unit));
  line.in("comm", comm(communicator));
  int result = REAL(SIZED(Win_create))(base, size, disp_unit, info, communicator, made);
  if (result == MPI_SUCCESS) line.out("win", new_win(*made));
  return line.write(result);
}

#define WIN_ALLOCATE(Name)                                                                         \
  CALL(SIZED(Name),                                                                                \
       (MPI_Aint size, Displacement disp_unit, MPI_Info info, MPI_Comm communicator,               \
        void* baseptr, MPI_Win* made),                                                             \
       (size, disp_unit, info, communicator, baseptr, made)) {                                     \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("size", integer(size));                                                                \
    line.in("disp_unit", integer(disp_unit));                                                      \
    line.in("comm", comm(communicator));                                                           \
    int result = REAL(SIZED(Name))(size, disp_unit, info, communicator, baseptr, made);            \
    if (result == MPI_SUCCESS) line.out("win", new_win(*made));                                    \
    return line.write(result);                                                                     \
  }
WIN_ALLOCATE(Win_allocate)
WIN_ALLOCATE(Win_allocate_shared)

// ---- Communication -----------------------------------------------------------------------------

#define ORIGIN_PARAMS(Const)                                                                       \
  Const void *origin_addr, Count origin_count, MPI_Datatype origin_datatype
#define TARGET_PARAMS                                                                              \
  int target_rank, MPI_Aint target_disp, Count target_count, MPI_Datatype target_datatype
#define ORIGIN origin_addr, origin_count, origin_datatype
#define TARGET target_rank, target_disp, target_count, target_datatype

static void origin_side(Line& line, ORIGIN_PARAMS(const)) {
  line.buffer("origin_addr", origin_addr);
  line.in("origin_count", integer(origin_count));
  line.in("origin_datatype", datatype(origin_datatype));
}

static void target_side(Line& line, TARGET_PARAMS) {
  line.in("target_rank", rank(target_rank));
  line.in("target_disp", integer(target_disp));
  line.in("target_count", integer(target_count));
  line.in("target_datatype", datatype(target_datatype));
}

/// Defines MPI_Name and MPI_Rname, which gives a request; the block that follows puts the arguments
/// into `line`.
#define ONE_SIDED(Name, Rname, Params, Args)                                                       \
  static void arguments_of_##Name(Line& line, STRIP Params);                                       \
  CALL(SIZED(Name), Params, Args) {                                                                \
    Line line("MPI_" #Name SUFFIX);                                                                \
    arguments_of_##Name(line, STRIP Args);                                                         \
    return line.write(REAL(SIZED(Name)) Args);                                                     \
  }                                                                                                \
  CALL(SIZED(Rname), (STRIP Params, MPI_Request * request), (STRIP Args, request)) {               \
    Line line("MPI_" #Rname SUFFIX);                                                               \
    arguments_of_##Name(line, STRIP Args);                                                         \
    int result = REAL(SIZED(Rname))(STRIP Args, request);                                          \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));            \
    return line.write(result);                                                                     \
  }                                                                                                \
  static void arguments_of_##Name(Line& line, STRIP Params)

ONE_SIDED(Put, Rput, (ORIGIN_PARAMS(const), TARGET_PARAMS, MPI_Win window),
          (ORIGIN, TARGET, window)) {
  origin_side(line, ORIGIN);
  target_side(line, TARGET);
  line.in("win", win(window));
}

ONE_SIDED(Get, Rget, (ORIGIN_PARAMS(), TARGET_PARAMS, MPI_Win window), (ORIGIN, TARGET, window)) {
  origin_side(line, ORIGIN);
  target_side(line, TARGET);
  line.in("win", win(window));
}

ONE_SIDED(Accumulate, Raccumulate,
          (ORIGIN_PARAMS(const), TARGET_PARAMS, MPI_Op operation, MPI_Win window),
          (ORIGIN, TARGET, operation, window)) {
  origin_side(line, ORIGIN);
  target_side(line, TARGET);
  line.in("op", op(operation));
  line.in("win", win(window));
}

ONE_SIDED(Get_accumulate, Rget_accumulate,
          (ORIGIN_PARAMS(const), void* result_addr, Count result_count,
           MPI_Datatype result_datatype, TARGET_PARAMS, MPI_Op operation, MPI_Win window),
          (ORIGIN, result_addr, result_count, result_datatype, TARGET, operation, window)) {
  if (operation != MPI_NO_OP) origin_side(line, ORIGIN); // else nothing comes from here
  line.buffer("result_addr", result_addr);
  line.in("result_count", integer(result_count));
  line.in("result_datatype", datatype(result_datatype));
  target_side(line, TARGET);
  line.in("op", op(operation));
  line.in("win", win(window));
}

#ifndef LARGE_COUNTS // nothing below counts elements

CALL(Fetch_and_op,
     (const void* origin_addr, void* result_addr, MPI_Datatype type, int target_rank,
      MPI_Aint target_disp, MPI_Op operation, MPI_Win window),
     (origin_addr, result_addr, type, target_rank, target_disp, operation, window)) {
  Line line("MPI_Fetch_and_op");
  if (operation != MPI_NO_OP) line.buffer("origin_addr", origin_addr);
  line.buffer("result_addr", result_addr);
  line.in("datatype", datatype(type));
  line.in("target_rank", rank(target_rank));
  line.in("target_disp", integer(target_disp));
  line.in("op", op(operation));
  line.in("win", win(window));
  return line.write(REAL(Fetch_and_op)(origin_addr, result_addr, type, target_rank, target_disp,
                                       operation, window));
}

CALL(Compare_and_swap,
     (const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype type,
      int target_rank, MPI_Aint target_disp, MPI_Win window),
     (origin_addr, compare_addr, result_addr, type, target_rank, target_disp, window)) {
  Line line("MPI_Compare_and_swap");
  line.buffer("origin_addr", origin_addr);
  line.buffer("compare_addr", compare_addr);
  line.buffer("result_addr", result_addr);
  line.in("datatype", datatype(type));
  line.in("target_rank", rank(target_rank));
  line.in("target_disp", integer(target_disp));
  line.in("win", win(window));
  return line.write(REAL(Compare_and_swap)(origin_addr, compare_addr, result_addr, type,
                                           target_rank, target_disp, window));
}

// ---- Windows -----------------------------------------------------------------------------------

CALL(Win_create_dynamic, (MPI_Info info, MPI_Comm communicator, MPI_Win* made),
     (info, communicator, made)) {
  Line line("MPI_Win_create_dynamic");
  line.in("comm", comm(communicator));
  int result = REAL(Win_create_dynamic)(info, communicator, made);
  if (result == MPI_SUCCESS) line.out("win", new_win(*made));
  return line.write(result);
}

CALL(Win_attach, (MPI_Win window, void* base, MPI_Aint size), (window, base, size)) {
  Line line("MPI_Win_attach");
  line.in("win", win(window));
  line.buffer("base", base);
  line.in("size", integer(size));
  return line.write(REAL(Win_attach)(window, base, size));
}

CALL(Win_detach, (MPI_Win window, const void* base), (window, base)) {
  Line line("MPI_Win_detach");
  line.in("win", win(window));
  line.buffer("base", base);
  return line.write(REAL(Win_detach)(window, base));
}

CALL(Win_set_name, (MPI_Win window, const char* win_name), (window, win_name)) {
  Line line("MPI_Win_set_name");
  line.in("win", win(window));
  line.in("win_name", text(win_name));
  return line.write(REAL(Win_set_name)(window, win_name));
}

CALL(Win_get_group, (MPI_Win window, MPI_Group* members), (window, members)) {
  Line line("MPI_Win_get_group");
  line.in("win", win(window));
  int result = REAL(Win_get_group)(window, members);
  if (result == MPI_SUCCESS) line.out("group", new_group(*members));
  return line.write(result);
}

CALL(Win_free, (MPI_Win * window), (window)) {
  Line line("MPI_Win_free");
  line.in("win", win(*window));
  MPI_Win before = *window;
  int result = REAL(Win_free)(window);
  if (result == MPI_SUCCESS) forget_win(before);
  return line.write(result);
}

// ---- Synchronisation ---------------------------------------------------------------------------

static std::string assertion(int value) {
  return bits(value, {{MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK"},
                      {MPI_MODE_NOSTORE, "MPI_MODE_NOSTORE"},
                      {MPI_MODE_NOPUT, "MPI_MODE_NOPUT"},
                      {MPI_MODE_NOPRECEDE, "MPI_MODE_NOPRECEDE"},
                      {MPI_MODE_NOSUCCEED, "MPI_MODE_NOSUCCEED"}});
}

static std::string lock_text(int type) {
  if (type == MPI_LOCK_EXCLUSIVE) return "MPI_LOCK_EXCLUSIVE";
  if (type == MPI_LOCK_SHARED) return "MPI_LOCK_SHARED";
  return integer(type);
}

#define SYNCHRONISE(Name)                                                                          \
  CALL(Name, (MPI_Win window), (window)) {                                                         \
    Line line("MPI_" #Name);                                                                       \
    line.in("win", win(window));                                                                   \
    return line.write(REAL(Name)(window));                                                         \
  }
SYNCHRONISE(Win_complete)
SYNCHRONISE(Win_wait)
SYNCHRONISE(Win_unlock_all)
SYNCHRONISE(Win_flush_all)
SYNCHRONISE(Win_flush_local_all)
SYNCHRONISE(Win_sync)

#define SYNCHRONISE_WITH_RANK(Name)                                                                \
  CALL(Name, (int of_rank, MPI_Win window), (of_rank, window)) {                                   \
    Line line("MPI_" #Name);                                                                       \
    line.in("rank", rank(of_rank));                                                                \
    line.in("win", win(window));                                                                   \
    return line.write(REAL(Name)(of_rank, window));                                                \
  }
SYNCHRONISE_WITH_RANK(Win_unlock)
SYNCHRONISE_WITH_RANK(Win_flush)
SYNCHRONISE_WITH_RANK(Win_flush_local)

#define SYNCHRONISE_ALL(Name)                                                                      \
  CALL(Name, (int with_assert, MPI_Win window), (with_assert, window)) {                           \
    Line line("MPI_" #Name);                                                                       \
    line.in("assert", assertion(with_assert));                                                     \
    line.in("win", win(window));                                                                   \
    return line.write(REAL(Name)(with_assert, window));                                            \
  }
SYNCHRONISE_ALL(Win_fence)
SYNCHRONISE_ALL(Win_lock_all)

#define SYNCHRONISE_WITH_GROUP(Name)                                                               \
  CALL(Name, (MPI_Group members, int with_assert, MPI_Win window),                                 \
       (members, with_assert, window)) {                                                           \
    Line line("MPI_" #Name);                                                                       \
    line.in("group", group(members));                                                              \
    line.in("assert", assertion(with_assert));                                                     \
    line.in("win", win(window));                                                                   \
    return line.write(REAL(Name)(members, with_assert, window));                                   \
  }
SYNCHRONISE_WITH_GROUP(Win_start)
SYNCHRONISE_WITH_GROUP(Win_post)

CALL(Win_test, (MPI_Win window, int* flag), (window, flag)) {
  Line line("MPI_Win_test");
  line.in("win", win(window));
  int result = REAL(Win_test)(window, flag);
  if (result == MPI_SUCCESS) line.out("flag", logical(*flag));
  return line.write(result);
}

CALL(Win_lock, (int lock_type, int of_rank, int with_assert, MPI_Win window),
     (lock_type, of_rank, with_assert, window)) {
  Line line("MPI_Win_lock");
  line.in("lock_type", lock_text(lock_type));
  line.in("rank", rank(of_rank));
  line.in("assert", assertion(with_assert));
  line.in("win", win(window));
  return line.write(REAL(Win_lock)(lock_type, of_rank, with_assert, window));
}

#endif
