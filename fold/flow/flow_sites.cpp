// SPDX-License-Identifier: Apache-2.0
// Where calls stand in the source, and which of them are in one loop of the flow of control.
#include "fold/flow/flow.hpp"
#include "fold/flow/flow_order.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/trace/nest.hpp"
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

namespace rondo::fold {
namespace {

constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 24; // of one rank of each class

// Of a function that became part of another one, lines say more than addresses do.
void put_lines_in_order(const trace::Trace& trace, std::vector<std::uint64_t>& places) {
  if (trace.names.size() != places.size()) return;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
           std::vector<std::size_t>>
      inlined;
  for (std::size_t site = 0; site < places.size(); ++site) {
    const trace::SiteName& name = trace.names[site];
    if (!name.inlined_in.empty() && name.line != 0)
      inlined[{name.inlined_in, name.file, name.function}].push_back(site);
  }
  for (auto& [function, sites] : inlined) {
    std::vector<std::uint64_t> own;
    for (const std::size_t site : sites) own.push_back(places[site]);
    std::sort(own.begin(), own.end());
    sort_stably(sites.begin(), sites.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(trace.names[a].line, places[a]) < std::pair(trace.names[b].line, places[b]);
    });
    for (std::size_t i = 0; i < sites.size(); ++i) places[sites[i]] = own[i];
  }
}

Flow without_calls(const trace::Trace& trace) {
  Flow flow;
  flow.next.resize(trace.sites.size());
  flow.in_source = places_in_source(trace);
  return flow;
}

// Puts in who comes after whom in one rank's calls, one site after the other.
class FlowFollower final : public trace::PassFollower {
public:
  explicit FlowFollower(Flow& flow) : flow_(flow) {}

  void add(std::uint32_t site) {
    const bool is_new = (before_ ? flow_.next[*before_] : flow_.first).insert(site).second;
    found_ += is_new ? 1 : 0;
    before_ = site;
  }
  std::uint64_t fingerprint() const override { return before_.value_or(0); }
  void begin_period() override { kept_ = {before_, found_}; }
  std::uint64_t most_repeats() override {
    return kept_ == std::pair(before_, found_) ? ~std::uint64_t{0} : 0;
  }
  void repeat(std::uint64_t) override {}

private:
  Flow& flow_;
  std::optional<std::uint32_t> before_;
  std::size_t found_ = 0;
  std::pair<std::optional<std::uint32_t>, std::size_t> kept_;
};

// Who comes after whom; nothing if ranks make more calls, or any whose site is not known.
std::optional<Flow> flow_of(const trace::Trace& trace, std::uint64_t most_calls) {
  Flow flow = without_calls(trace);
  std::uint64_t calls = 0;
  for (const trace::RankClass& c : trace.classes) {
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      calls = trace::saturating_add(calls, executions[i]);
      if (executions[i] > 0 && c.program->calls[i].site >= flow.next.size()) return std::nullopt;
    }
  }
  if (calls > most_calls) return std::nullopt;
  for (const trace::RankClass& c : trace.classes) {
    FlowFollower follower(flow);
    trace::SymbolReader reader(c.program->nest);
    trace::SymbolPasses symbols(reader, follower);
    while (const auto symbol = symbols.next()) follower.add(c.program->calls[*symbol].site);
  }
  return flow;
}

// The same of the first calls of each rank, up to one whose site is not known.
Flow flow_of_first(const trace::Trace& trace, std::uint64_t calls) {
  Flow flow = without_calls(trace);
  for (const trace::RankClass& c : trace.classes) {
    FlowFollower follower(flow);
    trace::NestReader symbols(c.program->nest);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const auto symbol = symbols.next();
      if (!symbol || c.program->calls[*symbol].site >= flow.next.size()) break;
      follower.add(c.program->calls[*symbol].site);
    }
  }
  return flow;
}

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
  sort_stably(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<std::uint64_t> places(sites);
  for (std::size_t i = 0; i < sites; ++i) places[order[i]] = i;
  return places;
}

std::vector<FlowStretch> stretches_of_flow(const trace::Trace& trace) {
  const auto flow = flow_of(trace, kMostCalls);
  if (!flow) return {};
  const std::vector<FlowItem> items = order_of_flow(*flow);
  std::vector<FlowStretch> result(items.front().items.size());
  for (std::uint32_t i = 1; i < items.size(); ++i) {
    std::uint32_t outermost = i;
    while (items[outermost].loop != 0) outermost = items[outermost].loop;
    FlowStretch& stretch = result[items[outermost].position];
    if (items[i].place == FlowItem::kLoop) {
      ++stretch.loops;
    } else if (items[i].loop != 0) {
      stretch.sites.push_back(items[i].place);
    }
  }
  std::erase_if(result, [](const FlowStretch& stretch) { return stretch.sites.empty(); });
  return result;
}

std::vector<std::uint32_t> order_of_sites(const trace::Trace& trace) {
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 14; // calls of a class: loops come again
  Flow flow = flow_of_first(trace, kEnough);
  put_lines_in_order(trace, flow.in_source);
  const std::vector<FlowItem> items = order_of_flow(flow);
  std::vector<std::uint32_t> places(trace.sites.size(), 0);
  std::uint32_t next = 0;
  std::vector<std::uint32_t> open{0}; // items, the next one last
  while (!open.empty()) {
    const FlowItem& item = items[open.back()];
    open.pop_back();
    if (item.place != FlowItem::kLoop) places[item.place] = next++;
    open.insert(open.end(), item.items.rbegin(), item.items.rend());
  }
  return places;
}

} // namespace rondo::fold
