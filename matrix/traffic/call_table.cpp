// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/call_table.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace rondo::matrix {
namespace {

using trace::Program;
using trace::RankClass;
using trace::Trace;

void sum_up(RankValues& values) {
  const auto& all = values.values;
  if (all.empty()) return;
  const auto least = std::min_element(all.begin(), all.end());
  const auto most = std::max_element(all.begin(), all.end());
  values.sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  values.mean = static_cast<double>(values.sum) / static_cast<double>(all.size());
  values.least = *least;
  values.most = *most;
  values.least_rank = least - all.begin();
  values.most_rank = most - all.begin();
}

void add(RankValues& sum, const RankValues& values) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += values.values[i];
}

// A place's time inside MPI as each rank of the class had it: means that are kept to 2 %, made to
// add up to the exact sum.
std::vector<std::uint64_t> shares_of_ranks(const trace::PlaceTimes& place, std::size_t ranks) {
  std::vector<double> means;
  for (const trace::RankMeans& mean : place.means)
    means.push_back(trace::mean_of_code_ns(mean.inside));
  if (means.size() != ranks || std::accumulate(means.begin(), means.end(), 0.0) <= 0)
    means.assign(ranks, 1.0);
  const double all = std::accumulate(means.begin(), means.end(), 0.0);
  std::vector<std::uint64_t> shares;
  double up_to_here = 0;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    up_to_here += means[i];
    const bool is_last = i + 1 == ranks;
    const auto end = is_last ? place.inside.sum_ns
                             : static_cast<std::uint64_t>(static_cast<double>(place.inside.sum_ns) *
                                                          (up_to_here / all));
    shares.push_back(end > given ? end - given : 0);
    given = std::max(given, end);
  }
  return shares;
}

class Collector {
public:
  Collector(const Trace& trace, CallsBy by)
      : trace_(trace), by_(by), ranks_(static_cast<std::size_t>(trace.run.ranks)), graphs_(trace) {}

  CallTable run() {
    collect();
    return finish();
  }

  // What a function has is the sum of its sites.
  CallTables run_both() {
    collect();
    Rows by_function;
    for (const auto& [key, row] : rows_) {
      const auto [sum, is_new] = by_function.try_emplace({key.first, 0});
      if (is_new) {
        sum->second.function = key.first;
        clear(sum->second);
      }
      add(sum->second.calls, row.calls);
      add(sum->second.time_ns, row.time_ns);
      add(sum->second.bytes, row.bytes);
    }
    CallTables tables;
    tables.sites = finish();
    by_ = CallsBy::kFunction;
    rows_ = std::move(by_function);
    tables.functions = finish();
    return tables;
  }

private:
  using Rows = std::map<std::pair<const trace::Function*, std::uint32_t>, CallRow>;

  void collect() {
    for (const RankClass& c : trace_.classes) {
      rows_of_symbols_.clear();
      for (const trace::Call& call : c.program->calls) rows_of_symbols_.push_back(&row_of(call));
      add_calls(c);
      add_times(c);
      add_bytes(c);
    }
  }

  void clear(CallRow& row) const {
    for (RankValues* values : {&row.calls, &row.time_ns, &row.bytes})
      values->values.assign(ranks_, 0);
  }

  CallRow& row_of(const trace::Call& call) {
    const trace::Function* function = trace::find_function(call.function);
    const std::uint32_t site = by_ == CallsBy::kSite ? call.site : 0;
    const auto [row, is_new] = rows_.try_emplace({function, site});
    if (is_new) {
      row->second.function = function;
      row->second.site = site;
      clear(row->second);
    }
    return row->second;
  }

  bool is_rank(std::int64_t rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < ranks_;
  }

  void add_calls(const RankClass& c) {
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    for (const std::int64_t rank : c.ranks.ranks()) {
      if (!is_rank(rank)) continue;
      for (std::size_t symbol = 0; symbol < executions.size(); ++symbol)
        rows_of_symbols_[symbol]->calls.values[static_cast<std::size_t>(rank)] +=
            executions[symbol];
    }
  }

  void add_times(const RankClass& c) {
    const std::vector<std::int64_t> ranks = c.ranks.ranks();
    const bool has_all = std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
      return trace_.stamps_of(rank, c.thread) != nullptr;
    });
    if (has_all && add_stamps(c, ranks)) return;
    for (const trace::PlaceTimes& place : c.program->times) {
      if (place.call >= rows_of_symbols_.size()) continue;
      is_exact_ = is_exact_ && (ranks.size() == 1 || place.inside.sum_ns == 0);
      const std::vector<std::uint64_t> shares = shares_of_ranks(place, ranks.size());
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (is_rank(ranks[i]))
          rows_of_symbols_[place.call]->time_ns.values[static_cast<std::size_t>(ranks[i])] +=
              shares[i];
      }
    }
  }

  // Every call's own time, where all of them were kept; false if they end before the calls do.
  bool add_stamps(const RankClass& c, const std::vector<std::int64_t>& ranks) {
    std::vector<std::vector<std::uint64_t>> times(ranks.size()); // by symbol
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      times[i].assign(rows_of_symbols_.size(), 0);
      trace::TimeStampReader stamps(*trace_.stamps_of(ranks[i], c.thread));
      trace::NestReader nest(c.program->nest);
      while (const auto symbol = nest.next()) {
        const auto time = stamps.next();
        if (!time) return false;
        times[i][*symbol] += time->inside_ns;
      }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      for (std::size_t symbol = 0; is_rank(ranks[i]) && symbol < times[i].size(); ++symbol)
        rows_of_symbols_[symbol]->time_ns.values[static_cast<std::size_t>(ranks[i])] +=
            times[i][symbol];
    }
    return true;
  }

  // What a persistent request moves counts where it is started.
  void add_bytes(const RankClass& c) {
    const internal::Tally tally =
        internal::tally_of(*c.program, [](const trace::Function&) { return true; });
    for (const std::int64_t rank : c.ranks.ranks()) {
      if (!is_rank(rank)) continue;
      const internal::RankTraffic traffic(trace_, *c.program, rank, graphs_);
      for (const internal::TalliedCall& call : tally.calls) {
        if (call.executions == 0) continue;
        rows_of_symbols_[call.place]->bytes.values[static_cast<std::size_t>(rank)] +=
            call.executions * traffic.bytes_moved_by(call);
      }
    }
  }

  // Of each function a recording has the sums of every rank, exact.
  void take_exact_times() {
    const auto& ranks = trace_.ranks;
    const bool are_there = std::any_of(ranks.begin(), ranks.end(),
                                       [](const auto& r) { return !r.sums.functions.empty(); });
    const bool are_known = are_there && std::all_of(ranks.begin(), ranks.end(), [](const auto& r) {
                             return r.sums.functions_add_up_to({r.computation_ns, r.inside_ns}) ||
                                    (r.calls == 0 && r.inside_ns == 0);
                           });
    if (by_ != CallsBy::kFunction || !are_known || trace_.ranks.size() != ranks_) return;
    for (auto& [key, row] : rows_) {
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const trace::TimeSum* sum = trace_.ranks[rank].sums.of_function(key.first->id);
        row.time_ns.values[rank] = sum == nullptr ? 0 : sum->inside_ns;
      }
    }
    is_exact_ = true;
  }

  CallTable finish() {
    take_exact_times();
    CallTable table;
    clear(table.total);
    for (auto& [key, row] : rows_) {
      for (RankValues* values : {&row.calls, &row.time_ns, &row.bytes}) sum_up(*values);
      if (row.calls.sum == 0) continue;
      if (!row.is_frame()) {
        add(table.total.calls, row.calls);
        add(table.total.time_ns, row.time_ns);
        add(table.total.bytes, row.bytes);
      }
      table.rows.push_back(std::move(row));
    }
    for (RankValues* values : {&table.total.calls, &table.total.time_ns, &table.total.bytes})
      sum_up(*values);
    sort_stably(table.rows.begin(), table.rows.end(), [](const CallRow& a, const CallRow& b) {
      if (a.is_frame() != b.is_frame()) return b.is_frame();
      return std::tuple{b.time_ns.sum, b.calls.sum, a.function->name, a.site} <
             std::tuple{a.time_ns.sum, a.calls.sum, b.function->name, b.site};
    });
    for (const trace::RankFacts& facts : trace_.ranks)
      table.run_ns += facts.span_ns - std::min(facts.span_ns, facts.startup_ns);
    table.is_exact = is_exact_;
    return table;
  }

  const Trace& trace_;
  CallsBy by_;
  std::size_t ranks_;
  const internal::DistGraphs graphs_;
  Rows rows_;
  std::vector<CallRow*>
      rows_of_symbols_; // of the class that is looked at; rows stay where they are
  bool is_exact_ = true;
};

} // namespace

CallTable call_table(const Trace& trace, CallsBy by) { return Collector(trace, by).run(); }

CallTables call_tables(const Trace& trace) { return Collector(trace, CallsBy::kSite).run_both(); }

} // namespace rondo::matrix
