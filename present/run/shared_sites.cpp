// SPDX-License-Identifier: Apache-2.0
#include "present/run/shared_sites.hpp"

#include "rondo/base/escape.hpp"
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

} // namespace

SharedSites shared_sites(const trace::Trace& trace) {
  const auto has_caller = [](const trace::CallSite& site) { return site.caller != 0; };
  if (std::any_of(trace.sites.begin(), trace.sites.end(), has_caller)) return {};
  const std::string program = trace::program_name(trace.run.command);
  std::map<std::string_view, std::vector<std::uint64_t>> of_library; // calls of each such site
  std::uint64_t all = 0;
  const std::vector<SiteUse> uses = uses_of(trace);
  for (std::size_t site = 0; site < uses.size(); ++site) {
    all += uses[site].calls;
    const std::string_view library = trace::file_name(trace.sites[site].module);
    const bool is_shared = uses[site].places >= kManyPlaces && library != program;
    if (is_shared && !library.empty()) of_library[library].push_back(uses[site].calls);
  }
  for (auto& [library, calls] : of_library) {
    std::sort(calls.rbegin(), calls.rend());
    SharedSites shared{std::string(library), 0, 0, all};
    for (std::size_t i = 0; i < std::min(calls.size(), kFewSites); ++i) {
      shared.calls += calls[i];
      ++shared.sites;
      if (2 * shared.calls > all) return shared; // as few as say so
    }
  }
  return {};
}

std::string shared_sites_text(const SharedSites& shared) {
  if (!shared.are_there()) return "";
  const double share = static_cast<double>(shared.calls) / static_cast<double>(shared.all_calls);
  return fmt::format(
      "{:.0f} % of the calls come through {} in {}: if callers share {}, rondo record "
      "--callstack 4 tells these apart",
      100 * share, shared.sites == 1 ? "one call site" : fmt::format("{} call sites", shared.sites),
      escape::terminal(shared.library), shared.sites == 1 ? "it" : "them");
}

} // namespace rondo::present
