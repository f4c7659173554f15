// SPDX-License-Identifier: Apache-2.0
// What could be called in place of messages that have a name.
#include "patterns/message_group.hpp"
#include "rondo/base/units.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace rondo::patterns::internal {
namespace {

// Groups of ranks one after the other are rows; those with the ranks behind them in each other
// group are columns.
std::string where(const NamedPhase& phase) {
  const auto& groups = phase.groups;
  if (groups.size() == 1) return "";
  const auto size = static_cast<std::int64_t>(groups.front().size());
  const auto count = static_cast<std::int64_t>(groups.size());
  bool are_rows = true;
  bool are_columns = true;
  for (std::int64_t g = 0; g < count; ++g) {
    const auto& group = groups[static_cast<std::size_t>(g)];
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(group.size()); ++i) {
      are_rows = are_rows && group[static_cast<std::size_t>(i)] == g * size + i;
      are_columns = are_columns && group[static_cast<std::size_t>(i)] == i * count + g;
    }
  }
  if (are_rows)
    return fmt::format(" on a communicator for each row (MPI_Comm_split by rank / {})", size);
  if (are_columns)
    return fmt::format(" on a communicator for each column (MPI_Comm_split by rank % {})", count);
  return " on a communicator for each group";
}

bool is_reduce(PatternName name) {
  return name == PatternName::kBinomialTreeReduce || name == PatternName::kBinaryTreeReduce;
}

bool is_broadcast(PatternName name) {
  return name == PatternName::kBinomialTreeBroadcast || name == PatternName::kBinaryTreeBroadcast;
}

// A reduction and then a broadcast from where it ended.
std::string joined_advice(const NamedPhase& up, const NamedPhase& down) {
  if (up.groups != down.groups || !up.has_root || up.root != down.root) return "";
  if (up.takes_first || down.takes_first) return ""; // what it answers depends on who came first
  const std::size_t rounds = up.rounds + down.rounds;
  if (is_reduce(up.name) && is_broadcast(down.name))
    return fmt::format("a reduction and a broadcast in {} rounds are an allreduce; consider "
                       "MPI_Allreduce{}",
                       rounds, where(up));
  if (up.name == PatternName::kGather && down.name == PatternName::kScatter)
    return fmt::format("one rank gathers and scatters; consider MPI_Allreduce or MPI_Allgather{}, "
                       "if all get the same",
                       where(up));
  return "";
}

// "an allreduce" for "MPI_Allreduce"; the first function named counts.
std::string noun_of(const std::string& collective) {
  static constexpr std::pair<std::string_view, std::string_view> kNouns[]{
      {mpi::Allreduce, "an allreduce"},
      {mpi::Allgather, "an allgather"},
      {mpi::Alltoall, "an all-to-all"},
      {mpi::Barrier, "a barrier"},
      {mpi::Bcast, "a broadcast"},
      {mpi::Gather, "a gather"},
      {mpi::Reduce_scatter, "a reduce-scatter"},
      {mpi::Reduce, "a reduction"},
      {mpi::Scatter, "a scatter"}};
  for (const auto& [function, noun] : kNouns) {
    if (collective.starts_with(function)) return std::string(noun);
  }
  return collective;
}

std::string own_advice(const NamedPhase& phase) {
  if (phase.collective.empty()) return "";
  if (phase.name == PatternName::kHaloExchange)
    return fmt::format("a halo exchange can be one {} on a Cartesian communicator",
                       phase.collective);
  return fmt::format("this is what {} does, {}; consider {}{}", noun_of(phase.collective),
                     phase.scope, phase.collective, where(phase));
}

std::string sizes_text(const NamedPhase& phase) {
  const std::string least = human_bytes(phase.least_bytes);
  const std::string most = human_bytes(phase.most_bytes);
  return least == most ? least : least + " to " + most;
}

// Of two operations that only their sizes tell apart, each is advised with its own.
std::string told_apart(const std::vector<NamedPhase>& phases, std::size_t i) {
  std::string text = own_advice(phases[i]);
  const bool has_twin = std::any_of(phases.begin(), phases.end(), [&](const NamedPhase& other) {
    return &other != &phases[i] && own_advice(other) == text &&
           sizes_text(other) != sizes_text(phases[i]);
  });
  if (text.empty() || !has_twin || phases[i].name == PatternName::kHaloExchange) return text;
  return fmt::format("messages of {}: {}", sizes_text(phases[i]), text);
}

} // namespace

std::vector<std::string> advice_for(const std::vector<NamedPhase>& phases) {
  std::vector<std::string> advice;
  const auto add = [&](std::string text) {
    if (!text.empty() && std::find(advice.begin(), advice.end(), text) == advice.end())
      advice.push_back(std::move(text));
  };
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const std::string both =
        i + 1 < phases.size() ? joined_advice(phases[i], phases[i + 1]) : std::string();
    if (both.empty()) {
      add(told_apart(phases, i));
    } else {
      add(both);
      ++i;
    }
  }
  return advice;
}

} // namespace rondo::patterns::internal
