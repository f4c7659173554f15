// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_limits.hpp"

#include "cli/walk.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/collective_part.hpp"

#include <algorithm>
#include <bit>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using trace::CollectiveKind;
using trace::saturating_add;

constexpr std::int64_t kMostReadRanks = 4096;
constexpr std::uint64_t kMostRead = 20'000'000; // calls
// Of programs that do not fold: a logical program of as many lines is no help, and takes minutes.
constexpr std::uint64_t kMostTerms = 200'000;
// Calls and messages; one of so many ranks that their states fit in no cache takes ten to twenty
// times as long.
constexpr std::int64_t kManyRanks = 1024;
constexpr std::uint64_t kMostPlayed = 20'000'000;
constexpr std::uint64_t kMostSwept = 2'000'000;

std::uint64_t of_ranks(std::uint64_t most, std::int64_t ranks) {
  return ranks > kManyRanks ? most / 20 : most;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
}

// Trees and doubling have as many steps as the number of ranks has bits; where each has something
// for each, it may be one step for each.
std::uint64_t steps_of(CollectiveKind operation, std::uint64_t ranks) {
  switch (operation) {
  case CollectiveKind::kNeighborAllgather:
  case CollectiveKind::kNeighborAlltoall:
    return 0;
  case CollectiveKind::kAllgather:
  case CollectiveKind::kAllgatherv:
  case CollectiveKind::kAlltoall:
  case CollectiveKind::kAlltoallv:
  case CollectiveKind::kReduceScatter:
    return ranks;
  default:
    return static_cast<std::uint64_t>(std::bit_width(ranks));
  }
}

// Of one rank of the class.
std::uint64_t messages_of(const trace::Trace& trace, const trace::RankClass& c) {
  const trace::Positions positions(trace, c.ranks.front());
  const auto executions = c.program->nest.occurrences(c.program->calls.size());
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const trace::Call& call = c.program->calls[i];
    const trace::Function& function = *trace::find_function(call.function);
    const auto operation = trace::collective_kind_of(function);
    if (!operation) continue;
    const int word = function.comm_word();
    const std::int64_t comm =
        word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)].value;
    const auto ranks = static_cast<std::uint64_t>(positions.of(comm).size);
    messages = saturating_add(messages, product(executions[i], steps_of(*operation, ranks)));
  }
  return messages;
}

std::string left_out(const std::string& what, const std::string& much, const std::string& command,
                     const std::string& advice) {
  return fmt::format("{} left out, as the run has {}: see '{}', or write the page with {}", what,
                     much, command, advice);
}

std::string human(std::uint64_t count) { return human_count(static_cast<double>(count)); }

} // namespace

ReportLimits::ReportLimits(const trace::Trace& trace, const std::string& file)
    : ranks_(trace.run.ranks), calls_(calls_in(trace, Walk::kAll)), messages_(0), terms_(0),
      memory_(play_excess(trace, file)), reading_(read_excess(trace, file)) {
  for (const trace::RankClass& c : trace.classes) {
    messages_ = saturating_add(
        messages_, product(messages_of(trace, c), static_cast<std::uint64_t>(c.ranks.size())));
    terms_ = saturating_add(terms_, c.program->nest.terms());
  }
}

bool ReportLimits::plays() const {
  return memory_ <= 1 &&
         saturating_add(calls_, messages_) <= limited(of_ranks(kMostPlayed, ranks_));
}

bool ReportLimits::sweeps() const {
  return memory_ <= 1 && saturating_add(calls_, messages_) <= limited(of_ranks(kMostSwept, ranks_));
}

bool ReportLimits::reads() const {
  return reading_ <= 1 && calls_ <= limited(kMostRead) && terms_ <= limited(kMostTerms) &&
         static_cast<std::uint64_t>(ranks_) <= limited(kMostReadRanks);
}

std::string ReportLimits::not_within(std::uint64_t most, const std::string& what,
                                     const std::string& command) const {
  const double work = static_cast<double>(saturating_add(calls_, messages_)) /
                      static_cast<double>(of_ranks(most, ranks_));
  return left_out(what,
                  fmt::format("{} calls, and {} messages in collective operations, on {} ranks",
                              human(calls_), human(messages_), ranks_),
                  command, limit_advice(std::max(work, memory_ * limit_factor()), 1));
}

std::string ReportLimits::not_played(const std::string& what, const std::string& command) const {
  return not_within(kMostPlayed, what, command);
}

std::string ReportLimits::not_swept(const std::string& what, const std::string& command) const {
  return not_within(kMostSwept, what, command);
}

std::string ReportLimits::not_read(const std::string& what, const std::string& command) const {
  const double times = std::max(static_cast<double>(calls_) / static_cast<double>(kMostRead),
                                static_cast<double>(ranks_) / static_cast<double>(kMostReadRanks));
  const double unfolded = static_cast<double>(terms_) / static_cast<double>(kMostTerms);
  const std::string much = fmt::format("{} calls on {} ranks", human(calls_), ranks_);
  return left_out(what,
                  unfolded > times ? fmt::format("{}, in {} terms", much, human(terms_)) : much,
                  command, limit_advice(std::max({times, unfolded, reading_ * limit_factor()}), 1));
}

} // namespace rondo::cli
