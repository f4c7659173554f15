/* SPDX-License-Identifier: Apache-2.0
 *
 * The binary interface of MPI-5.0 (its chapter on the ABI, and appendix A): what the recorder for
 * libmpi_abi.so.0 has to know of it, for C. Handles are pointers whose small values are predefined
 * objects; a status has 32 bytes; integers that stand for a choice have the same value in every
 * library. Written from the standard's tables, not from a library.
 *
 * Functions in record/mpi_calls.toml are declared in <rondo_abi_functions.h>, which
 * tools/generate_abi_functions.py writes.
 */
#ifndef RONDO_STANDARD_ABI
#define RONDO_STANDARD_ABI

#include <stdint.h>

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef int MPI_Fint;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

typedef struct MPI_ABI_Op* MPI_Op;
#define MPI_OP_NULL ((MPI_Op)0x020)
#define MPI_SUM ((MPI_Op)0x021)
#define MPI_MIN ((MPI_Op)0x022)
#define MPI_MAX ((MPI_Op)0x023)
#define MPI_PROD ((MPI_Op)0x024)
#define MPI_BAND ((MPI_Op)0x028)
#define MPI_BOR ((MPI_Op)0x029)
#define MPI_BXOR ((MPI_Op)0x02a)
#define MPI_LAND ((MPI_Op)0x030)
#define MPI_LOR ((MPI_Op)0x031)
#define MPI_LXOR ((MPI_Op)0x032)
#define MPI_MINLOC ((MPI_Op)0x038)
#define MPI_MAXLOC ((MPI_Op)0x039)
#define MPI_REPLACE ((MPI_Op)0x03c)
#define MPI_NO_OP ((MPI_Op)0x03d)

typedef struct MPI_ABI_Comm* MPI_Comm;
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)

typedef struct MPI_ABI_Group* MPI_Group;
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY ((MPI_Group)0x109)

typedef struct MPI_ABI_Win* MPI_Win;
#define MPI_WIN_NULL ((MPI_Win)0x110)

typedef struct MPI_ABI_File* MPI_File;
#define MPI_FILE_NULL ((MPI_File)0x118)

typedef struct MPI_ABI_Session* MPI_Session;
#define MPI_SESSION_NULL ((MPI_Session)0x120)

typedef struct MPI_ABI_Message* MPI_Message;
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)

typedef struct MPI_ABI_Info* MPI_Info;
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_INFO_ENV ((MPI_Info)0x131)

typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x142)
#define MPI_ERRORS_ABORT ((MPI_Errhandler)0x143)

typedef struct MPI_ABI_Request* MPI_Request;
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

typedef struct MPI_ABI_Datatype* MPI_Datatype;
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x213)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x217)
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)
#define MPI_2REAL ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL ((MPI_Datatype)0x239)
#define MPI_WCHAR ((MPI_Datatype)0x23c)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_LOGICAL1 ((MPI_Datatype)0x2c0)
#define MPI_INTEGER1 ((MPI_Datatype)0x2c1)
#define MPI_CHARACTER ((MPI_Datatype)0x2c3)
#define MPI_LOGICAL2 ((MPI_Datatype)0x2c8)
#define MPI_INTEGER2 ((MPI_Datatype)0x2c9)
#define MPI_REAL2 ((MPI_Datatype)0x2ca)
#define MPI_LOGICAL4 ((MPI_Datatype)0x2d0)
#define MPI_INTEGER4 ((MPI_Datatype)0x2d1)
#define MPI_REAL4 ((MPI_Datatype)0x2d2)
#define MPI_COMPLEX4 ((MPI_Datatype)0x2d3)
#define MPI_LOGICAL8 ((MPI_Datatype)0x2d8)
#define MPI_INTEGER8 ((MPI_Datatype)0x2d9)
#define MPI_REAL8 ((MPI_Datatype)0x2da)
#define MPI_COMPLEX8 ((MPI_Datatype)0x2db)
#define MPI_LOGICAL16 ((MPI_Datatype)0x2e0)
#define MPI_INTEGER16 ((MPI_Datatype)0x2e1)
#define MPI_REAL16 ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)
#define MPI_COMPLEX32 ((MPI_Datatype)0x2eb)

#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX

/* Classes of errors, from 0 in this order; those of MPI_T are not used here. */
enum {
  MPI_SUCCESS,
  MPI_ERR_BUFFER,
  MPI_ERR_COUNT,
  MPI_ERR_TYPE,
  MPI_ERR_TAG,
  MPI_ERR_COMM,
  MPI_ERR_RANK,
  MPI_ERR_REQUEST,
  MPI_ERR_ROOT,
  MPI_ERR_GROUP,
  MPI_ERR_OP,
  MPI_ERR_TOPOLOGY,
  MPI_ERR_DIMS,
  MPI_ERR_ARG,
  MPI_ERR_UNKNOWN,
  MPI_ERR_TRUNCATE,
  MPI_ERR_OTHER,
  MPI_ERR_INTERN,
  MPI_ERR_PENDING,
  MPI_ERR_IN_STATUS,
  MPI_ERR_ACCESS,
  MPI_ERR_AMODE,
  MPI_ERR_ASSERT,
  MPI_ERR_BAD_FILE,
  MPI_ERR_BASE,
  MPI_ERR_CONVERSION,
  MPI_ERR_DISP,
  MPI_ERR_DUP_DATAREP,
  MPI_ERR_FILE_EXISTS,
  MPI_ERR_FILE_IN_USE,
  MPI_ERR_FILE,
  MPI_ERR_INFO_KEY,
  MPI_ERR_INFO_NOKEY,
  MPI_ERR_INFO_VALUE,
  MPI_ERR_INFO,
  MPI_ERR_IO,
  MPI_ERR_KEYVAL,
  MPI_ERR_LOCKTYPE,
  MPI_ERR_NAME,
  MPI_ERR_NO_MEM,
  MPI_ERR_NOT_SAME,
  MPI_ERR_NO_SPACE,
  MPI_ERR_NO_SUCH_FILE,
  MPI_ERR_PORT,
  MPI_ERR_QUOTA,
  MPI_ERR_READ_ONLY,
  MPI_ERR_RMA_ATTACH,
  MPI_ERR_RMA_CONFLICT,
  MPI_ERR_RMA_RANGE,
  MPI_ERR_RMA_SHARED,
  MPI_ERR_RMA_SYNC,
  MPI_ERR_SERVICE,
  MPI_ERR_SIZE,
  MPI_ERR_SPAWN,
  MPI_ERR_UNSUPPORTED_DATAREP,
  MPI_ERR_UNSUPPORTED_OPERATION,
  MPI_ERR_WIN,
  MPI_ERR_RMA_FLAVOR,
  MPI_ERR_PROC_ABORTED,
  MPI_ERR_VALUE_TOO_LARGE,
  MPI_ERR_SESSION,
  MPI_ERR_ERRHANDLER,
  MPI_ERR_LASTCODE = 0x3fff
};

/* Sentinels. */
enum {
  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766
};

/* Bits of the mode of a file, and of what is said of a window's epoch. */
enum {
  MPI_MODE_APPEND = 1,
  MPI_MODE_CREATE = 2,
  MPI_MODE_DELETE_ON_CLOSE = 4,
  MPI_MODE_EXCL = 8,
  MPI_MODE_RDONLY = 16,
  MPI_MODE_RDWR = 32,
  MPI_MODE_SEQUENTIAL = 64,
  MPI_MODE_UNIQUE_OPEN = 128,
  MPI_MODE_WRONLY = 256,
  MPI_MODE_NOCHECK = 1024,
  MPI_MODE_NOPRECEDE = 2048,
  MPI_MODE_NOPUT = 4096,
  MPI_MODE_NOSTORE = 8192,
  MPI_MODE_NOSUCCEED = 16384
};

/* Choices. */
enum {
  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1024,
  MPI_THREAD_SERIALIZED = 2048,
  MPI_THREAD_MULTIPLE = 4096,
  MPI_ORDER_C = 12,
  MPI_ORDER_FORTRAN = 15,
  MPI_DISTRIBUTE_NONE = 16,
  MPI_DISTRIBUTE_BLOCK = 17,
  MPI_DISTRIBUTE_CYCLIC = 18,
  MPI_DISTRIBUTE_DFLT_DARG = 19,
  MPI_COMBINER_NAMED = 101,
  MPI_COMBINER_DUP = 102,
  MPI_COMBINER_CONTIGUOUS = 103,
  MPI_COMBINER_VECTOR = 104,
  MPI_COMBINER_HVECTOR = 105,
  MPI_COMBINER_INDEXED = 106,
  MPI_COMBINER_HINDEXED = 107,
  MPI_COMBINER_INDEXED_BLOCK = 108,
  MPI_COMBINER_HINDEXED_BLOCK = 109,
  MPI_COMBINER_STRUCT = 110,
  MPI_COMBINER_SUBARRAY = 111,
  MPI_COMBINER_DARRAY = 112,
  MPI_COMBINER_F90_INTEGER = 113,
  MPI_COMBINER_F90_REAL = 114,
  MPI_COMBINER_F90_COMPLEX = 115,
  MPI_COMBINER_RESIZED = 116,
  MPI_COMBINER_VALUE_INDEX = 117,
  MPI_TYPECLASS_INTEGER = 192,
  MPI_TYPECLASS_REAL = 193,
  MPI_TYPECLASS_COMPLEX = 194,
  MPI_IDENT = 201,
  MPI_CONGRUENT = 202,
  MPI_SIMILAR = 203,
  MPI_UNEQUAL = 204,
  MPI_CART = 211,
  MPI_GRAPH = 212,
  MPI_DIST_GRAPH = 213,
  MPI_COMM_TYPE_SHARED = 221,
  MPI_COMM_TYPE_HW_UNGUIDED = 222,
  MPI_COMM_TYPE_HW_GUIDED = 223,
  MPI_COMM_TYPE_RESOURCE_GUIDED = 224,
  MPI_LOCK_EXCLUSIVE = 301,
  MPI_LOCK_SHARED = 302,
  MPI_WIN_FLAVOR_CREATE = 311,
  MPI_WIN_FLAVOR_ALLOCATE = 312,
  MPI_WIN_FLAVOR_DYNAMIC = 313,
  MPI_WIN_FLAVOR_SHARED = 314,
  MPI_WIN_UNIFIED = 321,
  MPI_WIN_SEPARATE = 322,
  MPI_SEEK_SET = 401,
  MPI_SEEK_CUR = 402,
  MPI_SEEK_END = 403
};

/* Keys of attributes. */
enum {
  MPI_KEYVAL_INVALID = 0,
  MPI_TAG_UB = 501,
  MPI_IO = 502,
  MPI_HOST = 503,
  MPI_WTIME_IS_GLOBAL = 504,
  MPI_UNIVERSE_SIZE = 505,
  MPI_APPNUM = 506,
  MPI_LASTUSEDCODE = 507,
  MPI_WIN_BASE = 601,
  MPI_WIN_DISP_UNIT = 602,
  MPI_WIN_SIZE = 603,
  MPI_WIN_CREATE_FLAVOR = 604,
  MPI_WIN_MODEL = 605
};

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_BUFFER_AUTOMATIC ((void*)2)
#define MPI_ARGV_NULL ((char**)0)
#define MPI_ARGVS_NULL ((char***)0)
#define MPI_ERRCODES_IGNORE ((int*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_UNWEIGHTED ((int*)10)
#define MPI_WEIGHTS_EMPTY ((int*)11)
#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)

#define MPI_MAX_DATAREP_STRING 128
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_INFO_KEY 256
#define MPI_MAX_INFO_VAL 1024
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_PORT_NAME 1024
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_BSEND_OVERHEAD 512

#ifdef __cplusplus
extern "C" {
#endif

typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
typedef void MPI_User_function_c(void*, void*, MPI_Count*, MPI_Datatype*);
typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint*, void*);
typedef int MPI_Datarep_conversion_function(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
typedef int MPI_Datarep_conversion_function_c(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset,
                                              void*);

/* Questions, which are not recorded: what the recorder and the tests ask. */
#define RONDO_ABI_QUESTION(type, name, ...)                                                        \
  type MPI_##name(__VA_ARGS__);                                                                    \
  type P##MPI_##name(__VA_ARGS__);
RONDO_ABI_QUESTION(int, Abi_get_version, int* major, int* minor)
RONDO_ABI_QUESTION(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[])
RONDO_ABI_QUESTION(int, Cart_rank, MPI_Comm comm, const int coords[], int* rank)
RONDO_ABI_QUESTION(int, Cart_shift, MPI_Comm comm, int direction, int disp, int* source, int* dest)
RONDO_ABI_QUESTION(int, Cartdim_get, MPI_Comm comm, int* ndims)
RONDO_ABI_QUESTION(int, Comm_get_attr, MPI_Comm comm, int keyval, void* value, int* flag)
RONDO_ABI_QUESTION(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler)
RONDO_ABI_QUESTION(int, Comm_rank, MPI_Comm comm, int* rank)
RONDO_ABI_QUESTION(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler)
RONDO_ABI_QUESTION(int, Comm_size, MPI_Comm comm, int* size)
RONDO_ABI_QUESTION(int, Comm_test_inter, MPI_Comm comm, int* flag)
RONDO_ABI_QUESTION(int, Dims_create, int nnodes, int ndims, int dims[])
RONDO_ABI_QUESTION(int, Dist_graph_neighbors_count, MPI_Comm comm, int* in, int* out, int* weighted)
RONDO_ABI_QUESTION(int, Errhandler_free, MPI_Errhandler* errhandler)
RONDO_ABI_QUESTION(int, Error_class, int code, int* error_class)
RONDO_ABI_QUESTION(int, Get_count, const MPI_Status* status, MPI_Datatype datatype, int* count)
RONDO_ABI_QUESTION(int, Get_elements_x, const MPI_Status* status, MPI_Datatype datatype,
                   MPI_Count* count)
RONDO_ABI_QUESTION(int, Get_library_version, char* version, int* length)
RONDO_ABI_QUESTION(int, Graph_neighbors_count, MPI_Comm comm, int rank, int* count)
RONDO_ABI_QUESTION(int, Group_rank, MPI_Group group, int* rank)
RONDO_ABI_QUESTION(int, Group_size, MPI_Group group, int* size)
RONDO_ABI_QUESTION(int, Group_translate_ranks, MPI_Group a, int n, const int of_a[], MPI_Group b,
                   int of_b[])
RONDO_ABI_QUESTION(int, Initialized, int* flag)
RONDO_ABI_QUESTION(int, Query_thread, int* provided)
RONDO_ABI_QUESTION(int, Test_cancelled, const MPI_Status* status, int* flag)
RONDO_ABI_QUESTION(int, Topo_test, MPI_Comm comm, int* status)
RONDO_ABI_QUESTION(int, Type_get_envelope, MPI_Datatype datatype, int* integers, int* addresses,
                   int* datatypes, int* combiner)
RONDO_ABI_QUESTION(int, Type_get_envelope_c, MPI_Datatype datatype, MPI_Count* integers,
                   MPI_Count* addresses, MPI_Count* counts, MPI_Count* datatypes, int* combiner)
RONDO_ABI_QUESTION(int, Type_get_extent_x, MPI_Datatype datatype, MPI_Count* lower,
                   MPI_Count* extent)
RONDO_ABI_QUESTION(int, Type_get_name, MPI_Datatype datatype, char* name, int* length)
RONDO_ABI_QUESTION(int, Type_size_x, MPI_Datatype datatype, MPI_Count* size)
RONDO_ABI_QUESTION(double, Wtick, void)
RONDO_ABI_QUESTION(double, Wtime, void)
#undef RONDO_ABI_QUESTION

#include <rondo_abi_functions.h>

#ifdef __cplusplus
}
#endif

#endif
