// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/shortest_text.hpp"

#include "logical/folding/effort.hpp"
#include "logical/folding/flow_stretches.hpp"
#include "logical/folding/run_ahead.hpp"
#include "logical/folding/site_facts.hpp"
#include "logical/folding/small_dimensions.hpp"
#include "logical/folding/source_order.hpp"
#include "logical/folding/stretch_efforts.hpp"
#include "logical/joining/alike.hpp"
#include "logical/joining/joined_words.hpp"
#include "logical/places/call_places.hpp"
#include "logical/text/local_calls.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/logical/accuracy.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kTimesTheSource = 2; // records for each call site
// Calls of a recorded program, and for each line of the source, from which it is tried by the flow
// of control first, and from which that is better than what repeats, whatever this is.
constexpr std::size_t kWorthReading = 300;
constexpr std::size_t kManyTimesTheSource = 5;
constexpr std::size_t kEndless = 2000;
// Records, and times the source, from which a text is tried by the flow of control before other
// ways: these take long, and no such text that was seen became as short by them.
constexpr std::size_t kManyRecords = 300;
constexpr std::size_t kFarTooManyTimesTheSource = 4;
// Calls from which ways that seldom help are left out where a text is about as long as its source.
constexpr std::uint64_t kLongRun = std::uint64_t{1} << 16;
constexpr std::size_t kEndlessTimesTheSource = 32;
constexpr std::uint64_t kMostByFlow = 16'777'216; // calls, all of which are gone through
constexpr std::size_t kWorthBytes = 4; // records: how a type was made is worth one or two

class FlowAhead;

// The text that is easiest to read of those that are tried.
class ShortestText {
public:
  // @param enough  what the first text that is tried has to be less than for others to be tried;
  //                without borders only where no text is made by the flow of control
  ShortestText(const trace::Trace& trace, const LogicalizeOptions& options, RunFacts& facts,
               KnownEfforts& efforts, bool shows_local, bool keeps_order, std::size_t enough,
               const WhenLong& when_long)
      : trace_(trace), options_(options), facts_(facts), efforts_(efforts),
        shows_local_(shows_local), keeps_order_(keeps_order), sites_tell_(sites_tell(trace)),
        source_(length_of_source(trace)), is_binding_(sites_tell_ && is_binding(trace)),
        when_long_(when_long) {
    best_.could_have_borders = true; // as far as is known
    if (take_by_flow_unread()) return;
    best_ = logicalize(trace, options, facts);
    best_.shows_local = shows_local;
    // By the flow of control a text may become short however long it is to begin with.
    if (!options.has_borders && may_be_by_flow()) enough = kAnyEffort;
    IsWorthMore is_enough;
    if (enough != kAnyEffort)
      is_enough = [&](const Effort& least) { return weighed(least) < enough; };
    effort_ = efforts_.of(best_, is_enough);
    first_ = least_ = weighed(effort_);
    if (when_long_ && effort_.records > kReadable) when_long_({effort_.records, first_});
    if (first_ < enough) {
      choose();
      take_places_by_flow();
    } else {
      least_ = kAnyEffort; // nobody takes it
    }
  }

  ShortestText(const ShortestText&) = delete;
  ShortestText& operator=(const ShortestText&) = delete;
  ~ShortestText();

  LogicalProgram take() { return std::move(best_); }
  // Ranks swap or are a ring, and not all is said in directions, or there are but two of them:
  // perhaps they have borders. Where call sites tell what ranks have in common, only a ring is
  // doubtful, and tags that are one's and the other's.
  bool may_have_borders() const {
    const bool is_doubtful = !sites_tell_ || has_square(best_.peer_topologies);
    const bool says_little = effort_.choices + effort_.by_ranks > 0;
    return best_.could_have_borders &&
           ((is_doubtful && (says_little || best_.cell_of_rank.size() == 2)) ||
            has_tags_of_borders(best_));
  }
  // Records and choices; a text that is less exact says less, where it leaves anything open.
  std::size_t effort() const { return (is_less_exact_ && effort_.choices > 0 ? 2 : 1) * least_; }
  std::size_t records() const { return effort_.records; }
  // What there was to read of the first text that was tried, if that was folded by what repeats,
  // and what was taken says as much.
  std::size_t first_effort() const { return is_less_exact_ ? kAnyEffort : first_; }
  std::size_t effort_of_first() const { return first_; } // whatever was taken
  bool is_left_at_first() const { return least_ == kAnyEffort; }

private:
  friend class FlowAhead;

  struct Tried {
    LogicalProgram program;
    Effort effort;
  };
  // What a text by the flow depends on: sites, what is unseen, and whether there may be borders.
  using ByFlow = std::tuple<std::vector<bool>, Unseen, bool>;
  using IsEnough = bool (ShortestText::*)(std::size_t effort) const;

  void choose() {
    const bool is_hopeless = effort_.records > kMostToRead;
    if (is_hopeless && take_by_flow_at_once(&ShortestText::is_less)) return;
    if (is_far_too_long() && take_by_flow_at_once(&ShortestText::is_third)) return;
    if (!shows_local_ && makes_types(trace_)) take_without_types();
    if (trace_.sites.empty()) return take_directions_apart();
    if (is_hopeless && (take_by_flow(&ShortestText::is_less) || take_in_source_order())) return;
    run_ahead_by_flow();
    options_.drops_sites = true;
    take(&ShortestText::is_less);
    if (!is_long_run_like_its_source()) {
      take_directions_apart();
      options_.shortest = true;
      take(&ShortestText::is_far_less);
      options_.shortest = false;
    }
    take_in_source_order();
    take_by_flow(&ShortestText::is_less);
  }

  bool is_less(std::size_t effort) const { return effort < least_; }
  bool is_no_more(std::size_t effort) const { return effort <= least_; }
  static bool is_far_less(std::size_t effort, std::size_t of) { return 3 * effort <= 2 * of; }
  bool is_far_less(std::size_t effort) const { return is_far_less(effort, least_); }
  bool is_half(std::size_t effort) const { return 2 * effort <= least_; }
  bool is_third(std::size_t effort) const { return 3 * effort <= least_; }
  bool is_worth_bytes(std::size_t effort) const {
    return effort + kWorthBytes <= least_ || is_far_less(effort);
  }

  // Ranks that were told apart by their numbers are told by half as much, at no price.
  bool joins_more_ranks(const Effort& other) const {
    return 2 * other.by_ranks <= effort_.by_ranks && effort_.by_ranks > 0 &&
           other.choices <= effort_.choices && other.records < effort_.records;
  }

  LogicalProgram tried() {
    options_.has_borders = !best_.could_have_borders;
    LogicalProgram other = logicalize(trace_, options_, facts_);
    other.shows_local = shows_local_;
    return other;
  }

  // What says less has to save more.
  bool take(IsEnough is_enough) {
    if (is_given_up()) return false;
    LogicalProgram other = tried();
    if (is_far_longer(other, best_)) return false;
    const Effort other_effort =
        efforts_.of(other, [&](const Effort& least) { return is_better(least, is_enough); });
    if (!is_better(other_effort, is_enough)) return false;
    effort_ = other_effort;
    least_ = weighed(effort_);
    best_ = std::move(other);
    another_is_taken();
    return true;
  }

  bool is_better(const Effort& other, IsEnough is_enough) const {
    const std::size_t times = options_.in_source_order ? 2 : 1;
    const bool has_to_be_shorter =
        (options_.directions_apart && sites_tell_) || options_.in_source_order;
    if (has_to_be_shorter && times * other.records > effort_.records) return false;
    return (this->*is_enough)(weighed(other)) || (options_.shortest && joins_more_ranks(other));
  }

  void take_without_types() {
    options_.unseen = Unseen::kTypes;
    if (!take(&ShortestText::is_worth_bytes)) options_.unseen = Unseen::kLocal;
  }

  // Types that differ from message to message would keep calls apart.
  bool take_by_flow_at_once(IsEnough is_enough) {
    const Unseen before = options_.unseen;
    if (!shows_local_ && makes_types(trace_)) options_.unseen = Unseen::kTypes;
    if (take_by_flow(is_enough)) return true;
    options_.unseen = before;
    return false;
  }

  // The same of a program as it was recorded, before anything is looked for that repeats: of a
  // program that is many times as long as its source this takes long, and nobody would read it.
  // Where it may be that somebody would, the text must not be much longer than the source.
  bool take_by_flow_unread() {
    if (!may_be_by_flow()) return false;
    const FlowStretches stretches(trace_);
    const Unseen before = options_.unseen;
    if (!shows_local_ && makes_types(trace_)) options_.unseen = Unseen::kTypes;
    std::set<std::size_t> by_flow;
    bool is_endless = true;
    const UnseenCalls unseen(trace_, options_.unseen);
    for (const auto& [stretch, calls] : stretches.calls_in(trace_, unseen)) {
      const std::size_t source = stretches.length_of(stretch);
      if (calls <= kWorthReading || calls <= kManyTimesTheSource * source) continue;
      by_flow.insert(stretch);
      is_endless = is_endless && calls > kEndless && calls > kEndlessTimesTheSource * source;
    }
    if (!by_flow.empty()) {
      if (when_long_) when_long_({});
      Tried other = with_rest_by_flow(tried_by_flow(stretches, by_flow), stretches, by_flow);
      const bool can_be_read =
          is_endless ? other.effort.records <= kMostToRead
                     : are_as_the_source(
                           efforts_of_stretches(trace_, other.program, stretches, by_flow, by_flow),
                           stretches, kTimesTheSource);
      if (can_be_read) {
        take_by_flow(std::move(other));
        return true;
      }
    }
    options_.unseen = before;
    return false;
  }

  // Beside such stretches others may be longer than their source, too, though each rank makes few
  // calls there: ranks may all differ.
  Tried with_rest_by_flow(Tried&& tried, const FlowStretches& stretches,
                          std::set<std::size_t>& by_flow) {
    std::set<std::size_t> rest;
    for (std::size_t i = 0; i < stretches.size(); ++i)
      if (!by_flow.contains(i)) rest.insert(i);
    std::set<std::size_t> all = by_flow;
    for (const auto& [i, effort] :
         efforts_of_stretches(trace_, tried.program, stretches, rest, by_flow))
      if (effort.records > kTimesTheSource * stretches.length_of(i)) all.insert(i);
    if (all.size() == by_flow.size()) return std::move(tried);
    Tried other = tried_by_flow(stretches, all);
    if (other.effort.records >= tried.effort.records ||
        weighed(other.effort) >= weighed(tried.effort))
      return std::move(tried);
    by_flow = std::move(all);
    return other;
  }

  void take_by_flow(Tried&& other) {
    effort_ = other.effort;
    least_ = weighed(effort_);
    best_ = std::move(other.program);
    is_less_exact_ = true;
    another_is_taken();
  }

  bool may_be_by_flow() const {
    return sites_tell_ && !is_binding_ && trace::calls_in(trace_) <= kMostByFlow;
  }

  // Where no lines are known, compilers may have moved branches: the order in which ranks come to
  // calls is all there is, and it tells the first from the last round of a loop. Rounds that are
  // put together by that are worth it if the text gets shorter.
  void take_places_by_flow() {
    if (!sites_tell_ || !best_.places.empty() || best_.is_in_source_order ||
        effort_.records > kMostToRead)
      return;
    best_.places = places_of_calls(trace_, best_, fold::order_of_sites(trace_));
    const bool sums_up_disorder = best_.sums_up_disorder;
    const bool lists_few = best_.lists_few;
    const Effort effort =
        efforts_.of(best_, [&](const Effort& least) { return is_less(weighed(least)); });
    if (is_less(weighed(effort))) {
      effort_ = effort;
      least_ = weighed(effort);
      return;
    }
    best_.places.clear();
    best_.sums_up_disorder = sums_up_disorder;
    best_.lists_few = lists_few;
  }

  // Ranks that say one of several directions each were joined where they have little in common, or
  // are told apart by their numbers or by a direction, as those who wait for messages over various
  // distances.
  void take_directions_apart() {
    if (effort_.choices + effort_.by_ranks == 0 && !effort_.has_waits_by_direction) return;
    options_.directions_apart = true;
    take(effort_.has_waits_by_direction ? &ShortestText::is_no_more : &ShortestText::is_less);
    options_.directions_apart = false;
  }

  // A text that is much longer than the source is that of a program whose ranks change roles. The
  // order of calls is much to lose.
  bool take_in_source_order() {
    if (keeps_order_ || leaves_out(best_) || !is_long() || !ranks_have_own_orders(trace_))
      return false;
    if (!best_.sums_up_disorder) {
      LogicalProgram summed_up = best_; // as it will be
      summed_up.sums_up_disorder = true;
      effort_ = efforts_.of(summed_up);
      least_ = weighed(effort_);
      if (!is_long()) return false;
    }
    const bool drops_sites = std::exchange(options_.drops_sites, false);
    options_.in_source_order = true;
    const bool is_taken = take(&ShortestText::is_half);
    options_.in_source_order = false;
    options_.drops_sites = drops_sites;
    is_less_exact_ = is_less_exact_ || is_taken;
    return is_taken;
  }

  // Data that decides on messages makes a text much longer than the source, in which each call
  // stands once. Of loops behind one another some may be so, and others not.
  bool take_by_flow(IsEnough is_enough) {
    if (!may_be_by_flow() || is_given_up()) return false;
    std::optional<FoundByFlow> found = found_ahead();
    if (!found || !(this->*is_enough)(weighed(found->tried.effort))) return false;
    const StretchEfforts after = efforts_of_stretches(
        trace_, found->tried.program, found->stretches, found->by_flow, found->by_flow);
    if (!is_far_less(weighed_together(after), weighed_together(found->before)) &&
        !are_as_the_source(after, found->stretches))
      return false;
    take_by_flow(std::move(found->tried));
    return true;
  }

  struct FoundByFlow {
    FlowStretches stretches;
    std::set<std::size_t> by_flow; // those that are worth it
    StretchEfforts before; // of them, as what repeats
    Tried tried;
  };

  std::optional<FoundByFlow> found_by_flow() {
    FlowStretches stretches(trace_);
    StretchEfforts before = too_long(trace_, best_, stretches);
    if (before.empty()) return std::nullopt;
    std::set<std::size_t> all;
    for (const auto& [stretch, effort] : before) all.insert(stretch);
    std::set<std::size_t> by_flow = all;
    Tried other = tried_by_flow(stretches, by_flow);
    for (const std::size_t stretch : all) {
      if (by_flow.size() == 1) break;
      if (is_given_up()) return std::nullopt;
      if (weighed(before.at(stretch)) > 2 * weighed(other.effort)) continue;
      by_flow.erase(stretch);
      Tried without = tried_by_flow(stretches, by_flow);
      // What it saves may stand elsewhere: ranks are joined by what they have in common.
      const bool is_worth_it =
          weighed(other.effort) < weighed(without.effort) ||
          is_far_less(weighed_together(efforts_of_stretches(trace_, other.program, stretches,
                                                            {stretch}, {stretch})),
                      weighed_together(
                          efforts_of_stretches(trace_, without.program, stretches, {stretch}, {})));
      if (is_worth_it) {
        by_flow.insert(stretch);
      } else {
        other = std::move(without);
      }
    }
    std::erase_if(before, [&](const auto& one) { return !by_flow.contains(one.first); });
    return FoundByFlow{std::move(stretches), std::move(by_flow), std::move(before),
                       std::move(other)};
  }

  ShortestText(const ShortestText& of, KnownEfforts& efforts, std::stop_token unwanted)
      : trace_(of.trace_), options_(of.options_), facts_(of.facts_), efforts_(efforts),
        shows_local_(of.shows_local_), keeps_order_(of.keeps_order_), sites_tell_(of.sites_tell_),
        source_(of.source_), is_binding_(of.is_binding_), best_(of.best_), effort_(of.effort_),
        least_(of.least_), last_by_flow_(of.last_by_flow_), unwanted_(std::move(unwanted)) {}

  void run_ahead_by_flow();
  void another_is_taken();
  std::optional<FoundByFlow> found_ahead(); // or now

  bool is_given_up() const { return facts_.is_given_up() || unwanted_.stop_requested(); }

  Tried tried_by_flow(const FlowStretches& stretches, const std::set<std::size_t>& by_flow) {
    // What each rank did is looked at by where it stands in the source, so call sites are kept.
    const bool drops_sites = std::exchange(options_.drops_sites, false);
    options_.by_flow = stretches.sites_in(by_flow);
    ByFlow how{options_.by_flow, options_.unseen, best_.could_have_borders};
    if (!last_by_flow_ || last_by_flow_->first != how) {
      Tried other{tried(), {}};
      other.effort = efforts_.of(other.program);
      last_by_flow_.emplace(std::move(how), std::move(other));
    }
    options_.by_flow.clear();
    options_.drops_sites = drops_sites;
    return last_by_flow_->second;
  }

  bool is_long(std::size_t times = kTimesTheSource) const {
    return effort_.records > times * source_;
  }
  bool is_far_too_long() const {
    return effort_.records > kManyRecords && is_long(kFarTooManyTimesTheSource);
  }
  bool is_long_run_like_its_source() const {
    constexpr std::size_t kParts = 4; // longer by one of so many at most
    return effort_.records <= source_ + source_ / kParts && trace::calls_in(trace_) >= kLongRun;
  }

  const trace::Trace& trace_;
  LogicalizeOptions options_;
  RunFacts& facts_;
  KnownEfforts& efforts_;
  bool shows_local_, keeps_order_, sites_tell_;
  std::size_t source_; // calls that stand in it
  bool is_binding_;
  WhenLong when_long_;
  LogicalProgram best_;
  Effort effort_;
  std::size_t least_ = 0;
  std::size_t first_ = kAnyEffort;
  bool is_less_exact_ = false; // about the order of calls
  std::optional<std::pair<ByFlow, Tried>> last_by_flow_;
  std::size_t taken_ = 0; // texts
  std::stop_token unwanted_; // of what runs ahead
  std::unique_ptr<FlowAhead> ahead_;
};

// What is found by the flow for the text that is the best by now, while others are tried: it is
// wanted unless one of these is taken. It has efforts of its own, as others may know less of one.
class FlowAhead {
public:
  explicit FlowAhead(const ShortestText& of)
      : twin_(of, efforts_, unwanted_.get_token()), taken_(of.taken_),
        found_(std::async(std::launch::async, [this] { return twin_.found_by_flow(); })) {}
  FlowAhead(const FlowAhead&) = delete;
  FlowAhead& operator=(const FlowAhead&) = delete;
  ~FlowAhead() { give_up(); }
  void give_up() { unwanted_.request_stop(); }

  std::optional<ShortestText::FoundByFlow> found_for(ShortestText& now) {
    const bool is_the_same =
        found_.valid() && taken_ == now.taken_ && twin_.options_.unseen == now.options_.unseen;
    if (!is_the_same) return now.found_by_flow();
    auto found = found_.get();
    now.best_.sites = twin_.best_.sites; // which were looked up for it
    return found;
  }

private:
  std::stop_source unwanted_;
  KnownEfforts efforts_;
  ShortestText twin_;
  std::size_t taken_;
  std::future<std::optional<ShortestText::FoundByFlow>> found_; // waited for before the others go
};

ShortestText::~ShortestText() = default;

void ShortestText::run_ahead_by_flow() {
  if (may_be_by_flow() && may_run_ahead()) ahead_ = std::make_unique<FlowAhead>(*this);
}

// What runs ahead was for the text before.
void ShortestText::another_is_taken() {
  ++taken_;
  if (ahead_) ahead_->give_up();
}

std::optional<ShortestText::FoundByFlow> ShortestText::found_ahead() {
  return ahead_ ? ahead_->found_for(*this) : found_by_flow();
}

} // namespace

Shortest shortest(const trace::Trace& trace, LogicalizeOptions options, RunFacts& facts,
                  bool shows_local, bool keeps_order, const WhenLong& when_long,
                  std::size_t most_at_first) {
  KnownEfforts efforts;
  ShortestText text(trace, options, facts, efforts, shows_local, keeps_order, most_at_first,
                    when_long);
  const bool may_have_borders = !text.is_left_at_first() && text.may_have_borders();
  // Like is compared with like: where borders make a long text longer, they do so in other ways,
  // too.
  constexpr std::size_t kLong = 200;
  const std::size_t enough = std::max(kLong, text.first_effort());
  Shortest best{text.take(), text.effort(), text.records(), text.effort_of_first()};
  if (may_have_borders) {
    options.has_borders = true;
    ShortestText with_borders(trace, options, facts, efforts, shows_local, keeps_order, enough, {});
    if (with_borders.effort() < best.effort)
      best = {with_borders.take(), with_borders.effort(), with_borders.records(), best.first};
  }
  return best;
}

} // namespace rondo::logical::internal
