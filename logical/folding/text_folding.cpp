// SPDX-License-Identifier: Apache-2.0
// The logical program as short as its text can be.
#include "logical/folding/effort.hpp"
#include "logical/folding/run_ahead.hpp"
#include "logical/folding/short_stacks.hpp"
#include "logical/folding/shortest_text.hpp"
#include "logical/folding/turned_ranks.hpp"
#include "logical/joining/guards.hpp"
#include "logical/places/answers.hpp"
#include "logical/places/run_facts.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/logical/logical_text.hpp"

#include <array>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace rondo::logical {
namespace {

using internal::Shortest;
using internal::shortest;

// Call stacks may tell so much apart that nobody would read it: then fewer frames do. Such texts
// are begun when that of whole stacks seems to become long, if there is a processor for them.
class ShorterStacks {
public:
  ShorterStacks(const trace::Trace& trace, const LogicalizeOptions& options,
                internal::RunFacts& of_trace, bool shows_local, bool keeps_order)
      : trace_(trace), options_(options), of_trace_(of_trace), shows_local_(shows_local),
        keeps_order_(keeps_order) {}
  ShorterStacks(const ShorterStacks&) = delete;
  ShorterStacks& operator=(const ShorterStacks&) = delete;
  ~ShorterStacks() { unwanted_.request_stop(); }

  // Where nobody would read the text of whole stacks, perhaps nobody would that of two frames.
  void begin(const internal::LongText& whole) {
    if (!internal::may_run_ahead()) return;
    const bool is_sure = whole.records > 2 * internal::kReadable;
    for (const std::size_t frames : kFrames) {
      std::future<std::optional<Shortest>>& ahead = ahead_[frames];
      if (!ahead.valid()) {
        ahead = std::async(std::launch::async, [this, frames, first = whole.first] {
          return made_with(frames, first);
        });
      }
      if (!is_sure) break;
    }
  }

  void take(Shortest& best) {
    std::size_t least = best.effort / 2; // who called whom is much to lose
    const std::size_t first = best.first;
    for (const std::size_t frames : kFrames) {
      if (best.records <= internal::kReadable) break;
      std::optional<Shortest> other = with(frames, first);
      if (!other || other->effort > least) continue;
      least = other->effort;
      best = std::move(*other);
      best.program.frames = frames;
    }
    unwanted_.request_stop();
  }

private:
  static constexpr std::array<std::size_t, 2> kFrames = {2, 1};
  std::optional<Shortest> with(std::size_t frames, std::size_t first) {
    std::future<std::optional<Shortest>>& ahead = ahead_[frames];
    return ahead.valid() ? ahead.get() : made_with(frames, first);
  }

  // Half is wanted of what whole stacks say. Of 35 texts none became as short but by the flow of
  // control: by what repeats the best was 0.83 times as long as with whole stacks. Other ways help
  // with few frames about as they do with all, so the first text tells.
  static std::size_t most_at_first(std::size_t of_whole) {
    return of_whole == internal::kAnyEffort ? of_whole : of_whole - of_whole / 4;
  }

  std::optional<Shortest> made_with(std::size_t frames, std::size_t first_of_whole) const {
    const auto shorter = internal::with_short_stacks(trace_, frames);
    if (!shorter) return std::nullopt;
    internal::RunFacts facts(shorter->trace, options_.by_rank_numbers);
    facts.give_up_by(unwanted_.get_token());
    facts.know_traffic(internal::with_short_stacks(of_trace_.traffic(), trace_, *shorter));
    return shortest(shorter->trace, options_, facts, shows_local_, keeps_order_, {},
                    most_at_first(first_of_whole));
  }

  const trace::Trace& trace_;
  const LogicalizeOptions& options_;
  internal::RunFacts& of_trace_;
  bool shows_local_, keeps_order_;
  std::stop_source unwanted_;
  std::map<std::size_t, std::future<std::optional<Shortest>>>
      ahead_; // the last member: it is waited for before the others go
};

LogicalProgram with_places(LogicalProgram&& best, const trace::Trace& trace,
                           internal::RunFacts& facts) {
  if (!trace.sites.empty()) best.sites = sites_of_calls(trace, best);
  best.answers = internal::answers_of(trace, facts.roles());
  best.arrivals = matrix::arrivals_of(trace);
  best.sums_up_disorder = true;
  return std::move(best);
}

// Ranks told apart by numbers do the same when counted from one that leads in each step.
std::optional<LogicalProgram> take_turned_ranks(Shortest& best, const trace::Trace& trace,
                                                const LogicalizeOptions& options, bool shows_local,
                                                bool keeps_order) {
  if (best.records > internal::kMostToRead) return std::nullopt;
  const auto sets = internal::told_by_numbers(best.program);
  if (sets.empty() && !best.program.is_by_flow) return std::nullopt;
  auto turned = internal::with_turned_ranks(trace);
  if (!turned) return std::nullopt;
  std::size_t most = best.effort;
  for (const RankDifference& set : sets)
    if (set.ranks.ends_with(internal::kInDisorder)) most = 2 * best.effort; // order is worth it
  internal::RunFacts facts(turned->trace, options.by_rank_numbers);
  Shortest other = shortest(turned->trace, options, facts, shows_local, keeps_order);
  if (other.effort >= most || !internal::told_by_numbers(other.program).empty())
    return std::nullopt;
  LogicalProgram result = with_places(std::move(other.program), turned->trace, facts);
  result.led_by = std::move(turned->led_by);
  result.turned = std::make_shared<const trace::Trace>(std::move(turned->trace));
  return result;
}

} // namespace

LogicalProgram logicalize_for_text(const trace::Trace& trace, bool by_rank_numbers,
                                   bool shows_local, bool keeps_order) {
  internal::RunFacts facts(trace, by_rank_numbers);
  return internal::logicalize_for_text(trace, facts, by_rank_numbers, shows_local, keeps_order);
}

LogicalProgram internal::logicalize_for_text(const trace::Trace& trace, RunFacts& facts,
                                             bool by_rank_numbers, bool shows_local,
                                             bool keeps_order) {
  LogicalizeOptions options;
  options.for_text = true;
  options.by_roles = true;
  options.by_rank_numbers = by_rank_numbers;
  options.unseen = shows_local ? Unseen::kNothing : Unseen::kLocal;
  ShorterStacks shorter_stacks(trace, options, facts, shows_local, keeps_order);
  Shortest shortest_text =
      shortest(trace, options, facts, shows_local, keeps_order,
               [&](const internal::LongText& whole) { shorter_stacks.begin(whole); });
  shorter_stacks.take(shortest_text);
  if (auto turned = take_turned_ranks(shortest_text, trace, options, shows_local, keeps_order))
    return std::move(*turned);
  return with_places(std::move(shortest_text.program), trace, facts);
}

} // namespace rondo::logical
