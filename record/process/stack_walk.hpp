// SPDX-License-Identifier: Apache-2.0
// Return addresses on the calling thread's stack, as the unwinder finds them, in a few ns a frame:
// what the tables of a place say (where its caller's frame and frame pointer are) is worked out
// once and kept. libgcc's unwinder works it out each time, for all registers, which takes most of
// a microsecond before the first frame.
//
// Only where that is simple, as in nearly all code: a frame is told by the stack or frame pointer.
// Elsewhere (signal frames, stacks of the program's own, other processors) a walk says so, and the
// unwinder is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::record {

/// What is the same whenever code at one address has called something.
/// @source  [dwarf5, sec. 6.4]; System V ABI for x86-64, sec. 3.2.2 for what the registers are
struct FrameRule {
  std::uintptr_t address = 0; // of the return
  std::int32_t frame_offset = 0; // from that pointer to the end of the frame: its caller's stack
  std::int32_t base_offset = 0; // from there to the caller's frame pointer; 0: it has not changed
  bool is_by_base = false; // the frame pointer; else the stack pointer
  bool is_simple = false;
};

/// Works a rule out from the tables of the code. @param address  behind the call
FrameRule frame_rule_at(std::uintptr_t address);

class StackWalk {
public:
  StackWalk() : rules_(kRules) {}

  /// Visits return addresses from the caller of this function outwards, until `visit` returns
  /// false. False if a frame is not simple: some were visited, and it has to be done otherwise.
  /// @param visit  (std::uintptr_t return_address) -> bool
  /// @complexity   a few ns a frame after the first time
  template <class Visit> [[gnu::always_inline]] bool walk(Visit visit) {
#ifdef __x86_64__
    Frame frame{};
    asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                 : "=&r"(frame.address), "=&r"(frame.stack), "=&r"(frame.base));
    ++frame.address; // rules are those of the byte before a return
    const std::uintptr_t end = end_of_stack(frame.stack);
    while (step(frame, end)) {
      if (!visit(frame.address)) return true;
    }
#else
    static_cast<void>(visit);
#endif
    return false;
  }

private:
  struct Frame {
    std::uintptr_t address; // that it goes on at
    std::uintptr_t stack; // the pointer, when it does
    std::uintptr_t base; // the frame pointer
  };
  static constexpr std::size_t kRules = 512;

  /// Where the thread's stack ends if the address is on it; else 0.
  static std::uintptr_t end_of_stack(std::uintptr_t address);

  bool step(Frame& frame, std::uintptr_t end) {
    FrameRule& rule = rules_[(frame.address ^ (frame.address >> 9)) % kRules];
    if (rule.address != frame.address) [[unlikely]]
      rule = frame_rule_at(frame.address);
    const std::uintptr_t caller = (rule.is_by_base ? frame.base : frame.stack) +
                                  static_cast<std::uintptr_t>(rule.frame_offset);
    const bool is_on_stack = caller > frame.stack && caller <= end && caller % sizeof caller == 0;
    if (!rule.is_simple || !is_on_stack) return false;
    const auto* const values = reinterpret_cast<const std::uintptr_t*>(caller);
    if (rule.base_offset != 0)
      frame.base = values[rule.base_offset / static_cast<std::int32_t>(sizeof caller)];
    frame.address = values[-1];
    frame.stack = caller;
    return true;
  }

  std::vector<FrameRule> rules_;
};

} // namespace rondo::record
