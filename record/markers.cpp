// SPDX-License-Identifier: Apache-2.0
// What a program says to the recorder: MPI_Pcontrol, and the functions of rondo_phase.h. Calls that
// pause or resume recording are themselves recorded, so that a trace shows its gaps.
#include "record/by_hand.hpp"
#include "record/call.hpp"
#include <real_calls.hpp>

#define RONDO_EXPORT extern "C" __attribute__((visibility("default")))

namespace rondo::record {
namespace {

enum class Effect { kNone, kPause, kResume };

void mark(std::uint16_t function, const void* site, Effect effect, const char* name = nullptr) {
  Call call(function, site, effect == Effect::kResume);
  if (!call.is_recorded()) return;
  if (name != nullptr) call.text(name);
  call.enter();
  call.leave(MPI_SUCCESS);
  if (effect == Effect::kPause) call.pause_behind();
  call.commit_mark();
}

} // namespace

int wrap_MPI_Pcontrol(const void* site, const int level) {
  Call call(kMpiPcontrol, site, level > 0);
  if (!call.is_recorded()) return real::MPI_Pcontrol(level);
  call.integer(level);
  call.enter();
  const int result = real::MPI_Pcontrol(level);
  call.leave(result);
  if (level == 0) call.pause_behind();
  call.commit();
  return result;
}

} // namespace rondo::record

using rondo::record::Effect;
using rondo::record::mark;

RONDO_EXPORT void rondo_phase_begin(const char* name) {
  mark(rondo::record::kPhaseBegin, __builtin_return_address(0), Effect::kNone, name);
}
RONDO_EXPORT void rondo_phase_end(const char* name) {
  mark(rondo::record::kPhaseEnd, __builtin_return_address(0), Effect::kNone, name);
}
RONDO_EXPORT void rondo_pause() {
  mark(rondo::record::kPause, __builtin_return_address(0), Effect::kPause);
}
RONDO_EXPORT void rondo_resume() {
  mark(rondo::record::kResume, __builtin_return_address(0), Effect::kResume);
}
