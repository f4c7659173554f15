// SPDX-License-Identifier: Apache-2.0
#include "record/process/stack_walk.hpp"

#include "record/process/no_cancel.hpp"

#include <array>
#include <cstring>
#include <pthread.h>
#include <string_view>

// Of libgcc: the tables of the code at an address, in the section .eh_frame.
extern "C" {
struct dwarf_eh_bases { // NOLINT(readability-identifier-naming): libgcc's name
  void* text;
  void* data;
  void* function;
};
const void* _Unwind_Find_FDE(void* address, dwarf_eh_bases* bases);
}

namespace rondo::record {
namespace {

// DWARF's numbers of registers of x86-64.
constexpr std::uint64_t kFramePointer = 6;
constexpr std::uint64_t kStackPointer = 7;
constexpr std::uint64_t kReturnAddress = 16;
constexpr std::int64_t kReturnOffset = -8; // behind the caller's last word

// Instructions of call frames: three with a number in their low six bits, the others by name.
enum Instruction : std::uint8_t {
  kAdvance = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNothing = 0x00,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kFrame = 0x0c,
  kFrameRegister = 0x0d,
  kFrameOffset = 0x0e,
  kExpression = 0x10,
  kOffsetExtendedSigned = 0x11,
  kFrameSigned = 0x12,
  kFrameOffsetSigned = 0x13,
  kValueOffset = 0x14,
  kValueOffsetSigned = 0x15,
  kValueExpression = 0x16,
  kArgumentsSize = 0x2e,
};

class Bytes {
public:
  Bytes(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  bool is_at_end() const { return at_ >= end_; }
  const std::uint8_t* at() const { return at_; }
  void skip(std::uint64_t bytes) { at_ += bytes; }

  template <class T> T take() {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) >= sizeof value)
      std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t take_unsigned() { // LEB128
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) break;
    }
    return value;
  }
  std::int64_t take_signed() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const auto byte = take<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0) continue;
      if ((byte & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      break;
    }
    return static_cast<std::int64_t>(value);
  }

private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// What all functions of a file share: the CIE.
struct Common {
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  std::size_t address_bytes = sizeof(std::uintptr_t);
  bool has_augmentation = false;
  Bytes instructions{nullptr, nullptr};
};

std::optional<std::size_t> bytes_of(std::uint8_t encoding) {
  switch (encoding & 0x0fU) {
  case 0x00:
  case 0x04:
  case 0x0c:
    return 8;
  case 0x03:
  case 0x0b:
    return 4;
  case 0x02:
  case 0x0a:
    return 2;
  default:
    return std::nullopt; // of another length each
  }
}

// Bytes of a record of .eh_frame behind its length; empty if they are many.
Bytes record_at(const std::uint8_t* at) {
  constexpr std::uint32_t kLong = 0xffffffff;
  std::uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  if (length == kLong) length = 0;
  return {at + sizeof length, at + sizeof length + length};
}

std::optional<Common> common_at(const std::uint8_t* at) {
  Bytes bytes = record_at(at);
  if (bytes.is_at_end() || bytes.take<std::uint32_t>() != 0) return std::nullopt;
  const auto version = bytes.take<std::uint8_t>();
  const std::string_view augmentation = reinterpret_cast<const char*>(bytes.at());
  bytes.skip(augmentation.size() + 1);
  if (version != 1 && version != 3) return std::nullopt;
  if (!augmentation.empty() && augmentation.front() != 'z') return std::nullopt;
  Common common;
  common.code_factor = bytes.take_unsigned();
  common.data_factor = bytes.take_signed();
  const std::uint64_t link = version == 1 ? bytes.take<std::uint8_t>() : bytes.take_unsigned();
  if (link != kReturnAddress) return std::nullopt;
  if (!augmentation.empty()) {
    common.has_augmentation = true;
    const std::uint64_t length = bytes.take_unsigned();
    const std::uint8_t* const behind = bytes.at() + length;
    for (const char what : augmentation.substr(1)) {
      if (what == 'L') {
        bytes.skip(1);
      } else if (what == 'P') {
        const auto personality = bytes_of(bytes.take<std::uint8_t>());
        if (!personality) return std::nullopt;
        bytes.skip(*personality);
      } else if (what == 'R') {
        const auto address = bytes_of(bytes.take<std::uint8_t>());
        if (!address) return std::nullopt;
        common.address_bytes = *address;
      } else {
        return std::nullopt; // 'S': what was interrupted did not call
      }
    }
    bytes.skip(static_cast<std::uint64_t>(behind - bytes.at()));
  }
  common.instructions = bytes;
  return common;
}

// Where the frame of a function is at one of its instructions.
class CodePlace {
public:
  explicit CodePlace(const Common& common) : common_(common) {}

  /// Goes on to the last instruction that is at `offset` or before. False if it is not simple.
  bool play(Bytes instructions, std::uint64_t offset) {
    std::uint64_t at = 0;
    while (!instructions.is_at_end()) {
      const auto byte = instructions.take<std::uint8_t>();
      const std::uint64_t low = byte & 0x3fU;
      switch (const std::uint8_t name = byte & 0xc0U; name != 0 ? name : byte) {
      case kAdvance:
        at += low * common_.code_factor;
        break;
      case kAdvance1:
        at += instructions.take<std::uint8_t>() * common_.code_factor;
        break;
      case kAdvance2:
        at += instructions.take<std::uint16_t>() * common_.code_factor;
        break;
      case kAdvance4:
        at += instructions.take<std::uint32_t>() * common_.code_factor;
        break;
      case kOffset:
        save(low, scaled(instructions.take_unsigned()));
        break;
      case kOffsetExtended:
        save_at(instructions, false);
        break;
      case kOffsetExtendedSigned:
        save_at(instructions, true);
        break;
      case kRestore:
        restore(low);
        break;
      case kRestoreExtended:
        restore(instructions.take_unsigned());
        break;
      case kSameValue:
        save(instructions.take_unsigned(), 0);
        break;
      case kRememberState:
        if (depth_ == remembered_.size()) return false;
        remembered_[depth_++] = state_;
        break;
      case kRestoreState:
        if (depth_ == 0) return false;
        state_ = remembered_[--depth_];
        break;
      case kFrame:
        state_.pointer = instructions.take_unsigned();
        state_.offset = static_cast<std::int64_t>(instructions.take_unsigned());
        break;
      case kFrameSigned:
        state_.pointer = instructions.take_unsigned();
        state_.offset = instructions.take_signed() * common_.data_factor;
        break;
      case kFrameRegister:
        state_.pointer = instructions.take_unsigned();
        break;
      case kFrameOffset:
        state_.offset = static_cast<std::int64_t>(instructions.take_unsigned());
        break;
      case kFrameOffsetSigned:
        state_.offset = instructions.take_signed() * common_.data_factor;
        break;
      case kUndefined:
        spoil(instructions.take_unsigned());
        break;
      case kRegister:
      case kValueOffset:
      case kValueOffsetSigned: // of two numbers, the second of which is of no use here
        spoil(instructions.take_unsigned());
        instructions.take_unsigned();
        break;
      case kExpression:
      case kValueExpression:
        spoil(instructions.take_unsigned());
        instructions.skip(instructions.take_unsigned());
        break;
      case kArgumentsSize:
        instructions.take_unsigned();
        break;
      case kNothing:
        break;
      default:
        return false; // the frame is an expression, or something that we do not know
      }
      if (at > offset) return true;
    }
    return true;
  }

  void begin() { first_ = state_; } // behind what is common to all functions

  FrameRule rule(std::uintptr_t address) const {
    constexpr std::int64_t kLargest = std::int64_t{1} << 30;
    FrameRule rule{address};
    const bool is_known = state_.pointer == kFramePointer || state_.pointer == kStackPointer;
    const bool fits = state_.offset > 0 && state_.offset < kLargest && state_.base > -kLargest &&
                      state_.base <= 0 &&
                      state_.base % static_cast<std::int64_t>(sizeof address) == 0;
    if (!is_known || !fits || state_.is_spoiled || state_.link != kReturnOffset) return rule;
    rule.frame_offset = static_cast<std::int32_t>(state_.offset);
    rule.base_offset = static_cast<std::int32_t>(state_.base);
    rule.is_by_base = state_.pointer == kFramePointer;
    rule.is_simple = true;
    return rule;
  }

private:
  struct State {
    std::uint64_t pointer = 0; // the register that the frame is told by
    std::int64_t offset = 0;
    std::int64_t base = 0; // where the caller's frame pointer is; 0: where it was
    std::int64_t link = 0; // where the return address is
    bool is_spoiled = false;
  };

  std::int64_t scaled(std::uint64_t offset) const {
    return static_cast<std::int64_t>(offset) * common_.data_factor;
  }
  void save(std::uint64_t number, std::int64_t offset) {
    if (number == kFramePointer) state_.base = offset;
    if (number == kReturnAddress) state_.link = offset;
  }
  void save_at(Bytes& instructions, bool is_signed) {
    const std::uint64_t number = instructions.take_unsigned();
    save(number, is_signed ? instructions.take_signed() * common_.data_factor
                           : scaled(instructions.take_unsigned()));
  }
  void restore(std::uint64_t number) {
    if (number == kFramePointer) state_.base = first_.base;
    if (number == kReturnAddress) state_.link = first_.link;
  }
  void spoil(std::uint64_t number) {
    if (number == kFramePointer || number == kReturnAddress || number == kStackPointer)
      state_.is_spoiled = true;
  }

  const Common& common_;
  State state_;
  State first_;
  std::array<State, 8> remembered_{};
  std::size_t depth_ = 0;
};

} // namespace

FrameRule frame_rule_at(std::uintptr_t address) {
  const FrameRule kNotSimple{address};
  const std::uintptr_t inside = address - 1; // the call may be its function's last instruction
  dwarf_eh_bases bases{};
  const auto* const found =
      static_cast<const std::uint8_t*>(_Unwind_Find_FDE(reinterpret_cast<void*>(inside), &bases));
  if (found == nullptr) return kNotSimple;
  Bytes bytes = record_at(found);
  if (bytes.is_at_end()) return kNotSimple;
  const std::uint8_t* const here = bytes.at();
  const auto common = common_at(here - bytes.take<std::uint32_t>());
  if (!common) return kNotSimple;
  bytes.skip(2 * common->address_bytes); // where the function begins, and its length
  if (common->has_augmentation) bytes.skip(bytes.take_unsigned());
  CodePlace place(*common);
  const std::uintptr_t offset = inside - reinterpret_cast<std::uintptr_t>(bases.function);
  if (!place.play(common->instructions, ~std::uint64_t{0})) return kNotSimple;
  place.begin();
  return place.play(bytes, offset) ? place.rule(address) : kNotSimple;
}

std::uintptr_t StackWalk::end_of_stack(std::uintptr_t address) {
  struct Stack {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    bool is_known = false;
  };
  thread_local Stack stack;
  if (!stack.is_known) [[unlikely]] {
    const NoCancel here; // the first thread's is in a file
    stack.is_known = true;
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
      void* first = nullptr;
      std::size_t bytes = 0;
      if (::pthread_attr_getstack(&attributes, &first, &bytes) == 0) {
        stack.first = reinterpret_cast<std::uintptr_t>(first);
        stack.end = stack.first + bytes;
      }
      ::pthread_attr_destroy(&attributes);
    }
  }
  return address >= stack.first && address < stack.end ? stack.end : 0;
}

} // namespace rondo::record
