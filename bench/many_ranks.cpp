// SPDX-License-Identifier: Apache-2.0
// Writes the archive of a run with more ranks than there are machines for, recorded rank by rank
// with the recorder's own builder, and merged over a binary tree as it does over MPI. Times are
// made up: each rank computes as long as its place says.
//
//   usage: many_ranks SHAPE SIZES ROUNDS OUT.rondo [varied]
//     halo 256x512     neighbours on a grid with borders, then a sum over all
//     torus 32x32x64   neighbours on a torus, posted, then waited for
//     ring 65536       each sends to the next
//     sum 65536        a sum over all
//     rows 256x256     an all-to-all in each row, which has a communicator
//     workers 65536    rank 0 hands out a task a round to each of the others, who ask for it
//
// With "varied" each rank computes another time in each round, by chance, so that the archive keeps
// courses; the same without them is written to OUT.rondo.means.rondo.
//
// Guards bench/report.py and bench/commands.py: 10^5 and 10^6 ranks, and 10^9 calls.
#include "rondo/archive/archive.hpp"
#include "rondo/fold/merge.hpp"
#include "tests/support/events.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

namespace rondo {
namespace {

using support::Event;
using support::event_of;
using Events = std::vector<Event>;

constexpr std::int64_t kType = -1; // the first of the predefined ones, here of 8 bytes
constexpr std::int64_t kSum = -3; // likewise
constexpr std::int64_t kRow = 0; // slot of a row's communicator

struct Run {
  std::string shape;
  std::vector<std::int64_t> sizes; // the last one varies fastest
  std::int64_t rounds = 0;
  bool is_varied = false;
  std::int64_t ranks() const {
    std::int64_t product = 1;
    for (const std::int64_t size : sizes) product *= size;
    return product;
  }
};

Event send(std::int64_t to) {
  return event_of("MPI_Send", {{"count", 500}, {"datatype", kType}, {"dest", to}, {"tag", 1}}, 1);
}
// A status that says no more than the call but whom the message came from.
Event with_status(Event event, std::string_view function, std::int64_t source) {
  const auto word = static_cast<std::size_t>(trace::find_function(function)->word_of("status"));
  const auto status = event.begin() + static_cast<std::ptrdiff_t>(fold::kEventHead + word);
  std::fill_n(status, 3, trace::kNothing);
  *status = source;
  return event;
}
Event receive(std::int64_t from, std::int64_t came_from = trace::kNothing) {
  return with_status(
      event_of("MPI_Recv", {{"count", 500}, {"datatype", kType}, {"source", from}, {"tag", 1}}, 2),
      "MPI_Recv", came_from);
}
Event sum() {
  return event_of("MPI_Allreduce", {{"count", 1}, {"datatype", kType}, {"op", kSum}}, 3);
}

// Of ranks beside this one in each dimension, lower first; borders have none unless it wraps.
std::vector<std::int64_t> neighbours(const Run& run, std::int64_t rank, bool wraps) {
  std::vector<std::int64_t> peers;
  std::int64_t stride = run.ranks();
  for (const std::int64_t size : run.sizes) {
    stride /= size;
    const std::int64_t at = rank / stride % size;
    if (at > 0 || wraps) peers.push_back(rank + (at > 0 ? -1 : size - 1) * stride);
    if (at + 1 < size || wraps) peers.push_back(rank + (at + 1 < size ? 1 : 1 - size) * stride);
  }
  return peers;
}

Events halo(const Run& run, std::int64_t rank) {
  Events events;
  for (const std::int64_t peer : neighbours(run, rank, false)) events.push_back(send(peer));
  for (const std::int64_t peer : neighbours(run, rank, false)) events.push_back(receive(peer));
  events.push_back(sum());
  return events;
}

Events torus(const Run& run, std::int64_t rank) {
  const std::vector<std::int64_t> peers = neighbours(run, rank, true);
  Events events;
  for (std::size_t i = 0; i < peers.size(); ++i)
    events.push_back(event_of("MPI_Irecv",
                              {{"count", 500},
                               {"datatype", kType},
                               {"source", peers[i]},
                               {"tag", static_cast<std::int64_t>(i)}},
                              4));
  for (std::size_t i = 0; i < peers.size(); ++i)
    events.push_back(event_of("MPI_Send",
                              {{"count", 500},
                               {"datatype", kType},
                               {"dest", peers[i]},
                               {"tag", static_cast<std::int64_t>(i ^ 1U)}},
                              5));
  for (std::size_t i = 0; i < peers.size(); ++i)
    events.push_back(with_status(
        event_of("MPI_Wait", {{"request", trace::request_by_age(peers.size() - 1 - i)}}, 6),
        "MPI_Wait", trace::kNothing));
  return events;
}

Events ring(const Run& run, std::int64_t rank) {
  const std::int64_t ranks = run.ranks();
  return {send((rank + 1) % ranks), receive((rank + ranks - 1) % ranks)};
}

Events rows(const Run& run, std::int64_t) {
  const std::int64_t count = 8192 / run.sizes.back();
  return {event_of("MPI_Alltoall",
                   {{"sendcount", count},
                    {"sendtype", kType},
                    {"recvcount", count},
                    {"recvtype", kType},
                    {"comm", kRow}},
                   7)};
}

Events workers(const Run& run, std::int64_t rank) {
  if (rank > 0) return {send(0), receive(0)};
  Events events;
  for (std::int64_t worker = 1; worker < run.ranks(); ++worker) {
    events.push_back(receive(trace::kAnySource, worker));
    events.push_back(send(worker));
  }
  return events;
}

std::optional<Events> round_of(const Run& run, std::int64_t rank) {
  if (run.shape == "halo") return halo(run, rank);
  if (run.shape == "torus") return torus(run, rank);
  if (run.shape == "ring") return ring(run, rank);
  if (run.shape == "sum") return Events{sum()};
  if (run.shape == "rows") return rows(run, rank);
  if (run.shape == "workers") return workers(run, rank);
  return std::nullopt;
}

// As the recorder knows it of a rank in the row.
void make_row(const Run& run, std::int64_t rank, fold::ProgramBuilder& builder,
              fold::RecordingPart& part) {
  const std::int64_t size = run.sizes.back();
  builder.set_position(kRow, rank % size, size);
  trace::CommDefinition row;
  row.slot = kRow;
  row.members = {{rank / size * size, 1, size}};
  row.holders = trace::RankSet::of({rank});
  part.tables.comms.push_back(row);
}

class Recording {
public:
  Recording(const Run& run, std::int64_t rank)
      : run_(run), rank_(rank), part_(support::RankRecorder(rank, run.ranks()).part()) {
    builder_.set_position(-1, rank, run.ranks());
    builder_.set_position(-2, 0, 1);
    part_.tables.datatypes.push_back({kType, "MPI_DOUBLE", 8, 8, trace::RankSet::of({rank})});
  }

  fold::RecordingPart part() {
    record(event_of("MPI_Init", {}), 1000, 50000);
    if (run_.shape == "rows") {
      make_row(run_, rank_, builder_, part_);
      record(event_of("MPI_Comm_split",
                      {{"color", rank_ / run_.sizes.back()}, {"key", rank_}, {"newcomm", kRow}}, 8),
             1000, 20000);
    }
    const auto own = static_cast<std::uint64_t>(rank_ % 7);
    const Events round = *round_of(run_, rank_);
    std::uint64_t state = static_cast<std::uint64_t>(rank_) * 0x9e3779b97f4a7c15U + 1;
    for (std::int64_t i = 0; i < run_.rounds; ++i) {
      for (const Event& event : round) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t varied = run_.is_varied ? state >> 49 : 0; // up to 33 us
        record(event, 20000 + 500 * own + varied, 2000 + 100 * own);
      }
    }
    record(event_of("MPI_Finalize", {}), 1000, 10000);
    facts_.startup_ns = 50000;
    facts_.span_ns = facts_.computation_ns + facts_.inside_ns;
    part_.classes = {};
    part_.classes.push_back(fold::class_of_stream(rank_, 0, builder_.finish()));
    part_.ranks.front().second = facts_;
    return std::move(part_);
  }

private:
  void record(const Event& event, std::uint64_t before, std::uint64_t inside) {
    builder_.record(event.data(), event.size(), before, inside);
    ++facts_.calls;
    facts_.computation_ns += before;
    facts_.inside_ns += inside;
  }

  const Run& run_;
  std::int64_t rank_;
  fold::ProgramBuilder builder_{fold::ProgramOptions{}};
  fold::RecordingPart part_; // what a run and its tables have; the program comes last
  trace::RankFacts facts_;
};

fold::RecordingPart merged(const Run& run, std::int64_t begin, std::int64_t end) {
  if (end - begin == 1) return Recording(run, begin).part();
  const std::int64_t middle = begin + (end - begin) / 2;
  fold::RecordingPart low = merged(run, begin, middle);
  fold::merge(low, merged(run, middle, end));
  return low;
}

void drop_courses(trace::Trace& trace) {
  for (trace::RankClass& of : trace.classes) {
    auto program = std::make_shared<trace::Program>(*of.program);
    for (trace::PlaceTimes& place : program->times) place.courses = {};
    of.program = std::move(program);
  }
}

std::vector<std::int64_t> sizes_of(const char* text) {
  std::vector<std::int64_t> sizes;
  for (char* end = nullptr; *text != '\0'; text = *end == 'x' ? end + 1 : end) {
    sizes.push_back(std::strtoll(text, &end, 10));
    if (end == text) return {};
  }
  return sizes;
}

} // namespace
} // namespace rondo

int main(int argc, char** argv) {
  rondo::Run run;
  const bool is_varied = argc == 6 && std::string(argv[5]) == "varied";
  if (argc == 5 || is_varied)
    run = {argv[1], rondo::sizes_of(argv[2]), std::atoll(argv[3]), is_varied};
  if (run.sizes.empty() || run.ranks() < 2 || run.rounds < 1 || !rondo::round_of(run, 0)) {
    std::fprintf(stderr, "usage: many_ranks SHAPE SIZES ROUNDS OUT.rondo [varied]; the source's "
                         "head has the shapes\n");
    return 2;
  }
  rondo::trace::Trace trace = rondo::fold::resolve(rondo::merged(run, 0, run.ranks()));
  auto written = rondo::archive::write(trace, argv[4], rondo::Overwrite::kRefuse);
  if (written && is_varied) {
    rondo::drop_courses(trace);
    written = rondo::archive::write(trace, std::string(argv[4]) + ".means.rondo",
                                    rondo::Overwrite::kRefuse);
  }
  if (!written) std::fprintf(stderr, "many_ranks: %s\n", written.error().text().c_str());
  return written ? 0 : 2;
}
