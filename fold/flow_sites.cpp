// SPDX-License-Identifier: Apache-2.0
// Where calls stand in the source, and which of them are in one loop of the flow of control.
#include "fold/flow.hpp"
#include "fold/flow_order.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/trace/nest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

namespace rondo::fold {
namespace {

constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 24; // of one rank of each class

} // namespace

std::vector<std::uint64_t> places_in_source(const trace::Trace& trace) {
  const std::size_t sites = trace.sites.size();
  const bool has_names = trace.names.size() == sites;
  const trace::SiteName kUnknown;
  struct Function {
    std::uint64_t offset = ~std::uint64_t{0}; // of its first site
    bool has_lines = true; // its own, not those of a function that became part of it
  };
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Function> functions;
  std::vector<const Function*> of_site;
  for (std::size_t site = 0; site < sites; ++site) {
    const trace::CallSite& of = trace.sites[site];
    const trace::SiteName& name = has_names ? trace.names[site] : kUnknown;
    const bool is_inlined = !name.inlined_in.empty();
    Function& function =
        functions[{of.module, name.file, is_inlined ? name.inlined_in : name.function}];
    function.offset = std::min(function.offset, of.offset);
    function.has_lines = function.has_lines && name.line != 0 && !is_inlined;
    of_site.push_back(&function);
  }
  std::vector<std::size_t> order(sites);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t site) {
    const trace::CallSite& of = trace.sites[site];
    const std::uint64_t line = of_site[site]->has_lines ? trace.names[site].line : 0;
    return std::tuple(std::string_view(of.module), of_site[site]->offset, line, of.offset,
                      of.caller);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<std::uint64_t> places(sites);
  for (std::size_t i = 0; i < sites; ++i) places[order[i]] = i;
  return places;
}

std::vector<std::vector<std::uint32_t>> sites_of_flow(const trace::Trace& trace) {
  Flow flow;
  flow.next.resize(trace.sites.size());
  flow.in_source = places_in_source(trace);
  std::uint64_t calls = 0;
  for (const trace::RankClass& c : trace.classes) {
    trace::NestReader symbols(c.program->nest);
    std::optional<std::uint32_t> before;
    while (const auto symbol = symbols.next()) {
      const std::uint32_t site = c.program->calls[*symbol].site;
      if (++calls > kMostCalls || site >= flow.next.size()) return {};
      (before ? flow.next[*before] : flow.first).insert(site);
      before = site;
    }
  }
  const std::vector<FlowItem> items = order_of_flow(flow);
  std::vector<std::vector<std::uint32_t>> result(items.front().items.size());
  for (std::uint32_t i = 1; i < items.size(); ++i) {
    if (items[i].place == FlowItem::kLoop || items[i].loop == 0) continue;
    std::uint32_t outermost = i;
    while (items[outermost].loop != 0) outermost = items[outermost].loop;
    result[items[outermost].position].push_back(items[i].place);
  }
  std::erase_if(result, [](const auto& sites) { return sites.empty(); });
  return result;
}

} // namespace rondo::fold
