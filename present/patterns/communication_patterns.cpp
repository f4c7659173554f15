// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/communication_patterns.hpp"

#include "present/matrix/traffic_share.hpp"
#include "present/patterns/pattern_functions.hpp"
#include "present/patterns/pattern_kinds.hpp"
#include "present/patterns/process_patterns.hpp"
#include "present/words.hpp"
#include "rondo/base/units.hpp"
#include "rondo/patterns/catalogue.hpp"
#include "rondo/topology/direction.hpp"
#include "rondo/topology/near.hpp"
#include "rondo/topology/recognize.hpp"
#include "rondo/trace/program_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace rondo::present {
namespace {

using patterns::CommunicationPattern;
using patterns::CommunicationPatterns;
using patterns::PatternLink;
using patterns::PatternPart;

constexpr std::size_t kMostRanks = 4; // whose events are written out in text; JSON has all
constexpr std::size_t kMostAlikeRanks = 2; // likewise, where all ranks do the same with others
constexpr std::size_t kMostEvents = 24;
constexpr std::size_t kMostPlaces = 4;
constexpr std::size_t kMostPhases = 4; // of a pattern that stands for its kind

struct Shape {
  std::string name; // of who sends to whom; empty if nobody does
  std::string nearly; // of few ranks, where it is irregular
  std::string direction;
};

Shape shape_of(const CommunicationPatterns& found, const CommunicationPattern& pattern,
               std::int64_t ranks, bool looks_near = false) {
  const auto sent = patterns::matrix_of(found, pattern, ranks);
  if (sent.entries().empty()) return {};
  const auto graph = topology::Graph::from_matrix(sent);
  topology::TopologyOptions options;
  options.filter = topology::FilterKind::kNone;
  options.suggested = found.grids; // axes in the program's order
  const auto recognition = topology::recognize(graph, options);
  constexpr std::int64_t kFew = 64;
  const auto near = looks_near && ranks <= kFew ? topology::nearest(graph, recognition, {})
                                                : std::optional<topology::NearMatch>();
  return {topology::title(recognition), near ? topology::title(*near) : "",
          topology::describe(topology::direction_of(graph, recognition))};
}

std::vector<std::string> events_of(const CommunicationPatterns& found, const PatternPart& part) {
  const auto& stream = found.processes.streams[part.stream];
  std::vector<std::string> events;
  for (std::size_t i = 0; i < part.length; ++i)
    events.push_back(found.processes.events.text_of(stream.items[part.first + i].symbol));
  return events;
}

// "irecv 3 (on dup#1)" as "irecv ", "3" and " (on dup#1)".
struct EventText {
  std::string_view operation;
  std::string_view peer;
  std::string_view rest;
};

EventText parted(std::string_view event) {
  const std::size_t blank = event.find(' ');
  if (blank == event.npos || event.find('{') != event.npos) return {event, {}, {}};
  const std::size_t peer = blank + 1;
  const std::size_t end = std::min(event.find(' ', peer), event.size());
  return {event.substr(0, peer), event.substr(peer, end - peer), event.substr(end)};
}

// Events that follow each other and differ in the peer alone are one: "irecv 1, 3, 4; isend 1, 3,
// 4".
std::string events_text(const std::vector<std::string>& events) {
  std::string text;
  for (std::size_t i = 0; i < events.size();) {
    const EventText first = parted(events[i]);
    text += fmt::format("{}{}{}", i == 0 ? "" : "; ", first.operation, first.peer);
    for (++i; i < events.size() && !first.peer.empty(); ++i) {
      const EventText next = parted(events[i]);
      if (next.operation != first.operation || next.rest != first.rest) break;
      text += fmt::format(", {}", next.peer);
    }
    text += first.rest;
  }
  return text;
}

// Whether all ranks call the same functions in the same order.
bool are_alike(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  const auto functions = [&](const PatternPart& part) {
    std::vector<std::int64_t> result;
    const auto& items = found.processes.streams[part.stream].items;
    for (std::size_t i = 0; i < part.length; ++i)
      result.push_back(found.processes.events[items[part.first + i].symbol].function);
    return result;
  };
  return std::all_of(pattern.parts.begin(), pattern.parts.end(), [&](const PatternPart& part) {
    return functions(part) == functions(pattern.parts.front());
  });
}

// What each rank does, of the first ranks.
std::string ranks_text(const CommunicationPatterns& found, const CommunicationPattern& pattern) {
  const std::size_t most = are_alike(found, pattern) ? kMostAlikeRanks : kMostRanks;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, pattern.parts.size()); ++i) {
    auto events = events_of(found, pattern.parts[i]);
    const std::size_t all = events.size();
    events.resize(std::min(kMostEvents, all));
    text += fmt::format("       rank {}: {}", found.processes.streams[pattern.parts[i].stream].rank,
                        events_text(events));
    if (all > kMostEvents) text += fmt::format("; {} more", all - kMostEvents);
    text += "\n";
  }
  if (pattern.parts.size() > most)
    text += "       and " + counted(pattern.parts.size() - most, "more rank", "more ranks") + "\n";
  return text;
}

std::uint32_t site_of(const CommunicationShown& shown, const PatternPart& part) {
  const auto& stream = shown.found.processes.streams[part.stream];
  const trace::RankClass* c = shown.trace.class_of(stream.rank, stream.thread);
  return c == nullptr ? 0 : c->program->calls[stream.items[part.first].source].site;
}

// "5 x exchange, 2 x scatter": the phases from one on.
std::string phases_text(const std::vector<patterns::NamedPhase>& phases, std::size_t from) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (std::size_t i = from; i < phases.size(); ++i) {
    const std::string_view name = patterns::to_text(phases[i].name);
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& count) { return count.first == name; });
    if (known == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += text.empty() ? "" : ", ";
    text += count == 1 ? std::string(name) : fmt::format("{} x {}", count, name);
  }
  return text;
}

// What the pattern is called, why, and what could be called in its place.
// @param most   phases that are written out
std::string names_text(const patterns::Documentation& known, std::size_t most) {
  std::string text;
  for (const patterns::NamedPhase& phase : known.phases) {
    const auto index = static_cast<std::size_t>(&phase - known.phases.data());
    if (index == most) {
      text += fmt::format("       then {} more: {}\n",
                          counted(known.phases.size() - most, "phase", "phases"),
                          phases_text(known.phases, most));
      break;
    }
    text += fmt::format("     {}{}{}\n", &phase == &known.phases.front() ? "= " : "  then ",
                        phase.times > 1 ? fmt::format("{} x ", phase.times) : "", phase.what);
    for (const std::string& evidence : phase.evidence) text += "         " + evidence + "\n";
  }
  if (known.unnamed > 0)
    text += fmt::format("       and {} that fit nothing documented\n",
                        counted(known.unnamed, "message", "messages"));
  for (const std::string& advice : known.advice) text += "     ! " + advice + "\n";
  return text;
}

nlohmann::json names_json(const patterns::Documentation& known) {
  nlohmann::json list = nlohmann::json::array();
  for (const patterns::NamedPhase& phase : known.phases) {
    list.push_back({{"name", patterns::to_text(phase.name)},
                    {"what", phase.what},
                    {"evidence", phase.evidence},
                    {"collective", phase.collective},
                    {"groups", phase.groups},
                    {"messages", phase.messages},
                    {"rounds", phase.rounds},
                    {"times", phase.times},
                    {"root", phase.has_root ? nlohmann::json(phase.root) : nlohmann::json()}});
  }
  return list;
}

std::string places_text(const CommunicationShown& shown, const CommunicationPattern& pattern) {
  const auto& stream = shown.found.processes.streams[pattern.places.front().stream];
  std::string text = fmt::format("     on rank {}: ", stream.rank);
  const std::size_t count = std::min(kMostPlaces, pattern.places.size());
  for (std::size_t i = 0; i < count; ++i) {
    const PatternPart& place = pattern.places[i];
    text += (i == 0 ? "" : ", ") + place_text(shown.found.processes.events,
                                              stream.items[place.first], place.executions,
                                              shown.resolver.short_text(site_of(shown, place)));
  }
  if (count < pattern.places.size())
    text += ", " + counted(pattern.places.size() - count, "more place", "more places");
  return text + "\n";
}

// Whether an event stands in more than one of the patterns, whose bytes then add up to too much.
bool do_overlap(const CommunicationShown& shown) {
  std::vector<std::vector<bool>> taken;
  for (const auto& stream : shown.found.processes.streams) taken.emplace_back(stream.items.size());
  for (const std::size_t index : shown.chosen) {
    for (const PatternPart& part : shown.found.patterns[index].parts) {
      for (std::size_t item = part.first; item < part.first + part.length; ++item) {
        if (taken[part.stream][item]) return true;
        taken[part.stream][item] = true;
      }
    }
  }
  return false;
}

std::string in_bytes(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

// How a pattern is written that stands for others of its kind.
struct KindNote {
  std::string share = {}; // of the run's bytes: ", 37 % of all bytes"
  std::string others = {}; // a line on those that are like it
  std::size_t most_phases = std::numeric_limits<std::size_t>::max();
};

// Of the calls of all ranks that take part, or of the first of very many, at all places that are
// known.
std::string of_functions(const CommunicationShown& shown, const CommunicationPattern& pattern) {
  constexpr std::size_t kMostParts = 1024;
  std::map<std::uint32_t, std::uint64_t> calls;
  const auto add = [&](const PatternPart& part) {
    const auto& stream = shown.found.processes.streams[part.stream];
    const trace::RankClass* c = shown.trace.class_of(stream.rank, stream.thread);
    if (c == nullptr) return;
    for (std::size_t item = part.first; item < part.first + part.length; ++item)
      calls[c->program->calls[stream.items[item].source].site] += stream.items[item].executions;
  };
  for (std::size_t i = 0; i < std::min(kMostParts, pattern.parts.size()); ++i)
    add(pattern.parts[i]);
  std::for_each(pattern.places.begin(), pattern.places.end(), add);
  return functions_text(shown.resolver, calls);
}

// @param known    what is documented of it
std::string pattern_text(const CommunicationShown& shown, std::size_t index,
                         const patterns::Documentation& known, const KindNote& note = {}) {
  const CommunicationPatterns& found = shown.found;
  const CommunicationPattern& pattern = found.patterns[index];
  std::string text = fmt::format(
      "\n{:>3}  {} in {} among {}: {}{}{}\n", index + 1,
      counted(pattern.executions, "time", "times"),
      counted(pattern.places.size(), "place", "places"), ranks_of(found, pattern),
      counted(pattern.events, "event", "events"), of_functions(shown, pattern), note.share);
  const Shape shape = shape_of(found, pattern, shown.trace.run.ranks, true);
  if (!shape.name.empty()) {
    text += fmt::format("     {} in {}; {}{}{}", in_bytes(pattern.bytes),
                        counted(pattern.messages, "message", "messages"), shape.name,
                        shape.nearly.empty() ? "" : ", nearly " + shape.nearly,
                        shape.direction.empty() ? "" : ", " + shape.direction);
    if (pattern.collective_bytes > 0)
      text += fmt::format("; {} in collectives", in_bytes(pattern.collective_bytes));
  } else {
    text += pattern.collective_bytes == 0
                ? "     collectives only"
                : fmt::format("     {}, in collectives only", in_bytes(pattern.collective_bytes));
  }
  if (pattern.inside_ns > 0)
    text += fmt::format("; {} inside MPI", human_duration(static_cast<double>(pattern.inside_ns)));
  text += "\n";
  text += names_text(known, note.most_phases);
  text += note.others;
  text += places_text(shown, pattern);
  text += ranks_text(found, pattern);
  return text;
}

// How many there are, and what is not among them.
std::string head_text(const CommunicationShown& shown) {
  std::string text =
      counted(shown.chosen.size(), "communication pattern", "communication patterns") + "\n";
  text += world_ranks_text(shown.trace, shown.found.processes.events);
  if (do_overlap(shown))
    text +=
        "they overlap: a call may stand in several of them, and its bytes are counted in each\n";
  if (const std::string files = share_of_files(shown.trace); !files.empty())
    text += "not among them: " + files + "\n";
  if (const std::string others = traffic_with_others(shown.trace); !others.empty())
    text += "not among them: " + others + "; rondo matrix --layers spawned says who\n";
  if (const std::string one_sided = share_of_one_sided(shown.trace); !one_sided.empty())
    text += "not among them: " + one_sided + "\n";
  if (shown.found.patterns.empty())
    text += "nothing that several ranks do together comes again alike; rondo logical shows all\n";
  return text;
}

nlohmann::json parts_json(const CommunicationShown& shown, const CommunicationPattern& pattern) {
  const CommunicationPatterns& found = shown.found;
  nlohmann::json parts = nlohmann::json::array();
  for (const PatternPart& part : pattern.parts) {
    parts.push_back({{"rank", found.processes.streams[part.stream].rank},
                     {"thread", found.processes.streams[part.stream].thread},
                     {"executions", part.executions},
                     {"events", events_of(found, part)},
                     {"site", shown.resolver.text(site_of(shown, part))}});
  }
  return parts;
}

nlohmann::json links_json(const CommunicationPattern& pattern) {
  nlohmann::json links = nlohmann::json::array();
  for (const PatternLink& link : pattern.links) {
    links.push_back({{"from_part", link.from},
                     {"from_event", link.from_event},
                     {"to_part", link.to},
                     {"to_event", link.to_event},
                     {"messages", link.messages},
                     {"bytes", link.bytes}});
  }
  return links;
}

nlohmann::json places_json(const CommunicationShown& shown, const CommunicationPattern& pattern) {
  const CommunicationPatterns& found = shown.found;
  nlohmann::json places = nlohmann::json::array();
  for (const PatternPart& place : pattern.places) {
    const auto& stream = found.processes.streams[place.stream];
    const patterns::CollapsedItem& item = stream.items[place.first];
    places.push_back({{"rank", stream.rank},
                      {"first_call", item.first + 1},
                      {"last_call", item.last + 1},
                      {"executions", place.executions},
                      {"site", shown.resolver.text(site_of(shown, place))},
                      {"phase", found.processes.events.phase_name(item.phase)}});
  }
  return places;
}

nlohmann::json pattern_json(const CommunicationShown& shown, std::size_t index) {
  const CommunicationPatterns& found = shown.found;
  const CommunicationPattern& pattern = found.patterns[index];
  const Shape shape = shape_of(found, pattern, shown.trace.run.ranks);
  const patterns::Documentation known = patterns::documented(found, pattern);
  return {{"number", index + 1},
          {"executions", pattern.executions},
          {"occurrences", pattern.places.size()},
          {"messages", pattern.messages},
          {"bytes", pattern.bytes},
          {"collective_bytes", pattern.collective_bytes},
          {"inside_mpi_ns", pattern.inside_ns},
          {"events", pattern.events},
          {"ranks", pattern.ranks},
          {"topology", shape.name},
          {"direction", shape.direction},
          {"documented", names_json(known)},
          {"unnamed_messages", known.unnamed},
          {"advice", known.advice},
          {"places", places_json(shown, pattern)},
          {"parts", parts_json(shown, pattern)},
          {"links", links_json(pattern)}};
}

} // namespace

std::string communication_text(const CommunicationShown& shown, std::size_t most) {
  std::string text = head_text(shown);
  const std::size_t all = shown.chosen.size();
  const std::size_t count = std::min(most, all);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = shown.chosen[i];
    text +=
        pattern_text(shown, index, patterns::documented(shown.found, shown.found.patterns[index]));
  }
  if (count < all) text += fmt::format("\n{} more; --top shows them\n", all - count);
  return text;
}

std::string communication_kinds_text(const CommunicationShown& shown, const KindOptions& options) {
  const PatternKinds kinds =
      kinds_of(shown.trace, shown.found, shown.chosen, shown.resolver, options);
  std::string text = head_text(shown);
  for (const PatternKind& kind : kinds.shown) {
    const std::size_t index = kind.patterns.front();
    text += pattern_text(shown, index, kind.known,
                         {share_text(kinds, shown.found.patterns[index]),
                          others_text(shown.found, kinds, kind), kMostPhases});
  }
  if (const std::string end = left_out_text(kinds); !end.empty()) text += "\n" + end;
  return text;
}

nlohmann::json communication_json(const CommunicationShown& shown, std::size_t most) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most, shown.chosen.size()); ++i)
    list.push_back(pattern_json(shown, shown.chosen[i]));
  return {{"schema", 1},
          {"peers_are_ranks_of", mpi::COMM_WORLD},
          {"communication_patterns", shown.chosen.size()},
          {"patterns", std::move(list)}};
}

} // namespace rondo::present
