// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/program_text.hpp"

#include "rondo/base/units.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/function_groups.hpp"
#include "trace/text/call_writer.hpp"
#include "trace/text/line_times.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rondo::trace {
namespace {

// A rank that computes this much longer than all do on average is worth a remark.
constexpr double kImbalance = 1.25;
constexpr double kLong = 1000; // ns
constexpr std::size_t kMostLines = 3; // named as those that share their times

// "1.6 ms before, 49 ms inside"
std::string times_text(const LineTimes& times) {
  std::string text = human_duration(times.computation_ns / times.calls) + " before, " +
                     human_duration(times.inside_ns / times.calls) + " inside";
  if (times.slowest_share >= kImbalance && times.slowest_ns >= kLong)
    text += " (longest on rank " + std::to_string(times.slowest_rank) + ": " +
            human_duration(times.slowest_ns) + " before)";
  return text;
}

// Lines of terms, whatever program they are of.
class TermWriter {
public:
  TermWriter(const Trace& trace, const ProgramTextOptions& options, Tables tables,
             const LinesOfProgram& lines)
      : trace_(trace), options_(options), tables_(tables), lines_(lines), comms_(trace) {}

  // A line that is no term.
  void heading(int depth, const std::string& text) { put(depth, text, {}); }

  void loop(int depth, const std::string& trips) {
    line_of_term_.push_back(text_.size());
    put(depth, "loop " + trips + ":", {});
  }

  void call(int depth, const Call& call) {
    const auto term = static_cast<std::uint32_t>(line_of_term_.size());
    line_of_term_.push_back(text_.size());
    put(depth, text_of(trace_, tables_, call, &comms_), {{term}, site_of(call), true});
  }

  // A call that reads as the one which is `back` terms before, and stands in its line.
  void call_again(std::size_t back) {
    const auto term = static_cast<std::uint32_t>(line_of_term_.size());
    const std::size_t line = line_of_term_[line_of_term_.size() - back];
    line_of_term_.push_back(line);
    notes_[line].terms.push_back(term);
  }

  // What a reader sees of a call but for its times.
  std::string words_of(const Call& call) const {
    return text_of(trace_, tables_, call, &comms_) + "\n" + site_of(call);
  }

  // A term that is not printed.
  void hidden() { line_of_term_.push_back(text_.size()); }

  // Only now it is known in which lines the terms stand.
  std::string take() {
    std::string all;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const std::string note = notes_[i].is_call ? note_text(notes_[i]) : std::string();
      all += text_[i] + (note.empty() ? "" : "  # " + note) + '\n';
    }
    return all;
  }

private:
  struct Note {
    std::vector<std::uint32_t> terms{}; // several where ranks make equal calls at the same time
    std::string site{};
    bool is_call = false;
  };

  void put(int depth, const std::string& text, Note note) {
    text_.push_back(std::string(static_cast<std::size_t>(depth * options_.indent), ' ') + text);
    notes_.push_back(std::move(note));
  }

  std::string site_of(const Call& call) const {
    return options_.site ? options_.site(call) : std::string();
  }

  LineTimes times_of(const Note& note) const {
    LineTimes all;
    for (const std::uint32_t term : note.terms) {
      const LineTimes& times = lines_.times(term);
      all.calls += times.calls;
      all.computation_ns += times.computation_ns;
      all.inside_ns += times.inside_ns;
      if (times.slowest_ns <= all.slowest_ns) continue;
      all.slowest_ns = times.slowest_ns;
      all.slowest_rank = times.slowest_rank;
      all.slowest_share = times.slowest_share;
    }
    if (note.terms.size() > 1 && all.calls > 0 && all.computation_ns > 0)
      all.slowest_share = all.slowest_ns / (all.computation_ns / all.calls);
    return all;
  }

  std::string note_text(const Note& note) const {
    std::string text;
    const LineTimes times = times_of(note);
    if (options_.times && times.calls > 0) text = times_text(times) + shared_text(note.terms[0]);
    return text + (text.empty() || note.site.empty() ? "" : ", ") + note.site;
  }

  // ", shared with lines 9, 12, 15 and 6 more"
  std::string shared_text(std::uint32_t term) const {
    const std::vector<std::uint32_t> others = lines_.together_with(term);
    if (others.empty()) return {};
    std::string text = others.size() == 1 ? ", shared with line" : ", shared with lines";
    for (std::size_t i = 0; i < std::min(others.size(), kMostLines); ++i)
      text +=
          (i == 0 ? " " : ", ") + std::to_string(options_.first_line + line_of_term_[others[i]]);
    if (others.size() > kMostLines)
      text += " and " + std::to_string(others.size() - kMostLines) + " more";
    return text;
  }

  const Trace& trace_;
  const ProgramTextOptions& options_;
  Tables tables_;
  const LinesOfProgram& lines_;
  const CommunicatorNames comms_;
  std::vector<std::string> text_; // by line
  std::vector<Note> notes_;
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
  ProgramWriter(const Trace& trace, const Program& program, const ProgramTextOptions& options,
                const LinesOfProgram& lines)
      : program_(program), out_(trace, options, Tables(program), lines) {
    if (options.local) return;
    for (const Call& call : program.calls) hidden_.add_call(call);
    for (const Loop& loop : program.nest.loops()) hidden_.add_loop(loop.body);
  }

  void write(const std::vector<Term>& terms, int depth) {
    for (const Term term : terms) {
      if (hidden_.has(term)) {
        hide(term);
      } else if (!term.is_loop()) {
        out_.call(depth, program_.calls[term.index()]);
      } else {
        write_loop(program_.nest.loops()[term.index()], depth);
      }
    }
  }
  std::string take() { return out_.take(); }

private:
  // One that goes round once is what it has in it.
  void write_loop(const Loop& loop, int depth) {
    const std::string trips = trip_count_text(loop.trip_counts);
    if (trips == "1") {
      out_.hidden();
    } else {
      out_.loop(depth, trips);
    }
    write(loop.body, depth + (trips == "1" ? 0 : 1));
  }

  void hide(Term term) {
    out_.hidden();
    if (!term.is_loop()) return;
    for (const Term inner : program_.nest.loops()[term.index()].body) hide(inner);
  }

  const Program& program_;
  TermWriter out_;
  HiddenTerms hidden_;
};

// The same with guards: terms that only some of the ranks execute stand below their ranks.
class MergedWriter {
public:
  MergedWriter(const Trace& trace, const MergedProgram& program, const ProgramTextOptions& options,
               const LinesOfProgram& lines)
      : program_(program), out_(trace, options, Tables(program_), lines) {
    if (options.local) return;
    for (const MergedCall& call : program.calls) hidden_.add_call(call.call);
    for (const MergedLoop& loop : program.loops) hidden_.add_loop(loop.body);
  }

  void write(const std::vector<Term>& terms, int depth, std::uint32_t outer) {
    std::uint32_t open = outer; // the set whose heading was written last
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (hidden_.has(terms[i])) {
        hide(terms[i]);
        continue;
      }
      const std::uint32_t set = set_of(terms[i]);
      const bool begins = set != open && set != outer;
      if (begins) {
        if (const std::size_t written = write_alike(terms, i, depth, outer); written > 0) {
          i += written - 1;
          open = outer;
          continue;
        }
        out_.heading(depth, guard_text(program_.table.sets[set]) + ":");
      }
      open = set;
      write_term(terms[i], depth + (set != outer ? 1 : 0), set);
    }
  }
  std::string take() { return out_.take(); }

private:
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

  bool are_alike(const std::vector<Term>& terms, std::size_t a, std::size_t b,
                 std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto words = [&](std::size_t at) {
        return out_.words_of(program_.calls[terms[at + i].index()].call);
      };
      if (words(a) != words(b)) return false;
    }
    return true;
  }

  // Guards behind one another under which the same is written are one.
  /// @return  how many terms that took; 0 if the next guard says something else
  std::size_t write_alike(const std::vector<Term>& terms, std::size_t first, int depth,
                          std::uint32_t outer) {
    const std::size_t count = calls_of_set(terms, first);
    if (count == 0) return 0;
    RankSet all = program_.table.sets[set_of(terms[first])];
    std::size_t next = first + count;
    while (next < terms.size() && set_of(terms[next]) != outer &&
           calls_of_set(terms, next) == count && are_alike(terms, first, next, count)) {
      const RankSet& more = program_.table.sets[set_of(terms[next])];
      RankSet both = all;
      both.add(more);
      if (both.size() != all.size() + more.size()) break; // some ranks make the calls twice
      all = std::move(both);
      next += count;
    }
    if (next == first + count) return 0;
    const bool is_outer = all == program_.table.sets[outer];
    if (!is_outer) out_.heading(depth, guard_text(all) + ":");
    for (std::size_t i = 0; i < count; ++i)
      out_.call(depth + (is_outer ? 0 : 1), program_.calls[terms[first + i].index()].call);
    for (std::size_t i = first + count; i < next; ++i) out_.call_again(count);
    return next - first;
  }

  void write_term(Term term, int depth, std::uint32_t set) {
    if (!term.is_loop()) return out_.call(depth, program_.calls[term.index()].call);
    const MergedLoop& loop = program_.loops[term.index()];
    const std::string trips = trip_count_text(program_, loop);
    if (trips == "1") { // is what it has in it
      out_.hidden();
    } else {
      out_.loop(depth, trips);
    }
    write(loop.body, depth + (trips == "1" ? 0 : 1), set);
  }

  void hide(Term term) {
    out_.hidden();
    if (!term.is_loop()) return;
    for (const Term inner : program_.loops[term.index()].body) hide(inner);
  }

  const MergedProgram& program_;
  TermWriter out_;
  HiddenTerms hidden_;
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
    return by_rank_text(program.table, kCount, count.value, true);
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

std::string program_text(const Trace& trace, const RankClass& c, std::int64_t rank,
                         const ProgramTextOptions& options) {
  const Program own = program_of(trace, c, rank);
  LinesOfProgram lines(own);
  if (options.times) lines.add(trace, c, rank);
  ProgramWriter writer(trace, own, options, lines);
  writer.write(own.nest.top(), 1);
  std::map<std::string_view, std::uint64_t> hidden;
  if (!options.local) count_local(own, 1, hidden);
  return writer.take() + hidden_text(hidden);
}

std::string merged_text(const Trace& trace, std::size_t index, const ProgramTextOptions& options) {
  const MergedProgram& merged = *trace.programs[index];
  LinesOfProgram lines(merged);
  for (const RankClass& c : trace.classes) {
    if (options.times && c.merged == index) lines.add(trace, c, std::nullopt);
  }
  MergedWriter writer(trace, merged, options, lines);
  writer.write(merged.top, 1, 0);
  std::map<std::string_view, std::uint64_t> hidden;
  for (const RankClass& c : trace.classes) {
    if (!options.local && c.merged == index)
      count_local(*c.program, static_cast<std::uint64_t>(c.ranks.size()), hidden);
  }
  return writer.take() + hidden_text(hidden);
}

} // namespace rondo::trace
