// SPDX-License-Identifier: Apache-2.0
// Files: making and placing them, and every way to read and write.
#include "oracle.hpp"

using namespace oracle;

// ---- Reading and writing
// -------------------------------------------------------------------------

static void access_arguments(Line& line, const void* buf, Count count, MPI_Datatype type) {
  line.buffer("buf", buf);
  line.in("count", integer(count));
  line.in("datatype", datatype(type));
}

/// Where the access begins, for those calls that say it.
static void at(Line& line, MPI_Offset offset) { line.in("offset", integer(offset)); }
static void here(Line&) {}

/// `Where` is what the call has between the file and the buffer, `place` what is written of it. A
/// status says nothing: the bytes are not the program's conversation.
#define ACCESS(Name, Const, place, Where, where)                                                   \
  CALL(SIZED(Name),                                                                                \
       (MPI_File fh STRIP Where, Const void* buf, Count count, MPI_Datatype type,                  \
        MPI_Status* status),                                                                       \
       (fh STRIP where, buf, count, type, status)) {                                               \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("fh", file(fh));                                                                       \
    place;                                                                                         \
    access_arguments(line, buf, count, type);                                                      \
    return line.write(REAL(SIZED(Name))(fh STRIP where, buf, count, type, status));                \
  }
#define ACCESS_WITH_REQUEST(Name, Const, place, Where, where)                                      \
  CALL(SIZED(Name),                                                                                \
       (MPI_File fh STRIP Where, Const void* buf, Count count, MPI_Datatype type,                  \
        MPI_Request* request),                                                                     \
       (fh STRIP where, buf, count, type, request)) {                                              \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("fh", file(fh));                                                                       \
    place;                                                                                         \
    access_arguments(line, buf, count, type);                                                      \
    int result = REAL(SIZED(Name))(fh STRIP where, buf, count, type, request);                     \
    if (result == MPI_SUCCESS) line.out("request", new_request(request, false, false));            \
    return line.write(result);                                                                     \
  }
#define ACCESS_BEGIN(Name, Const, place, Where, where)                                             \
  CALL(SIZED(Name), (MPI_File fh STRIP Where, Const void* buf, Count count, MPI_Datatype type),    \
       (fh STRIP where, buf, count, type)) {                                                       \
    Line line("MPI_" #Name SUFFIX);                                                                \
    line.in("fh", file(fh));                                                                       \
    place;                                                                                         \
    access_arguments(line, buf, count, type);                                                      \
    return line.write(REAL(SIZED(Name))(fh STRIP where, buf, count, type));                        \
  }
#define HERE here(line), (), ()
#define AT at(line, offset), (, MPI_Offset offset), (, offset)
#define APPLY(Macro, ...) Macro(__VA_ARGS__)

APPLY(ACCESS, File_read, , HERE)
APPLY(ACCESS, File_read_all, , HERE)
APPLY(ACCESS, File_read_shared, , HERE)
APPLY(ACCESS, File_read_ordered, , HERE)
APPLY(ACCESS, File_read_at, , AT)
APPLY(ACCESS, File_read_at_all, , AT)
APPLY(ACCESS, File_write, const, HERE)
APPLY(ACCESS, File_write_all, const, HERE)
APPLY(ACCESS, File_write_shared, const, HERE)
APPLY(ACCESS, File_write_ordered, const, HERE)
APPLY(ACCESS, File_write_at, const, AT)
APPLY(ACCESS, File_write_at_all, const, AT)

APPLY(ACCESS_WITH_REQUEST, File_iread, , HERE)
APPLY(ACCESS_WITH_REQUEST, File_iread_all, , HERE)
APPLY(ACCESS_WITH_REQUEST, File_iread_shared, , HERE)
APPLY(ACCESS_WITH_REQUEST, File_iread_at, , AT)
APPLY(ACCESS_WITH_REQUEST, File_iread_at_all, , AT)
APPLY(ACCESS_WITH_REQUEST, File_iwrite, const, HERE)
APPLY(ACCESS_WITH_REQUEST, File_iwrite_all, const, HERE)
APPLY(ACCESS_WITH_REQUEST, File_iwrite_shared, const, HERE)
APPLY(ACCESS_WITH_REQUEST, File_iwrite_at, const, AT)
APPLY(ACCESS_WITH_REQUEST, File_iwrite_at_all, const, AT)

APPLY(ACCESS_BEGIN, File_read_all_begin, , HERE)
APPLY(ACCESS_BEGIN, File_read_ordered_begin, , HERE)
APPLY(ACCESS_BEGIN, File_read_at_all_begin, , AT)
APPLY(ACCESS_BEGIN, File_write_all_begin, const, HERE)
APPLY(ACCESS_BEGIN, File_write_ordered_begin, const, HERE)
APPLY(ACCESS_BEGIN, File_write_at_all_begin, const, AT)

#ifndef LARGE_COUNTS // nothing below counts elements

#define ACCESS_END(Name, Const)                                                                    \
  CALL(Name, (MPI_File fh, Const void* buf, MPI_Status* status), (fh, buf, status)) {              \
    Line line("MPI_" #Name);                                                                       \
    line.in("fh", file(fh));                                                                       \
    line.buffer("buf", buf);                                                                       \
    return line.write(REAL(Name)(fh, buf, status));                                                \
  }
ACCESS_END(File_read_all_end, )
ACCESS_END(File_read_ordered_end, )
ACCESS_END(File_read_at_all_end, )
ACCESS_END(File_write_all_end, const)
ACCESS_END(File_write_ordered_end, const)
ACCESS_END(File_write_at_all_end, const)

// ---- Files themselves
// ----------------------------------------------------------------------------

static std::string mode_text(int amode) {
  return bits(amode, {{MPI_MODE_RDONLY, "MPI_MODE_RDONLY"},
                      {MPI_MODE_RDWR, "MPI_MODE_RDWR"},
                      {MPI_MODE_WRONLY, "MPI_MODE_WRONLY"},
                      {MPI_MODE_CREATE, "MPI_MODE_CREATE"},
                      {MPI_MODE_EXCL, "MPI_MODE_EXCL"},
                      {MPI_MODE_DELETE_ON_CLOSE, "MPI_MODE_DELETE_ON_CLOSE"},
                      {MPI_MODE_UNIQUE_OPEN, "MPI_MODE_UNIQUE_OPEN"},
                      {MPI_MODE_SEQUENTIAL, "MPI_MODE_SEQUENTIAL"},
                      {MPI_MODE_APPEND, "MPI_MODE_APPEND"}});
}

CALL(File_open,
     (MPI_Comm communicator, const char* filename, int amode, MPI_Info info, MPI_File* fh),
     (communicator, filename, amode, info, fh)) {
  Line line("MPI_File_open");
  line.in("comm", comm(communicator));
  line.in("filename", text(filename));
  line.in("amode", mode_text(amode));
  int result = REAL(File_open)(communicator, filename, amode, info, fh);
  if (result == MPI_SUCCESS) line.out("fh", new_file(*fh));
  return line.write(result);
}

CALL(File_close, (MPI_File * fh), (fh)) {
  Line line("MPI_File_close");
  line.in("fh", file(*fh));
  MPI_File before = *fh;
  int result = REAL(File_close)(fh);
  if (result == MPI_SUCCESS) forget_file(before);
  return line.write(result);
}

CALL(File_delete, (const char* filename, MPI_Info info), (filename, info)) {
  Line line("MPI_File_delete");
  line.in("filename", text(filename));
  return line.write(REAL(File_delete)(filename, info));
}

#define FILE_SIZE(Name)                                                                            \
  CALL(Name, (MPI_File fh, MPI_Offset size), (fh, size)) {                                         \
    Line line("MPI_" #Name);                                                                       \
    line.in("fh", file(fh));                                                                       \
    line.in("size", integer(size));                                                                \
    return line.write(REAL(Name)(fh, size));                                                       \
  }
FILE_SIZE(File_set_size)
FILE_SIZE(File_preallocate)

CALL(File_set_view,
     (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
      MPI_Info info),
     (fh, disp, etype, filetype, datarep, info)) {
  Line line("MPI_File_set_view");
  line.in("fh", file(fh));
  line.in("disp", integer(disp));
  line.in("etype", datatype(etype));
  line.in("filetype", datatype(filetype));
  line.in("datarep", text(datarep));
  return line.write(REAL(File_set_view)(fh, disp, etype, filetype, datarep, info));
}

// Like MPI_Type_get_contents: handles to be freed, but for the predefined types.
CALL(File_get_view,
     (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep),
     (fh, disp, etype, filetype, datarep)) {
  Line line("MPI_File_get_view");
  line.in("fh", file(fh));
  int result = REAL(File_get_view)(fh, disp, etype, filetype, datarep);
  if (result == MPI_SUCCESS) {
    line.out("disp", integer(*disp));
    line.out("etype", new_or_predefined_datatype(*etype));
    line.out("filetype", new_or_predefined_datatype(*filetype));
  }
  return line.write(result);
}

CALL(File_get_group, (MPI_File fh, MPI_Group* members), (fh, members)) {
  Line line("MPI_File_get_group");
  line.in("fh", file(fh));
  int result = REAL(File_get_group)(fh, members);
  if (result == MPI_SUCCESS) line.out("group", new_group(*members));
  return line.write(result);
}

CALL(File_set_atomicity, (MPI_File fh, int flag), (fh, flag)) {
  Line line("MPI_File_set_atomicity");
  line.in("fh", file(fh));
  line.in("flag", logical(flag));
  return line.write(REAL(File_set_atomicity)(fh, flag));
}

CALL(File_sync, (MPI_File fh), (fh)) {
  Line line("MPI_File_sync");
  line.in("fh", file(fh));
  return line.write(REAL(File_sync)(fh));
}

static std::string whence_text(int whence) {
  if (whence == MPI_SEEK_SET) return "MPI_SEEK_SET";
  if (whence == MPI_SEEK_CUR) return "MPI_SEEK_CUR";
  if (whence == MPI_SEEK_END) return "MPI_SEEK_END";
  return integer(whence);
}

#define FILE_SEEK(Name)                                                                            \
  CALL(Name, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence)) {                 \
    Line line("MPI_" #Name);                                                                       \
    line.in("fh", file(fh));                                                                       \
    line.in("offset", integer(offset));                                                            \
    line.in("whence", whence_text(whence));                                                        \
    return line.write(REAL(Name)(fh, offset, whence));                                             \
  }
FILE_SEEK(File_seek)
FILE_SEEK(File_seek_shared)

#endif
