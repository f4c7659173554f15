// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/computation.hpp"

#include "generate/lower/queries.hpp"
#include "generate/lower/times/drawing.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/computation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rondo::generate::internal {
namespace {

constexpr std::uint32_t kOutside = trace::PlaceTimes::kStart;
constexpr std::uint32_t kOther = trace::PlaceTimes::kOther;

// Three digits are more than the times are worth, and short to read.
double rounded(double seconds) {
  if (seconds <= 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(seconds)) - 2);
  return std::round(seconds / unit) * unit;
}

using Symbols = std::set<std::uint32_t>;

std::function<bool(std::uint32_t)> among(const Symbols& symbols) {
  return [symbols](std::uint32_t symbol) { return symbols.contains(symbol); };
}

template <class Edges> Symbols known_of(const Edges& edges, const Symbols& befores) {
  Symbols known;
  for (const std::uint32_t before : befores) {
    if (edges.contains(before)) known.insert(before);
  }
  return known;
}

// Where a loop is entered behind a call that ends its passes too, its first pass can't be told from
// the others by the call before; where nothing is known of it, it is taken to be like them.
void join_alike(std::vector<Symbols>& levels) {
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].empty()) levels[i] = levels[i - 1];
    if (levels[i - 1].empty()) std::fill_n(levels.begin(), i, levels[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const bool meets = std::ranges::any_of(
          levels[i], [&](std::uint32_t before) { return levels[j].contains(before); });
      if (!meets || levels[i] == levels[j]) continue;
      Symbols both = levels[i];
      both.insert(levels[j].begin(), levels[j].end());
      const Symbols parts[] = {levels[i], levels[j]};
      for (std::size_t k = 0; k <= i; ++k) {
        if (levels[k] == parts[0] || levels[k] == parts[1]) levels[k] = both;
      }
    }
  }
}

} // namespace

Computation::Computation(const trace::Trace& trace, std::size_t index,
                         const BenchmarkOptions& options, Benchmark& benchmark, ValueForms& forms)
    : ranks_(static_cast<std::size_t>(trace.run.ranks)), times_(options.times),
      passes_(trace, index, options.times), benchmark_(benchmark), forms_(forms) {
  if (times_ == Times::kNone) return;
  for (const trace::RankClass& c : trace.classes) {
    if (c.merged == index) add(c, times_ != Times::kMean);
  }
  for (const auto& [symbol, edges] : edges_) {
    for (const auto& [before, by_rank] : edges) {
      for (const Spent& spent : by_rank) total_seconds_ += spent.seconds;
    }
  }
}

void Computation::add(const trace::RankClass& of, bool by_rank) {
  const std::vector<std::int64_t> ranks = of.ranks.ranks();
  for (const trace::PlaceTimes& place : of.program->times) {
    const trace::Function& function = *trace::find_function(of.program->calls[place.call].function);
    if (trace::meaning_of(function).act == trace::Act::kInit || place.computation.count == 0)
      continue;
    const std::uint32_t symbol = of.calls.empty() ? place.call : of.calls[place.call];
    if (is_query(function)) queries_.insert(symbol);
    const bool is_call = place.before < of.program->calls.size();
    const std::uint32_t before =
        is_call && !of.calls.empty() ? of.calls[place.before] : place.before;
    auto& spent = edges_[symbol][before];
    spent.resize(ranks_);
    all_[symbol][before].add(place.computation);
    const double times =
        static_cast<double>(place.computation.count) / static_cast<double>(ranks.size());
    const double mean_ns = place.computation.mean_ns();
    const std::vector<double> means_ns =
        by_rank ? trace::means_of_ranks(place) : std::vector<double>{};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      Spent& own = spent[static_cast<std::size_t>(ranks[i])];
      own.seconds += (i < means_ns.size() ? means_ns[i] : mean_ns) * 1e-9 * times;
      own.times += times;
    }
  }
}

std::vector<Computation::Spent>
Computation::sum(const BySymbol& edges, const std::function<bool(std::uint32_t)>& from) const {
  std::vector<Spent> result(ranks_);
  for (const auto& [before, by_rank] : edges) {
    if (!from(before)) continue;
    for (std::size_t r = 0; r < ranks_; ++r) {
      result[r].seconds += by_rank[r].seconds;
      result[r].times += by_rank[r].times;
    }
  }
  return result;
}

double Computation::mean_from(const BySymbol& edges, const std::set<std::uint32_t>& befores) const {
  Spent all;
  for (const Spent& own : sum(edges, among(befores))) {
    all.seconds += own.seconds;
    all.times += own.times;
  }
  return all.times > 0 ? all.seconds / all.times : 0;
}

// Behind calls that are not told apart: taken to be of the level whose passes are most like these,
// as a loop whose last call has other arguments in some passes is one of many.
std::size_t Computation::level_of_others(const BySymbol& edges,
                                         const std::vector<std::set<std::uint32_t>>& levels) const {
  const double others = mean_from(edges, {kOther});
  std::size_t nearest = levels.size() - 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double mean = mean_from(edges, levels[i]);
    if (mean <= 0 || others <= 0) continue;
    const double off = std::abs(std::log(mean / others));
    if (off >= least) continue;
    least = off;
    nearest = i;
  }
  return nearest;
}

Computation::ByRank Computation::by_rank(const std::vector<Spent>& spent,
                                         const Domain& domain) const {
  Spent all;
  for (const std::int64_t r : domain.world) {
    all.seconds += spent[static_cast<std::size_t>(r)].seconds;
    all.times += spent[static_cast<std::size_t>(r)].times;
  }
  ByRank result;
  result.mean = all.times > 0 ? all.seconds / all.times : 0;
  for (const std::int64_t r : domain.world) {
    const Spent& own = spent[static_cast<std::size_t>(r)];
    result.means.push_back(own.times > 0 ? own.seconds / own.times : 0);
    const double off = result.means.back() - result.mean;
    result.off += std::abs(off) * own.times;
    if (all.times > 0) result.variance += off * off * own.times / all.times;
  }
  return result;
}

// One time for all ranks, unless they differ by what matters.
Expression Computation::mean(const ByRank& spent, const Domain& domain) {
  if (spent.off <= tolerance() * total_seconds_) return seconds(rounded(spent.mean));
  std::vector<double> means;
  for (const double mean : spent.means) means.push_back(rounded(mean));
  return forms_.times(domain, means);
}

Expression Computation::time_from(std::size_t symbol,
                                  const std::function<bool(std::uint32_t)>& from,
                                  const Domain& domain) {
  if (auto passes = recorded(symbol, from)) return *passes;
  const ByRank spent = by_rank(sum(edges_.at(symbol), from), domain);
  if (times_ != Times::kHistogram) return mean(spent, domain);
  trace::Durations all;
  for (const auto& [before, durations] : all_.at(symbol)) {
    if (from(before)) all.add(durations);
  }
  const Drawing how = drawing_of(spent.mean, all.deviation_ns() * 1e-9, spent.variance);
  if (!how.draws) return mean(spent, domain);
  if (!how.by_rank) return drawn(all);
  std::vector<double> shares;
  for (const double mean : spent.means) shares.push_back(rounded(mean / spent.mean));
  return binary(forms_.times(domain, shares), "*", drawn(all));
}

// Ranks go through a course one pass after the other, wherever the call stands: each set of calls
// before has one.
std::optional<Expression> Computation::recorded(std::size_t symbol,
                                                const std::function<bool(std::uint32_t)>& from) {
  std::vector<std::uint32_t> befores;
  for (const auto& [before, by_rank] : edges_.at(symbol)) {
    if (from(before)) befores.push_back(before);
  }
  const auto [known, is_new] = known_.try_emplace({symbol, befores}, std::nullopt);
  if (!is_new) return known->second;
  const Passes::OfRanks passes = passes_.of(static_cast<std::uint32_t>(symbol), from);
  if (passes.empty()) return std::nullopt;
  const std::vector<Spent> spent = sum(edges_.at(symbol), from);
  std::vector<double> means;
  for (const Spent& own : spent) means.push_back(own.times > 0 ? own.seconds / own.times : 0);
  double off = 0;
  for (const auto& [rank, seconds] : passes) {
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (const double time : seconds)
      off += std::abs(time - all / static_cast<double>(seconds.size()));
  }
  if (off <= kWorthItsOwn * total_seconds_) return std::nullopt;
  Course course = course_of(passes_, passes, means, times_ == Times::kFull);
  course.name = "computation_" + std::to_string(benchmark_.courses.size() + 1);
  benchmark_.courses.push_back(std::move(course));
  known->second = call("recorded", {name(benchmark_.courses.back().name)});
  return known->second;
}

Expression Computation::drawn(const trace::Durations& all) {
  Histogram histogram{"computation_" + std::to_string(benchmark_.histograms.size() + 1), {}};
  for (const auto& [ns, count] : times_of_bins(all))
    histogram.bins.emplace_back(rounded(ns * 1e-9), count);
  benchmark_.histograms.push_back(std::move(histogram));
  return call("drawn", {name(benchmark_.histograms.back().name)});
}

bool Computation::is_behind_one_of(std::size_t symbol,
                                   const std::set<std::uint32_t>& befores) const {
  const auto found = edges_.find(symbol);
  return found == edges_.end() || std::ranges::all_of(found->second, [&](const auto& edge) {
           return edge.first == kOther || edge.first == kOutside || befores.contains(edge.first);
         });
}

bool Computation::is_worth_a_line(std::size_t symbol) const {
  const auto found = edges_.find(symbol);
  if (found == edges_.end()) return false;
  double spent = 0;
  double times = 0;
  for (const Spent& own : sum(found->second, [](std::uint32_t) { return true; })) {
    spent += own.seconds;
    times += own.times;
  }
  return matters(spent) &&
         (spent >= kShortest * times || queries_.contains(symbol) || is_in_few_passes(symbol));
}

// Of polls most find nothing, and what passes between those is none: the mean is short, but few
// passes have it all.
bool Computation::is_in_few_passes(std::size_t symbol) const {
  double long_ns = 0;
  double all_ns = 0;
  for (const auto& [before, durations] : all_.at(symbol)) {
    for (const auto& [ns, count] : times_of_bins(durations)) {
      const double in_bin = ns * static_cast<double>(count);
      all_ns += in_bin;
      if (ns * 1e-9 >= kShortest) long_ns += in_bin;
    }
  }
  return 2 * long_ns > all_ns;
}

std::optional<Expression> Computation::before(std::size_t symbol, const Domain& domain,
                                              const std::vector<LoopAround>& around,
                                              const std::set<std::uint32_t>& outside) {
  const auto found = edges_.find(symbol);
  if (found == edges_.end() || domain.world.empty() || !is_worth_a_line(symbol))
    return std::nullopt;
  const BySymbol& edges = found->second;
  const auto any = [](std::uint32_t) { return true; };
  const std::vector<Spent> all = sum(edges, any);
  double spent = 0;
  for (const Spent& own : all) spent += own.seconds;
  if (counted_.insert(symbol).second) benchmark_.computed_seconds += spent;
  // Steady passes of the loops that begin with the call, innermost first; in the end their entry.
  std::vector<Symbols> levels;
  for (const LoopAround& loop : around) levels.push_back(known_of(edges, *loop.last));
  levels.push_back(known_of(edges, outside));
  if (edges.contains(kOutside)) levels.back().insert(kOutside);
  const bool is_told =
      std::ranges::any_of(levels, [](const auto& level) { return !level.empty(); });
  if (around.empty() && !outside.empty()) { // in one of several places: are others meant at this?
    const bool is_other = levels.back().size() < outside.size() && edges.contains(kOther);
    if (is_other) levels.back().insert(kOther);
  } else if (is_told && edges.contains(kOther)) {
    levels[level_of_others(edges, levels)].insert(kOther);
  }
  join_alike(levels);
  if (levels.back().empty()) return time_from(symbol, any, domain);
  // Passes that differ by nothing that matters are one, and exact times come one by one.
  double off = 0;
  for (const auto& befores : std::set(levels.begin(), levels.end())) {
    const std::vector<Spent> part = sum(edges, among(befores));
    for (std::size_t r = 0; r < part.size(); ++r) {
      if (all[r].times > 0)
        off += std::abs(part[r].seconds - part[r].times * all[r].seconds / all[r].times);
    }
  }
  if (!matters(10 * off) || times_ == Times::kFull) return time_from(symbol, any, domain);
  Expression result = time_from(symbol, among(levels.back()), domain);
  for (std::size_t i = around.size(); i-- > 0;) {
    const bool is_same = std::all_of(levels.begin() + static_cast<std::ptrdiff_t>(i), levels.end(),
                                     [&](const auto& level) { return level == levels[i]; });
    if (!is_same)
      result = choose(binary(name(around[i].variable), "==", number(0)), std::move(result),
                      time_from(symbol, among(levels[i]), domain));
  }
  return result;
}

} // namespace rondo::generate::internal
