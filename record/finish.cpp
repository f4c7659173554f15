// SPDX-License-Identifier: Apache-2.0
// The end of a recording: each rank's program becomes a part, parts are merged along a binomial
// tree, rank 0 writes the archive. All messages go over a communicator of our own, by PMPI.
#include "record/recorder.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_codec.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace rondo::record {
namespace {

constexpr int kSizeTag = 1;
constexpr int kDataTag = 2;
constexpr std::uint64_t kChunk = std::uint64_t{1} << 30; // counts are ints

void send_bytes(const std::string& bytes, int to, MPI_Comm comm) {
  std::uint64_t size = bytes.size();
  PMPI_Send(&size, sizeof size, MPI_BYTE, to, kSizeTag, comm);
  for (std::uint64_t at = 0; at < size; at += kChunk) {
    PMPI_Send(bytes.data() + at, static_cast<int>(std::min(kChunk, size - at)), MPI_BYTE, to,
              kDataTag, comm);
  }
}

std::string receive_bytes(int from, MPI_Comm comm) {
  std::uint64_t size = 0;
  PMPI_Recv(&size, sizeof size, MPI_BYTE, from, kSizeTag, comm, MPI_STATUS_IGNORE);
  std::string bytes(size, '\0');
  for (std::uint64_t at = 0; at < size; at += kChunk) {
    PMPI_Recv(bytes.data() + at, static_cast<int>(std::min(kChunk, size - at)), MPI_BYTE, from,
              kDataTag, comm, MPI_STATUS_IGNORE);
  }
  return bytes;
}

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

// An output that must not be overwritten gets a neighbour: the run is over, its recording must not
// be lost.
std::string free_name(const std::string& output) {
  const std::size_t dot = output.rfind(".rondo");
  const std::string stem = dot == std::string::npos ? output : output.substr(0, dot);
  for (int i = 1;; ++i) {
    std::string name = stem + "." + std::to_string(i) + ".rondo";
    if (::access(name.c_str(), F_OK) != 0) return name;
  }
}

void write_archive(const trace::Trace& trace, std::string output, bool force) {
  const auto overwrite = force ? Overwrite::kReplace : Overwrite::kRefuse;
  auto written = archive::write(trace, output, overwrite);
  if (!written && written.error().code == ErrorCode::kExists) {
    const std::string other = free_name(output);
    std::fprintf(stderr, "rondo: %s exists already: writing %s\n", output.c_str(), other.c_str());
    written = archive::write(trace, other, Overwrite::kRefuse);
  }
  if (!written)
    std::fprintf(stderr, "rondo: no recording was written: %s\n", written.error().text().c_str());
}

} // namespace

trace::RunFacts Recorder::describe_run() const {
  trace::RunFacts run;
  run.command = command_line();
  run.mpi = library_version();
  run.recorder = "rondo " RONDO_VERSION;
  run.ranks = world_size_;
  run.start_unix_ns = start_unix_ns_;
  run.complete = !stopped_;
  run.thread_level = thread_level_;
  run.notes = stop_reason_;
  return run;
}

fold::Part Recorder::make_part() {
  facts_.calls = program.calls();
  facts_.span_ns = monotonic_ns() - init_start_ns_;
  facts_.recorder_ns = clock_.to_ns(recorder_ticks_);
  facts_.recorder_bytes = program.memory();
  fold::Part part;
  part.run = describe_run();
  part.classes.push_back({{world_rank}, 0, program.finish()});
  part.ranks.emplace_back(world_rank, facts_);
  part.tables = std::move(definitions_);
  part.tables.sites = sites.sites();
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  part.tables.hosts.push_back({host, trace::RankSet::of({world_rank})});
  return part;
}

void Recorder::finish() {
  try {
    fold::Part part = make_part();
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto rank = static_cast<int>(world_rank);
    const auto size = static_cast<int>(world_size_);
    for (int step = 1; step < size; step *= 2) {
      if ((rank & step) != 0) {
        send_bytes(archive::encode_part(part), rank - step, comm);
        break;
      }
      if (rank + step >= size) continue;
      auto other = archive::decode_part(receive_bytes(rank + step, comm));
      if (other) fold::merge(part, std::move(*other));
    }
    PMPI_Comm_free(&comm);
    PMPI_Group_free(&world_group_);
    if (rank == 0) write_archive(fold::resolve(std::move(part)), settings_.output, settings_.force);
  } catch (...) {
    std::fprintf(stderr, "rondo: rank %d ran out of memory when recordings were merged\n",
                 static_cast<int>(world_rank));
  }
}

} // namespace rondo::record
