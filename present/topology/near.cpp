// SPDX-License-Identifier: Apache-2.0
#include "present/topology/near.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using topology::Edge;
using topology::NearMatch;
using topology::WeightMeasure;

constexpr std::size_t kMostPairs = 10; // in text; JSON has all

std::string pairs_text(const std::vector<Edge>& pairs) {
  if (pairs.empty()) return "none";
  std::string text = fmt::format("{}: ", human_count(static_cast<double>(pairs.size())));
  for (std::size_t i = 0; i < std::min(pairs.size(), kMostPairs); ++i)
    text += fmt::format("{}{}-{}", i == 0 ? "" : ", ", pairs[i].first, pairs[i].second);
  if (pairs.size() > kMostPairs) text += ", ... (--json has all)";
  return text;
}

} // namespace

std::string near_text(const NearMatch& near) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<12} {}\n", name, value);
  };
  line("nearest", topology::title(near));
  line("has", fmt::format("{} of its pairs; {} of all pairs are common to both",
                          human_percent(near.recall()), human_percent(near.jaccard())));
  line("explains", fmt::format("{} of the messages, {} of the bytes",
                               human_percent(near.accuracy(WeightMeasure::kMessages)),
                               human_percent(near.accuracy(WeightMeasure::kBytes))));
  line("missing", pairs_text(near.missing));
  line("extra", pairs_text(near.extra));
  if (!near.one_way.empty()) line("one way", pairs_text(near.one_way));
  return text;
}

nlohmann::json near_json(const NearMatch& near) {
  nlohmann::json result = {{"topology", topology::title(near)},
                           {"family", topology::name(near.topology)},
                           {"hubs", near.hubs},
                           {"recall", near.recall()},
                           {"jaccard", near.jaccard()},
                           {"messages_explained", near.accuracy(WeightMeasure::kMessages)},
                           {"bytes_explained", near.accuracy(WeightMeasure::kBytes)},
                           {"missing", near.missing},
                           {"extra", near.extra},
                           {"one_way", near.one_way},
                           {"cells", near.cells}};
  if (topology::has_coordinates(near.topology)) {
    nlohmann::json& list = result["coordinates"] = nlohmann::json::array();
    for (const topology::Vertex cell : near.cells) {
      list.push_back(cell < 0 ? std::vector<topology::Vertex>{}
                              : topology::coordinates(near.topology.dimensions, cell));
    }
  }
  return result;
}

} // namespace rondo::present
