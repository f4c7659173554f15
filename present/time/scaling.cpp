// SPDX-License-Identifier: Apache-2.0
// Several runs side by side, as text.
#include "present/draw/colours.hpp"
#include "present/time/efficiency.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <utility>

namespace rondo::present {
namespace {

using efficiency::Factors;
using efficiency::ScalingKind;

// A column for each run.
class ScalingTable {
public:
  ScalingTable(const std::vector<std::string>& names, const std::vector<Factors>& runs,
               bool has_colour)
      : runs_(runs), has_colour_(has_colour) {
    text_ = fmt::format("{:<28}", "");
    for (const std::string& name : names) {
      const std::string head = escape::terminal(name).substr(0, 20);
      text_ += fmt::format("  {:>12}", head);
      widths_.push_back(std::max<std::size_t>(12, head.size()));
    }
    text_ += "\n";
  }

  template <class Value> void row(const char* name, Value value) {
    text_ += fmt::format("{:<28}", name);
    for (std::size_t i = 0; i < runs_.size(); ++i)
      text_ += fmt::format("  {:>{}}", value(runs_[i]), widths_[i]);
    text_ += "\n";
  }

  /// @param value  nothing where it is not known
  template <class Value> void factor(const char* name, Value value) {
    text_ += fmt::format("{:<28}", name);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::optional<double> found = value(runs_[i]);
      const std::string cell =
          fmt::format("{:>{}}", found ? factor_percent(*found) : "-", widths_[i]);
      text_ += "  " + (found ? heat_cell(cell, *found, has_colour_) : cell);
    }
    text_ += "\n";
  }

  std::string take() { return std::move(text_); }

private:
  const std::vector<Factors>& runs_;
  bool has_colour_;
  std::vector<std::size_t> widths_;
  std::string text_;
};

// What to make of runs whose ranks waited for processors.
std::string crowded_text(const std::vector<std::string>& names, const std::vector<Factors>& runs) {
  std::vector<std::string> crowded;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].is_crowded) crowded.push_back(escape::terminal(names[i]));
  }
  if (crowded.empty()) return {};
  const bool are_all = crowded.size() == runs.size();
  return fmt::format("\n{}: ranks waited for processors, and runtime, transfer and what comes of "
                     "them say little;\nload balance, serialisation, scalability and the runtime "
                     "if MPI took no time say more\n",
                     are_all && runs.size() > 1 ? "All runs" : joined(crowded, ", "));
}

// Which runs have no scalability, and why.
std::string doubtful_text(const std::vector<std::string>& names, const std::vector<Factors>& runs) {
  std::vector<std::string> doubtful;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (efficiency::is_doubtful(runs[i]))
      doubtful.push_back(fmt::format("{} (up to {})", escape::terminal(names[i]),
                                     human_percent(runs[i].doubtful_s / runs[i].useful_sum_s)));
  }
  if (doubtful.empty()) return {};
  return fmt::format(
      "\n{}: so much of the computation may be waiting for a processor, as it was measured by the "
      "clock.\nIt compares with no other run{}; record it where no other program needs the "
      "processors\n",
      joined(doubtful, ", "),
      efficiency::is_doubtful(runs.front()) ? ", and the first run is what others are compared with"
                                            : "");
}

} // namespace

// As dark as the heat maps of matrices are where half is lost or more.
std::string heat_cell(const std::string& cell, double factor, bool has_colour) {
  if (!has_colour) return cell;
  constexpr double kDarkest = 0.5;
  const double heat = std::clamp((1 - factor) / kDarkest, 0.0, 1.0);
  const Colour colour = heat_colour(heat);
  const auto channel = [](double c) { return std::lround(c * 255); };
  const char* const letters = heat_lightness(heat) > 0.6 ? "38;2;0;0;0" : "38;2;255;255;255";
  return fmt::format("\x1b[{};48;2;{};{};{}m{}\x1b[0m", letters, channel(colour.red),
                     channel(colour.green), channel(colour.blue), cell);
}

std::string scaling_text(const std::vector<std::string>& names, const std::vector<Factors>& runs,
                         ScalingKind kind, bool has_colour) {
  ScalingTable table(names, runs, has_colour);
  const auto scaling = [&](const Factors& run) {
    return efficiency::scaling_of(run, runs.front(), kind);
  };
  const auto ideal = [](const Factors& run, double value) {
    return run.ideal_runtime_s ? std::optional(value) : std::nullopt;
  };
  const auto transfer = [&](const Factors& run) {
    return run.has_no_inside ? std::nullopt : ideal(run, run.transfer);
  };
  table.row("ranks", [](const Factors& run) { return std::to_string(run.ranks); });
  table.factor("global efficiency", [&](const Factors& run) { return scaling(run).global; });
  table.factor("  parallel efficiency", [](const Factors& run) { return run.parallel; });
  table.factor("    load balance", [](const Factors& run) { return run.load_balance; });
  table.factor("    communication", [](const Factors& run) { return run.communication; });
  table.factor("      serialisation",
               [&](const Factors& run) { return ideal(run, run.serialisation); });
  table.factor("      transfer", transfer);
  table.factor("  computation scalability",
               [&](const Factors& run) { return scaling(run).computation; });
  table.row("speedup",
            [&](const Factors& run) { return fmt::format("{:.2f}", scaling(run).speedup); });
  table.row("runtime", [](const Factors& run) { return precise_duration(run.runtime_s * 1e9); });
  table.row("  if MPI took no time", [](const Factors& run) {
    return run.ideal_runtime_s ? precise_duration(*run.ideal_runtime_s * 1e9) : std::string("-");
  });
  return table.take() + crowded_text(names, runs) + doubtful_text(names, runs) +
         (kind == ScalingKind::kStrong
              ? "\nScalability and speedup are against the first run: strong scaling, the "
                "same work on all ranks together (--weak: on each rank)\n"
              : "\nScalability and speedup are against the first run: weak scaling, the "
                "same work on each rank\n") +
         "Computation is compared as time: instructions and IPC, into which scalability is often "
         "split, are not recorded\n";
}

} // namespace rondo::present
