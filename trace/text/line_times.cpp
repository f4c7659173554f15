// SPDX-License-Identifier: Apache-2.0
#include "trace/text/line_times.hpp"

#include <algorithm>
#include <map>

namespace rondo::trace {
namespace {

constexpr std::uint32_t kNotOfClass = 0xffffffff;
constexpr std::uint64_t kMostCallsRead = std::uint64_t{1} << 24; // that are read one by one
constexpr int kMostWalked = 1 << 20;

using CallPair = std::pair<std::uint32_t, std::uint32_t>; // the call before, and the call

} // namespace

// One class going through the lines.
struct LinesOfProgram::Walk {
  const Program& program;
  std::vector<std::uint32_t> symbol_of; // call of the printed program -> the class's
  std::vector<std::uint32_t> loop_of;

  // Going through loops twice: which lines a place may mean, and how often each is reached.
  std::map<CallPair, std::map<std::uint32_t, double>> reached{};
  std::uint32_t before = PlaceTimes::kStart;
  int steps = 0;

  // Going through every call of a rank, with its times.
  std::vector<ColumnReader> counts{};
  std::optional<TimeStampReader> stamps{};

  Walk(const MergedProgram* merged, const RankClass& c, std::size_t calls, std::size_t loops)
      : program(*c.program), symbol_of(calls, kNotOfClass), loop_of(loops, kNotOfClass) {
    for (std::uint32_t own = 0; own < program.calls.size(); ++own)
      symbol_of[merged != nullptr && !c.calls.empty() ? c.calls[own] : own] = own;
    std::uint32_t own = 0; // a class's loops are in the merged program's order
    for (std::uint32_t i = 0; i < loops; ++i) {
      const bool is_in =
          merged == nullptr || merged->table.sets[merged->loops[i].set].contains(c.ranks.front());
      if (is_in) loop_of[i] = own++;
    }
  }

  std::uint32_t own(Term term) const {
    return (term.is_loop() ? loop_of : symbol_of)[term.index()];
  }
};

LinesOfProgram::LinesOfProgram(const MergedProgram& program) : merged_(&program) {
  top_ = lines_of(program.top, [&](std::uint32_t loop) -> const std::vector<Term>& {
    return program.loops[loop].body;
  });
  times_.resize(lines_.size());
}

LinesOfProgram::LinesOfProgram(const Program& program) {
  top_ = lines_of(program.nest.top(), [&](std::uint32_t loop) -> const std::vector<Term>& {
    return program.nest.loops()[loop].body;
  });
  times_.resize(lines_.size());
}

std::vector<std::uint32_t> LinesOfProgram::lines_of(const std::vector<Term>& terms,
                                                    const Body& body) {
  std::vector<std::uint32_t> numbers;
  for (const Term term : terms) {
    numbers.push_back(static_cast<std::uint32_t>(lines_.size()));
    lines_.push_back({term, {}});
    if (!term.is_loop()) continue;
    std::vector<std::uint32_t> inner = lines_of(body(term.index()), body);
    lines_[numbers.back()].body = std::move(inner);
  }
  return numbers;
}

void LinesOfProgram::add(const Trace& trace, const RankClass& c, std::optional<std::int64_t> rank) {
  const std::size_t calls = merged_ != nullptr ? merged_->calls.size() : c.program->calls.size();
  const std::size_t loops =
      merged_ != nullptr ? merged_->loops.size() : c.program->nest.loops().size();
  Walk walk(merged_, c, calls, loops);
  const std::vector<std::int64_t> ranks = rank ? std::vector<std::int64_t>{*rank} : c.ranks.ranks();
  if (add_exact(trace, c, walk, ranks)) return;
  reach(walk, top_, 1);
  add_places(c, walk);
}

void LinesOfProgram::reach(Walk& walk, const std::vector<std::uint32_t>& lines,
                           double times) const {
  for (const std::uint32_t number : lines) {
    const Line& line = lines_[number];
    const std::uint32_t own = walk.own(line.term);
    if (own == kNotOfClass) continue;
    if (++walk.steps > kMostWalked) return;
    if (line.term.is_loop()) {
      const Column& counts = walk.program.nest.loops()[own].trip_counts;
      const auto entries = static_cast<double>(std::max<std::uint64_t>(counts.size(), 1));
      const double count = static_cast<double>(counts.sum()) / entries;
      if (count > 0) reach(walk, line.body, times * std::min(count, 1.0));
      if (count > 1) reach(walk, line.body, times * (count - 1));
      continue;
    }
    walk.reached[{walk.before, own}][number] += times;
    walk.reached[{PlaceTimes::kOther, own}][number] += times;
    walk.before = own;
  }
}

// False if the times of single calls were not kept, not of all, or if there are too many.
bool LinesOfProgram::add_exact(const Trace& trace, const RankClass& c, Walk& walk,
                               const std::vector<std::int64_t>& ranks) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : c.program->nest.occurrences(c.program->calls.size())) calls += n;
  for (const std::int64_t rank : ranks) {
    const TimeStamps* stamps = trace.stamps_of(rank, c.thread);
    if (stamps == nullptr || stamps->calls != calls) return false;
  }
  if (calls > kMostCallsRead / ranks.size()) return false;
  std::vector<LineTimes> exact(lines_.size());
  bool is_whole = true;
  const auto run = [&](const auto& self, const std::vector<std::uint32_t>& lines) -> void {
    for (const std::uint32_t number : lines) {
      const Line& line = lines_[number];
      const std::uint32_t own = walk.own(line.term);
      if (own == kNotOfClass || !is_whole) continue;
      if (line.term.is_loop()) {
        const std::int64_t count = walk.counts[own].next().value_or(0);
        for (std::int64_t i = 0; i < count && is_whole; ++i) self(self, line.body);
        continue;
      }
      const auto time = walk.stamps->next();
      is_whole = time.has_value();
      if (!is_whole) return;
      exact[number].calls += 1;
      exact[number].computation_ns += static_cast<double>(time->computation_ns);
      exact[number].inside_ns += static_cast<double>(time->inside_ns);
    }
  };
  std::vector<LineTimes> all = times_;
  for (const std::int64_t rank : ranks) {
    walk.counts.clear();
    for (const Loop& loop : walk.program.nest.loops()) walk.counts.emplace_back(loop.trip_counts);
    walk.stamps.emplace(*trace.stamps_of(rank, c.thread));
    std::fill(exact.begin(), exact.end(), LineTimes());
    run(run, top_);
    if (!is_whole) return false;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      all[i].calls += exact[i].calls;
      all[i].computation_ns += exact[i].computation_ns;
      all[i].inside_ns += exact[i].inside_ns;
      const double mean = exact[i].calls > 0 ? exact[i].computation_ns / exact[i].calls : 0;
      if (mean <= all[i].slowest_ns || ranks.size() < 2) continue;
      all[i].slowest_ns = mean;
      all[i].slowest_rank = rank;
    }
  }
  for (LineTimes& line : all) {
    if (line.slowest_ns > 0 && line.computation_ns > 0)
      line.slowest_share = line.slowest_ns * line.calls / line.computation_ns;
  }
  times_ = std::move(all);
  return true;
}

void LinesOfProgram::add_places(const RankClass& c, const Walk& walk) {
  const std::vector<std::int64_t> ranks = c.ranks.ranks();
  const auto first = static_cast<std::uint32_t>(groups_.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> shared; // by PlaceTimes::shared: lines
  for (const PlaceTimes& place : c.program->times) {
    std::vector<std::uint32_t> reached;
    share_out(place, walk, ranks, reached);
    if (place.shared != 0) {
      std::vector<std::uint32_t>& all = shared[place.shared];
      all.insert(all.end(), reached.begin(), reached.end());
    } else if (reached.size() > 1) {
      groups_.push_back(std::move(reached));
    }
  }
  for (auto& [number, reached] : shared) groups_.push_back(std::move(reached));
  for (std::uint32_t group = first; group < groups_.size(); ++group) {
    for (const std::uint32_t line : groups_[group]) {
      std::vector<std::uint32_t>& known = times_[line].together;
      if (known.empty() || known.back() < group) known.push_back(group);
    }
  }
}

void LinesOfProgram::share_out(const PlaceTimes& place, const Walk& walk,
                               const std::vector<std::int64_t>& ranks,
                               std::vector<std::uint32_t>& reached) {
  auto lines = walk.reached.find({place.before, place.call});
  if (lines == walk.reached.end()) lines = walk.reached.find({PlaceTimes::kOther, place.call});
  if (lines == walk.reached.end()) return;
  double all = 0;
  for (const auto& [line, times] : lines->second) all += times;
  for (const auto& [line, times] : lines->second) {
    LineTimes& to = times_[line];
    const double share = times / all;
    reached.push_back(line);
    to.calls += share * static_cast<double>(place.inside.count);
    to.computation_ns += share * static_cast<double>(place.computation.sum_ns);
    to.inside_ns += share * static_cast<double>(place.inside.sum_ns);
    for (std::size_t i = 0; i < place.means.size() && i < ranks.size(); ++i) {
      const double mean = mean_of_code_ns(place.means[i].computation);
      if (mean <= to.slowest_ns) continue;
      to.slowest_ns = mean;
      to.slowest_rank = ranks[i];
      to.slowest_share = mean / place.computation.mean_ns();
    }
  }
}

std::vector<std::uint32_t> LinesOfProgram::together_with(std::uint32_t line) const {
  std::vector<std::uint32_t> lines;
  for (const std::uint32_t group : times_[line].together)
    lines.insert(lines.end(), groups_[group].begin(), groups_[group].end());
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::erase(lines, line);
  return lines;
}

} // namespace rondo::trace
