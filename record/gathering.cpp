// SPDX-License-Identifier: Apache-2.0
#include "record/gathering.hpp"

#include "record/process/clock.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_codec.hpp"
#include "rondo/base/files.hpp"
#include "rondo/fold/communicator_slots.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <unistd.h>
#include <utility>

namespace rondo::record {
namespace {

constexpr int kSizeTag = 1;
constexpr int kDataTag = 2;
constexpr std::uint64_t kChunk = std::uint64_t{1} << 30; // counts are ints

// Ranks that come to MPI_Finalize wait for the others this long: if one is not recorded, for lack
// of the library on its host, it will never meet us.
constexpr std::uint64_t kPatience_ns = 300'000'000'000;

constexpr std::uint64_t kSuspicious_ns = 1'000'000'000;

// Our own calls on MPI_COMM_WORLD fail without a word, and without the program's error handler,
// which would end it (MPI gets no shared memory any more after setuid(), for one). It is back
// before MPI_Finalize, where the program's functions may run once more.
class QuietWorld {
public:
  QuietWorld() : knows_(PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_) == MPI_SUCCESS) {
    if (knows_) PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~QuietWorld() {
    if (!knows_) return; // a library without these functions
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }
  QuietWorld(const QuietWorld&) = delete;
  QuietWorld& operator=(const QuietWorld&) = delete;

private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool knows_;
};

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

// From rank 0 to all.
void share_bytes(std::string& bytes, MPI_Comm comm) {
  std::uint64_t size = bytes.size();
  PMPI_Bcast(&size, sizeof size, MPI_BYTE, 0, comm);
  bytes.resize(size);
  for (std::uint64_t at = 0; at < size; at += kChunk) {
    PMPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kChunk, size - at)), MPI_BYTE, 0, comm);
  }
}

bool write_archive(const trace::Trace& trace, const std::string& output, const std::string& force) {
  const bool may_replace = force == "1" || force == std::to_string(modified_ns(output));
  const auto overwrite = may_replace ? Overwrite::kReplace : Overwrite::kRefuse;
  auto written = archive::write(trace, output, overwrite);
  if (!written && written.error().code == ErrorCode::kExists) {
    const std::string other = archive::free_name(output);
    std::fprintf(stderr, "rondo: %s exists already: writing %s\n", output.c_str(), other.c_str());
    written = archive::write(trace, other, Overwrite::kRefuse);
  }
  if (!written) {
    std::fprintf(stderr, "rondo: the archive could not be written: %s\n",
                 written.error().text().c_str());
  }
  return written.has_value();
}

// Processes that were spawned are an MPI_COMM_WORLD of their own: their recording stands beside
// that of those who started them, whoever is first.
std::string output_of_spawned(const std::string& output) {
  const std::size_t dot = output.rfind(".rondo");
  const std::string name = output.substr(0, dot) + ".spawned.rondo";
  return ::access(name.c_str(), F_OK) == 0 ? archive::free_name(name) : name;
}

} // namespace

// Until all ranks come, what this rank has to say is on disk. Our communicator is no duplicate, for
// which MPI would call the program's attribute callbacks; what makes one without attributes waits
// for all ranks, so they meet before.
bool Gathering::meet(MPI_Group world) {
  const QuietWorld quiet;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  const std::uint64_t start = monotonic_ns();
  bool is_written = false;
  int done = 0;
  for (;;) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    const std::uint64_t waited_ns = monotonic_ns() - start;
    if (waited_ns > kPatience_ns) return false;
    if (waited_ns > kSuspicious_ns && !is_written) {
      is_written = true;
      own_.parts.write(own_.encoded, own_.calls);
    }
    const timespec pause{0, waited_ns < 10'000'000 ? 50'000 : 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  if (PMPI_Comm_create(MPI_COMM_WORLD, world, &comm_) != MPI_SUCCESS) return false;
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return true;
}

// Whether rank 0 can hold what all ranks have: nobody has had to seal a chunk, and all time stamps,
// which do not merge, take no more memory than one rank may.
bool Gathering::fit_into_one(const fold::RecordingPart& part) const {
  std::uint64_t excess[2] = {own_.parts.sealed(), 0}; // sealed chunks, bytes of time stamps
  for (const trace::TimeStamps& stamps : part.stamps) excess[1] += stamps.bytes();
  PMPI_Allreduce(MPI_IN_PLACE, excess, 2, MPI_UINT64_T, MPI_SUM, comm_);
  return excess[0] == 0 && excess[1] <= settings_.most_stamp_bytes;
}

// Merges what all ranks have along a binomial tree; in the end rank 0 has it.
// @param encoded   the part as bytes
void Gathering::merge_to_root(fold::RecordingPart& part, const std::string& encoded) const {
  const auto rank = static_cast<int>(own_.rank);
  const auto size = static_cast<int>(own_.ranks);
  for (int step = 1; step < size; step *= 2) {
    if ((rank & step) != 0) {
      send_bytes(step == 1 ? encoded : archive::encode_part(part), rank - step, comm_);
      return;
    }
    if (rank + step >= size) continue;
    auto other = archive::decode_part(receive_bytes(rank + step, comm_));
    if (other) fold::merge(part, std::move(*other));
  }
}

// Gives each communicator one slot on all ranks: mostly it has, then one reduction says so.
void Gathering::agree_on_slots(fold::RecordingPart& part) {
  fold::RecordingPart own;
  own.tables.comms = fold::comm_rows(part);
  for (trace::CommDefinition& row : own.tables.comms) row.holders = trace::RankSet::of({0});
  const std::uint64_t hash = std::hash<std::string>()(archive::encode_part(own));
  std::uint64_t extremes[2] = {hash, ~hash};
  PMPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, comm_);
  if (extremes[0] == ~extremes[1]) return;
  for (trace::CommDefinition& row : own.tables.comms) row.holders = trace::RankSet::of({own_.rank});
  merge_to_root(own, archive::encode_part(own));
  std::string bytes;
  if (own_.rank == 0) {
    own.tables.comms = fold::agreed_slots(own.tables.comms);
    bytes = archive::encode_part(own);
  }
  share_bytes(bytes, comm_);
  const auto changes = archive::decode_part(bytes);
  const auto slots =
      changes ? fold::slots_of(changes->tables.comms, own_.rank) : fold::SlotAgreement::Slots{};
  if (slots.empty()) return;
  fold::rename_slots(part, slots);
  own_.encoded = archive::encode_part(part);
}

// True on all ranks if the archive was written.
bool Gathering::write_merged(fold::RecordingPart&& part, std::int64_t spent_ns) {
  const std::uint64_t start = clock_.ticks();
  if (own_.ranks > 1) agree_on_slots(part);
  merge_to_root(part, own_.encoded);
  int is_written = 0;
  if (own_.rank == 0) {
    if (spent_ns >= 0)
      part.ranks.front().second.recorder_end_ns =
          static_cast<std::uint64_t>(spent_ns) + clock_.to_ns(clock_.ticks() - start);
    const std::string output =
        settings_.is_spawned ? output_of_spawned(settings_.output) : settings_.output;
    is_written =
        static_cast<int>(write_archive(fold::resolve(std::move(part)), output, settings_.force));
  }
  PMPI_Bcast(&is_written, 1, MPI_INT, 0, comm_);
  return is_written != 0;
}

// Says once for all ranks what they could not write: the launcher's output is all that is left to
// say it. `rondo record` sees by itself that something is missing.
void Gathering::say_what_is_lost() const {
  const bool lost = !own_.parts.trouble().empty();
  std::uint64_t sums[3] = {lost ? 1U : 0U, lost ? own_.calls - own_.parts.calls_on_disk() : 0,
                           own_.calls};
  PMPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, comm_);
  std::uint64_t first = lost ? static_cast<std::uint64_t>(own_.rank) : ~std::uint64_t{0};
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_UINT64_T, MPI_MIN, comm_);
  if (first != static_cast<std::uint64_t>(own_.rank)) return; // also if nobody has lost anything
  std::fprintf(stderr,
               "rondo: %llu of %lld ranks could not write what they recorded: %llu of %llu calls "
               "are lost; rank %lld: %s\n",
               static_cast<unsigned long long>(sums[0]), static_cast<long long>(own_.ranks),
               static_cast<unsigned long long>(sums[1]), static_cast<unsigned long long>(sums[2]),
               static_cast<long long>(own_.rank), own_.parts.trouble().c_str());
}

void Gathering::leave_part() const {
  own_.parts.write(own_.encoded, own_.calls);
  say_what_is_lost();
}

// To rank 0, unless it sees the last of them where it is: then the file system is shared.
void Gathering::give_parts() const {
  const std::uint32_t chunks = own_.parts.sealed() + (own_.parts.trouble().empty() ? 1 : 0);
  send_bytes(chunks == 0 ? "" : own_.parts.name(chunks - 1).file(), 0, comm_);
  char sees = 0;
  PMPI_Recv(&sees, 1, MPI_CHAR, 0, kSizeTag, comm_, MPI_STATUS_IGNORE);
  if (sees != 0) return;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    send_bytes(own_.parts.read(chunk), 0, comm_);
  char stored = 0;
  PMPI_Recv(&stored, 1, MPI_CHAR, 0, kSizeTag, comm_, MPI_STATUS_IGNORE);
  if (stored != 0) own_.parts.remove();
}

void Gathering::take_parts(int rank) const {
  const std::string name = receive_bytes(rank, comm_);
  const auto last = archive::parse_part_name(name);
  const char sees = !last || own_.parts.has(name) ? 1 : 0;
  PMPI_Send(&sees, 1, MPI_CHAR, rank, kSizeTag, comm_);
  if (sees != 0) return;
  char stored = 1;
  for (std::uint32_t chunk = 0; chunk <= last->chunk; ++chunk) {
    const std::string bytes = receive_bytes(rank, comm_);
    if (!own_.parts.write_for({last->run, last->rank, chunk}, bytes)) stored = 0;
  }
  PMPI_Send(&stored, 1, MPI_CHAR, rank, kSizeTag, comm_);
}

// One rank after the other: rank 0 holds one chunk at a time.
void Gathering::hand_over_parts() const {
  leave_part();
  const auto size = static_cast<int>(own_.ranks);
  for (int rank = 1; rank < size; ++rank) {
    if (rank == own_.rank) give_parts();
    if (own_.rank == 0) take_parts(rank);
  }
  if (own_.rank == 0 && std::getenv("RONDO_RUN") == nullptr) {
    std::fprintf(
        stderr,
        "rondo: the recording is in %s; rondo convert %s OUT.rondo makes one archive of it\n",
        own_.parts.folder().c_str(), own_.parts.folder().c_str());
  }
}

void Gathering::deliver(fold::RecordingPart&& part, std::int64_t spent_ns) {
  if (!fit_into_one(part)) {
    part = {};
    hand_over_parts();
  } else if (write_merged(std::move(part), spent_ns)) {
    own_.parts.remove();
    PMPI_Barrier(comm_);
    if (own_.rank == 0) own_.parts.remove_folder();
  } else {
    leave_part();
  }
  PMPI_Comm_free(&comm_);
}

} // namespace rondo::record
