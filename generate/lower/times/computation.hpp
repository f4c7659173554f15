// SPDX-License-Identifier: Apache-2.0
// The time that a benchmark computes before each call: what was recorded for the place, told apart
// by the call before it, so that the first pass of a loop may take longer than the others.
#pragma once

#include "generate/lower/arguments/values.hpp"
#include "generate/lower/times/passes.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace rondo::generate::internal {

/// A loop that begins with a call: what tells its first pass from the others.
struct LoopAround {
  std::string variable;
  const std::set<std::uint32_t>* last = nullptr; // calls that a pass may end with
};

class Computation {
public:
  /// @param index   of the merged program in the trace
  Computation(const trace::Trace& trace, std::size_t index, const BenchmarkOptions& options,
              Benchmark& benchmark, ValueForms& forms);

  /// @param around   loops that begin with the call, innermost first
  /// @param outside  calls that may come before the outermost of them; without such loops, before
  ///                 the call at this place, or none if it stands in one place only
  /// @return         the seconds before the call; nothing if they are not worth a line
  std::optional<Expression> before(std::size_t symbol, const Domain& domain,
                                   const std::vector<LoopAround>& around,
                                   const std::set<std::uint32_t>& outside);
  /// Whether no other calls were recorded before it, as far as they are told apart.
  bool is_behind_one_of(std::size_t symbol, const std::set<std::uint32_t>& befores) const;
  /// Whether what is computed before the call is worth a line, wherever the call stands.
  bool is_worth_a_line(std::size_t symbol) const;

private:
  struct Spent { // by one rank
    double seconds = 0;
    double times = 0;
  };
  using BySymbol = std::map<std::uint32_t, std::vector<Spent>>; // call before -> by rank

  void add(const trace::RankClass& of, bool by_rank);
  bool matters(double seconds) const { return seconds > kWorthALine * total_seconds_; }
  std::vector<Spent> sum(const BySymbol& edges,
                         const std::function<bool(std::uint32_t)>& from) const;
  bool is_in_few_passes(std::size_t symbol) const;
  double mean_from(const BySymbol& edges, const std::set<std::uint32_t>& befores) const;
  std::size_t level_of_others(const BySymbol& edges,
                              const std::vector<std::set<std::uint32_t>>& levels) const;
  struct ByRank {
    double mean = 0; // seconds, of all
    std::vector<double> means; // of each rank in the domain
    double variance = 0; // of them, s^2
    double off = 0; // seconds on wrong ranks if all had the mean
  };
  ByRank by_rank(const std::vector<Spent>& spent, const Domain& domain) const;
  Expression mean(const ByRank& spent, const Domain& domain);
  /// What is computed where the call before is one of those: a mean, or drawn.
  Expression time_from(std::size_t symbol, const std::function<bool(std::uint32_t)>& from,
                       const Domain& domain);
  Expression drawn(const trace::Durations& all);
  /// As it was recorded, pass by pass; nothing if that is not known, or no different from a mean.
  std::optional<Expression> recorded(std::size_t symbol,
                                     const std::function<bool(std::uint32_t)>& from);

  /// What means of ranks may be off before each gets its own.
  double tolerance() const { return times_ == Times::kCourse ? kWorthItsOwn : kWorthALine / 10; }

  static constexpr double kWorthItsOwn = 1e-3; // of all ranks' computation, where readers matter
  static constexpr double kWorthALine = 1e-4; // of all ranks' computation
  static constexpr double kShortest = 100e-9; // what a benchmark itself spends between two calls
  std::size_t ranks_;
  Times times_;
  Passes passes_;
  std::map<std::pair<std::size_t, std::vector<std::uint32_t>>, std::optional<Expression>> known_;
  std::set<std::size_t> queries_; // symbols of calls that are left out, and take no time so
  std::set<std::size_t> counted_; // symbols whose computation is in the benchmark's sum
  Benchmark& benchmark_;
  ValueForms& forms_;
  double total_seconds_ = 0;
  std::map<std::size_t, BySymbol> edges_; // call ->
  std::map<std::size_t, std::map<std::uint32_t, trace::Durations>> all_; // call -> call before ->
};

} // namespace rondo::generate::internal
