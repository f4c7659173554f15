// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/program_text.hpp"

#include "rondo/base/units.hpp"
#include "trace/call_writer.hpp"

#include <utility>

namespace rondo::trace {
namespace {

// A rank that computes this much longer than all do on average is worth a remark.
constexpr double kImbalance = 1.25;
constexpr double kLong = 1000; // ns

struct CallTimes {
  Durations computation;
  Durations inside;
  double slowest_ns = 0; // mean computation of the rank that computes longest at one place
  std::int64_t slowest_rank = 0;
  double slowest_share = 0; // of that over the mean of all ranks there
};

// Which rank computes longest before a call, at the place where that matters most.
void note_slowest(CallTimes& times, const PlaceTimes& place,
                  const std::vector<std::int64_t>& ranks) {
  for (std::size_t i = 0; i < place.means.size(); ++i) {
    const double mean = mean_of_code_ns(place.means[i].computation);
    if (mean <= times.slowest_ns) continue;
    times.slowest_ns = mean;
    times.slowest_rank = ranks[i];
    times.slowest_share = mean / place.computation.mean_ns();
  }
}

// Adds up the places of each call.
void add_times(std::vector<CallTimes>& times, const Program& program,
               const std::vector<std::uint32_t>* numbers, const std::vector<std::int64_t>& ranks) {
  for (const PlaceTimes& place : program.times) {
    const std::uint32_t call = numbers != nullptr ? (*numbers)[place.call] : place.call;
    if (call >= times.size()) times.resize(call + std::size_t{1});
    times[call].computation.add(place.computation);
    times[call].inside.add(place.inside);
    if (!ranks.empty()) note_slowest(times[call], place, ranks);
  }
}

// Lines of terms, whatever program they are of.
class TermWriter {
public:
  TermWriter(const Trace& trace, const ProgramTextOptions& options, Tables tables)
      : trace_(trace), options_(options), tables_(tables) {}

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(depth * options_.indent), ' ');
    text_ += text + '\n';
  }

  void call(int depth, const Call& call, const CallTimes* times) {
    std::string note;
    if (options_.times && times != nullptr) {
      note = human_duration(times->computation.mean_ns()) + " before, " +
             human_duration(times->inside.mean_ns()) + " inside";
      if (times->slowest_share >= kImbalance && times->slowest_ns >= kLong)
        note += " (longest on rank " + std::to_string(times->slowest_rank) + ": " +
                human_duration(times->slowest_ns) + " before)";
    }
    if (options_.site) {
      const std::string site = options_.site(call);
      note += (note.empty() || site.empty() ? "" : ", ") + site;
    }
    line(depth, text_of(trace_, tables_, call) + (note.empty() ? "" : "  # " + note));
  }

  std::string take() { return std::move(text_); }

private:
  const Trace& trace_;
  const ProgramTextOptions& options_;
  Tables tables_;
  std::string text_;
};

class ProgramWriter {
public:
  ProgramWriter(const Trace& trace, const Program& program, const ProgramTextOptions& options)
      : program_(program), out_(trace, options, Tables(program)) {
    add_times(times_, program, nullptr, {});
  }

  void write(const std::vector<Term>& terms, int depth) {
    for (const Term term : terms) {
      if (!term.is_loop()) {
        const CallTimes* times = term.index() < times_.size() ? &times_[term.index()] : nullptr;
        out_.call(depth, program_.calls[term.index()], times);
        continue;
      }
      const Loop& loop = program_.nest.loops()[term.index()];
      out_.line(depth, "loop " + trip_count_text(loop.trip_counts) + ":");
      write(loop.body, depth + 1);
    }
  }
  std::string take() { return out_.take(); }

private:
  const Program& program_;
  TermWriter out_;
  std::vector<CallTimes> times_; // by symbol, over all places
};

// The same with guards: terms that only some of the ranks execute stand below their ranks.
class MergedWriter {
public:
  MergedWriter(const Trace& trace, std::size_t index, const ProgramTextOptions& options)
      : program_(*trace.programs[index]), out_(trace, options, Tables(program_)) {
    for (const RankClass& c : trace.classes) {
      if (c.merged == index) add_times(times_, *c.program, &c.calls, c.ranks.ranks());
    }
  }

  void write(const std::vector<Term>& terms, int depth, std::uint32_t outer) {
    std::uint32_t open = outer; // the set whose heading was written last
    for (const Term term : terms) {
      const std::uint32_t set = set_of(term);
      if (set != open && set != outer) out_.line(depth, guard_text(program_.table.sets[set]) + ":");
      open = set;
      write_term(term, depth + (set != outer ? 1 : 0), set);
    }
  }
  std::string take() { return out_.take(); }

private:
  std::uint32_t set_of(Term term) const {
    return term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  }

  void write_term(Term term, int depth, std::uint32_t set) {
    if (term.is_loop()) {
      const MergedLoop& loop = program_.loops[term.index()];
      out_.line(depth, "loop " + trip_count_text(program_, loop) + ":");
      write(loop.body, depth + 1, set);
      return;
    }
    const CallTimes* times = term.index() < times_.size() ? &times_[term.index()] : nullptr;
    out_.call(depth, program_.calls[term.index()].call, times);
  }

  const MergedProgram& program_;
  TermWriter out_;
  std::vector<CallTimes> times_; // by call
};

} // namespace

std::string trip_count_text(const Column& column) {
  if (const auto constant = column.constant()) return std::to_string(*constant);
  return range_text(range_of(column));
}

std::string trip_count_text(const MergedProgram& program, const MergedLoop& loop) {
  static constexpr Field kCount{"count", FieldKind::kInteger, false, false};
  const Word& count = loop.trip_count;
  const Tables tables(program);
  switch (count.form) {
  case Word::Form::kByRank:
    return by_rank_text(program.table, kCount, count.value);
  case Word::Form::kColumn:
    return trip_count_text(tables.column(count.value));
  case Word::Form::kColumnByRank:
    return range_text(tables.range_of_choice(count.value));
  default:
    return std::to_string(count.value);
  }
}

std::string guard_text(const RankSet& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks.text();
}

std::string call_text(const Trace& trace, const Program& program, const Call& call) {
  return text_of(trace, Tables(program), call);
}

std::string call_text(const Trace& trace, const MergedProgram& program, const Call& call) {
  return text_of(trace, Tables(program), call);
}

std::string program_text(const Trace& trace, const Program& program,
                         const ProgramTextOptions& options) {
  ProgramWriter writer(trace, program, options);
  writer.write(program.nest.top(), 1);
  return writer.take();
}

std::string merged_text(const Trace& trace, std::size_t index, const ProgramTextOptions& options) {
  MergedWriter writer(trace, index, options);
  writer.write(trace.programs[index]->top, 1, 0);
  return writer.take();
}

} // namespace rondo::trace
