// SPDX-License-Identifier: Apache-2.0
#include "rondo/sites/site_uses.hpp"

#include "rondo/base/sort_stably.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace rondo::sites {

std::vector<SiteUse> site_uses(const trace::Trace& trace) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, SiteUse> by_site;
  for (const trace::RankClass& c : trace.classes) {
    const trace::Program& program = *c.program;
    const std::vector<std::uint64_t> occurrences = program.nest.occurrences(program.calls.size());
    const auto ranks = static_cast<std::uint64_t>(c.ranks.size());
    const auto use_of = [&](std::size_t symbol) -> SiteUse& {
      const trace::Call& call = program.calls[symbol];
      SiteUse& use = by_site[{call.site, call.function}];
      use.function = trace::find_function(call.function);
      use.site = call.site;
      return use;
    };
    for (std::size_t symbol = 0; symbol < occurrences.size(); ++symbol)
      use_of(symbol).calls += occurrences[symbol] * ranks;
    for (const trace::PlaceTimes& place : program.times)
      use_of(place.call).inside_ns += place.inside.sum_ns;
  }
  // A call that never ended is in no histogram; its time is what a rank hung for.
  for (const trace::RankFacts& rank : trace.ranks) {
    const trace::RankEnding& ending = *rank.ending;
    if (ending.function == 0) continue;
    SiteUse& use = by_site[{ending.site, ending.function}];
    use.function = trace::find_function(ending.function);
    use.site = ending.site;
    use.inside_ns += ending.in_call_ns;
  }
  std::vector<SiteUse> uses;
  for (const auto& [key, use] : by_site) uses.push_back(use);
  sort_stably(uses.begin(), uses.end(), [](const SiteUse& a, const SiteUse& b) {
    if (a.is_frame() != b.is_frame()) return b.is_frame();
    return std::tie(b.inside_ns, b.calls) < std::tie(a.inside_ns, a.calls);
  });
  return uses;
}

StoredNames stored_names(const trace::Trace& trace) {
  StoredNames stored;
  for (std::size_t site = 0; site < trace.sites.size(); ++site) {
    if (trace.sites[site].offset == 0) continue; // unknown, or named by its module
    ++stored.sites;
    if (site >= trace.names.size() || !trace.names[site].is_known()) continue;
    ++stored.named;
    if (trace.names[site].line != 0) ++stored.with_lines;
  }
  return stored;
}

} // namespace rondo::sites
