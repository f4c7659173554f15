// SPDX-License-Identifier: Apache-2.0
#include "present/run/shared_sites.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

constexpr std::uint64_t kManyPlaces = 16; // of one call site: a loop has one, a few loops a few
constexpr std::uint64_t kManyPlacesOfOwn = 5; // of one alone in its function: a loop and its ends
constexpr std::size_t kFewSites = 8; // more of them say who called by themselves

struct SiteUse {
  std::uint64_t places = 0; // in the longest of the programs
  std::uint64_t calls = 0; // of all ranks
};

// By site.
std::vector<SiteUse> uses_of(const trace::Trace& trace) {
  std::vector<SiteUse> uses(trace.sites.size());
  for (const trace::RankClass& of : trace.classes) {
    const std::vector<trace::Call>& calls = of.program->calls;
    std::vector<std::uint64_t> places(uses.size(), 0);
    const auto count = [&](const std::vector<trace::Term>& body) {
      for (const trace::Term term : body) {
        if (!term.is_loop() && calls[term.index()].site < places.size())
          ++places[calls[term.index()].site];
      }
    };
    count(of.program->nest.top());
    for (const trace::Loop& loop : of.program->nest.loops()) count(loop.body);
    const auto executions = of.program->nest.occurrences(calls.size());
    for (std::size_t symbol = 0; symbol < calls.size(); ++symbol) {
      if (calls[symbol].site >= uses.size()) continue;
      uses[calls[symbol].site].calls +=
          executions[symbol] * static_cast<std::uint64_t>(of.ranks.size());
    }
    for (std::size_t site = 0; site < uses.size(); ++site)
      uses[site].places = std::max(uses[site].places, places[site]);
  }
  return uses;
}

// By site of the program: whether no other one that makes calls is in its function, which is not
// known of stripped programs, and no layer if the program begins there.
std::vector<bool> alone_in_functions(const trace::Trace& trace, const std::vector<SiteUse>& uses) {
  std::map<std::string_view, std::vector<std::uint32_t>> of_function;
  for (std::uint32_t site = 0; site < std::min(uses.size(), trace.names.size()); ++site) {
    if (uses[site].calls > 0) of_function[trace.names[site].function].push_back(site);
  }
  std::vector<bool> are_alone(uses.size(), false);
  for (const auto& [function, sites] : of_function) {
    const bool is_start = function.empty() || function == "main" || function == "MAIN__";
    if (!is_start && sites.size() == 1) are_alone[sites.front()] = true;
  }
  return are_alone;
}

} // namespace

SharedSites shared_sites(const trace::Trace& trace) {
  const auto has_caller = [](const trace::CallSite& site) { return site.caller != 0; };
  if (std::any_of(trace.sites.begin(), trace.sites.end(), has_caller)) return {};
  const std::string program = trace::program_name(trace.run.command);
  std::map<std::string_view, std::vector<std::uint32_t>> of_library; // empty: the program
  std::uint64_t all = 0;
  const std::vector<SiteUse> uses = uses_of(trace);
  const std::vector<bool> are_alone = alone_in_functions(trace, uses);
  for (std::uint32_t site = 0; site < uses.size(); ++site) {
    all += uses[site].calls;
    const std::string_view library = trace::file_name(trace.sites[site].module);
    const bool is_own = library == program;
    if (uses[site].places < (is_own ? kManyPlacesOfOwn : kManyPlaces)) continue;
    if (is_own && are_alone[site]) of_library[""].push_back(site);
    const bool is_of_python = library.find(".cpython-") != std::string_view::npos;
    if (!is_own && !library.empty() && !is_of_python) of_library[library].push_back(site);
  }
  for (auto& [library, sites] : of_library) {
    std::sort(sites.begin(), sites.end(),
              [&](std::uint32_t a, std::uint32_t b) { return uses[a].calls > uses[b].calls; });
    SharedSites shared{std::string(library), {}, 0, 0, all};
    for (std::size_t i = 0; i < std::min(sites.size(), kFewSites); ++i) {
      shared.calls += uses[sites[i]].calls;
      ++shared.sites;
      if (library.empty()) shared.functions.push_back(trace.names[sites[i]].function);
      // As few as say so. One function of the program that makes one call may have steps of its own
      // instead of callers, such as an all-to-all in which partners change.
      if (2 * shared.calls > all && (shared.sites > 1 || !library.empty())) return shared;
    }
  }
  return {};
}

std::string shared_sites_text(const SharedSites& shared) {
  if (!shared.are_there()) return "";
  const double share = static_cast<double>(shared.calls) / static_cast<double>(shared.all_calls);
  const std::string through =
      !shared.functions.empty()
          ? joined(shared.functions, ", ")
          : fmt::format("{} in {}",
                        shared.sites == 1 ? "one call site"
                                          : fmt::format("{} call sites", shared.sites),
                        shared.library);
  return fmt::format("{:.0f} % of the calls come through {}: if callers share {}, rondo record "
                     "--callstack 4 tells these apart",
                     100 * share, escape::terminal(through), shared.sites == 1 ? "it" : "them");
}

} // namespace rondo::present
