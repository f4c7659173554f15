// SPDX-License-Identifier: Apache-2.0
// What a rank writes while the program runs: every second or so what it has, so that a killed
// process loses no more than that, and sealed chunks where memory gets scarce.
#include "record/memory.hpp"
#include "record/recorder.hpp"
#include "rondo/archive/part_codec.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace rondo::record {
namespace {

// Checkpoints take no more than this share of the run time: large recordings are written less
// often.
constexpr std::uint64_t kCheckpointShare = 100;

std::string command_line() {
  std::string text;
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
      text.append(buffer, n);
    std::fclose(file);
  }
  if (!text.empty()) text.pop_back(); // each argument ends in a null byte
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string version(text);
  for (const char end : {'\n', ','}) version = version.substr(0, version.find(end));
  std::replace(version.begin(), version.end(), '\t', ' ');
  while (!version.empty() && version.back() == ' ') version.pop_back();
  return version;
}

} // namespace

// Asked at the start: at the end it may be too late to ask MPI anything.
void Recorder::describe_run() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  run_.start_unix_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  run_.command = command_line();
  run_.mpi = library_version();
  run_.recorder = "rondo " RONDO_VERSION;
  run_.ranks = world_size_;
  run_.thread_level = thread_level_;
  run_.complete = true;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  host_ = host;
}

// Names the call that the rank is in: of the threads, the one that has been in its call the
// longest.
trace::RankEnding Recorder::open_call(trace::RankEnding ending) const {
  const std::uint64_t now = clock_.ticks();
  for (const auto& stream : streams_) {
    if (stream->open_function == 0) continue;
    const std::uint64_t since_ns = clock_.to_ns(now - std::min(now, stream->open_ticks));
    if (ending.function != 0 && since_ns <= ending.in_call_ns) continue;
    ending.function = stream->open_function;
    ending.site = stream->open_site;
    ending.in_call_ns = since_ns;
  }
  return ending;
}

// The open chunk of every stream. The streams are used up if it is the last, else copied.
fold::Part Recorder::make_part(trace::RankEnding ending, bool is_last) {
  facts_.calls = 0;
  facts_.span_ns = monotonic_ns() - init_start_ns_;
  facts_.recorder_ns = clock_.to_ns(recorder_ticks_);
  facts_.recorder_bytes = memory_peak();
  facts_.ending = ending.kind == trace::Ending::kFinalized ? ending : open_call(ending);
  fold::Part part;
  part.run = run_;
  part.run.complete = run_.complete && ending.kind == trace::Ending::kFinalized;
  for (const auto& stream : streams_) {
    facts_.calls += stream->sealed_calls + stream->program->calls();
    auto program =
        is_last ? stream->program->finish() : fold::ProgramBuilder(*stream->program).finish();
    part.classes.push_back({{world_rank}, stream->thread, std::move(program)});
  }
  part.ranks.emplace_back(world_rank, facts_);
  part.tables = definitions_;
  part.tables.sites = sites.sites();
  part.tables.hosts.push_back({host_, trace::RankSet::of({world_rank})});
  return part;
}

void Recorder::checkpoint() {
  const std::uint64_t start = clock_.ticks();
  std::size_t in_programs = 0;
  for (const auto& stream : streams_) in_programs += stream->program->memory();
  const bool is_full = memory_in_use() > settings_.memory_bytes / 2;
  // What else takes memory (requests, definitions) cannot be sealed.
  const bool seals = is_full && in_programs > settings_.memory_bytes / 8;
  keep_to_budget();
  const bool written =
      parts_.write(archive::encode_part(make_part({trace::Ending::kUnknown, 0}, seals)));
  if (seals && !written) {
    stop("recording stopped: its memory was used up, and nothing could be written to disk");
    std::fprintf(stderr, "rondo: rank %lld: %s (%s)\n", static_cast<long long>(world_rank),
                 run_.notes.c_str(), parts_.folder().c_str());
  }
  if (seals) {
    for (const auto& stream : streams_) {
      stream->sealed_calls += stream->program->calls();
      start_program(*stream);
    }
    if (written) parts_.seal();
  }
  const std::uint64_t now = clock_.ticks();
  next_checkpoint_ticks_ =
      now + std::max(clock_.to_ticks(kCheckpointInterval_ns), kCheckpointShare * (now - start));
}

// Times are given up first, and nothing else can be: calls are never dropped.
void Recorder::keep_to_budget() {
  if (settings_.budget <= 0 || !settings_.times) return;
  const std::uint64_t span_ns = monotonic_ns() - init_start_ns_;
  const auto cost_ns = static_cast<double>(clock_.to_ns(recorder_ticks_));
  const double share = cost_ns / static_cast<double>(span_ns);
  if (share <= settings_.budget) return;
  settings_.times = false;
  for (const auto& stream : streams_) stream->program->keep_times(false);
  char text[160];
  std::snprintf(
      text, sizeof text,
      "times were kept for the first %.1f s only: recording took %.2f %% of the run time, "
      "more than its budget of %.2f %%",
      static_cast<double>(span_ns) * 1e-9, share * 100, settings_.budget * 100);
  run_.notes = text;
}

void Recorder::write_last_words(trace::RankEnding ending) {
  const bool was_stopped = stopped_.exchange(true); // other threads pass us by from now on
  timespec pause{0, 1'000'000};
  bool is_ours = false;
  for (int i = 0; i < 500 && !is_ours; ++i) {
    is_ours = needs_lock ? lock.try_lock() : !busy.load();
    if (!is_ours) ::nanosleep(&pause, nullptr);
  }
  if (!is_ours) return; // better no last words than half ones: there is the checkpoint
  try {
    if (last_words_.empty()) {
      parts_.write(archive::encode_part(make_part(ending, false)));
    } else {
      parts_.write(last_words_);
    }
  } catch (...) { // out of memory: there is the checkpoint
  }
  stopped_ = was_stopped;
  if (needs_lock) lock.unlock();
}

} // namespace rondo::record
