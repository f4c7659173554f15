// SPDX-License-Identifier: Apache-2.0
// Dimemas's trace: a header, the communicators, each rank's records one after another, and where
// each rank's begin. Ranks and threads count from 0, communicators from 1, as in the .prv.
#include "convert/calls/call_messages.hpp"
#include "convert/calls/call_times.hpp"
#include "convert/calls/unsaid_calls.hpp"
#include "convert/paraver/collective_sizes.hpp"
#include "convert/paraver/prv_places.hpp"
#include "convert/paraver/prv_queue.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace rondo::convert {
namespace internal {
namespace {

// Dimemas's numbers of collective operations.
constexpr std::array<std::string_view, 14> kOperations = {
    mpi::Barrier,  mpi::Bcast,     mpi::Gather,         mpi::Gatherv,  mpi::Scatter,
    mpi::Scatterv, mpi::Allgather, mpi::Allgatherv,     mpi::Alltoall, mpi::Alltoallv,
    mpi::Reduce,   mpi::Allreduce, mpi::Reduce_scatter, mpi::Scan};

enum DimSend { kSend = 0, kRendezvous = 1, kImmediate = 2 };
enum DimReceive { kReceive = 0, kPosted = 1, kWaited = 2 };

std::optional<std::size_t> dim_operation(std::string_view name) {
  for (std::size_t i = 0; i < kOperations.size(); ++i)
    if (kOperations[i] == name) return i;
  return std::nullopt;
}

// The blocking operation that is nearest to one that Dimemas does not have.
std::optional<std::size_t> near_operation(std::string name) {
  if (name.ends_with("_c")) name.resize(name.size() - 2);
  if (name.ends_with("_init")) return std::nullopt;
  if (name[4] == 'I') { // "MPI_Ibcast": "MPI_Bcast"
    name.erase(4, 1);
    name[4] = static_cast<char>(name[4] & ~0x20);
  }
  if (name == mpi::Exscan) name = mpi::Scan;
  if (name == mpi::Alltoallw) name = mpi::Alltoallv;
  if (name == mpi::Reduce_scatter_block) name = mpi::Reduce_scatter;
  return dim_operation(name);
}

bool is_unsaid_by_dimemas(const trace::Function& function) {
  const bool is_operation = function.role == trace::Role::kCollective;
  return function.role == trace::Role::kNeighbor || function.role == trace::Role::kRma ||
         function.mode == trace::Mode::kPartitioned ||
         trace::meaning_of(function).act == trace::Act::kFileAccess ||
         (is_operation && !dim_operation(function.name));
}

struct DimRun {
  explicit DimRun(const trace::Trace& written)
      : trace(written), messages(written), places(written, messages.comms) {}
  const trace::Trace& trace;
  MessageRun messages;
  PrvPlaces places;
  bool are_reconstructed = false;
};

class DimStream {
public:
  DimStream(DimRun& run, const trace::RankClass& rank_class, std::int64_t rank)
      : run_(run), rank_(rank), head_(std::to_string(rank) + ":0"),
        reader_(run.trace, rank_class, rank), times_(run.trace, rank_class, rank),
        messages_(run.messages, reader_, rank_class.thread), sizes_(run.trace, reader_) {
    run.are_reconstructed = run.are_reconstructed || times_.are_reconstructed();
  }

  Status write(GrowingFile& file, std::uint64_t& written_bytes) {
    while (const trace::CallInstance* call = reader_.next()) {
      const std::size_t before = file.text().size();
      const CallInterval interval = times_.next(call->symbol);
      computed_ns_ += interval.computation_ns;
      compute(file.text(), interval.computation_ns);
      exchange(*call, file.text());
      if (call->function->role == trace::Role::kCollective) operate(*call, file.text());
      written_bytes += file.text().size() - before;
      if (auto written = file.spill(); !written) return written;
    }
    const std::uint64_t all_ns = run_.trace.ranks[static_cast<std::size_t>(rank_)].computation_ns;
    const std::size_t before = file.text().size();
    compute(file.text(), all_ns - std::min(all_ns, computed_ns_));
    written_bytes += file.text().size() - before;
    return {};
  }

private:
  void compute(std::string& out, std::uint64_t ns) const {
    if (ns == 0) return;
    char line[96];
    std::snprintf(line, sizeof line, "1:%s:%llu.%09llu\n", head_.c_str(),
                  static_cast<unsigned long long>(ns / 1'000'000'000),
                  static_cast<unsigned long long>(ns % 1'000'000'000));
    out += line;
  }

  void message(std::string& out, const CallMessage& one, int record, int kind) const {
    append_number(out, record);
    out += ':';
    out += head_;
    for (const std::int64_t word :
         {one.peer, std::int64_t{0}, static_cast<std::int64_t>(one.bytes), one.tag,
          static_cast<std::int64_t>(
              std::max<std::uint64_t>(run_.places.number_of(rank_, one.comm), 1)),
          std::int64_t{kind}}) {
      out += ':';
      append_number(out, word);
    }
    out += '\n';
  }

  // A receive with a request is posted where it was, and waited for where it was completed.
  void exchange(const trace::CallInstance& call, std::string& out) {
    const bool is_receive =
        call.function->role == trace::Role::kRecv || call.function->role == trace::Role::kSendrecv;
    const auto& now = messages_.of(call);
    for (const CallMessage& one : messages_.posted()) message(out, one, 3, kPosted);
    // What MPI_Sendrecv receives must be awaited before its send can block.
    const bool both = call.function->role == trace::Role::kSendrecv;
    for (const CallMessage& one : now)
      if (!one.is_sent && both) message(out, one, 3, kPosted);
    for (const CallMessage& one : now) {
      const bool is_immediate = both || call.function->makes_request || !is_blocking_send(call);
      if (one.is_sent)
        message(out, one, 2, is_immediate ? kImmediate : send_kind(call));
      else
        message(out, one, 3, is_receive && !both ? kReceive : kWaited);
    }
  }

  static bool is_blocking_send(const trace::CallInstance& call) {
    return call.function->role == trace::Role::kSend;
  }
  static int send_kind(const trace::CallInstance& call) {
    return call.function->name.starts_with(mpi::Ssend) ? kRendezvous : kSend;
  }

  void operate(const trace::CallInstance& call, std::string& out) {
    const auto operation = near_operation(std::string(call.function->name));
    const int comm_word = call.function->comm_word();
    const std::int64_t slot =
        comm_word < 0 ? trace::kNothing : call.words[static_cast<std::size_t>(comm_word)];
    const std::uint64_t comm = run_.places.comm_id(rank_, slot);
    if (!operation || comm == 0) return;
    const CollectiveFacts facts = sizes_.of(call, reader_.positions().of(slot).rank);
    const auto known = [](std::int64_t value) { return trace::is_special(value) ? 0 : value; };
    out += "10:";
    out += head_;
    constexpr std::int64_t kBlocking = 1;
    for (const std::int64_t word :
         {static_cast<std::int64_t>(*operation), static_cast<std::int64_t>(comm), known(facts.root),
          std::int64_t{0}, known(facts.sent), known(facts.received), kBlocking}) {
      out += ':';
      append_number(out, word);
    }
    out += '\n';
  }

  DimRun& run_;
  std::int64_t rank_;
  std::string head_; // "RANK:0"
  trace::CallReader reader_;
  CallTimes times_;
  CallMessages messages_;
  CollectiveSizes sizes_;
  std::uint64_t computed_ns_ = 0;
};

// Where the offsets of the ranks' records begin stands in the first line.
std::string dim_head(const DimRun& run, const std::string& name, std::uint64_t offsets_at) {
  char at[24];
  std::snprintf(at, sizeof at, "%015llu", static_cast<unsigned long long>(offsets_at));
  std::string text = "#DIMEMAS:\"" + name + "\":1," + at + ":";
  text += std::to_string(run.trace.run.ranks) + "(";
  for (std::int64_t rank = 0; rank < run.trace.run.ranks; ++rank) text += rank == 0 ? "1" : ",1";
  text += ")," + std::to_string(run.places.comm_count()) + ",0\n";
  for (const PrvPlaces::Comm& comm : run.places.comms()) {
    text += "d:1:" + std::to_string(comm.id) + ":" + std::to_string(comm.members.size());
    for (const std::int64_t rank : comm.members) text += ":" + std::to_string(rank);
    text += "\n";
  }
  return text;
}

Result<std::string> write_ranks(DimRun& run, GrowingFile& file, std::uint64_t& bytes) {
  std::string offsets;
  for (std::int64_t rank = 0; rank < run.trace.run.ranks; ++rank) {
    offsets += "s:" + std::to_string(rank) + ":" + std::to_string(bytes) + "\n";
    const trace::RankClass* calls = run.trace.class_of(rank);
    if (calls == nullptr) continue;
    if (auto written = DimStream(run, *calls, rank).write(file, bytes); !written)
      return propagate(written);
  }
  return offsets;
}

// Threads besides the first of each rank.
std::int64_t further_threads(const trace::Trace& trace) {
  std::int64_t threads = 0;
  for (const trace::RankClass& c : trace.classes) threads += c.thread == 0 ? 0 : c.ranks.size();
  return threads;
}

std::vector<std::string> remarks_of_dim(const DimRun& run, const UnsaidCalls& unsaid) {
  std::vector<std::string> remarks = run.messages.receives.remarks();
  for (const std::string& name : unsaid) {
    const bool is_near = near_operation(name).has_value();
    remarks.push_back(name + ": " +
                      (is_near ? "written as the blocking operation that is nearest to it"
                               : "left out, as Dimemas has nothing like it"));
  }
  if (run.are_reconstructed)
    remarks.push_back("computation is the mean of each place, as the input has no stamps (record "
                      "or convert with --times full)");
  if (const std::int64_t threads = further_threads(run.trace); threads > 0)
    remarks.push_back(std::to_string(threads) +
                      " threads besides the first of their rank are left out");
  return remarks;
}

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_dimemas(const trace::Trace& trace, const std::string& path,
                                               bool approximates, Overwrite overwrite) {
  using namespace internal;
  const UnsaidCalls unsaid = unsaid_calls(trace, is_unsaid_by_dimemas);
  if (!approximates && further_threads(trace) > 0)
    return fail(ErrorCode::kUnsupported,
                "has ranks with several threads, which a Dimemas trace cannot say; --approximate "
                "writes the first of each");
  if (!approximates && !unsaid.empty())
    return refuse("a Dimemas trace", unsaid, "writes what is nearest to them, or leaves them out");
  auto file = GrowingFile::create(path, overwrite);
  if (!file) return propagate(file);
  DimRun run(trace);
  const std::string name = std::filesystem::path(path).filename().string();
  file->text() = dim_head(run, name, 0);
  std::uint64_t bytes = file->text().size();
  auto offsets = write_ranks(run, *file, bytes);
  if (!offsets) return propagate(offsets);
  file->text() += *offsets;
  const std::string head = dim_head(run, name, bytes);
  if (auto written = file->replace(0, head.substr(0, head.find('\n'))); !written)
    return propagate(written);
  if (auto written = file->finish(); !written) return propagate(written);
  return remarks_of_dim(run, unsaid);
}

} // namespace rondo::convert
