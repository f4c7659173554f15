// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_kinds.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <tuple>
#include <utility>

namespace rondo::present {
namespace {

using patterns::CommunicationPattern;
using patterns::CommunicationPatterns;

constexpr double kLightShare = 0.01; // of all bytes: what light patterns have together at most
constexpr std::size_t kMostOthers = 4; // of a kind that are written out

double share_of(std::uint64_t bytes, std::uint64_t all) {
  return all == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all));
}

// The function that a pattern begins in most often; of stripped programs the file that it stands
// in.
std::string function_of(const trace::Trace& trace, const CommunicationPatterns& found,
                        const CommunicationPattern& pattern, sites::Resolver& resolver) {
  const patterns::PatternPart& part =
      *std::max_element(pattern.places.begin(), pattern.places.end(),
                        [](const auto& a, const auto& b) { return a.executions < b.executions; });
  const auto& stream = found.processes.streams[part.stream];
  const trace::RankClass* c = trace.class_of(stream.rank, stream.thread);
  if (c == nullptr) return "";
  const std::uint32_t site = c->program->calls[stream.items[part.first].source].site;
  const std::vector<std::string> functions = resolver.functions(site);
  if (!functions.empty() && !functions.front().empty()) return functions.front();
  const std::string& module = resolver.place(site).module;
  return module.substr(module.rfind('/') + 1);
}

// Where functions are not known, the statement that a pattern begins with stands for its function.
std::uint32_t statement_of(const CommunicationPatterns& found,
                           const CommunicationPattern& pattern) {
  const patterns::PatternPart& part = pattern.places.front();
  const auto& place_of = found.processes.streams[part.stream].place_of;
  return part.first < place_of.size() ? place_of[part.first] : 0;
}

// How many patterns at the end are too light to be shown.
std::size_t light_ones(const CommunicationPatterns& found, const std::vector<std::size_t>& chosen,
                       std::uint64_t all_bytes, const KindOptions& options) {
  if (options.most_with_light == 0 || chosen.size() <= options.most_with_light || all_bytes == 0)
    return 0;
  std::size_t light = 0;
  std::uint64_t bytes = 0;
  while (light < chosen.size()) {
    bytes += bytes_of(found.patterns[chosen[chosen.size() - 1 - light]]);
    if (static_cast<double>(bytes) >= kLightShare * static_cast<double>(all_bytes)) break;
    ++light;
  }
  return light;
}

} // namespace

std::uint64_t bytes_of(const CommunicationPattern& pattern) {
  return pattern.bytes + pattern.collective_bytes;
}

std::string kind_of(const CommunicationPattern& pattern, const patterns::Documentation& known) {
  if (pattern.messages == 0) return "collectives";
  const auto weight = [](const patterns::NamedPhase& phase) {
    const auto messages = static_cast<double>(phase.messages * phase.times);
    return std::tuple{messages * (phase.least_bytes + phase.most_bytes), messages};
  };
  const auto heaviest = std::max_element(
      known.phases.begin(), known.phases.end(),
      [&](const auto& one, const auto& other) { return weight(one) < weight(other); });
  return heaviest == known.phases.end() ? "nothing documented"
                                        : std::string(patterns::to_text(heaviest->name));
}

PatternKinds kinds_of(const trace::Trace& trace, const CommunicationPatterns& found,
                      const std::vector<std::size_t>& chosen, sites::Resolver& resolver,
                      const KindOptions& options) {
  PatternKinds kinds;
  for (const auto& stream : found.processes.streams) {
    for (const patterns::CollapsedItem& item : stream.items) kinds.all_bytes += item.bytes;
  }
  const std::size_t heavy = chosen.size() - light_ones(found, chosen, kinds.all_bytes, options);
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> known_kinds;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const CommunicationPattern& pattern = found.patterns[chosen[i]];
    if (i < heavy) {
      auto known = patterns::documented(found, pattern);
      std::string name = kind_of(pattern, known);
      std::string function = function_of(trace, found, pattern, resolver);
      const std::tuple key{name, function, function.empty() ? statement_of(found, pattern) : 0};
      auto kind = known_kinds.find(key);
      if (kind == known_kinds.end() && kinds.shown.size() < options.most) {
        kind = known_kinds.emplace(key, kinds.shown.size()).first;
        kinds.shown.push_back({std::move(name), std::move(function), std::move(known), {}});
      }
      if (kind != known_kinds.end()) {
        kinds.shown[kind->second].patterns.push_back(chosen[i]);
        continue;
      }
    }
    ++kinds.left_out;
    kinds.left_out_bytes += bytes_of(pattern);
  }
  return kinds;
}

std::string share_text(const PatternKinds& kinds, const CommunicationPattern& pattern) {
  if (kinds.all_bytes == 0) return "";
  return ", " + human_percent(share_of(bytes_of(pattern), kinds.all_bytes)) + " of all bytes";
}

std::string others_text(const CommunicationPatterns& found, const PatternKinds& kinds,
                        const PatternKind& kind) {
  if (kind.patterns.size() < 2) return "";
  std::string text =
      fmt::format("     {} more of this kind ({}{}): ", kind.patterns.size() - 1, kind.name,
                  kind.function.empty() ? "" : " in " + escape::terminal(kind.function));
  const std::size_t end = std::min(kind.patterns.size(), kMostOthers + 1);
  for (std::size_t i = 1; i < end; ++i) {
    const CommunicationPattern& pattern = found.patterns[kind.patterns[i]];
    const std::uint64_t bytes = bytes_of(pattern);
    text += fmt::format("{}number {} ({}, {}, {})", i == 1 ? "" : "; ", kind.patterns[i] + 1,
                        human_bytes(static_cast<double>(bytes)),
                        human_percent(share_of(bytes, kinds.all_bytes)), ranks_of(found, pattern));
  }
  if (end < kind.patterns.size()) {
    std::uint64_t most = 0;
    for (std::size_t i = end; i < kind.patterns.size(); ++i)
      most = std::max(most, bytes_of(found.patterns[kind.patterns[i]]));
    text += fmt::format("; {} with {} at most", kind.patterns.size() - end,
                        human_bytes(static_cast<double>(most)));
  }
  return text + "\n";
}

std::string left_out_text(const PatternKinds& kinds) {
  const bool has_others = std::any_of(kinds.shown.begin(), kinds.shown.end(),
                                      [](const auto& kind) { return kind.patterns.size() > 1; });
  if (kinds.left_out == 0)
    return has_others ? "--all shows each pattern on its own, with its ranks\n" : "";
  return fmt::format("{} lighter ones with {} of all bytes together; --all shows each on its own\n",
                     kinds.left_out,
                     human_percent(share_of(kinds.left_out_bytes, kinds.all_bytes)));
}

std::string ranks_of(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  std::vector<std::int64_t> ranks;
  for (const patterns::PatternPart& part : pattern.parts)
    ranks.push_back(found.processes.streams[part.stream].rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return trace::guard_text(trace::RankSet::of(ranks));
}

} // namespace rondo::present
