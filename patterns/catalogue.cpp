// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/catalogue.hpp"

#include "patterns/message_group.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

namespace rondo::patterns {
namespace {

using internal::MessageGroup;
using internal::Shape;

constexpr std::size_t kMostDepths = 48; // that are looked at one after the other

// The first that fits; those that say most come first.
std::optional<Shape> shape_of(const MessageGroup& group) {
  for (const auto detector :
       {internal::pair, internal::butterfly, internal::dissemination, internal::tree,
        internal::master_worker, internal::ring, internal::all_to_all, internal::lattice}) {
    if (auto shape = detector(group)) return shape;
  }
  return {};
}

std::string groups_text(const std::vector<std::vector<std::int64_t>>& groups) {
  constexpr std::size_t kMostGroups = 3;
  const std::size_t size = groups.front().size();
  if (groups.size() == 1) return fmt::format("over {} ranks", size);
  std::string members;
  for (std::size_t i = 0; i < std::min(kMostGroups, groups.size()); ++i) {
    std::string text = trace::guard_text(trace::RankSet::of(groups[i]));
    if (text.starts_with("ranks ")) text = text.substr(6);
    members += (i == 0 ? "" : "; ") + text;
  }
  if (groups.size() > kMostGroups) members += "; ...";
  return fmt::format("within each of {} groups of {} ranks ({})", groups.size(), size, members);
}

// Groups that do the same, and how.
struct SameShape {
  Shape shape;
  std::vector<std::vector<std::int64_t>> groups;
  std::size_t messages = 0;
  std::size_t depth = 0;
};

NamedPhase phase_of(const SameShape& same) {
  const Shape& shape = same.shape;
  NamedPhase phase;
  phase.name = shape.name;
  phase.scope = groups_text(same.groups);
  if (!shape.how.empty()) phase.scope += ", " + shape.how;
  phase.what = shape.what + " " + phase.scope;
  phase.evidence = shape.evidence;
  phase.collective = shape.collective;
  phase.groups = same.groups;
  phase.messages = same.messages;
  phase.rounds = same.depth;
  if (shape.root >= 0) {
    phase.has_root = true;
    phase.root = same.groups.front()[static_cast<std::size_t>(shape.root)];
    if (same.groups.size() == 1 && phase.what.find("from rank") == std::string::npos)
      phase.what += fmt::format(", rank {} being the root", phase.root);
  }
  return phase;
}

// Names for messages that belong to one time; empty if some group has none.
std::vector<NamedPhase> named_at_once(const std::vector<PatternMessage>& messages,
                                      const std::vector<std::size_t>& depths) {
  constexpr std::size_t kMostKinds = 4; // of different things at one time
  std::vector<SameShape> kinds;
  for (const MessageGroup& group : internal::groups_of(messages, depths)) {
    if (group.messages.empty()) continue; // a rank that keeps something
    auto shape = shape_of(group);
    if (!shape) return {};
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const SameShape& kind) {
      return kind.shape.what == shape->what && kind.shape.collective == shape->collective &&
             kind.groups.front().size() == group.ranks.size();
    });
    if (same == kinds.end()) {
      if (kinds.size() == kMostKinds) return {};
      kinds.push_back({std::move(*shape), {group.ranks}, group.messages.size(), group.depth});
    } else {
      if (shape->how != same->shape.how) same->shape.how.clear();
      same->groups.push_back(group.ranks);
      same->messages += group.messages.size();
      same->depth = std::max(same->depth, group.depth);
    }
  }
  std::vector<NamedPhase> phases;
  for (const SameShape& same : kinds) phases.push_back(phase_of(same));
  return phases;
}

struct Timed {
  const std::vector<PatternMessage>& messages;
  std::vector<std::size_t> depths;

  // Those of first <= depth < last.
  std::vector<NamedPhase> named(std::size_t first, std::size_t last) const {
    std::vector<PatternMessage> part;
    std::vector<std::size_t> part_depths;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (depths[i] < first || depths[i] >= last) continue;
      part.push_back(messages[i]);
      part_depths.push_back(depths[i]);
    }
    return named_at_once(part, part_depths);
  }
};

// One thing after the other, the longest first.
std::vector<NamedPhase> named_in_turn(const Timed& timed) {
  const auto [least, most] = std::minmax_element(timed.depths.begin(), timed.depths.end());
  if (*least == 0 || *most > kMostDepths) return {};
  std::vector<NamedPhase> phases;
  for (std::size_t first = 1; first <= *most;) {
    std::size_t last = *most + 1;
    std::vector<NamedPhase> found;
    for (; last > first && found.empty(); --last) found = timed.named(first, last);
    if (found.empty()) return {};
    first = last + 1;
    phases.insert(phases.end(), found.begin(), found.end());
  }
  return phases;
}

bool ends_with(const std::string& text, std::string_view end) { return text.ends_with(end); }

// Ranks that exchange in pairs, but for those that keep theirs, as a square matrix is transposed.
// What shows it: the ranks' groups before or after, of which each two exchange equally much; or
// numbers row by row.
class Transposes {
public:
  explicit Transposes(const std::vector<PatternMessage>& messages) {
    for (const PatternMessage& m : messages) {
      ranks_.insert(m.from);
      ranks_.insert(m.to);
    }
  }

  void name(std::vector<NamedPhase>& phases) const {
    for (NamedPhase& phase : phases) {
      if (phase.name != "pair exchange") continue;
      const auto partner = partners(phase);
      std::string why = row_by_row(partner) ? "ranks row by row" : "";
      for (const NamedPhase& other : phases) {
        if (why.empty() && other.name != "pair exchange" && exchanges_groups(partner, other.groups))
          why = fmt::format("the groups of the {}", other.name);
      }
      if (why.empty()) continue;
      phase.name = "transpose";
      phase.what = fmt::format("transpose over {} ranks", ranks_.size());
      phase.evidence.insert(phase.evidence.begin(),
                            fmt::format("{} pairs exchange and {} ranks keep theirs: (i, j) with "
                                        "(j, i), by {}",
                                        phase.groups.size(),
                                        ranks_.size() - 2 * phase.groups.size(), why));
    }
  }

private:
  using Partners = std::map<std::int64_t, std::int64_t>;

  static Partners partners(const NamedPhase& phase) {
    Partners partner;
    for (const auto& pair : phase.groups) {
      partner[pair[0]] = pair[1];
      partner[pair[1]] = pair[0];
    }
    return partner;
  }

  bool row_by_row(const Partners& partner) const {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(ranks_.size())));
    if (side < 2 || side * side != ranks_.size() || partner.size() != side * (side - 1))
      return false;
    const std::vector<std::int64_t> rank(ranks_.begin(), ranks_.end());
    for (std::size_t i = 0; i < rank.size(); ++i) {
      const auto found = partner.find(rank[i]);
      const std::int64_t other = found == partner.end() ? rank[i] : found->second;
      if (other != rank[i % side * side + i / side]) return false;
    }
    return true;
  }

  bool exchanges_groups(const Partners& partner,
                        const std::vector<std::vector<std::int64_t>>& groups) const {
    std::map<std::int64_t, std::size_t> group_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::int64_t rank : groups[g]) group_of[rank] = g;
    }
    if (groups.size() < 2 || group_of.size() != ranks_.size() || partner.size() == ranks_.size())
      return false;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;
    for (const std::int64_t rank : ranks_) {
      const auto found = partner.find(rank);
      ++between[{group_of[rank], group_of[found == partner.end() ? rank : found->second]}];
    }
    return between.size() == groups.size() * groups.size() &&
           std::all_of(between.begin(), between.end(),
                       [&](const auto& b) { return b.second == between.begin()->second; });
  }

  std::set<std::int64_t> ranks_;
};

std::string where(const NamedPhase& phase) {
  return phase.groups.size() == 1 ? "" : " on a communicator for each group";
}

// A reduction and then a broadcast from where it ended.
std::string joined_advice(const NamedPhase& up, const NamedPhase& down) {
  if (up.groups != down.groups || !up.has_root || up.root != down.root) return "";
  const std::size_t rounds = up.rounds + down.rounds;
  if (ends_with(up.name, " reduce") && ends_with(down.name, " broadcast"))
    return fmt::format("a reduction and a broadcast in {} rounds are an allreduce; consider "
                       "MPI_Allreduce{}",
                       rounds, where(up));
  if (up.name == "gather" && down.name == "scatter")
    return fmt::format("one rank gathers and scatters; consider MPI_Allreduce or MPI_Allgather{}, "
                       "if all get the same",
                       where(up));
  return "";
}

// "an allreduce" for "MPI_Allreduce"; the first function named counts.
std::string noun_of(const std::string& collective) {
  static const std::vector<std::pair<std::string, std::string>> kNouns{
      {"MPI_Allreduce", "an allreduce"},
      {"MPI_Allgather", "an allgather"},
      {"MPI_Alltoall", "an all-to-all"},
      {"MPI_Barrier", "a barrier"},
      {"MPI_Bcast", "a broadcast"},
      {"MPI_Gather", "a gather"},
      {"MPI_Reduce_scatter", "a reduce-scatter"},
      {"MPI_Reduce", "a reduction"},
      {"MPI_Scatter", "a scatter"}};
  for (const auto& [function, noun] : kNouns) {
    if (collective.starts_with(function)) return noun;
  }
  return collective;
}

std::string own_advice(const NamedPhase& phase) {
  if (phase.collective.empty()) return "";
  if (phase.name == "halo exchange")
    return fmt::format("a halo exchange can be one {} on a Cartesian communicator",
                       phase.collective);
  return fmt::format("this is what {} does, {}; consider {}{}", noun_of(phase.collective),
                     phase.scope, phase.collective, where(phase));
}

std::vector<std::string> advice_for(const std::vector<NamedPhase>& phases) {
  std::vector<std::string> advice;
  const auto add = [&](std::string text) {
    if (!text.empty() && std::find(advice.begin(), advice.end(), text) == advice.end())
      advice.push_back(std::move(text));
  };
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const std::string both =
        i + 1 < phases.size() ? joined_advice(phases[i], phases[i + 1]) : std::string();
    if (both.empty()) {
      add(own_advice(phases[i]));
    } else {
      add(both);
      ++i;
    }
  }
  return advice;
}

} // namespace

std::optional<std::string> documented_name(std::string_view text) {
  const auto plain = [](std::string_view name) {
    std::string result;
    for (const char c : name) {
      const bool is_gap = c == '-' || c == '_';
      result += is_gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
  };
  for (const std::string& name : documented_names()) {
    if (plain(name) == plain(text)) return name;
  }
  return {};
}

const std::vector<std::string>& documented_names() {
  static const std::vector<std::string> kNames{"halo exchange",
                                               "wavefront",
                                               "ring shift",
                                               "pipeline",
                                               "butterfly",
                                               "binomial tree broadcast",
                                               "binomial tree reduce",
                                               "binary tree broadcast",
                                               "binary tree reduce",
                                               "scatter",
                                               "gather",
                                               "pairwise all-to-all",
                                               "Bruck all-to-all",
                                               "dissemination barrier",
                                               "master-worker",
                                               "transpose",
                                               "pair exchange"};
  return kNames;
}

Documentation documented(const std::vector<PatternMessage>& messages) {
  if (messages.empty()) return {};
  Documentation result;
  const Timed timed{messages, internal::depths_of(messages)};
  result.phases = named_at_once(messages, timed.depths);
  if (result.phases.empty()) result.phases = named_in_turn(timed);
  Transposes(messages).name(result.phases);
  result.advice = advice_for(result.phases);
  return result;
}

} // namespace rondo::patterns
