// SPDX-License-Identifier: Apache-2.0
#include "logical/compare/turning.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace rondo::logical::internal {
namespace {

using Step = std::array<int, 3>; // east, south, down

// "north", "southeast", "up-west"; nothing for other names.
std::optional<Step> step_of(std::string_view name) {
  struct Part {
    std::string_view name;
    std::size_t axis;
    int step;
  };
  constexpr std::array<Part, 6> kParts{{{"up", 2, -1},
                                        {"down", 2, 1},
                                        {"north", 1, -1},
                                        {"south", 1, 1},
                                        {"west", 0, -1},
                                        {"east", 0, 1}}};
  Step step{};
  for (const Part& part : kParts) {
    if (!name.starts_with(part.name)) continue;
    if (step[part.axis] != 0) return std::nullopt;
    step[part.axis] = part.step;
    name.remove_prefix(part.name.size());
    if (part.axis == 2 && name.starts_with('-')) name.remove_prefix(1);
  }
  const bool is_any = std::any_of(step.begin(), step.end(), [](int x) { return x != 0; });
  return name.empty() && is_any ? std::optional(step) : std::nullopt;
}

std::string name_of(const Step& step) {
  std::string flat = step[1] == 0 ? "" : step[1] < 0 ? "north" : "south";
  flat += step[0] == 0 ? "" : step[0] < 0 ? "west" : "east";
  if (step[2] == 0) return flat;
  return (step[2] < 0 ? "up" : "down") + (flat.empty() ? "" : "-" + flat);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

std::string renamed(const std::string& text, const Renaming& names) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word = text.substr(i, std::max(end, i + 1) - i);
    const auto known = names.find(word);
    result += known == names.end() ? word : known->second;
    i += word.size();
  }
  return result;
}

void rename(std::vector<Statement>& statements, const Renaming& names) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      rename(loop->body, names);
    } else if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      guard->condition = renamed(guard->condition, names);
      rename(guard->body, names);
    } else if (auto* call = std::get_if<CallStatement>(&statement.is)) {
      call->what = renamed(call->what, names);
    }
  }
}

} // namespace

std::vector<Renaming> turns_of(const std::vector<std::string>& directions) {
  std::vector<Step> steps;
  std::size_t axes = 1;
  for (const std::string& name : directions) {
    const auto step = step_of(name);
    if (!step) return {};
    steps.push_back(*step);
    for (std::size_t axis = 0; axis < step->size(); ++axis) {
      if ((*step)[axis] != 0) axes = std::max(axes, axis + 1);
    }
  }
  std::vector<Renaming> turns;
  std::array<std::size_t, 3> to{0, 1, 2};
  do {
    bool stays = true; // axes that the topology does not have
    for (std::size_t axis = axes; axis < to.size(); ++axis) stays = stays && to[axis] == axis;
    if (!stays) continue;
    for (unsigned mirrors = 0; mirrors < (1U << axes); ++mirrors) {
      Renaming names;
      bool changes = false;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        Step step{};
        for (std::size_t axis = 0; axis < axes; ++axis)
          step[to[axis]] = (mirrors >> axis & 1U) != 0 ? -steps[i][axis] : steps[i][axis];
        changes = changes || step != steps[i];
        names[directions[i]] = name_of(step);
      }
      if (changes) turns.push_back(std::move(names));
    }
  } while (std::next_permutation(to.begin(), to.end()));
  return turns;
}

LogicalText turned(LogicalText text, const Renaming& names) {
  for (LogicalText::Part& part : text.parts) rename(part.statements, names);
  return text;
}

} // namespace rondo::logical::internal
