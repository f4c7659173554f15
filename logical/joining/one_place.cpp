// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/one_place.hpp"

#include "logical/joining/guards.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <variant>

namespace rondo::logical::internal {

std::optional<std::uint64_t> plain_count(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

bool are_at_one_place(Body a, Body b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const auto* loop = std::get_if<LoopStatement>(&a[i].is)) {
      if (!are_at_one_place(loop->body, std::get<LoopStatement>(b[i].is).body)) return false;
    } else if (const auto* guard = std::get_if<GuardStatement>(&a[i].is)) {
      if (!are_at_one_place(guard->body, std::get<GuardStatement>(b[i].is).body)) return false;
    } else if (const auto* call = std::get_if<CallStatement>(&a[i].is)) {
      if (call->place != std::get<CallStatement>(b[i].is).place) return false;
    }
  }
  return true;
}

bool knows_places(Body body) {
  return std::all_of(body.begin(), body.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      return knows_places(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      return knows_places(guard->body);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && call->place != kNoPlace;
  });
}

void count_equal_rounds(LoopStatement& loop) {
  const auto count = plain_count(loop.count);
  const std::size_t size = loop.body.size();
  if (!count || loop.is_by_rank) return;
  for (std::size_t length = 1; 2 * length <= size; ++length) {
    if (size % length != 0) continue;
    Bodies bodies;
    bool are_equal = true;
    for (std::size_t i = 0; i < size && are_equal; i += length) {
      bodies.push_back(Body(loop.body).subspan(i, length));
      are_equal =
          std::equal(bodies[0].begin(), bodies[0].end(), bodies.back().begin(), says_the_same) &&
          knows_places(bodies.back()) && are_at_one_place(bodies[0], bodies.back());
    }
    if (!are_equal) continue;
    loop.count = std::to_string(*count * bodies.size());
    loop.body = join_alike(bodies, false, std::vector<std::uint64_t>(bodies.size(), 1));
    return;
  }
}

} // namespace rondo::logical::internal
