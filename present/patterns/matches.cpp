// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/matches.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using patterns::Edit;
using patterns::RankHits;
using patterns::SearchResult;

std::string exactly(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

const char* name_of(Edit::Kind kind) {
  switch (kind) {
  case Edit::Kind::kSame:
    return "same";
  case Edit::Kind::kChanged:
    return "changed";
  case Edit::Kind::kMissing:
    return "missing";
  case Edit::Kind::kAdded:
    return "added";
  }
  return "";
}

std::string edit_text(const SearchResult& result, const RankHits& rank, const RankHits::Hit& hit,
                      const Edit& edit) {
  const auto wanted = [&] { return result.events.text_of(rank.word[edit.in_word]); };
  const auto found = [&] {
    const auto& item = rank.items[static_cast<std::size_t>(hit.occurrence.start) + edit.in_text];
    return result.events.text_of(item.symbol);
  };
  switch (edit.kind) {
  case Edit::Kind::kChanged:
    return fmt::format("{} instead of {}", found(), wanted());
  case Edit::Kind::kMissing:
    return fmt::format("without {}", wanted());
  case Edit::Kind::kAdded:
    return fmt::format("{} added", found());
  case Edit::Kind::kSame:
    break;
  }
  return "";
}

std::string hit_text(const SearchResult& result, const RankHits& rank, const RankHits::Hit& hit) {
  std::string text = hit.place.executions == 1
                         ? fmt::format("call {}", hit.place.first + 1)
                         : fmt::format("{} times in calls {} to {}", hit.place.executions,
                                       hit.place.first + 1, hit.place.last + 1);
  if (hit.occurrence.distance == 0) return text + ": exact";
  text += fmt::format(": {}:", exactly(hit.occurrence.distance, "difference", "differences"));
  const char* separator = " ";
  for (const Edit& edit : hit.edits) {
    if (edit.kind == Edit::Kind::kSame) continue;
    text += separator + edit_text(result, rank, hit, edit);
    separator = "; ";
  }
  return text;
}

std::string total_text(const SearchResult& result) {
  if (!result.is_joined)
    return "ranks have different numbers of occurrences, so it is not said which belong together\n";
  std::string text = fmt::format("{} on all of these ranks", exactly(result.total_distances.size(),
                                                                     "occurrence", "occurrences"));
  if (result.total_distances.empty()) return text + "\n";
  const auto [least, most] =
      std::minmax_element(result.total_distances.begin(), result.total_distances.end());
  return text +
         (*least == *most
              ? fmt::format(", each with {} in all\n", exactly(*most, "difference", "differences"))
              : fmt::format(", with {} to {} differences in all\n", *least, *most));
}

} // namespace

std::string matches_text(const std::string& name, const SearchResult& result,
                         const patterns::SearchOptions& options, std::size_t most) {
  std::string text = fmt::format("{}: at most {} a rank\n", name.empty() ? "the pattern" : name,
                                 exactly(options.distance, "difference", "differences"));
  if (result.ranks.empty()) return text + "the pattern has no events for the ranks of this trace\n";
  text += total_text(result);
  for (const RankHits& rank : result.ranks) {
    text += fmt::format("rank {}{}: {} of {}\n", rank.rank,
                        rank.thread == 0 ? "" : fmt::format(", thread {}", rank.thread),
                        exactly(rank.hits.size(), "occurrence", "occurrences"),
                        exactly(rank.word.size(), "event", "events"));
    const std::size_t shown = std::min(most, rank.hits.size());
    for (std::size_t i = 0; i < shown; ++i)
      text += "  " + hit_text(result, rank, rank.hits[i]) + "\n";
    if (shown < rank.hits.size())
      text += fmt::format("  {} more; --top shows them\n", rank.hits.size() - shown);
  }
  return text;
}

nlohmann::json matches_json(const std::string& name, const SearchResult& result) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const RankHits& rank : result.ranks) {
    nlohmann::json hits = nlohmann::json::array();
    for (const RankHits::Hit& hit : rank.hits) {
      nlohmann::json differences = nlohmann::json::array();
      for (const Edit& edit : hit.edits) {
        if (edit.kind == Edit::Kind::kSame) continue;
        differences.push_back(
            {{"kind", name_of(edit.kind)}, {"text", edit_text(result, rank, hit, edit)}});
      }
      hits.push_back({{"first_call", hit.place.first + 1},
                      {"last_call", hit.place.last + 1},
                      {"executions", hit.place.executions},
                      {"events", hit.occurrence.length},
                      {"distance", hit.occurrence.distance},
                      {"differences", std::move(differences)}});
    }
    ranks.push_back({{"rank", rank.rank},
                     {"thread", rank.thread},
                     {"events", rank.word.size()},
                     {"occurrences", std::move(hits)}});
  }
  return {{"schema", 1},
          {"pattern", name},
          {"joined", result.is_joined},
          {"total_distances", result.total_distances},
          {"ranks", std::move(ranks)}};
}

} // namespace rondo::present
