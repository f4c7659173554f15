// SPDX-License-Identifier: Apache-2.0
// The recorder lives as long as the process: handlers of exit() and destructors of the program may
// call MPI to the very end, and last words are said after all of them. So nothing in this library
// is destroyed, neither when the process ends nor when a thread does. What the compiler and the
// C++ runtime within this library would register for that ends here.
// tools/check_recorder.py proves of the built library that nothing else does.

extern "C" {
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
[[gnu::visibility("hidden")]] int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
}
