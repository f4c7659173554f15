// SPDX-License-Identifier: Apache-2.0
// Collective operations of one rank, and the communicators that it makes.
#include "simulate/ranks/rank_collectives.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {
namespace {

using trace::CallView;
using trace::is_special;

FormulaValues formula_values(const NetworkModel& model, std::int64_t ranks, std::uint64_t bytes) {
  return {model.link_latency_s(),     model.link_bandwidth(),    model.overhead_s, model.gap_s,
          static_cast<double>(ranks), static_cast<double>(bytes)};
}

// MPI libraries scan by a chain or by doubling, in which ranks hear higher ones, too, that their
// result does not depend on. What counts is what it depends on if no message takes time, or where
// times were recorded: by doubling, a rank that was done early would pass on what came later.
bool goes_along_chain(const CollectivePart& part) {
  return !part.is_inter &&
         (part.operation == Operation::kScan || part.operation == Operation::kExscan);
}
std::vector<Step> chain_of(const CollectivePart& part) {
  std::vector<Step> steps;
  if (part.rank > 0) steps.push_back({part.members[part.rank - 1], -1, 0, false, part.block});
  if (part.rank + 1 < part.members.size())
    steps.push_back({-1, part.members[part.rank + 1], part.block, false, 0});
  return steps;
}

// Each has something for each other one by rings or pairs: as many steps as there are ranks.
bool is_of_all_with_all(const CollectivePart& part) {
  switch (part.operation) {
  case Operation::kAllgather:
  case Operation::kAllgatherv:
  case Operation::kAlltoall:
  case Operation::kAlltoallv:
  case Operation::kReduceScatter:
    return !part.is_inter;
  default:
    return false;
  }
}

std::int64_t tag_behind(std::int64_t number) { return kFirstBackgroundTag - 2 * number; }

bool takes_no_time(const SimulateOptions& options) {
  return options.collectives_are_eager || options.at_recorded_times;
}

// Ranks that read or write together, or change what all know of a file, wait for each other in some
// libraries, on some numbers of ranks and at some sizes. Recorded times tell; without, they are
// taken to meet where all libraries do.
bool is_access_of_all(std::string_view name) {
  constexpr std::array kChanges = {mpi::File_preallocate, mpi::File_set_info, mpi::File_sync,
                                   mpi::File_set_atomicity};
  return name.find("_all") != name.npos || name.find("_ordered") != name.npos ||
         std::ranges::find(kChanges, name) != kChanges.end();
}

bool meets_in_all_libraries(std::string_view name) {
  return name == mpi::File_set_view || name == mpi::File_set_size || name == mpi::File_seek_shared;
}

// Those of the run, who wait for each other where all do, whoever else is there. Nothing where it
// is not known for whom they wait, as between groups and where a root is.
std::optional<CollectivePart> part_in_run(const CollectivePart& part) {
  const bool is_of_all = is_of_all_with_all(part) || part.operation == Operation::kAllreduce ||
                         part.operation == Operation::kBarrier;
  if (part.is_inter || !is_of_all) return std::nullopt;
  CollectivePart inside{.operation = Operation::kBarrier};
  std::vector<std::int64_t> ranks;
  for (std::int64_t i = 0; i < part.members.size(); ++i) {
    if (i == part.rank) inside.rank = static_cast<std::int64_t>(ranks.size());
    if (part.members[i] >= 0) ranks.push_back(part.members[i]);
  }
  inside.members = Members::listed(std::make_shared<const std::vector<std::int64_t>>(ranks));
  return inside;
}

bool has_outsiders(const Members& members) {
  for (std::int64_t i = 0; i < members.size(); ++i) {
    if (members[i] < 0) return true;
  }
  return false;
}

std::vector<Step> dependences_of(const CollectivePart& part, const SimulateOptions& options) {
  return takes_no_time(options) && goes_along_chain(part) ? chain_of(part) : steps_of(part);
}

} // namespace

void RankCollectives::collective(const CallView& call, OpenRequests::Slot* slot) {
  const std::int64_t comm = call.comm();
  const trace::Function& function = slot != nullptr ? *slot->function : *rank_.call().function;
  if (rank_.source().comm(comm).id == trace::Communicators::kUnknown)
    return rank_.unsupported("is on a communicator that the trace does not know");
  const trace::CollectiveWords where = trace::collective_words_of(function);
  if (where.operation >= Operation::kNeighborAllgather &&
      rank_.objects().topologies.of(rank_.source(), comm) == nullptr)
    return rank_.unsupported("is on a process topology whose making the trace does not have");
  CollectivePart part = part_of(where, call.words(), comm);
  const bool is_background = slot != nullptr || function.mode == trace::Mode::kNonblocking;
  play_part(std::move(part), comm, is_background, slot, slot != nullptr ? slot->line : 0);
}

CollectivePart RankCollectives::part_of(const trace::CollectiveWords& where,
                                        std::span<const std::int64_t> words, std::int64_t comm) {
  const trace::Member member{rank_.source().comm(comm), rank_.source().rank_in(comm),
                             rank_.source().is_inter(comm)};
  const trace::WordReader reader{
      [this](std::int64_t index) { return rank_.array(index); },
      [this](std::int64_t count, std::int64_t type) { return rank_.bytes(count, type); }};
  CollectivePart part = trace::part_of(where, words, member, reader);
  if (part.operation < Operation::kNeighborAllgather) return part;
  if (const auto* neighbors = rank_.objects().topologies.of(rank_.source(), comm)) {
    part.sources = neighbors->sources;
    part.destinations = neighbors->destinations;
  }
  return part;
}

double RankCollectives::formula_cost(std::int64_t ranks, std::uint64_t bytes) {
  const Formula& formula = *rank_.stage().options.collectives;
  const double seconds = formula.value(formula_values(rank_.transport().model(), ranks, bytes));
  if (is_cost(seconds)) return seconds;
  rank_.unsupported("costs " + std::to_string(seconds) + " s by the formula '" + formula.text() +
                    "' on " + std::to_string(ranks) + " ranks with " + std::to_string(bytes) +
                    " bytes; a cost is a number from 0");
  return 0;
}

void RankCollectives::play_part(CollectivePart part, std::int64_t comm, bool is_background,
                                OpenRequests::Slot* slot, std::uint32_t line) {
  if (rank_.stage().passes_outsiders && has_outsiders(part.members)) {
    std::optional<CollectivePart> inside = part_in_run(part);
    if (!inside && is_background) keep(rank_.transport().timed(rank_.clock()), slot);
    if (!inside) return;
    part = std::move(*inside);
  }
  const std::uint32_t id = rank_.source().comm(comm).id;
  std::int64_t tag = kCollectiveTag;
  if (is_background) { // even ones are started, odd ones were made before
    const auto number =
        static_cast<std::int64_t>(slot != nullptr ? line : ++rank_.objects().operations[id]);
    tag = tag_behind(number) - (slot != nullptr ? 1 : 0);
  }
  if (rank_.stage().options.collectives && part.operation < Operation::kNeighborAllgather) {
    Request* const request = come_for_formula(part, comm, tag);
    return is_background ? keep(request, slot) : rank_.wait_for(request);
  }
  const SimulateOptions& options = rank_.stage().options;
  // If no message takes time, whoever needs something of all goes on when the last one has come, by
  // whatever way: so by the shortest, which a barrier takes, as `ranks` steps of each rank would
  // make the square of the ranks.
  if (takes_no_time(options) && is_of_all_with_all(part)) part.operation = Operation::kBarrier;
  if (!is_background && rank_.stage().gathers &&
      Gatherings::knows(part, rank_.stage().ledger.ranks.size()))
    return rank_.stage().gatherings.come(id, part, rank_, rank_.transport());
  std::vector<Step> steps = dependences_of(part, options);
  is_background ? keep(play_behind(std::move(steps), id, tag), slot)
                : rank_.play(std::move(steps), id, tag);
}

Request* RankCollectives::play_behind(std::vector<Step>&& steps, std::uint32_t id,
                                      std::int64_t tag) {
  Request* const done = rank_.transport().open_request();
  BackgroundActivity& activity = rank_.new_background(done);
  activity.begin(std::move(steps), id, tag);
  activity.run();
  return done;
}

// What costs what a formula says, once all are there.
Request* RankCollectives::come_for_formula(const CollectivePart& part, std::int64_t comm,
                                           std::int64_t tag) {
  const trace::Communicators::View& view = rank_.source().comm(comm);
  const auto cost = [this](std::int64_t ranks, std::uint64_t bytes) {
    return formula_cost(ranks, bytes);
  };
  return rank_.stage().meetings.come(view.id, tag, view.all, rank_.clock(), part.total_bytes(),
                                     rank_.rank(), rank_.id(), rank_.transport(), cost);
}

void RankCollectives::keep(Request* request, OpenRequests::Slot* slot) {
  if (slot != nullptr)
    slot->active = request;
  else
    rank_.open().add(request);
}

// Communicators -----------------------------------------------------------------------------------

void RankCollectives::meet_all(std::int64_t comm, bool is_background) {
  if (rank_.source().comm(comm).id == trace::Communicators::kUnknown) {
    rank_.unsupported("is on a communicator that the trace does not know");
    return;
  }
  const trace::CollectiveWords barrier;
  play_part(part_of(barrier, {}, comm), comm, is_background, nullptr, 0);
}

Request* RankCollectives::meet_behind(std::int64_t comm) {
  const std::uint32_t id = rank_.source().comm(comm).id;
  const auto number = static_cast<std::int64_t>(++rank_.objects().operations[id]);
  return play_behind(
      dependences_of(part_of(trace::CollectiveWords(), {}, comm), rank_.stage().options), id,
      tag_behind(number));
}

void RankCollectives::make_comm(const CallView& call) {
  const trace::CallMeaning& means = call.means();
  const std::int64_t made = trace::word_or(call.words(), means.new_comm, trace::kNull);
  if (!is_special(made))
    rank_.objects().topologies.learn(rank_.source(), made, rank_.stage().graphs, rank_.rank());
  const bool joins_two = is_inter(made) && !is_inter(call.comm()); // groups
  const bool meets_in_made = means.is_of_group || means.comm < 0 || joins_two;
  const std::int64_t met = meets_in_made ? made : call.comm();
  if (is_special(met)) return;
  const bool is_background = rank_.call().function->makes_request;
  meet_all(met, is_background);
  // At an intercommunicator's barrier each waits for the other group, and at the next one so for
  // all that those have waited for: its own. Who disconnects needs to hear of the others only.
  if (means.act == trace::Act::kMakeComm && is_inter(met) && !is_background)
    rank_.do_then([this, met] { meet_all(met, false); });
}

bool RankCollectives::is_inter(std::int64_t comm) const {
  return !is_special(comm) && rank_.source().comm(comm).id != trace::Communicators::kUnknown &&
         rank_.source().is_inter(comm);
}

bool RankCollectives::file_call() {
  const SimulateOptions& options = rank_.stage().options;
  const trace::Function& function = *rank_.call().function;
  const bool is_open = function.name == mpi::File_open;
  const bool is_close = function.name == mpi::File_close;
  const bool is_set = meets_in_all_libraries(function.name);
  const bool is_access = options.at_recorded_times && is_access_of_all(function.name);
  if (!takes_no_time(options) || !(is_open || is_close || is_set || is_access)) return false;
  const std::int64_t name = rank_.call_view().file();
  if (is_special(name)) return false;
  auto& files = rank_.objects().files;
  if (is_open) files[name] = {rank_.call_view().comm()};
  const auto file = files.find(name);
  if (file == files.end() ||
      rank_.source().comm(file->second.comm).id == trace::Communicators::kUnknown)
    return false;
  if (is_access) return access_file(file->second);
  meet_all(file->second.comm, false);
  if (is_close) files.erase(file);
  return false;
}

// What goes on behind the program may wait as it begins or as it ends, as the library likes.
bool RankCollectives::access_file(RankObjects::File& file) {
  const trace::Function& function = *rank_.call().function;
  if (function.name.ends_with("_end")) {
    if (file.begun != nullptr) rank_.wait_for(std::exchange(file.begun, nullptr));
    return false;
  }
  meet_all(file.comm, false);
  if (function.mode != trace::Mode::kNonblocking) return false;
  Request* const done = meet_behind(file.comm);
  done->may_be_let_go = true;
  if (function.makes_request) {
    rank_.open().add(done);
  } else {
    file.begun = done;
  }
  return function.makes_request;
}

// Processes of the run are known by their ranks: those that were started while it runs live. At
// recorded times those who start others, or connect to them, wait for each other.
void RankCollectives::start_processes(const CallView& call) {
  const std::int64_t made = trace::word_or(call.words(), call.means().new_comm, trace::kNull);
  const trace::Communicators::View& started = rank_.source().comm(made);
  const std::string_view name = rank_.call().function->name;
  const bool starts = name == mpi::Comm_spawn || name == mpi::Comm_spawn_multiple;
  const bool is_known = starts && started.world_rank(0) >= 0;
  const bool is_passed = rank_.stage().options.at_recorded_times;
  if (!is_known && !is_passed) return rank_.unsupported(kOtherProcesses);
  if (call.means().comm >= 0) meet_all(call.comm(), false);
}

} // namespace rondo::simulate::internal
