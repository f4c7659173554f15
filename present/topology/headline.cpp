// SPDX-License-Identifier: Apache-2.0
#include "present/topology/headline.hpp"

#include "rondo/base/units.hpp"
#include "rondo/topology/headline.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using topology::Graph;
using topology::Recognition;
using topology::TrafficPart;

std::string part_name(const TrafficPart& part) {
  const std::string direction = topology::describe(part.direction);
  return topology::title(part.found) + (direction.empty() ? "" : ", " + direction);
}

std::string light_text(const TrafficPart& part, const Graph& all) {
  const auto share = [](std::uint64_t some, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(some) / static_cast<double>(whole);
  };
  topology::Traffic total = all.total();
  total += all.to_self();
  return fmt::format("{} ({} of the messages, {} of the bytes)", part_name(part),
                     human_percent(share(part.traffic.messages, total.messages)),
                     human_percent(share(part.traffic.bytes, total.bytes)));
}

} // namespace

Headline headline_of(const Graph& all, Recognition whole, const PartTable& table,
                     const topology::TopologyOptions& options) {
  topology::Headline chosen = topology::headline_of(all, std::move(whole), table.parts, options);
  Headline headline{std::move(chosen.found), std::move(chosen.kept), {}, {}};
  for (const std::size_t i : chosen.mixture)
    headline.mixture.push_back(topology::title(table.parts[i].found));
  for (const std::size_t i : chosen.light)
    headline.light.push_back(light_text(table.parts[i], all));
  return headline;
}

std::string title(const Headline& headline) {
  if (headline.mixture.empty()) return topology::title(headline.found);
  std::vector<std::string> names; // each once
  for (const std::string& name : headline.mixture) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto parts = std::count(headline.mixture.begin(), headline.mixture.end(), names[i]);
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    if (parts > 1) text += fmt::format(" ({} different ones)", parts);
  }
  return text;
}

} // namespace rondo::present
