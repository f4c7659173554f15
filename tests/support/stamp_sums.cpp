// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stamp_sums.hpp"

#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace rondo::support {
namespace {

using trace::PlaceTimes;
using Key = std::pair<std::uint32_t, std::uint32_t>; // call, call before
using Places = std::map<Key, PlaceTimes>;

// Ranks may round the start of a call by a nanosecond against the end of the one before.
constexpr std::uint64_t kRounding_ns = 2;

class Check {
public:
  explicit Check(const trace::Trace& trace) : trace_(trace) {
    for (const trace::RankClass& c : trace.classes)
      has_times_everywhere_ = has_times_everywhere_ && !c.program->times.empty();
  }

  std::vector<std::string> run() {
    std::map<std::int64_t, trace::RankFacts> facts;
    for (const trace::RankClass& c : trace_.classes) {
      Places want;
      for (const PlaceTimes& place : c.program->times) want[{place.call, place.before}] = place;
      Places got;
      for (const std::int64_t rank : c.ranks.ranks()) add_rank(c, rank, want, got, facts[rank]);
      add_by_site(c, want, want_by_site_);
      add_by_site(c, got, got_by_site_);
      if (has_times_everywhere_) compare("ranks " + c.ranks.text(), want, got);
    }
    compare("all ranks", want_by_site_, got_by_site_);
    for (const auto& [rank, sum] : facts) {
      const trace::RankFacts& said = trace_.ranks[static_cast<std::size_t>(rank)];
      expect(said.computation_ns == sum.computation_ns && said.inside_ns == sum.inside_ns &&
                 said.calls == sum.calls,
             "rank " + std::to_string(rank) + ": its facts are not the sum of its calls");
      if (said.sums.functions.empty()) continue; // not of a recorder
      const bool has_phases = !said.sums.phases.empty();
      expect(!has_phases || said.sums.phases == sum.sums.phases,
             "rank " + std::to_string(rank) + ": other sums of phases");
      for (const trace::Function& function : trace::all_functions()) {
        const trace::TimeSum* got = said.sums.of_function(function.id);
        const trace::TimeSum* want = sum.sums.of_function(function.id);
        expect((got == nullptr ? trace::TimeSum() : *got) ==
                   (want == nullptr ? trace::TimeSum() : *want),
               "rank " + std::to_string(rank) + ": another sum of " + std::string(function.name));
      }
    }
    return std::move(remarks_);
  }

private:
  void expect(bool condition, const std::string& otherwise) {
    if (!condition) remarks_.push_back(otherwise);
  }

  void add_rank(const trace::RankClass& c, std::int64_t rank, const Places& want, Places& got,
                trace::RankFacts& facts) {
    const std::string name =
        "rank " + std::to_string(rank) + ", thread " + std::to_string(c.thread);
    const trace::TimeStamps* stamps = trace_.stamps_of(rank, c.thread);
    if (stamps == nullptr) return expect(false, name + ": no times");
    trace::CallReader calls(trace_, c, rank);
    trace::TimeStampReader times(*stamps);
    std::uint32_t before = PlaceTimes::kStart;
    std::uint64_t end_ns = 0;
    std::vector<std::string> phases; // that are open
    while (const trace::CallInstance* call = calls.next()) {
      const auto time = times.next();
      if (!time) return expect(false, name + ": a call has no times");
      expect(time->start_ns + kRounding_ns >= end_ns + time->computation_ns,
             name + ": a call starts too early");
      end_ns = time->end_ns();
      Key key(call->symbol, std::exchange(before, call->symbol));
      if (!want.contains(key)) key.second = PlaceTimes::kOther;
      got[key].computation.add(time->computation_ns);
      got[key].inside.add(time->inside_ns);
      ++facts.calls;
      facts.computation_ns += time->computation_ns;
      facts.inside_ns += time->inside_ns;
      facts.sums.add_phase(phases.empty() ? "" : phases.back(),
                           {time->computation_ns, time->inside_ns});
      follow(*c.program, *call, phases);
      facts.sums.add_function(call->function->id, {time->computation_ns, time->inside_ns});
    }
    expect(!times.next(), name + ": times of calls that there are not");
    expect(!times.is_damaged(), name + ": damaged");
  }

  static void follow(const trace::Program& program, const trace::CallInstance& call,
                     std::vector<std::string>& phases) {
    const bool begins = call.function->name == "rondo_phase_begin";
    if (!begins && call.function->name != "rondo_phase_end") return;
    const std::string& name = program.texts.at(static_cast<std::size_t>(call.words[0]));
    if (begins) return phases.push_back(name);
    const auto open = std::find(phases.rbegin(), phases.rend(), name);
    if (open != phases.rend()) phases.erase(std::next(open).base());
  }

  static bool is_same(const trace::Durations& a, const trace::Durations& b) {
    return a.count == b.count && a.sum_ns == b.sum_ns && a.min_ns == b.min_ns &&
           a.max_ns == b.max_ns && a.bins == b.bins;
  }

  // Ranks that were merged before they were told apart have their times in one class.
  static void add_by_site(const trace::RankClass& c, const Places& places, Places& sums) {
    for (const auto& [key, place] : places) {
      const trace::Call& call = c.program->calls[key.first];
      PlaceTimes& sum = sums[{call.site << 16 | call.function, c.thread}];
      sum.computation.add(place.computation);
      sum.inside.add(place.inside);
    }
  }

  void compare(const std::string& name, const Places& want, const Places& got) {
    expect(want.size() == got.size(), name + ": other places");
    for (const auto& [key, place] : want) {
      const auto found = got.find(key);
      const bool is_right = found != got.end() &&
                            is_same(place.computation, found->second.computation) &&
                            is_same(place.inside, found->second.inside);
      expect(is_right, name + ": call " + std::to_string(key.first) + " after " +
                           std::to_string(key.second) + " adds up to something else");
    }
  }

  const trace::Trace& trace_;
  bool has_times_everywhere_ = true;
  Places want_by_site_; // in place of a call and the one before it: site and function, thread
  Places got_by_site_;
  std::vector<std::string> remarks_;
};

} // namespace

std::vector<std::string> disagreements(const trace::Trace& trace) { return Check(trace).run(); }

} // namespace rondo::support
