// SPDX-License-Identifier: Apache-2.0
// Collective operations of one rank, and the communicators that it makes.
#include "simulate/ranks/rank_program.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::simulate::internal {
namespace {

using trace::is_special;

FormulaValues formula_values(const NetworkModel& model, std::int64_t ranks, std::uint64_t bytes) {
  return {model.link_latency_s(),     model.link_bandwidth(),    model.overhead_s, model.gap_s,
          static_cast<double>(ranks), static_cast<double>(bytes)};
}

} // namespace

void RankProgram::collective(const CallView& call, Slot* slot) {
  const std::int64_t comm = call.comm();
  const trace::Function& function = slot != nullptr ? *slot->function : *call_->function;
  if (source_.comm(comm).id == trace::Communicators::kUnknown)
    return unsupported("is on a communicator that the trace does not know");
  const trace::CollectiveWords where = trace::collective_words_of(function);
  if (where.operation >= Operation::kNeighborAllgather &&
      objects_->topologies.of(source_, comm) == nullptr)
    return unsupported("is on a process topology whose making the trace does not have");
  const CollectivePart part = part_of(where, call.words(), comm);
  const bool is_background = slot != nullptr || function.mode == trace::Mode::kNonblocking;
  play_part(part, comm, is_background, slot, slot != nullptr ? slot->line : 0);
}

CollectivePart RankProgram::part_of(const trace::CollectiveWords& where,
                                    std::span<const std::int64_t> words, std::int64_t comm) {
  const trace::Member member{source_.comm(comm), source_.rank_in(comm), source_.is_inter(comm)};
  const trace::WordReader reader{
      [this](std::int64_t index) { return array(index); },
      [this](std::int64_t count, std::int64_t type) { return bytes(count, type); }};
  CollectivePart part = trace::part_of(where, words, member, reader);
  if (part.operation < Operation::kNeighborAllgather) return part;
  if (const auto* neighbors = objects_->topologies.of(source_, comm)) {
    part.sources = neighbors->sources;
    part.destinations = neighbors->destinations;
  }
  return part;
}

double RankProgram::formula_cost(std::int64_t ranks, std::uint64_t bytes) {
  const Formula& formula = *stage_.options.collectives;
  const double seconds = formula.value(formula_values(transport_.model(), ranks, bytes));
  if (is_cost(seconds)) return seconds;
  unsupported("costs " + std::to_string(seconds) + " s by the formula '" + formula.text() +
              "' on " + std::to_string(ranks) + " ranks with " + std::to_string(bytes) +
              " bytes; a cost is a number from 0");
  return 0;
}

void RankProgram::play_part(const CollectivePart& part, std::int64_t comm, bool is_background,
                            Slot* slot, std::uint32_t line) {
  const trace::Communicators::View& view = source_.comm(comm);
  std::int64_t tag = kCollectiveTag;
  if (is_background) { // even ones are started, odd ones were made before
    const auto number =
        static_cast<std::int64_t>(slot != nullptr ? line : ++objects_->operations[view.id]);
    tag = kFirstBackgroundTag - 2 * number - (slot != nullptr ? 1 : 0);
  }
  const bool is_formula =
      stage_.options.collectives && part.operation < Operation::kNeighborAllgather;
  if (is_formula) {
    const auto cost = [this](std::int64_t ranks, std::uint64_t bytes) {
      return formula_cost(ranks, bytes);
    };
    Request* request = stage_.meetings.come(view.id, tag, view.all, clock_, part.total_bytes(),
                                            rank_, id_, transport_, cost);
    if (slot != nullptr)
      slot->active = request;
    else if (is_background)
      open_.add(request);
    else
      wait_for(request);
    return;
  }
  std::vector<Step> steps = steps_of(part);
  if (!is_background) return play(steps, view.id, tag);
  Request* done = transport_.open_request();
  stage_.background.push_back(std::make_unique<BackgroundActivity>(
      stage_.next_id++, *this, done, call_name(), transport_, ledger_));
  BackgroundActivity& activity = *stage_.background.back();
  activity.begin(steps, view.id, tag);
  if (slot != nullptr)
    slot->active = done;
  else
    open_.add(done);
  activity.run();
}

// Communicators -----------------------------------------------------------------------------------

void RankProgram::meet_all(std::int64_t comm, bool is_background) {
  if (source_.comm(comm).id == trace::Communicators::kUnknown) {
    unsupported("is on a communicator that the trace does not know");
    return;
  }
  const trace::CollectiveWords barrier;
  play_part(part_of(barrier, {}, comm), comm, is_background, nullptr, 0);
}

void RankProgram::make_comm(const CallView& call) {
  const trace::CallMeaning& means = call.means();
  const std::int64_t made = trace::word_or(call.words(), means.new_comm, trace::kNull);
  if (!is_special(made)) objects_->topologies.learn(source_, made, stage_.graphs, rank_);
  const std::int64_t met = means.is_of_group || means.comm < 0 ? made : call.comm();
  if (!is_special(met)) meet_all(met, call_->function->makes_request);
}

// Processes of the run are known by their ranks: those that were started while it runs live.
void RankProgram::start_processes(const CallView& call) {
  const std::int64_t made = trace::word_or(call.words(), call.means().new_comm, trace::kNull);
  const trace::Communicators::View& started = source_.comm(made);
  const std::string_view name = call_->function->name;
  const bool starts = name == mpi::Comm_spawn || name == mpi::Comm_spawn_multiple;
  if (!starts || started.world_rank(0) < 0) return unsupported(kOtherProcesses);
  meet_all(call.comm(), false);
}

} // namespace rondo::simulate::internal
