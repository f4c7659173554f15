// SPDX-License-Identifier: Apache-2.0
// The MPI library of the program. The recorder is linked with none: it looks for the one that the
// program uses when the first of its calls comes, wherever that library is and whatever its file is
// called, be it loaded late and for its loader only. So the recorder can be loaded into anything.
//
// Each name of MPI's that the recorder exports is a door: two instructions that jump where its slot
// says, with all arguments where they are. Slots are empty at first, which leads to rondo_bind().
// From then on they lead to the recorder's wrappers; if the program's MPI is not the one that this
// recorder was built for, they lead to that MPI's own functions, as if nobody had been there.
// The recorder's own questions to MPI go through doors that are not exported.
#pragma once

#include <cstdint>

namespace rondo::record {

/// Lets all doors lead to the wrappers, or past them; generated.
void open_doors(bool to_wrappers);

/// Lets the doors of usual calls lead to the wrappers that leave them for later, or to those that
/// record them at once; generated. All lead to wrappers.
void lead_to_log(bool wanted);

/// Lets a door lead to the wrapper, or if that is null to the function of this name behind it.
void open_door(void*& slot, const char* name, void* wrapper);

/// True if the program's MPI has the functions with large counts, which kin of MPICH's may lack.
bool has_large_counts();

/// A Fortran name without an underscore, such as mpi_send, which a library for another language may
/// have for a function of its own (Rmpi does) and look up by name. Its door stays shut until it is
/// called: then it is known whose name it is.
struct PlainName {
  void** slot; // null: the end of the list
  const char* name;
  void* wrapper;
};
extern const PlainName plain_names[]; // generated

/// What is called in place of a function that the program's MPI does not have: says so, and ends.
[[noreturn]] void no_such_function();

} // namespace rondo::record

extern "C" {
/// What a call that comes often needs of the process, side by side.
struct alignas(32) RondoOften {
  void* slot; // where its door leads
  void* function; // MPI's, known as real::MPI_...
  std::intptr_t thread; // how far on_thread is from the thread pointer
};
}

// Where doors stand: anywhere, or with the code that they lead to. Linkers sort sections of these
// names, so that a door and the wrapper behind it, which follows it, are within 512 bytes.
#define RONDO_ANYWHERE ".text,\"ax\",@progbits\n.p2align 4"
#define RONDO_OFTEN ".text.hot,\"ax\",@progbits\n.p2align 4"
#define RONDO_BEFORE(name) ".text.sorted.rondo." #name ".0,\"ax\",@progbits\n.p2align 9"
#define RONDO_BEHIND_DOOR(name)                                                                    \
  [[gnu::section(".text.sorted.rondo." #name ".1"), gnu::noinline, gnu::visibility("hidden")]]

// A door, and where its slot is. No register that may hold an argument is changed.
#if defined(__x86_64__)
#define RONDO_DOOR(name, slot, part)                                                               \
  asm(".pushsection " part "\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"          \
      ".cfi_startproc\n"                                                                           \
      "movq " #slot "(%rip), %r11\n"                                                               \
      "testq %r11, %r11\njz 1f\njmp *%r11\n"                                                       \
      "1: leaq " #slot "(%rip), %r11\njmp rondo_first_call\n"                                      \
      ".cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
#elif defined(__aarch64__)
#define RONDO_DOOR(name, slot, part)                                                               \
  asm(".pushsection " part "\n.globl " #name "\n.type " #name ", %function\n" #name ":\n"          \
      ".cfi_startproc\n"                                                                           \
      "adrp x16, " #slot "\nadd x16, x16, :lo12:" #slot "\n"                                       \
      "ldr x17, [x16]\ncbz x17, 1f\nbr x17\n1: b rondo_first_call\n"                               \
      ".cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
#else
#error "doors are written for x86-64 and for 64-bit ARM"
#endif

// A name for a place in a table of doors.
#define RONDO_NAME(name, place)                                                                    \
  asm(".globl " #name "\n.hidden " #name "\n.set " #name ", " #place "\n");
