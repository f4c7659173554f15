// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/process_patterns.hpp"

#include "present/matrix/traffic_share.hpp"
#include "present/patterns/pattern_functions.hpp"
#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/program_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>

namespace rondo::present {
namespace {

using patterns::PatternGroup;
using patterns::PatternPlace;
using patterns::ProcessPattern;
using patterns::StreamPatterns;

constexpr std::size_t kMostPatternEvents = 40; // of a pattern in text; JSON has all
constexpr std::size_t kMostPatternPlaces = 4;
constexpr std::size_t kMostInner = 3; // patterns named under the one that they stand within
constexpr std::size_t kMostInnerEvents = 8;

double part_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t total_bytes(const patterns::ProcessPatterns& found) {
  std::uint64_t bytes = 0;
  for (const StreamPatterns& stream : found.streams) {
    for (const auto& item : stream.items) bytes += item.bytes;
  }
  return bytes;
}

// Breaks at ", " so that lines fit; each line begins with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out(indent, ' ');
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = text.find(", ", at);
    const std::size_t end = comma == std::string::npos ? text.size() : comma + 2;
    if (column > indent && column + (end - at) > width) {
      while (out.ends_with(' ')) out.pop_back();
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end;
  }
  return out + '\n';
}

const StreamPatterns& stream_of(const PatternsShown& shown, const PatternGroup::Member& member) {
  return shown.found.streams[member.stream];
}

std::uint32_t site_of(const PatternsShown& shown, const StreamPatterns& stream,
                      const PatternPlace& place) {
  const trace::RankClass* c = shown.trace.class_of(stream.rank, stream.thread);
  return c == nullptr ? 0 : c->program->calls[stream.items[place.item].source].site;
}

std::string places_text(const PatternsShown& shown, const PatternGroup& group) {
  const StreamPatterns& stream = stream_of(shown, group.members.front());
  const ProcessPattern& pattern = stream.patterns[group.members.front().pattern];
  std::string text;
  for (std::size_t i = 0; i < std::min(pattern.places.size(), kMostPatternPlaces); ++i) {
    const PatternPlace& place = pattern.places[i];
    text += text.empty() ? "" : ", ";
    text += place_text(shown.found.events, stream.items[place.item], place.executions,
                       shown.resolver.short_text(site_of(shown, stream, place)));
  }
  if (pattern.places.size() > kMostPatternPlaces)
    text += ", " + counted(pattern.places.size() - kMostPatternPlaces, "more place", "more places");
  return text;
}

// In plain words; JSON has the paper's: tandem, maximal and supermaximal repeats.
std::string kind_text(const PatternGroup& group) {
  std::string text;
  if (group.is_tandem) text += ", follows itself";
  if (group.is_supermaximal) text += ", part of no other";
  return text;
}

// Of the calls of its first rank.
std::string of_functions(const PatternsShown& shown, const PatternGroup& group) {
  const StreamPatterns& stream = stream_of(shown, group.members.front());
  const ProcessPattern& pattern = stream.patterns[group.members.front().pattern];
  const trace::RankClass* c = shown.trace.class_of(stream.rank, stream.thread);
  if (c == nullptr) return "";
  std::map<std::uint32_t, std::uint64_t> calls;
  for (const PatternPlace& place : pattern.places) {
    for (std::size_t item = place.item; item < place.item + pattern.word.size(); ++item)
      calls[c->program->calls[stream.items[item].source].site] += stream.items[item].executions;
  }
  return functions_text(shown.resolver, calls);
}

std::string group_text(const PatternsShown& shown, const PatternGroup& group, std::size_t number,
                       std::uint64_t bytes) {
  const std::size_t width = shown.columns;
  const std::int64_t first = stream_of(shown, group.members.front()).rank;
  std::string text = fmt::format(
      "\n{:>3}  {} in {} on {}: {}{}{}\n", number, counted(group.executions, "time", "times"),
      counted(group.places, "place", "places"), trace::guard_text(group.ranks),
      counted(group.length, "event", "events"), of_functions(shown, group), kind_text(group));
  text += fmt::format("     {} ({} of all)", human_bytes(static_cast<double>(group.bytes)),
                      human_percent(part_of(group.bytes, bytes)));
  if (group.inside_ns > 0)
    text += fmt::format(", {} inside MPI", human_duration(static_cast<double>(group.inside_ns)));
  text += fmt::format(", {}\n", counted(group.calls, "call", "calls"));
  text += wrapped(patterns::word_text(shown.found, group, kMostPatternEvents), 7, width);
  const char* whose = group.ranks.size() == 1 || group.same_offsets ? "" : " with its peers";
  text +=
      wrapped(fmt::format("on rank {}{}: {}", first, whose, places_text(shown, group)), 5, width);
  return text;
}

std::string why_there_are_none(const PatternsShown& shown) {
  const auto& streams = shown.found.streams;
  const auto is_empty = [](const StreamPatterns& stream) { return stream.items.empty(); };
  if (std::all_of(streams.begin(), streams.end(), is_empty))
    return "there are no messages, one-sided calls or collective operations\n";
  const std::string envelope = envelope_text(shown.found.events.envelope());
  const bool is_strict = envelope != envelope_text({false, false, false});
  return fmt::format(
      "no sequence of several calls comes again{}; what comes again alone is in rondo logical\n",
      is_strict ? " with the same " + envelope + " (--envelope none compares functions alone)"
                : "");
}

// @param of_groups  their bytes: a call may be in several patterns
std::string shares_text(std::uint64_t of_groups, std::uint64_t all) {
  return of_groups > all ? "shares of the bytes overlap: one pattern may stand within another\n"
                         : "";
}

std::string all_groups_text(const PatternsShown& shown) {
  const std::uint64_t bytes = total_bytes(shown.found);
  std::uint64_t of_groups = 0;
  std::string text;
  for (std::size_t i = 0; i < shown.groups.size(); ++i) {
    of_groups += shown.groups[i].bytes;
    text += group_text(shown, shown.groups[i], i + 1, bytes);
  }
  return shares_text(of_groups, bytes) + text;
}

// "within it, 2: 3078 times, 91 MB: alltoall, 3 x {barrier, allreduce}"
std::string inner_text(const PatternsShown& shown, const std::vector<std::size_t>& inner) {
  std::string text;
  for (std::size_t k = 0; k < std::min(inner.size(), kMostInner); ++k) {
    const PatternGroup& group = shown.groups[inner[k]];
    text += wrapped(fmt::format("within it, {}: {}, {}: {}", inner[k] + 1,
                                counted(group.executions, "time", "times"),
                                human_bytes(static_cast<double>(group.bytes)),
                                patterns::word_text(shown.found, group, kMostInnerEvents)),
                    7, shown.columns);
  }
  if (inner.size() > kMostInner)
    text += fmt::format("       and {} more within it\n", inner.size() - kMostInner);
  return text;
}

std::string each_once_text(const PatternsShown& shown, std::size_t most) {
  using Kind = patterns::Standing::Kind;
  const std::vector<patterns::Standing> standings = patterns::standings(shown.found, shown.groups);
  std::map<std::size_t, std::vector<std::size_t>> inner; // by the group that they stand within
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i].kind == Kind::kInner) inner[standings[i].within].push_back(i);
    if (standings[i].kind == Kind::kOverlaps) ++overlapping;
  }
  const std::uint64_t bytes = total_bytes(shown.found);
  std::string text;
  std::uint64_t of_groups = 0;
  std::size_t own = 0;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i].kind != Kind::kOwn || own++ >= most) continue;
    of_groups += shown.groups[i].bytes;
    text += group_text(shown, shown.groups[i], i + 1, bytes);
    text += inner_text(shown, inner[i]);
  }
  std::string rest;
  if (own > most) rest = fmt::format("{} more", own - most);
  if (overlapping > 0) {
    rest += fmt::format("{}{} of the same calls, cut elsewhere", rest.empty() ? "" : "; ",
                        counted(overlapping, "pattern", "patterns"));
  }
  if (!rest.empty()) text += "\n" + rest + "; --all shows them\n";
  return shares_text(of_groups, bytes) + text;
}

nlohmann::json member_json(const PatternsShown& shown, const PatternGroup::Member& member) {
  const StreamPatterns& stream = stream_of(shown, member);
  const ProcessPattern& pattern = stream.patterns[member.pattern];
  nlohmann::json events = nlohmann::json::array();
  for (std::size_t i = 0; i < pattern.word.size(); ++i)
    events.push_back(shown.found.events.text_of(pattern.word[i]));
  nlohmann::json places = nlohmann::json::array();
  for (const PatternPlace& place : pattern.places) {
    places.push_back({{"first_call", place.first + 1},
                      {"last_call", place.last + 1},
                      {"executions", place.executions},
                      {"site", shown.resolver.text(site_of(shown, stream, place))},
                      {"phase", shown.found.events.phase_name(stream.items[place.item].phase)}});
  }
  return {{"rank", stream.rank},         {"thread", stream.thread},
          {"events", std::move(events)}, {"executions", pattern.executions},
          {"bytes", pattern.bytes},      {"follows_itself", pattern.tandem},
          {"places", std::move(places)}};
}

std::set<std::uint32_t> communicators_with_peers(const patterns::EventTable& events) {
  std::set<std::uint32_t> comms;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const patterns::Event& event = events[static_cast<patterns::Symbol>(i)];
    const bool names_a_rank = event.destination >= 0 || event.source >= 0 || event.root >= 0;
    if (names_a_rank && event.comm != trace::Communicators::kWorld) comms.insert(event.comm);
  }
  return comms;
}

bool is_renumbered(const trace::Communicators::View& view) {
  for (std::int64_t peer = 0; peer < view.peer_count; ++peer) {
    if (view.world_rank(peer) != peer) return true;
  }
  return false;
}

} // namespace

std::string place_text(const patterns::EventTable& events, const patterns::CollapsedItem& item,
                       std::uint64_t executions, const std::string& site) {
  std::string text = executions == 1 ? fmt::format("call {}", item.first + 1)
                                     : fmt::format("{} times in calls {} to {}", executions,
                                                   item.first + 1, item.last + 1);
  const std::string phase =
      item.phase == 0 ? "" : "phase " + escape::terminal(events.phase_name(item.phase));
  const char* separator = site.empty() || phase.empty() ? "" : ", ";
  if (!site.empty() || !phase.empty()) text += " (" + site + separator + phase + ")";
  return text;
}

std::string world_ranks_text(const trace::Trace& trace, const patterns::EventTable& events) {
  const std::set<std::uint32_t> with_peers = communicators_with_peers(events);
  if (with_peers.empty()) return "";
  const trace::Communicators comms(trace);
  std::set<std::uint32_t> looked_at; // many ranks share one list of members
  for (const trace::CommDefinition& definition : trace.comms) {
    for (const std::int64_t rank : definition.holders.ranks()) {
      const trace::Communicators::View& view = comms.of(rank, definition.slot);
      if (with_peers.contains(view.id) && looked_at.insert(view.id).second && is_renumbered(view))
        return "peers and roots are ranks of MPI_COMM_WORLD, on other communicators too\n";
    }
  }
  return "";
}

std::string envelope_text(const patterns::Envelope& envelope) {
  std::string text;
  const auto add = [&](bool kept, const char* name) {
    if (kept) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  add(envelope.peer, "peer");
  add(envelope.size, "size");
  add(envelope.tag, "tag");
  return text.empty() ? "nothing" : text;
}

// "4 ranks", "4 ranks in 8 threads".
std::string ranks_and_threads(const std::vector<StreamPatterns>& streams) {
  std::set<std::int64_t> ranks;
  for (const StreamPatterns& stream : streams) ranks.insert(stream.rank);
  std::string text = counted(ranks.size(), "rank", "ranks");
  if (ranks.size() < streams.size()) text += " in " + counted(streams.size(), "thread", "threads");
  return text;
}

std::string patterns_text(const PatternsShown& shown, std::size_t most) {
  std::uint64_t calls = 0;
  for (const StreamPatterns& stream : shown.found.streams) calls += stream.calls;
  std::string text =
      fmt::format("{} in {} of {}; of the envelope: {}\n",
                  counted(shown.groups.size(), "process pattern", "process patterns"),
                  counted(calls, "call", "calls"), ranks_and_threads(shown.found.streams),
                  envelope_text(shown.found.events.envelope()));
  text += world_ranks_text(shown.trace, shown.found.events);
  if (const std::string files = share_of_files(shown.trace); !files.empty())
    text += "calls on files among them: " + files + "\n";
  if (const std::string others = traffic_with_others(shown.trace); !others.empty())
    text += "with other processes among them: " + others + "\n";
  if (shown.groups.empty()) text += why_there_are_none(shown);
  text += most == kAllPatterns ? all_groups_text(shown) : each_once_text(shown, most);
  if (shown.found.streams.size() > 1 && !shown.groups.empty())
    text += "\n--communication joins them over ranks and names what they do together\n";
  return text;
}

nlohmann::json patterns_json(const PatternsShown& shown, std::size_t most) {
  const auto& envelope = shown.found.events.envelope();
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most, shown.groups.size()); ++i) {
    const PatternGroup& group = shown.groups[i];
    nlohmann::json members = nlohmann::json::array();
    for (const auto& member : group.members) members.push_back(member_json(shown, member));
    list.push_back({{"length", group.length},
                    {"executions", group.executions},
                    {"places", group.places},
                    {"ranks", group.ranks.ranks()},
                    {"bytes", group.bytes},
                    {"inside_mpi_ns", group.inside_ns},
                    {"calls", group.calls},
                    {"tandem", group.is_tandem},
                    {"maximal", group.is_maximal},
                    {"supermaximal", group.is_supermaximal},
                    {"by_rank", std::move(members)}});
  }
  return {{"schema", 1},
          {"peers_are_ranks_of", mpi::COMM_WORLD},
          {"envelope", {{"peer", envelope.peer}, {"size", envelope.size}, {"tag", envelope.tag}}},
          {"process_patterns", shown.groups.size()},
          {"patterns", std::move(list)}};
}

} // namespace rondo::present
