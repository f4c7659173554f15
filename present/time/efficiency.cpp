// SPDX-License-Identifier: Apache-2.0
#include "present/time/efficiency.hpp"

#include "present/time/parts_of_time.hpp"
#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/call_table.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/outsiders.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/sharing.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rondo::present {
namespace {

using efficiency::Balanced;
using efficiency::Cause;
using efficiency::Factors;
using efficiency::WaitState;

constexpr std::size_t kMostRankRows = 32; // more are summed up

std::string duration(double seconds) { return human_duration(seconds * 1e9); }
std::string run_time(double seconds) { return precise_duration(seconds * 1e9); }

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string place_text(const EfficiencyShown& shown, efficiency::CallPlace place) {
  const std::string site = escape::terminal(shown.resolver.short_text(place.site));
  const std::string name(trace::find_function(place.function)->name);
  return site.empty() ? name : name + " in " + site;
}

} // namespace

std::string factor_percent(double share) {
  return share > 0 && share < 0.0005 ? human_percent(share) : fmt::format("{:.1f} %", share * 100);
}

std::string in_one_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return text;
  const std::size_t item = text.find_first_not_of(" \n", end);
  if (item == std::string::npos) return text.substr(0, end);
  const std::size_t next = text.find('\n', item);
  return text.substr(0, end) + " " + text.substr(item, next - item) +
         (next == std::string::npos ? "" : ", ...");
}

namespace {

constexpr double kAsPlayed = 1.0005; // what is below rounds to 100.0 %

// "; ranks 4-5 have next to nothing".
std::string idle_text(const Factors& factors) {
  constexpr double kNextToNothing = 0.01; // of the mean
  std::vector<std::int64_t> idle;
  for (std::size_t rank = 0; rank < factors.by_rank.size(); ++rank) {
    if (factors.by_rank[rank].useful_s < factors.useful_mean_s * kNextToNothing)
      idle.push_back(static_cast<std::int64_t>(rank));
  }
  if (idle.empty()) return "";
  return fmt::format("; {} of {} ranks {} next to nothing ({})", idle.size(),
                     factors.by_rank.size(), idle.size() == 1 ? "has" : "have",
                     trace::guard_text(trace::RankSet::of(idle)));
}

// What each factor says, and how it is made up of those below it.
std::string factors_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  const auto line = [&](const char* name, double value, const std::string& meaning) {
    return fmt::format(
        "{:<28} {}   {}\n", name,
        heat_cell(fmt::format("{:>7}", factor_percent(value)), value, shown.has_colour), meaning);
  };
  std::string text = line("parallel efficiency", factors.parallel,
                          "of all ranks' time is computation, between MPI calls");
  text += line("  load balance", factors.load_balance,
               "the mean rank's computation, of the most loaded one's" + idle_text(factors));
  text += line("  communication efficiency", factors.communication,
               "the most loaded rank's computation, of the run");
  if (!factors.ideal_runtime_s) return text + "  " + in_one_line(factors.why_not) + "\n";
  text += line("    serialisation", factors.serialisation,
               "the same on a network that takes no time: what dependences leave");
  if (factors.has_no_inside)
    return text + "    transfer                       -   not known without times inside MPI\n";
  text += line("    transfer", factors.transfer,
               factors.transfer > kAsPlayed
                   ? "above 100 %: played from what was kept, the run takes longer than it did"
                   : "what the real network and MPI leave of that");
  return text;
}

std::string ranks_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  if (factors.by_rank.size() > kMostRankRows) return "";
  std::string text = fmt::format("\n{:>6}{:>14}{:>10}{:>14}{:>10}\n", "rank", "computing",
                                 "of mean", "inside MPI", "waiting");
  for (std::size_t rank = 0; rank < factors.by_rank.size(); ++rank) {
    const efficiency::RankTime& time = factors.by_rank[rank];
    text += fmt::format(
        "{:>6}{:>14}{:>10}{:>14}{:>10}\n", rank, duration(time.useful_s),
        human_percent(share_of(time.useful_s, factors.useful_mean_s)), duration(time.in_mpi_s),
        shown.waits != nullptr
            ? duration(shown.waits->by_rank[rank] / static_cast<double>(time.threads))
            : "-");
  }
  const auto has_several = [](const efficiency::RankTime& time) { return time.threads > 1; };
  return std::any_of(factors.by_rank.begin(), factors.by_rank.end(), has_several)
             ? text + "  of ranks with several threads that call MPI: the mean of these threads\n"
             : text;
}

// Of a list that is sorted by seconds: one line at least, and none that nobody would act on.
template <class Items>
std::size_t lines_of(const Items& items, double all_s, const EfficiencyShown& shown) {
  constexpr double kLeastShare = 0.001; // of all waiting
  std::size_t count = std::min({items.size(), shown.most, std::size_t{1}});
  while (count < std::min(items.size(), shown.most) && items[count].seconds >= all_s * kLeastShare)
    ++count;
  return count;
}

std::string more_text(std::size_t all, std::size_t lines, const EfficiencyShown& shown) {
  if (lines == all) return "";
  return fmt::format("  and {} more ({})\n", all - lines,
                     lines < shown.most ? "each less than 0.1 % of all waiting" : "--top N");
}

// Waiting that the order of messages brings, whatever anybody computes.
std::string fronts_text(const EfficiencyShown& shown) {
  if (!shown.fronts || shown.fronts->empty()) return "";
  const std::vector<std::string>& fronts = *shown.fronts;
  std::string text =
      "  part of it lies in the pattern, in which each rank has to hear from those before it:\n";
  for (std::size_t i = 0; i < std::min(fronts.size(), shown.most); ++i)
    text += "    " + fronts[i] + "\n";
  if (fronts.size() > shown.most)
    text += fmt::format("    and {} more (--top N)\n", fronts.size() - shown.most);
  return text;
}

std::string as_played_text(const EfficiencyShown& shown) {
  const std::uint64_t eager_bytes = shown.factors.ideal_eager_bytes;
  return fmt::format("as the run is played on a network that takes no time{}{}{}",
                     eager_bytes == simulate::NetworkModel::kNever
                         ? ""
                         : ", sends above " + human_bytes(static_cast<double>(eager_bytes)) +
                               " waiting for their receivers",
                     trace::follows_courses(shown.trace)
                         ? ", computing pass by pass as it was kept of some passes"
                         : "",
                     shown.trace.stamps.empty() ? " (record with --times full to measure)" : "");
}

std::string measured_text(const EfficiencyShown& shown) {
  std::string text = "measured";
  if (trace::has_outsiders(shown.trace))
    text += "; waits for processes outside the run are not among them";
  if (trace::sharing_of(shown.trace).is_crowded())
    text += "; ranks that wait for a processor make others wait, too (--played leaves that out)";
  return text;
}

std::string states_text(const EfficiencyShown& shown) {
  const efficiency::WaitStates& waits = *shown.waits;
  std::string text =
      fmt::format("\nwaiting: {}, {} of all ranks' time, {}\n", duration(waits.seconds),
                  human_percent(share_of(waits.seconds, waits.run_s)),
                  waits.is_measured ? measured_text(shown) : as_played_text(shown));
  if (waits.states.empty()) return text;
  text += fmt::format("  {:<20}{:>10}{:>9}{:>8}{:>11}  {}\n", "kind", "sum", "of run", "waits",
                      "worst rank", "where");
  const std::size_t lines = lines_of(waits.states, waits.seconds, shown);
  for (std::size_t i = 0; i < lines; ++i) {
    const WaitState& state = waits.states[i];
    text +=
        fmt::format("  {:<20}{:>10}{:>9}{:>8}{:>11}  {}\n", efficiency::text(state.kind),
                    duration(state.seconds), human_percent(share_of(state.seconds, waits.run_s)),
                    human_count(static_cast<double>(state.waits)), state.worst_rank,
                    place_text(shown, state.place));
  }
  return text + more_text(waits.states.size(), lines, shown) + fronts_text(shown);
}

// What ranks did at one place: seconds of all, and who is to blame most.
struct CauseOfAll {
  const Cause* worst = nullptr;
  double seconds = 0;
  std::set<std::int64_t> ranks{};
};

std::vector<CauseOfAll> causes_of_all(const std::vector<Cause>& causes) {
  std::map<std::tuple<Cause::What, efficiency::CallPlace>, CauseOfAll> sums;
  for (const Cause& cause : causes) {
    CauseOfAll& sum = sums[{cause.what, cause.place}];
    if (sum.worst == nullptr) sum.worst = &cause; // the largest come first
    sum.seconds += cause.seconds;
    sum.ranks.insert(cause.rank);
  }
  std::vector<CauseOfAll> result;
  for (auto& [key, sum] : sums) result.push_back(std::move(sum));
  sort_stably(result.begin(), result.end(),
              [](const CauseOfAll& a, const CauseOfAll& b) { return a.seconds > b.seconds; });
  return result;
}

std::string cause_text(const EfficiencyShown& shown, const Cause& cause) {
  return cause.what == Cause::What::kComputation
             ? "computing before " + place_text(shown, cause.place)
             : (shown.factors.is_crowded ? "inside MPI or without a processor" : "inside MPI") +
                   std::string(", while others waited in ") + place_text(shown, cause.place);
}

// "3", "3 thread 1": the rank, and its thread if it is a further one.
std::string who(std::int64_t rank, std::uint32_t thread) {
  return thread > 0 ? fmt::format("{} thread {}", rank, thread) : fmt::format("{}", rank);
}

// "3 (61 %)": and how much of it is its fault.
std::string worst_text(const CauseOfAll& cause) {
  const Cause& worst = *cause.worst;
  return fmt::format("{} ({})", who(worst.rank, worst.thread),
                     human_percent(share_of(worst.seconds, cause.seconds)));
}

std::string causes_text(const EfficiencyShown& shown) {
  const efficiency::WaitStates& waits = *shown.waits;
  if (waits.causes.empty()) return "";
  const std::vector<CauseOfAll> causes = causes_of_all(waits.causes);
  const std::size_t lines = lines_of(causes, waits.seconds, shown);
  std::size_t width = 14;
  for (std::size_t i = 0; i < lines; ++i) width = std::max(width, 2 + worst_text(causes[i]).size());
  std::string text =
      fmt::format("\nwhose fault: what made the others wait\n{:>11}{:>9}{:>8}{:>{}}  {}\n",
                  "waiting", "of all", "ranks", "worst rank", width, "were");
  for (std::size_t i = 0; i < lines; ++i) {
    const CauseOfAll& cause = causes[i];
    text += fmt::format("{:>11}{:>9}{:>8}{:>{}}  {}\n", duration(cause.seconds),
                        human_percent(share_of(cause.seconds, waits.seconds)), cause.ranks.size(),
                        worst_text(cause), width, cause_text(shown, *cause.worst));
  }
  return text + more_text(causes.size(), lines, shown);
}

// One line of what is worth doing, behind which stands what would have to be so.
std::string would_take(double runtime_s, double instead_of_s) {
  return fmt::format("  {} instead of {} ({} less), if ", run_time(runtime_s),
                     run_time(instead_of_s), factor_percent(1 - share_of(runtime_s, instead_of_s)));
}

struct WouldTake {
  double runtime_s = 0;
  std::string text{};
};

// Where ranks are slow in turns, their sums tell nothing. Where evening these out wins half of it
// or more, one rank is the slow one most often, and the rest is said behind that.
WouldTake in_turns_line(const EfficiencyShown& shown) {
  const Balanced& turns = *shown.in_turns;
  const std::string text = would_take(turns.runtime_s, turns.instead_of_s) +
                           fmt::format("in each pass all ranks computed equally long before {}; ",
                                       place_text(shown, turns.imbalance.place));
  for (const Balanced& each : shown.balanced) {
    if (each.imbalance.place == turns.imbalance.place && each.won() >= turns.won() / 2)
      return {each.runtime_s, text + "how uneven they are changes from pass to pass\n"};
  }
  if (turns.mostly_slowest >= 0)
    return {turns.runtime_s,
            text + fmt::format("mostly rank {} is the slow one\n", turns.mostly_slowest)};
  return {turns.runtime_s, text + "which rank is slow changes from pass to pass, so waiting for "
                                  "each other less often would help, too\n"};
}

// "rank 3 has 773 ms", "ranks 4-7 have up to 519 ms, all those on node2": who computes about as
// much more than the mean as the one with most.
std::string most_text(const EfficiencyShown& shown, const efficiency::Imbalance& imbalance) {
  constexpr double kAbout = 0.75;
  std::vector<std::int64_t> slow;
  const double least_s = imbalance.mean_s + kAbout * (imbalance.most_s - imbalance.mean_s);
  if (!imbalance.is_of_threads) {
    for (std::size_t rank = 0; rank < imbalance.by_actor.size(); ++rank) {
      if (imbalance.by_actor[rank] >= least_s) slow.push_back(static_cast<std::int64_t>(rank));
    }
  }
  if (slow.size() < 2)
    return fmt::format("rank {} has {}", who(imbalance.most_rank, imbalance.most_thread),
                       duration(imbalance.most_s));
  const trace::RankSet ranks = trace::RankSet::of(slow);
  std::string text =
      fmt::format("ranks {} have up to {}", ranks.text(), duration(imbalance.most_s));
  for (const trace::Host& host : shown.trace.hosts) {
    if (shown.trace.hosts.size() > 1 && host.ranks == ranks) text += ", all those on " + host.name;
  }
  return text;
}

std::vector<WouldTake> evened_out(const EfficiencyShown& shown) {
  std::vector<WouldTake> lines;
  for (const Balanced& each : shown.balanced) {
    const efficiency::Imbalance& imbalance = each.imbalance;
    lines.push_back({each.runtime_s,
                     would_take(each.runtime_s, each.instead_of_s) +
                         fmt::format("all {} computed {} before {}; {}\n",
                                     imbalance.is_of_threads ? "threads there" : "ranks",
                                     duration(imbalance.mean_s), place_text(shown, imbalance.place),
                                     most_text(shown, imbalance))});
  }
  if (shown.at_once) {
    const Balanced& each = *shown.at_once;
    lines.push_back({each.runtime_s,
                     would_take(each.runtime_s, each.instead_of_s) +
                         fmt::format("ranks computed at once before {}; they do so one after the "
                                     "other\n",
                                     place_text(shown, each.imbalance.place))});
  }
  if (shown.in_turns) lines.push_back(in_turns_line(shown));
  if (shown.later) {
    const efficiency::WaitedLater& each = *shown.later;
    lines.push_back({each.runtime_s,
                     would_take(each.runtime_s, each.instead_of_s) +
                         fmt::format("{} came behind what ranks compute next, as far as that needs "
                                     "nothing of what arrives\n",
                                     place_text(shown, each.place))});
  }
  return lines;
}

// The load balance as time, where no place alone wins nearly as much.
std::string in_all_text(const EfficiencyShown& shown, const std::vector<WouldTake>& others) {
  constexpr double kLeastMore = 0.1;
  if (!shown.in_all) return "";
  const double runtime_s = shown.in_all->runtime_s;
  const double instead_of_s = shown.in_all->instead_of_s;
  for (const WouldTake& other : others) {
    if (other.runtime_s - runtime_s < kLeastMore * instead_of_s) return "";
  }
  const Factors& factors = shown.factors;
  return would_take(runtime_s, instead_of_s) +
         fmt::format("all ranks computed {} over the whole run; rank {} has {}\n",
                     duration(factors.useful_mean_s), factors.slowest_rank,
                     duration(factors.useful_max_s));
}

// What wins most first, and what is no single place last.
std::string in_order(const EfficiencyShown& shown, std::vector<WouldTake> lines) {
  const std::string in_all = in_all_text(shown, lines);
  sort_stably(lines.begin(), lines.end(),
              [](const WouldTake& a, const WouldTake& b) { return a.runtime_s < b.runtime_s; });
  std::string text;
  for (const WouldTake& line : lines) text += line.text;
  return text + in_all;
}

// Where ranks are inside MPI most, as what is lost in transfer is lost there.
std::string most_inside_text(const EfficiencyShown& shown) {
  const matrix::CallTable table = matrix::call_table(shown.trace, matrix::CallsBy::kSite);
  if (table.rows.empty() || table.rows.front().is_frame() || table.total.time_ns.sum == 0)
    return "";
  const matrix::CallRow& most = table.rows.front();
  return fmt::format("; {} of the time inside MPI is in {}",
                     human_percent(share_of(static_cast<double>(most.time_ns.sum),
                                            static_cast<double>(table.total.time_ns.sum))),
                     place_text(shown, {most.function->id, most.site}));
}

std::string no_imbalance_text(const EfficiencyShown& shown) {
  return shown.waits->imbalances.empty()
             ? "no uneven computation makes others wait\n"
             : "no single computation is worth evening out, the run would be hardly shorter\n";
}

// Of ranks that waited for processors, whose time inside MPI says little.
std::string to_do_when_crowded(const EfficiencyShown& shown, bool is_shared) {
  const double ideal_s = *shown.factors.ideal_runtime_s;
  const std::string balanced = in_order(shown, evened_out(shown));
  return fmt::format(
             "\nwhat to do first: {}, and if MPI and the network took no time,\nthe run would take "
             "{} instead of {}",
             is_shared ? "give each rank a processor. With that"
                       : "record where ranks need not wait for processors, as all times are "
                         "doubtful here.\nBy them",
             run_time(ideal_s), run_time(shown.factors.runtime_s)) +
         (balanced.empty() ? "; " + no_imbalance_text(shown) : ", and\n" + balanced);
}

// The most worthwhile first.
std::string to_do_text(const EfficiencyShown& shown) {
  constexpr double kWorthSaying = 0.01; // of the run
  if (!shown.factors.ideal_runtime_s || shown.factors.useful_sum_s <= 0)
    return "\nwhat to do first: not known without the factors above\n";
  const trace::ProcessorSharing sharing = trace::sharing_of(shown.trace);
  if (sharing.is_crowded()) return to_do_when_crowded(shown, sharing.is_shared());
  const double ideal_s = *shown.factors.ideal_runtime_s;
  std::vector<WouldTake> lines = evened_out(shown);
  const bool is_even = lines.empty() && !shown.in_all;
  if (1 - share_of(ideal_s, shown.factors.runtime_s) >= kWorthSaying)
    lines.push_back({ideal_s, would_take(ideal_s, shown.factors.runtime_s) +
                                  "MPI and the network took no time" + most_inside_text(shown) +
                                  "\n"});
  const std::string text = in_order(shown, std::move(lines));
  const std::string first = "\nwhat to do first: ";
  if (text.empty()) return first + no_imbalance_text(shown);
  return first + "the run would take\n" + text + (is_even ? "  " + no_imbalance_text(shown) : "");
}

} // namespace

std::string efficiency_text(const EfficiencyShown& shown) {
  const Factors& factors = shown.factors;
  const bool has_startup =
      std::any_of(factors.by_rank.begin(), factors.by_rank.end(),
                  [](const efficiency::RankTime& time) { return time.startup_s > 0; });
  std::string text = fmt::format(
      "{} on {}, {}{}\n\n", shown.name, count_of(static_cast<std::uint64_t>(factors.ranks), "rank"),
      run_time(factors.runtime_s), has_startup ? " without start-up" : "");
  if (factors.runtime_s <= 0) return text + "there are no times, and so no efficiencies\n";
  text += factors_text(shown);
  if (shown.parts) return text + parts_text(shown);
  if (shown.waits == nullptr) return text + ranks_text(shown) + "\n" + shown.why_no_waits + "\n";
  return text + to_do_text(shown) + causes_text(shown) + states_text(shown) + ranks_text(shown);
}

} // namespace rondo::present
