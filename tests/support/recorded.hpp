// SPDX-License-Identifier: Apache-2.0
// Traces of small programs written down in a test: what each rank calls, by argument names.
//
//   const Trace trace = recorded(4, [](Caller& s) { s.send((s.rank + 1) % 4, 5); });
#pragma once

#include "rondo/fold/merge.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/call_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::support {

inline constexpr std::int64_t kWorld = -1;
inline constexpr std::int64_t kSelf = -2;
inline constexpr std::int64_t kInt = -8; // MPI_INT, 4 bytes
inline constexpr std::int64_t kDouble = -13; // MPI_DOUBLE, 8 bytes

inline constexpr std::uint32_t kSites = 16;

using Arguments = std::initializer_list<std::pair<std::string_view, std::int64_t>>;

// One rank's calls while they are recorded.
class Caller {
public:
  Caller(std::int64_t own_rank, std::int64_t all) : rank(own_rank), ranks(all) {
    builder.set_position(kWorld, rank, ranks);
    builder.set_position(kSelf, 0, 1);
  }

  // Arguments that are not named are kNothing. A status has three words: "status", "status.tag",
  // "status.bytes".
  void call(std::string_view name, Arguments arguments, std::uint16_t error = 0) {
    ASSERT_LT(site, kSites) << "of the call sites that recorded_threads defines";
    const trace::Function& function = *trace::find_function(name);
    std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
    event[0] = fold::header_word(function.id, error);
    event[1] = site;
    for (const auto& [field, value] : arguments) {
      const int word = function.word_of(field.substr(0, field.find('.')));
      ASSERT_GE(word, 0) << name << " has no " << field;
      const int part = field.ends_with(".tag") ? 1 : field.ends_with(".bytes") ? 2 : 0;
      event[fold::kEventHead + static_cast<std::size_t>(word + part)] = value;
    }
    builder.record(event.data(), event.size(), 0, 0);
  }

  void send(std::int64_t dest, std::int64_t count, std::int64_t datatype = kDouble,
            std::int64_t comm = kWorld, std::string_view name = "MPI_Send") {
    call(name,
         {{"count", count}, {"datatype", datatype}, {"dest", dest}, {"tag", 0}, {"comm", comm}});
  }

  void receive(std::int64_t source, std::int64_t count) {
    call("MPI_Recv", {{"count", count},
                      {"datatype", kDouble},
                      {"source", source},
                      {"tag", 0},
                      {"comm", kWorld}});
  }

  void start(std::uint64_t slot) { call("MPI_Start", {{"request", trace::request_by_slot(slot)}}); }
  void free(std::uint64_t slot) {
    call("MPI_Request_free", {{"request", trace::request_by_slot(slot)}});
  }

  void phase(std::string_view name, bool begins) {
    if (begins) {
      call("rondo_phase_begin", {{"name", builder.text(name)}});
    } else {
      call("rondo_phase_end", {{"name", builder.text(name)}});
    }
  }

  std::int64_t array(std::vector<std::int64_t> values) {
    return builder.array(values.data(), values.size());
  }

  std::int64_t rank;
  std::int64_t ranks;
  std::uint32_t site = 0; // of the calls that follow, below kSites
  fold::ProgramBuilder builder;
};

// What `play(caller, thread)` records in each thread of each rank, merged; MPI_INT and MPI_DOUBLE
// are defined.
template <class Play>
trace::Trace recorded_threads(std::int64_t ranks, std::uint32_t threads, Play play) {
  fold::RecordingPart all;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    fold::RecordingPart part;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      Caller stream(rank, ranks);
      play(stream, thread);
      part.classes.push_back(fold::class_of_stream(rank, thread, stream.builder.finish()));
    }
    part.ranks.push_back({rank, {}});
    for (std::uint64_t site = 0; site < kSites; ++site)
      part.tables.sites.push_back({"program", site});
    if (rank == 0) {
      all = std::move(part);
    } else {
      fold::merge(all, std::move(part));
    }
  }
  trace::Trace trace = fold::resolve(std::move(all));
  trace.run.ranks = ranks;
  const auto everyone = trace::RankSet::from_range({0, 1, ranks});
  trace.datatypes.push_back({kInt, "MPI_INT", 4, 4, everyone});
  trace.datatypes.push_back({kDouble, "MPI_DOUBLE", 8, 8, everyone});
  return trace;
}

// Of one thread a rank.
template <class Play> trace::Trace recorded(std::int64_t ranks, Play play) {
  return recorded_threads(ranks, 1, [&](Caller& caller, std::uint32_t) { play(caller); });
}

inline void define_comm(trace::Trace& trace, std::int64_t slot, std::vector<std::int64_t> members,
                        std::vector<std::int64_t> remote = {}) {
  trace.comms.push_back(
      {slot, trace::ranges_of(members), trace::ranges_of(remote), trace::RankSet::of(members)});
}

} // namespace rondo::support
