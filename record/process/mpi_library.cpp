// SPDX-License-Identifier: Apache-2.0
#include "record/process/mpi_library.hpp"

#include "record/process/surroundings.hpp"

#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <real_calls.hpp>
#include <string>
#include <string_view>
#include <unistd.h>

extern "C" [[gnu::visibility("hidden")]] void rondo_first_call();
extern "C" [[gnu::visibility("hidden")]] void rondo_bind(const void* return_address, void** slot);

// The first call of all, or of a plain name: registers that hold arguments are kept, rondo_bind()
// is told who calls, and the call goes on through its slot, whose address the door has left in r11
// (x16).
#if defined(__x86_64__)
asm(R"(
  .text
  .hidden rondo_slots
  .hidden rondo_often
  .globl rondo_first_call
  .type rondo_first_call, @function
rondo_first_call:
  .cfi_startproc
  subq $200, %rsp
  .cfi_adjust_cfa_offset 200
  movq %rdi, 0(%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movq %r11, 56(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  movq 200(%rsp), %rdi
  movq %r11, %rsi
  call rondo_bind
  movq 0(%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movq 56(%rsp), %r11
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  addq $200, %rsp
  .cfi_adjust_cfa_offset -200
  jmp *(%r11)
  .cfi_endproc
  .size rondo_first_call, .-rondo_first_call
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .hidden rondo_slots
  .hidden rondo_often
  .globl rondo_first_call
  .type rondo_first_call, %function
rondo_first_call:
  .cfi_startproc
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset x29, -224
  .cfi_offset x30, -216
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x16, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x30
  mov x1, x16
  bl rondo_bind
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x16, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa_offset 0
  ldr x17, [x16]
  br x17
  .cfi_endproc
  .size rondo_first_call, .-rondo_first_call
)");
#endif

namespace rondo::record {
namespace {

enum class Family { kOpenMpi, kMpich, kStandardAbi, kUnknown };
constexpr const char* kNames[] = {"Open MPI", "MPICH", "the standard ABI", "another MPI"};

#if defined(OPEN_MPI)
constexpr Family kOwn = Family::kOpenMpi;
#elif defined(RONDO_STANDARD_ABI)
constexpr Family kOwn = Family::kStandardAbi;
#else
constexpr Family kOwn = Family::kMpich;
#endif

const char* name_of(Family family) { return kNames[static_cast<int>(family)]; }

void* scope = nullptr; // RTLD_NEXT, which is not null, or the library through which MPI is found

link_map* library_at(const void* address) {
  Dl_info facts;
  link_map* file = nullptr;
  const int found = ::dladdr1(address, &facts, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP);
  return found == 0 ? nullptr : file;
}

// Null if no MPI but this one is found through the file. Kept open otherwise, as it is used.
void* opened(const link_map& file) {
  void* const handle = ::dlopen(file.l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const void* const found = ::dlsym(handle, "PMPI_Init");
  const link_map* const own = library_at(reinterpret_cast<const void*>(&rondo_bind));
  if (found != nullptr && library_at(found) != own) return handle;
  ::dlclose(handle);
  return nullptr;
}

// Where the caller's own calls would go without the recorder: to what all see, or to what the
// caller was loaded with. A caller that is linked with no MPI has got ours by name: any will do.
// Stubs that stand for MPI in a program for one process (libmpiseq) have no PMPI_Init.
void* scope_of(const void* return_address) {
  for (const char* name : {"PMPI_Init", "MPI_Init"})
    if (::dlsym(RTLD_NEXT, name) != nullptr) return RTLD_NEXT;
  link_map* const caller = library_at(return_address);
  void* found = caller == nullptr ? nullptr : opened(*caller);
  for (const link_map* file = _r_debug.r_map; file != nullptr && found == nullptr;
       file = file->l_next)
    found = opened(*file);
  return found;
}

// By data that only one of the families defines, in all of its versions and under all of its names.
// The standard ABI has none, and may stand in front of a library that has some: it goes by the name
// of its file, which the standard gives.
Family family_found() {
  const link_map* const file = library_at(real::find("PMPI_Init"));
  const std::string_view path = file == nullptr ? "" : file->l_name;
  if (path.find("libmpi_abi.so") != std::string_view::npos) return Family::kStandardAbi;
  if (real::find_data("ompi_mpi_comm_world") != nullptr) return Family::kOpenMpi;
  if (real::find_data("MPI_UNWEIGHTED") != nullptr) return Family::kMpich;
  return real::find("PMPI_Abi_get_version") != nullptr ? Family::kStandardAbi : Family::kUnknown;
}

bool is_in(const link_map& file, void* handle, const std::string& name) {
  const void* const found = ::dlsym(handle, name.c_str());
  return found != nullptr && library_at(found) == &file;
}

// MPI has each of its names as another for tools (pmpi_send), and for more than one compiler.
bool is_of_mpi(const link_map& file, void* handle, const std::string& name) {
  return is_in(file, handle, "p" + name) || is_in(file, handle, "P" + name) ||
         is_in(file, handle, name + "_");
}

// The function of this name that is none of MPI's, if there is one. Such a library is often seen by
// its loader only, as those of R are; what all see comes first, as it does without the recorder.
void* of_another(const char* name) {
  const bool all_see_one = ::dlsym(RTLD_NEXT, name) != nullptr;
  const link_map* const own = library_at(reinterpret_cast<const void*>(&rondo_bind));
  for (const link_map* file = _r_debug.r_map; file != nullptr; file = file->l_next) {
    if (file == own || *file->l_name == '\0')
      continue; // a program's own come before the recorder's
    void* const handle = ::dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* const found = is_in(*file, handle, name) ? ::dlsym(handle, name) : nullptr;
    const bool of_mpi = found != nullptr && is_of_mpi(*file, handle, name);
    ::dlclose(handle);
    if (found != nullptr && !of_mpi) return found;
    if (of_mpi && all_see_one) return nullptr;
  }
  return nullptr;
}

const PlainName* plain_name_of(void** slot) {
  const PlainName* name = plain_names;
  while (name->slot != nullptr && name->slot != slot) ++name;
  return name->slot == nullptr ? nullptr : name;
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "rondo: %s calls MPI, but %s\n", program_invocation_short_name, what);
  ::_exit(127); // as the dynamic linker does
}

void say_stranger(const void* return_address, Family family) {
  if (launched_rank() != 0) return;
  const link_map* const caller = library_at(return_address);
  const std::string_view path = caller == nullptr ? "" : caller->l_name; // empty: the program
  const std::string_view file = path.substr(path.rfind('/') + 1); // npos + 1 is 0
  std::fprintf(stderr,
               "rondo: %s is not recorded: %.*s uses %s, and the recorder in LD_PRELOAD is that of "
               "%s; 'rondo record' takes the one that fits, or that of --mpi\n",
               program_invocation_short_name, file.empty() ? 2 : static_cast<int>(file.size()),
               file.empty() ? "it" : file.data(), name_of(family), name_of(kOwn));
}

} // namespace

namespace real {

void* find(const char* name) noexcept { return ::dlsym(scope, name); }

// The program may have a copy of the library's data, which stands for it then, and comes first.
void* find_data(const char* name) noexcept {
  return ::dlsym(scope == RTLD_NEXT ? RTLD_DEFAULT : scope, name);
}

} // namespace real

void open_door(void*& slot, const char* name, void* wrapper) {
  void* target = wrapper != nullptr ? wrapper : real::find(name);
  if (target == nullptr) target = reinterpret_cast<void*>(&no_such_function);
  __atomic_store_n(&slot, target, __ATOMIC_RELEASE);
}

bool has_large_counts() {
  static const bool has = real::find("PMPI_Type_get_envelope_c") != nullptr;
  return has;
}

void no_such_function() { give_up("its MPI library does not have the function"); }

} // namespace rondo::record

namespace rondo::record {
namespace {

enum class Doors { kShut, kToWrappers, kPast };
std::atomic<Doors> doors = Doors::kShut;

void bind_all(const void* return_address) {
  void* const found = scope_of(return_address);
  if (found == nullptr) give_up("no MPI library is loaded");
  scope = found;
  const Family family = family_found();
  if (family == kOwn) {
    real::set_all();
  } else {
    say_stranger(return_address, family);
  }
  open_doors(family == kOwn);
  doors.store(family == kOwn ? Doors::kToWrappers : Doors::kPast, std::memory_order_release);
}

} // namespace
} // namespace rondo::record

// Threads may come here at the same time; all find the same.
void rondo_bind(const void* return_address, void** slot) {
  using namespace rondo::record;
  const int error = errno;
  const PlainName* const plain = plain_name_of(slot);
  void* const another = plain == nullptr ? nullptr : of_another(plain->name);
  if (another == nullptr && doors.load(std::memory_order_acquire) == Doors::kShut)
    bind_all(return_address);
  if (plain != nullptr) {
    const bool to_wrapper = doors.load(std::memory_order_acquire) == Doors::kToWrappers;
    open_door(*slot, plain->name,
              another != nullptr ? another
              : to_wrapper       ? plain->wrapper
                                 : nullptr);
  }
  errno = error;
}
