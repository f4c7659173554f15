// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/trace.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <utility>

namespace rondo::trace {

const RankClass* Trace::class_of(std::int64_t rank, std::uint32_t thread) const {
  for (const RankClass& rank_class : classes) {
    if (rank_class.thread == thread && rank_class.ranks.contains(rank)) return &rank_class;
  }
  return nullptr;
}

const TimeStamps* Trace::stamps_of(std::int64_t rank, std::uint32_t thread) const {
  const auto found = std::lower_bound(stamps.begin(), stamps.end(), std::pair(rank, thread),
                                      [](const TimeStamps& of, const auto& wanted) {
                                        return std::pair(of.rank, of.thread) < wanted;
                                      });
  const bool is_there = found != stamps.end() && found->rank == rank && found->thread == thread;
  return is_there ? &*found : nullptr;
}

namespace {

// Sums of all ranks; of spans and of memory the largest.
RankFacts sum_of(const std::vector<RankFacts>& ranks) {
  RankFacts all;
  for (const RankFacts& rank : ranks) {
    all.computation_ns += rank.computation_ns;
    all.inside_ns += rank.inside_ns;
    all.recorder_ns += rank.recorder_ns;
    all.startup_ns += rank.startup_ns;
    all.recorder_apart_ns += rank.recorder_apart_ns;
    all.cpu_ns += rank.cpu_ns;
    all.waited_ns += rank.waited_ns;
    all.displaced_ns += rank.displaced_ns;
    all.recorder_start_ns += rank.recorder_start_ns;
    all.recorder_end_ns += rank.recorder_end_ns;
    all.span_ns = std::max(all.span_ns, rank.span_ns);
    all.recorder_bytes = std::max(all.recorder_bytes, rank.recorder_bytes);
  }
  return all;
}

// As if all ranks had taken as long.
void level(std::vector<RankFacts>& facts) {
  const RankFacts all = sum_of(facts);
  const auto ranks = static_cast<std::uint64_t>(
      std::count_if(facts.begin(), facts.end(), [](const RankFacts& rank) {
        return rank.ending->kind != Ending::kUnheard; // nothing is known of the others
      }));
  for (RankFacts& rank : facts) {
    if (rank.ending->kind == Ending::kUnheard) continue;
    rank.computation_ns = all.computation_ns / ranks;
    rank.inside_ns = all.inside_ns / ranks;
    rank.recorder_ns = all.recorder_ns / ranks;
    rank.startup_ns = all.startup_ns / ranks;
    rank.recorder_apart_ns = all.recorder_apart_ns / ranks;
    rank.cpu_ns = all.cpu_ns / ranks;
    rank.waited_ns = all.waited_ns / ranks;
    rank.displaced_ns = all.displaced_ns / ranks;
    rank.span_ns = all.span_ns;
    rank.recorder_bytes = all.recorder_bytes;
    rank.recorder_start_ns = all.recorder_start_ns / ranks;
    rank.recorder_end_ns = all.recorder_end_ns / ranks;
    rank.sums = {};
    rank.clock = {};
  }
}

} // namespace

void drop_times(Trace& trace) {
  trace.stamps.clear();
  for (RankClass& c : trace.classes) {
    if (c.program->times.empty()) continue;
    auto program = std::make_shared<Program>(*c.program);
    program->times.clear();
    c.program = std::move(program);
  }
  level(trace.ranks);
}

void sort_classes(Trace& trace) {
  sort_stably(trace.classes.begin(), trace.classes.end(),
              [](const RankClass& a, const RankClass& b) {
                return std::pair(a.ranks.front(), a.thread) < std::pair(b.ranks.front(), b.thread);
              });
}

} // namespace rondo::trace
