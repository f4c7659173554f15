// SPDX-License-Identifier: Apache-2.0
// The end of a recording: each rank's program becomes a part, and all ranks' are brought together
// (gathering.hpp).
#include "record/gathering.hpp"
#include "record/process/no_cancel.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"
#include "rondo/archive/part_codec.hpp"

#include <cstdio>

namespace rondo::record {

// What is in memory: of a recording that had to stop, what it was then.
fold::RecordingPart Recorder::whole_part() {
  if (last_words_.empty()) return make_part({}, true);
  auto part = archive::decode_part(last_words_);
  if (!part) return make_part({}, true);
  part->run = run_;
  part->ranks.front().second.ending = {};
  return std::move(*part);
}

void Recorder::finish() {
  const NoCancel here;
  enter(); // other threads leave the recorder first
  leave_log(*log_thread_);
  stopped_ = true; // what follows is not the program's
  leave();
  checkpoint_thread_.stop();
  if (live) {
    enter(); // waiting for times lets threads in that have no calls any more
    end_live();
    leave();
  }
  if (!settings_.keeps) {
    objects.free_world_group();
    return;
  }
  try {
    const std::uint64_t start = clock_.ticks();
    enter_recorder();
    common_clock_.ask();
    fold::RecordingPart part = whole_part();
    // In a live run, time is virtual.
    const std::int64_t spent_ns =
        live ? -1 : static_cast<std::int64_t>(clock_.to_ns(clock_.ticks() - start));
    if (!live) part.ranks.front().second.recorder_end_ns = static_cast<std::uint64_t>(spent_ns);
    last_words_ = archive::encode_part(part);
    leave_recorder();
    Gathering gathering({settings_.output, objects.is_spawned(), settings_.force,
                         settings_.memory_bytes / kSealedShare},
                        {world_rank, objects.world_size(), facts_.calls, last_words_, parts_});
    if (!gathering.meet(objects.world_group())) {
      if (!parts_.write(last_words_, facts_.calls)) complain_of_lost_words();
      std::fprintf(stderr,
                   "rondo: rank %lld: the other ranks did not come to merge their recordings; "
                   "this rank's is in %s\n",
                   static_cast<long long>(world_rank), parts_.folder().c_str());
      return;
    }
    gathering.deliver(std::move(part), spent_ns);
    objects.free_world_group();
  } catch (...) {
    std::fprintf(stderr, "rondo: rank %d ran out of memory when recordings were merged\n",
                 static_cast<int>(world_rank));
  }
}

} // namespace rondo::record
