// SPDX-License-Identifier: Apache-2.0
// Calls that hand memory to MPI or take it back, and marks for the recorder.
#include "generate/replay/player.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <dlfcn.h>
#include <string_view>
#include <utility>

namespace rondo::generate {
namespace {

using trace::CallInstance;

std::int64_t argument(const CallInstance& call, std::string_view name) {
  return word_at(call, call.function->word_of(name));
}

} // namespace

bool Player::play_memory_call(const CallInstance& call) {
  const std::string_view name = call.function->name;
  const trace::CallView view(trace::meaning_of(*call.function), call.words);
  if (name == "MPI_Win_create") {
    const std::int64_t size = argument(call, "size");
    ReservedMemory memory(static_cast<std::size_t>(size));
    MPI_Win* const made = new_win(view.window());
    check(MPI_Win_create(memory.start(), size, integer(argument(call, "disp_unit")), MPI_INFO_NULL,
                         comm(view.comm()), made),
          "MPI_Win_create");
    window_memory_.erase(view.window());
    window_memory_.emplace(view.window(), std::move(memory));
  } else if (name == "MPI_Win_free") {
    MPI_Win gone = win(view.window());
    check(MPI_Win_free(&gone), "MPI_Win_free");
    window_memory_.erase(view.window());
  } else if (name == "MPI_Buffer_attach") {
    const std::int64_t size = argument(call, "size");
    attached_.emplace_back(static_cast<std::size_t>(size));
    check(MPI_Buffer_attach(attached_.back().start(), static_cast<int>(size)), "MPI_Buffer_attach");
  } else if (name == "MPI_Buffer_detach") {
    void* memory = nullptr;
    int size = 0;
    check(MPI_Buffer_detach(static_cast<void*>(&memory), &size), "MPI_Buffer_detach");
    attached_.clear();
  } else {
    return false;
  }
  return true;
}

bool Player::play_marker(const CallInstance& call) {
  if (call.function->role != trace::Role::kMarker) return false;
  // The recorder's functions, if there is one; see include/rondo/rondo_phase.h.
  void* const mark = ::dlsym(RTLD_DEFAULT, std::string(call.function->name).c_str());
  if (mark == nullptr) return true;
  if (const int name = trace::meaning_of(*call.function).name; name >= 0) {
    reinterpret_cast<void (*)(const char*)>(mark)(text(word_at(call, name)).c_str());
  } else {
    reinterpret_cast<void (*)()>(mark)();
  }
  return true;
}

} // namespace rondo::generate
