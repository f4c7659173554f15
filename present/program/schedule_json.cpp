// SPDX-License-Identifier: Apache-2.0
#include "present/program/schedule_json.hpp"

#include "present/program/folded_program.hpp"
#include "rondo/fold/column_builder.hpp"
#include "rondo/simulate/schedule.hpp"

#include <cmath>
#include <compare>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using nlohmann::json;
using simulate::RankSchedule;
using simulate::ScheduleStep;

// A browser plays that much in 30 ms, so that a slider's move is answered in 50.
constexpr std::uint64_t kMostSteps = 1'000'000;

// A step as ranks that do the same have it in common.
struct CommonStep {
  std::int64_t kind = 0; // and its mode and flags
  std::int64_t peer = 0; // less the own rank
  std::uint64_t bytes = 0;
  std::int64_t number = 0;
  auto operator<=>(const CommonStep&) const = default;
};

// Which message of its sender a receipt is, is nearly always the next one, and what is waited for
// nearly always as many requests ago as in the pass before: so numbers are written as differences
// to these.
class CommonSteps {
public:
  explicit CommonSteps(std::int64_t rank) : rank_(rank) {}

  CommonStep of(const ScheduleStep& step) {
    using Kind = ScheduleStep::Kind;
    CommonStep common;
    common.kind = static_cast<std::int64_t>(step.kind) + 8 * static_cast<std::int64_t>(step.mode) +
                  32 * (step.waits ? 1 : 0) + 64 * (step.finishes ? 1 : 0);
    common.bytes = step.bytes;
    const auto number = static_cast<std::int64_t>(step.number);
    const bool receives = step.kind == Kind::kReceive || step.kind == Kind::kProbe;
    if (receives || step.kind == Kind::kSend) common.peer = step.peer - rank_;
    if (receives) common.number = number - next_[step.peer];
    if (step.kind == Kind::kReceive) next_[step.peer] = number + 1;
    if (step.kind == Kind::kWait) common.number = made_ - number;
    if (step.kind != Kind::kCompute && step.kind != Kind::kWait && step.kind != Kind::kEnd) ++made_;
    return common;
  }

private:
  std::int64_t rank_;
  std::int64_t made_ = 0; // requests
  std::unordered_map<std::int64_t, std::int64_t> next_; // by sender: the message after the last
};

// Nanoseconds to a part in 10^5: few enough bits that most of a double's bytes are zeros.
double rounded_ns(double seconds) {
  constexpr int kBits = 17;
  int exponent = 0;
  const double part = std::frexp(seconds * 1e9, &exponent);
  return std::ldexp(std::round(std::ldexp(part, kBits)), exponent - kBits);
}

// What a rank computes: the times that there are, and which of them each time.
json computing_json(const std::vector<double>& seconds) {
  std::map<double, std::int64_t> known;
  json ns = json::array();
  fold::ColumnBuilder which;
  for (const double each : seconds) {
    const double value = rounded_ns(each);
    const auto [entry, is_new] = known.try_emplace(value, static_cast<std::int64_t>(ns.size()));
    const bool is_whole = value == std::floor(value) && value < 0x1p53;
    if (is_new) ns.push_back(is_whole ? json(static_cast<std::int64_t>(value)) : json(value));
    which.push(entry->second);
  }
  return {{"ns", std::move(ns)}, {"which", column_json(which.finish())}};
}

// What several ranks have, once.
class SharedColumns {
public:
  std::size_t index_of(json column) {
    const auto [known, is_new] = indices_.try_emplace(column.dump(), list.size());
    if (is_new) list.push_back(std::move(column));
    return known->second;
  }
  json list = json::array();

private:
  std::map<std::string, std::size_t> indices_; // by their text
};

class ScheduleWriter {
public:
  json write(const std::vector<RankSchedule>& schedules) {
    json of_rank = json::array();
    json computing_of_rank = json::array();
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      of_rank.push_back(
          columns_.index_of(codes_of(schedules[rank], static_cast<std::int64_t>(rank))));
      computing_of_rank.push_back(computing_.index_of(computing_json(schedules[rank].computing_s)));
    }
    std::vector<CommonStep> table(steps_.size());
    for (const auto& [step, index] : steps_) table[static_cast<std::size_t>(index)] = step;
    json kinds = json::array(), peers = json::array(), bytes = json::array(),
         numbers = json::array();
    for (const CommonStep& step : table) {
      kinds.push_back(step.kind);
      peers.push_back(step.peer);
      bytes.push_back(step.bytes);
      numbers.push_back(step.number);
    }
    return {{"kinds", std::move(kinds)},
            {"peers", std::move(peers)},
            {"bytes", std::move(bytes)},
            {"numbers", std::move(numbers)},
            {"columns", std::move(columns_.list)},
            {"of_rank", std::move(of_rank)},
            {"computing", std::move(computing_.list)},
            {"computing_of_rank", std::move(computing_of_rank)}};
  }

private:
  json codes_of(const RankSchedule& schedule, std::int64_t rank) {
    CommonSteps common(rank);
    fold::ColumnBuilder codes;
    for (const ScheduleStep& step : schedule.steps) {
      const auto next = static_cast<std::int64_t>(steps_.size());
      codes.push(steps_.try_emplace(common.of(step), next).first->second);
    }
    return column_json(codes.finish());
  }

  std::map<CommonStep, std::int64_t> steps_;
  SharedColumns columns_, computing_;
};

} // namespace

json schedule_json(const trace::Trace& trace) {
  const auto schedules = simulate::schedule_of(trace, kMostSteps);
  if (!schedules) return {{"why_not", schedules.error().message}};
  return ScheduleWriter().write(*schedules);
}

} // namespace rondo::present
