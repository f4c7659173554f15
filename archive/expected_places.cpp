// SPDX-License-Identifier: Apache-2.0
#include "archive/expected_places.hpp"

#include <algorithm>
#include <tuple>

namespace rondo::archive {
namespace {

using trace::Column;
using trace::Loop;
using trace::PlaceTimes;
using trace::Term;

constexpr std::uint32_t kNone = PlaceTimes::kOther; // of calls: in no program

// How often a loop is entered without going round; of differences that is not known in short time.
std::uint64_t entries_in_vain(const Column& trips) {
  std::uint64_t vain = 0;
  for (const trace::Run& run : trips.runs()) vain += run.value <= 0 ? run.count : 0;
  for (const std::int64_t value : trips.values()) vain += value <= 0 ? 1 : 0;
  return vain;
}

// Sums wrap around in files made up to hurt: writer and reader agree even then.
class CallsInOrder {
public:
  explicit CallsInOrder(const trace::Program& program) : loops_(program.nest.loops()) {
    first_.resize(loops_.size(), kNone);
    last_.resize(loops_.size(), kNone);
    for (std::size_t i = 0; i < loops_.size(); ++i) add_loop(i);
    const std::vector<Term>& top = program.nest.top();
    add_sequence(top, 1);
    if (!top.empty()) add(PlaceTimes::kStart, first_of(top.front()), 1);
  }

  std::vector<ExpectedPlace> places(std::uint64_t ranks) && {
    const auto key = [](const ExpectedPlace& place) { return std::tie(place.call, place.before); };
    std::sort(pairs_.begin(), pairs_.end(),
              [&](const ExpectedPlace& a, const ExpectedPlace& b) { return key(a) < key(b); });
    std::vector<ExpectedPlace> places;
    for (const ExpectedPlace& pair : pairs_) {
      if (places.empty() || key(places.back()) != key(pair))
        places.push_back({pair.call, pair.before, 0});
      places.back().count += pair.count * ranks;
    }
    return places;
  }

private:
  // A loop's body is gone through from its own last call to its first one in all rounds but those
  // that it is entered with. Loops stand behind those in their bodies.
  void add_loop(std::size_t i) {
    const Loop& loop = loops_[i];
    const auto rounds =
        static_cast<std::uint64_t>(std::max<std::int64_t>(loop.trip_counts.sum(), 0));
    add_sequence(loop.body, rounds);
    if (loop.body.empty()) return;
    first_[i] = first_of(loop.body.front());
    last_[i] = last_of(loop.body.back());
    const std::uint64_t entries = loop.trip_counts.size() - entries_in_vain(loop.trip_counts);
    if (rounds > entries) add(last_[i], first_[i], rounds - entries);
  }

  void add_sequence(const std::vector<Term>& terms, std::uint64_t times) {
    for (std::size_t i = 1; i < terms.size(); ++i)
      add(last_of(terms[i - 1]), first_of(terms[i]), times);
  }

  void add(std::uint32_t before, std::uint32_t call, std::uint64_t times) {
    if (before != kNone && call != kNone && times > 0) pairs_.push_back({call, before, times});
  }

  std::uint32_t first_of(Term term) const { return call_of(term, first_); }
  std::uint32_t last_of(Term term) const { return call_of(term, last_); }
  static std::uint32_t call_of(Term term, const std::vector<std::uint32_t>& of_loops) {
    return term.is_loop() ? of_loops[term.index()] : term.index();
  }

  const std::vector<Loop>& loops_;
  std::vector<std::uint32_t> first_; // call that a loop begins with
  std::vector<std::uint32_t> last_;
  std::vector<ExpectedPlace> pairs_;
};

} // namespace

ExpectedPlaces expected_places(const trace::Program& program, std::uint64_t ranks) {
  ExpectedPlaces expected{CallsInOrder(program).places(ranks),
                          program.nest.occurrences(program.calls.size())};
  for (std::uint64_t& executions : expected.executions) executions *= ranks;
  return expected;
}

} // namespace rondo::archive
