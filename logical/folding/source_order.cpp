// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/source_order.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/nest.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace rondo::logical::internal {

SourceOrder::SourceOrder(const trace::Trace& trace) : places_(trace.sites.size()) {
  std::vector<std::size_t> sites(places_.size());
  std::iota(sites.begin(), sites.end(), std::size_t{0});
  const auto key = [&](std::size_t site) {
    const trace::CallSite& of = trace.sites[site];
    return std::tuple(std::string_view(of.module), of.offset, of.caller);
  };
  sort_stably(sites.begin(), sites.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < sites.size(); ++i) places_[sites[i]] = i;
}

std::optional<std::uint64_t> SourceOrder::place_of(const trace::Function& function,
                                                   std::uint32_t site) const {
  using trace::Role;
  constexpr std::array kRoles = {Role::kSend,     Role::kRecv,    Role::kSendrecv, Role::kProbe,
                                 Role::kComplete, Role::kRequest, Role::kDatatype};
  constexpr std::uint64_t kFunctions = std::uint64_t{1} << 16;
  if (site >= places_.size() ||
      std::find(kRoles.begin(), kRoles.end(), function.role) == kRoles.end())
    return std::nullopt;
  return places_[site] * kFunctions + function.id;
}

bool ranks_have_own_orders(const trace::Trace& trace) {
  const SourceOrder order(trace);
  const auto place_of = [&](const trace::Call& call) {
    return order.place_of(*trace::find_function(call.function), call.site);
  };
  std::map<std::uint64_t, std::size_t> classes; // that have a place
  for (const trace::RankClass& c : trace.classes) {
    std::set<std::uint64_t> places;
    for (const trace::Call& call : c.program->calls) {
      if (const auto place = place_of(call)) places.insert(*place);
    }
    for (const std::uint64_t place : places) ++classes[place];
  }
  std::set<std::uint64_t> orders;
  for (const trace::RankClass& c : trace.classes) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = 0;
    trace::NestReader symbols(c.program->nest);
    while (const auto symbol = symbols.next()) {
      const auto place = place_of(c.program->calls[*symbol]);
      if (place && classes[*place] == trace.classes.size()) hash = (hash + *place + 1) * kFactor;
    }
    orders.insert(hash);
  }
  return orders.size() > 1;
}

} // namespace rondo::logical::internal
