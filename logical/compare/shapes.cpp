// SPDX-License-Identifier: Apache-2.0
#include "logical/compare/shapes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace rondo::logical::internal {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// ".." or "|" between two numbers: how long it is.
std::size_t length_of_joint(const std::string& text, std::size_t at) {
  const std::size_t length = text[at] == '|' ? 1 : text.compare(at, 2, "..") == 0 ? 2 : 0;
  return length > 0 && at + length < text.size() && is_digit(text[at + length]) ? length : 0;
}

// Every number, range or choice of numbers as "#".
std::string without_numbers(const std::string& text) {
  std::string shape;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      shape += text[i++];
      continue;
    }
    while (i < text.size() && (is_digit(text[i]) || length_of_joint(text, i) > 0))
      i += is_digit(text[i]) ? 1 : length_of_joint(text, i);
    shape += '#';
  }
  return shape;
}

constexpr std::string_view kAcross = "across ";

} // namespace

std::string shape_of(const std::string& text) {
  const std::string plain = without_numbers(text);
  std::string result;
  std::vector<std::string> seen;
  std::size_t begin = 0;
  while (true) {
    const std::size_t bar = plain.find('|', begin);
    if (bar == std::string::npos) break;
    const std::string member = plain.substr(begin, bar - begin);
    if (std::find(seen.begin(), seen.end(), member) == seen.end()) seen.push_back(member);
    begin = bar + 1;
  }
  std::string rest = plain.substr(begin);
  constexpr std::string_view kMore = "..."; // a choice of more than the text names
  if (!seen.empty() && rest.starts_with(kMore)) rest.replace(0, kMore.size(), seen.back());
  const bool is_repeated = std::any_of(seen.begin(), seen.end(), [&](const std::string& member) {
    return rest == member || rest.starts_with(member + " ");
  });
  for (const std::string& member : seen) {
    const bool is_last = is_repeated && (rest == member || rest.starts_with(member + " "));
    if (!is_last) result += member + "|";
  }
  return result + rest;
}

std::string line_of(const Statement& statement) {
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
    return "loop " + loop->count + ":";
  if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
    return (guard->condition.starts_with("rank") ? "" : "if ") + guard->condition + ":";
  return std::get<CallStatement>(statement.is).text();
}

std::string step_shape_of(const std::string& text) {
  std::string steps;
  std::size_t at = 0;
  while (true) {
    const std::size_t found = text.find(kAcross, at);
    if (found == std::string::npos) break;
    const std::size_t axis = found + kAcross.size();
    steps += text.substr(at, axis - at) + "0"; // "across x" and "across d4" as numbers
    at = std::min(text.find_first_of(" |:", axis), text.size());
  }
  return shape_of(steps + text.substr(at));
}

bool has_step(const std::string& step_shape) {
  constexpr std::array<std::string_view, 5> kSteps = {"across #", "bit #", "child #", "row^#",
                                                      "leaf #"};
  return std::any_of(kSteps.begin(), kSteps.end(), [&](std::string_view step) {
    return step_shape.find(step) != std::string::npos;
  });
}

std::string step_gist_of(const Statement& statement) {
  const auto of = [](const std::string& head, const std::vector<Statement>& body) {
    std::string gist = head + " {";
    for (const Statement& inner : body) gist += step_gist_of(inner) + "\n";
    return gist + "}";
  };
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) return of("loop", loop->body);
  if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    const bool is_ranks = guard->condition.starts_with("rank");
    return of(is_ranks ? "ranks" : step_shape_of(guard->condition), guard->body);
  }
  if (const auto* call = std::get_if<CallStatement>(&statement.is))
    return step_shape_of(call->text());
  return {};
}

} // namespace rondo::logical::internal
