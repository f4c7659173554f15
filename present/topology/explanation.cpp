// SPDX-License-Identifier: Apache-2.0
#include "present/topology/explanation.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using topology::Explanation;
using topology::Stage;

constexpr std::size_t kMostNamed = 10; // candidates in a line of text; JSON has all

std::string names_text(const Stage& stage) {
  std::string text;
  for (std::size_t i = 0; i < std::min(stage.candidates.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + topology::name(stage.candidates[i]);
  if (stage.candidates.size() > kMostNamed)
    text += fmt::format(", {} more", stage.candidates.size() - kMostNamed);
  return text;
}

} // namespace

Explanation explanation_of(const topology::Adjacency& graph,
                           const std::vector<topology::Family>& families) {
  topology::ExplainOptions options;
  options.families = families;
  return topology::explain(topology::largest_part(graph), options);
}

std::string explanation_text(const Explanation& explanation, topology::Vertex all_ranks) {
  std::string text = fmt::format("\n{:<26}{:>10}  {:>8}\n", "stage", "candidates", "time");
  bool all_done = true;
  for (const Stage& stage : explanation.stages) {
    all_done = all_done && stage.done;
    if (!stage.done) {
      text += fmt::format("{:<26}{:>10}\n", stage.test, "not done");
      continue;
    }
    text += fmt::format("{:<26}{:>10}  {:>8}  {}\n", stage.test, stage.candidates.size(),
                        human_duration(stage.seconds * 1e9), names_text(stage));
  }
  if (explanation.ranks < all_ranks)
    text += fmt::format("The stages look at the largest part, {} of {} ranks.\n", explanation.ranks,
                        all_ranks);
  if (!all_done)
    text += fmt::format("Spectra are computed up to {} ranks.\n",
                        topology::ExplainOptions{}.spectrum_up_to);
  return text;
}

nlohmann::json explanation_json(const Explanation& explanation) {
  nlohmann::json stages = nlohmann::json::array();
  for (const Stage& stage : explanation.stages) {
    nlohmann::json candidates = nlohmann::json::array();
    for (const topology::Topology& t : stage.candidates) candidates.push_back(topology::name(t));
    stages.push_back({{"test", stage.test},
                      {"done", stage.done},
                      {"seconds", stage.seconds},
                      {"candidates", std::move(candidates)}});
  }
  return {{"ranks", explanation.ranks}, {"stages", std::move(stages)}};
}

} // namespace rondo::present
