// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/program_lines.hpp"

#include "rondo/base/units.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/function_groups.hpp"
#include "rondo/trace/place_values.hpp"
#include "trace/text/call_writer.hpp"
#include "trace/text/line_times.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rondo::trace {
namespace {

// A rank that computes this much longer than all do on average is worth a remark.
constexpr double kImbalance = 1.25;
constexpr double kLong = 1000; // ns
constexpr std::size_t kMostLines = 3; // named as those that share their times

// "1.6 ms before, 49 ms inside"
std::string mean_times_text(const LineTimes& times) {
  std::string text = human_duration(times.computation_ns / times.calls) + " before, " +
                     human_duration(times.inside_ns / times.calls) + " inside";
  if (times.slowest_share >= kImbalance && times.slowest_ns >= kLong)
    text += " (longest on rank " + std::to_string(times.slowest_rank) + ": " +
            human_duration(times.slowest_ns) + " before)";
  return text;
}

// Numbers the terms of a program by where they are written: what stands in a loop that is entered
// at two places has two numbers. 0 is the whole program.
class Places {
public:
  /// @param body_of  the body of a loop, by its index
  template <class BodyOf> Places(const std::vector<Term>& top, const BodyOf& body_of) {
    add(top, 0, body_of);
  }

  std::uint32_t in(std::uint32_t at, std::size_t term) const {
    return first_[at] + static_cast<std::uint32_t>(term);
  }
  PlaceValues::PlaceIn finder() const {
    return [this](std::optional<std::uint32_t> at, std::uint32_t term) {
      return std::optional(in(at.value_or(0), term));
    };
  }

private:
  template <class BodyOf>
  void add(const std::vector<Term>& terms, std::uint32_t at, const BodyOf& body_of) {
    first_[at] = static_cast<std::uint32_t>(first_.size());
    first_.resize(first_.size() + terms.size(), 0);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].is_loop()) add(body_of(terms[i].index()), in(at, i), body_of);
    }
  }

  std::vector<std::uint32_t> first_{0}; // place of the first term in the loop at a place
};

// Lines of terms, whatever program they are of.
class TermWriter {
public:
  /// @param values  of the columns, by place
  TermWriter(const Trace& trace, const ProgramTextOptions& options, Tables tables,
             PlaceValues values)
      : trace_(trace), options_(options), tables_(tables), comms_(trace),
        values_(std::move(values)) {}

  /// @param anywhere  what the loop's column says
  std::string trips(std::uint32_t place, std::string anywhere) const {
    return values_.trip_counts(place).value_or(std::move(anywhere));
  }

  void guard(int depth, const RankSet& ranks) {
    lines_.push_back({ProgramLine::Kind::kGuard, depth, guard_text(ranks),
                      std::make_shared<const RankSet>(ranks)});
  }

  void loop(int depth, std::string trips) {
    hidden();
    lines_.push_back({ProgramLine::Kind::kLoop, depth, std::move(trips)});
  }

  void call(int depth, const Call& call, std::uint32_t place) {
    line_of_term_.push_back(lines_.size());
    lines_.push_back({ProgramLine::Kind::kCall,
                      depth,
                      "",
                      nullptr,
                      words_of_call(call, place),
                      site_of(call),
                      call.site,
                      {last_term()}});
  }

  // A call that reads as the one which is `back` terms before, and stands in its line.
  void call_again(std::size_t back) {
    line_of_term_.push_back(line_of_term_[line_of_term_.size() - back]);
    lines_[line_of_term_.back()].terms.push_back(last_term());
  }

  // What a reader sees of a call but for its times.
  std::string text_of(const Call& call, std::uint32_t place) const {
    return words_of_call(call, place).text() + "\n" + site_of(call);
  }

  // A term without a line of its own that has times.
  void hidden() { line_of_term_.push_back(0); }

  std::vector<ProgramLine> take() { return std::move(lines_); }

private:
  // A call may stand in many lines, and its columns are long.
  CallWords words_of_call(const Call& call, std::uint32_t place) const {
    if (values_.knows(place)) {
      const auto here = [&](std::size_t word) { return values_.at(place, word); };
      return with_what_came(words_of(trace_, tables_, call, &comms_, here), call);
    }
    const auto [known, is_new] = words_.try_emplace(&call);
    if (is_new) known->second = with_what_came(words_of(trace_, tables_, call, &comms_), call);
    return known->second;
  }

  // A status that was recorded says it itself.
  CallWords with_what_came(CallWords words, const Call& call) const {
    const auto came = options_.arrived ? options_.arrived(call) : std::nullopt;
    const bool has_status =
        std::any_of(words.arguments.begin(), words.arguments.end(),
                    [](const auto& argument) { return argument.kind == FieldKind::kStatus; });
    if (!came || has_status) return words;
    const auto& [least, most] = *came;
    const std::string text = least == most
                                 ? std::to_string(least)
                                 : "<" + std::to_string(least) + ".." + std::to_string(most) + ">";
    words.arguments.push_back({.name = "bytes",
                               .text = text,
                               .is_outcome = true,
                               .kind = FieldKind::kInteger,
                               .least = least,
                               .most = most});
    return words;
  }

  std::uint32_t last_term() const { return static_cast<std::uint32_t>(line_of_term_.size() - 1); }

  std::string site_of(const Call& call) const {
    return options_.site ? options_.site(call) : std::string();
  }

  const Trace& trace_;
  const ProgramTextOptions& options_;
  Tables tables_;
  const CommunicatorNames comms_;
  const PlaceValues values_;
  mutable std::unordered_map<const Call*, CallWords> words_;
  std::vector<ProgramLine> lines_;
  std::vector<std::size_t> line_of_term_; // in the order of printing
};

// Local calls, and loops of nothing else.
class HiddenTerms {
public:
  void add_call(const Call& call) { calls_.push_back(is_local(*find_function(call.function))); }
  // Inner loops come first.
  void add_loop(const std::vector<Term>& body) {
    loops_.push_back(std::all_of(body.begin(), body.end(), [&](Term term) { return has(term); }));
  }
  bool has(Term term) const {
    const std::vector<bool>& hidden = term.is_loop() ? loops_ : calls_;
    return term.index() < hidden.size() && hidden[term.index()];
  }

private:
  std::vector<bool> calls_;
  std::vector<bool> loops_;
};

// "  # 12 local calls left out: 8 MPI_Type_commit, 4 MPI_Group_incl; --all shows them"
std::string hidden_text(const std::map<std::string_view, std::uint64_t>& counts) {
  if (counts.empty()) return {};
  std::uint64_t all = 0;
  std::string kinds;
  for (const auto& [name, calls] : counts) {
    all += calls;
    kinds += (kinds.empty() ? "" : ", ") + std::to_string(calls) + " " + std::string(name);
  }
  return "  # " + std::to_string(all) + (all == 1 ? " local call" : " local calls") +
         " left out: " + kinds + "; --all shows them\n";
}

void count_local(const Program& program, std::uint64_t ranks,
                 std::map<std::string_view, std::uint64_t>& counts) {
  const auto executions = program.nest.occurrences(program.calls.size());
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const Function& function = *find_function(program.calls[i].function);
    if (is_local(function) && executions[i] > 0) counts[function.name] += executions[i] * ranks;
  }
}

class ProgramWriter {
public:
  ProgramWriter(const Trace& trace, const Program& program, const ProgramTextOptions& options)
      : program_(program),
        places_(
            program.nest.top(),
            [&](std::uint32_t loop) -> const auto& { return program.nest.loops()[loop].body; }),
        out_(trace, options, Tables(program), PlaceValues(program, 0, places_.finder())) {
    if (options.local) return;
    for (const Call& call : program.calls) hidden_.add_call(call);
    for (const Loop& loop : program.nest.loops()) hidden_.add_loop(loop.body);
  }

  void write() { write(program_.nest.top(), 0, 0); }
  std::vector<ProgramLine> take() { return out_.take(); }

private:
  void write(const std::vector<Term>& terms, int depth, std::uint32_t at) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (hidden_.has(terms[i])) {
        hide(terms[i]);
      } else if (!terms[i].is_loop()) {
        out_.call(depth, program_.calls[terms[i].index()], places_.in(at, i));
      } else {
        write_loop(program_.nest.loops()[terms[i].index()], depth, places_.in(at, i));
      }
    }
  }

  // One that goes round once is what it has in it.
  void write_loop(const Loop& loop, int depth, std::uint32_t place) {
    const std::string trips = out_.trips(place, trip_count_text(loop.trip_counts));
    if (trips == "1") {
      out_.hidden();
    } else {
      out_.loop(depth, trips);
    }
    write(loop.body, depth + (trips == "1" ? 0 : 1), place);
  }

  void hide(Term term) {
    out_.hidden();
    if (!term.is_loop()) return;
    for (const Term inner : program_.nest.loops()[term.index()].body) hide(inner);
  }

  const Program& program_;
  const Places places_;
  TermWriter out_;
  HiddenTerms hidden_;
};

// The same with guards: terms that only some of the ranks execute stand below their ranks.
class MergedWriter {
public:
  MergedWriter(const Trace& trace, std::size_t index, const ProgramTextOptions& options)
      : program_(*trace.programs[index]),
        places_(
            program_.top,
            [&](std::uint32_t loop) -> const auto& { return program_.loops[loop].body; }),
        out_(trace, options, Tables(program_), PlaceValues(trace, index, 0, places_.finder())) {
    if (options.local) return;
    for (const MergedCall& call : program_.calls) hidden_.add_call(call.call);
    for (const MergedLoop& loop : program_.loops) hidden_.add_loop(loop.body);
  }

  void write() { write(program_.top, 0, 0, 0); }
  std::vector<ProgramLine> take() { return out_.take(); }

private:
  void write(const std::vector<Term>& terms, int depth, std::uint32_t outer, std::uint32_t at) {
    std::uint32_t open = outer; // the set whose heading was written last
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (hidden_.has(terms[i])) {
        hide(terms[i]);
        continue;
      }
      const std::uint32_t set = set_of(terms[i]);
      const bool begins = set != open && set != outer;
      if (begins) {
        if (const std::size_t written = write_alike(terms, i, depth, outer, at); written > 0) {
          i += written - 1;
          open = outer;
          continue;
        }
        out_.guard(depth, program_.table.sets[set]);
      }
      open = set;
      write_term(terms[i], depth + (set != outer ? 1 : 0), set, places_.in(at, i));
    }
  }

  std::uint32_t set_of(Term term) const {
    return term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  }

  // How many terms from here on are of one set; 0 if one of them is more than a call in sight.
  std::size_t calls_of_set(const std::vector<Term>& terms, std::size_t first) const {
    std::size_t count = 0;
    while (first + count < terms.size() && set_of(terms[first + count]) == set_of(terms[first])) {
      const Term term = terms[first + count];
      if (term.is_loop() || hidden_.has(term)) return 0;
      ++count;
    }
    return count;
  }

  bool are_alike(const std::vector<Term>& terms, std::size_t a, std::size_t b, std::size_t count,
                 std::uint32_t at) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto words = [&](std::size_t first) {
        return out_.text_of(program_.calls[terms[first + i].index()].call,
                            places_.in(at, first + i));
      };
      if (words(a) != words(b)) return false;
    }
    return true;
  }

  // Guards behind one another under which the same is written are one.
  /// @return  how many terms that took; 0 if the next guard says something else
  std::size_t write_alike(const std::vector<Term>& terms, std::size_t first, int depth,
                          std::uint32_t outer, std::uint32_t at) {
    const std::size_t count = calls_of_set(terms, first);
    if (count == 0) return 0;
    RankSet all = program_.table.sets[set_of(terms[first])];
    std::size_t next = first + count;
    while (next < terms.size() && set_of(terms[next]) != outer &&
           calls_of_set(terms, next) == count && are_alike(terms, first, next, count, at)) {
      const RankSet& more = program_.table.sets[set_of(terms[next])];
      RankSet both = all;
      both.add(more);
      if (both.size() != all.size() + more.size()) break; // some ranks make the calls twice
      all = std::move(both);
      next += count;
    }
    if (next == first + count) return 0;
    const bool is_outer = all == program_.table.sets[outer];
    if (!is_outer) out_.guard(depth, all);
    for (std::size_t i = 0; i < count; ++i)
      out_.call(depth + (is_outer ? 0 : 1), program_.calls[terms[first + i].index()].call,
                places_.in(at, first + i));
    for (std::size_t i = first + count; i < next; ++i) out_.call_again(count);
    return next - first;
  }

  void write_term(Term term, int depth, std::uint32_t set, std::uint32_t place) {
    if (!term.is_loop()) return out_.call(depth, program_.calls[term.index()].call, place);
    const MergedLoop& loop = program_.loops[term.index()];
    const std::string trips = out_.trips(place, trip_count_text(program_, loop));
    if (trips == "1") { // is what it has in it
      out_.hidden();
    } else {
      out_.loop(depth, trips);
    }
    write(loop.body, depth + (trips == "1" ? 0 : 1), set, place);
  }

  void hide(Term term) {
    out_.hidden();
    if (!term.is_loop()) return;
    for (const Term inner : program_.loops[term.index()].body) hide(inner);
  }

  const MergedProgram& program_;
  const Places places_;
  TermWriter out_;
  HiddenTerms hidden_;
};

// Of all calls of a line.
LineTimes together(const std::vector<ProgramLines>& programs,
                   const std::vector<PlacedTerm>& terms) {
  LineTimes all;
  for (const PlacedTerm& term : terms) {
    const LineTimes& times = programs[term.program].times->times(term.term);
    all.calls += times.calls;
    all.computation_ns += times.computation_ns;
    all.inside_ns += times.inside_ns;
    if (times.slowest_ns <= all.slowest_ns) continue;
    all.slowest_ns = times.slowest_ns;
    all.slowest_rank = times.slowest_rank;
    all.slowest_share = times.slowest_share;
  }
  if (terms.size() > 1 && all.calls > 0 && all.computation_ns > 0)
    all.slowest_share = all.slowest_ns / (all.computation_ns / all.calls);
  return all;
}

// ", shared with lines 9, 12, 15 and 6 more"
std::string shared_text(const std::vector<ProgramLines>& programs,
                        const std::vector<PlacedTerm>& terms, const LineOfTerm& line_of) {
  std::vector<std::size_t> others;
  for (const PlacedTerm& term : terms) {
    for (const std::uint32_t other : programs[term.program].times->together_with(term.term))
      others.push_back(line_of({term.program, other}));
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::erase(others, std::size_t{0});
  std::erase(others, line_of(terms.front()));
  if (others.empty()) return {};
  std::string text = others.size() == 1 ? ", shared with line" : ", shared with lines";
  for (std::size_t i = 0; i < std::min(others.size(), kMostLines); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(others[i]);
  if (others.size() > kMostLines)
    text += " and " + std::to_string(others.size() - kMostLines) + " more";
  return text;
}

} // namespace

std::string times_of_line(const std::vector<ProgramLines>& programs,
                          const std::vector<PlacedTerm>& terms, const LineOfTerm& line_of) {
  if (terms.empty() || programs[terms.front().program].times == nullptr) return {};
  const LineTimes times = together(programs, terms);
  if (times.calls == 0) return {};
  return mean_times_text(times) + shared_text(programs, terms, line_of);
}

std::string local_calls_remark(const Trace& trace, std::optional<std::int64_t> rank) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const RankClass& c : trace.classes) {
    if (!rank || c.ranks.contains(*rank))
      count_local(*c.program, rank ? 1 : static_cast<std::uint64_t>(c.ranks.size()), counts);
  }
  return hidden_text(counts);
}

ProgramLines lines_of_rank(const Trace& trace, const RankClass& c, std::int64_t rank,
                           const ProgramTextOptions& options) {
  const Program own = program_of(trace, c, rank);
  ProgramLines result;
  result.ranks = RankSet::of({rank});
  if (options.times) {
    auto times = std::make_shared<LinesOfProgram>(own);
    times->add(trace, c, rank);
    result.times = std::move(times);
  }
  ProgramWriter writer(trace, own, options);
  writer.write();
  std::map<std::string_view, std::uint64_t> hidden;
  if (!options.local) count_local(own, 1, hidden);
  result.lines = writer.take();
  result.remark = hidden_text(hidden);
  return result;
}

ProgramLines lines_of_merged(const Trace& trace, std::size_t index,
                             const ProgramTextOptions& options) {
  const MergedProgram& merged = *trace.programs[index];
  ProgramLines result;
  result.ranks = merged.ranks();
  if (options.times) {
    auto times = std::make_shared<LinesOfProgram>(merged);
    for (const RankClass& c : trace.classes) {
      if (c.merged == index) times->add(trace, c, std::nullopt);
    }
    result.times = std::move(times);
  }
  MergedWriter writer(trace, index, options);
  writer.write();
  std::map<std::string_view, std::uint64_t> hidden;
  for (const RankClass& c : trace.classes) {
    if (!options.local && c.merged == index)
      count_local(*c.program, static_cast<std::uint64_t>(c.ranks.size()), hidden);
  }
  result.lines = writer.take();
  result.remark = hidden_text(hidden);
  return result;
}

} // namespace rondo::trace
