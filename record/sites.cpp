// SPDX-License-Identifier: Apache-2.0
#include "record/sites.hpp"

#include "record/process/modules.hpp"
#include "record/process/no_cancel.hpp"

#include <algorithm>
#include <cstdlib>
#include <unwind.h>

namespace rondo::record {
namespace {

// Frames of the recorder and of MPI that may stand between the unwinder and the program.
constexpr std::size_t kMostInnerFrames = 64;

struct Stack {
  const void* site;
  std::pair<std::uintptr_t, std::uintptr_t> libc;
  std::size_t wanted;
  std::size_t inner = 0; // frames passed on the way to the site
  std::size_t count = 0;
  const void* frames[Sites::kMostFrames]; // innermost first

  /// False where it ends.
  bool add(std::uintptr_t address) {
    const auto* frame = reinterpret_cast<const void*>(address);
    if (count == 0 && frame != site) return ++inner < kMostInnerFrames;
    if (address == 0 || (address >= libc.first && address < libc.second)) return false;
    frames[count++] = frame;
    return count < wanted;
  }
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* stack) {
  const bool goes_on = static_cast<Stack*>(stack)->add(_Unwind_GetIP(context));
  return goes_on ? _URC_NO_REASON : _URC_END_OF_STACK;
}

} // namespace

Sites::Sites(std::size_t frames)
    : cache_(kCacheSize), frames_(std::clamp<std::size_t>(frames, 1, kMostFrames)),
      libc_(range_of_module(reinterpret_cast<const void*>(&std::getenv))) {}

std::uint32_t Sites::index_of_stack(const void* address) {
  Stack stack; // its frames are written before they are read
  const auto begin = [&] {
    stack.site = address;
    stack.libc = libc_;
    stack.wanted = frames_;
    stack.inner = 0;
    stack.count = 0;
  };
  begin();
  if (!walk_.walk([&](std::uintptr_t frame) { return stack.add(frame); })) {
    begin();
    _Unwind_Backtrace(visit, &stack);
  }
  if (stack.count == 0) return index_in(0, address); // code without unwind tables on the way
  std::uint32_t caller = 0;
  for (std::size_t i = stack.count - 1; i > 0; --i) caller = index_in(caller, stack.frames[i]) + 1;
  return index_in(caller, address);
}

std::uint32_t Sites::look_up(std::uint32_t caller, const void* address) {
  const auto known = known_.find({caller, address});
  std::uint32_t index = 0;
  if (known != known_.end()) {
    index = known->second;
  } else {
    const NoCancel here; // files are read
    ModulePlace found = find_module(address);
    const trace::CallSite site{found.module.path, found.offset, caller};
    const auto same = std::find(sites_.begin(), sites_.end(), site);
    index = static_cast<std::uint32_t>(same - sites_.begin());
    if (same == sites_.end()) sites_.push_back(site);
    const bool is_file = !found.module.path.empty();
    if (is_file && std::find(modules_.begin(), modules_.end(), found.module) == modules_.end())
      modules_.push_back(std::move(found.module));
    known_.emplace(std::pair(caller, address), index);
  }
  cache_[slot_of(caller, address)] = {address, caller, index};
  return index;
}

} // namespace rondo::record
