// SPDX-License-Identifier: Apache-2.0
#include "logical/compare/list_loops.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/one_place.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::string_view kNext = ", ";

std::vector<std::string> elements_of(std::string_view list) {
  std::vector<std::string> elements;
  while (true) {
    const std::size_t end = list.find(kNext);
    elements.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return elements;
    list.remove_prefix(end + kNext.size());
  }
}

bool is_list(const SaidWord& word, std::size_t length) {
  return word.kind == SaidWord::Kind::kPeer && elements_of(word.text).size() == length;
}

bool has_list(const std::vector<Statement>& body, std::size_t length) {
  return std::ranges::any_of(body, [&](const Statement& statement) {
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      return has_list(guard->body, length);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && std::ranges::any_of(call->words, [&](const SaidWord& word) {
             return is_list(word, length);
           });
  });
}

// What the body says in one of the rounds.
void say_round(std::vector<Statement>& body, std::size_t length, std::size_t round) {
  for (Statement& statement : body) {
    if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      const std::vector<std::string> conditions = elements_of(guard->condition);
      if (conditions.size() == length) guard->condition = conditions[round];
      say_round(guard->body, length, round);
    } else if (auto* call = std::get_if<CallStatement>(&statement.is)) {
      for (SaidWord& word : call->words) {
        if (is_list(word, length)) word.text = elements_of(word.text)[round];
        if (word.kind == SaidWord::Kind::kNumber)
          word.text.erase(std::min(word.text.find(','), word.text.size()));
      }
      if (!call->words.empty()) put_words_together(*call);
    }
  }
}

} // namespace

std::vector<Statement> without_list_loops(const std::vector<Statement>& statements) {
  constexpr std::uint64_t kMostRounds = 64;
  std::vector<Statement> result;
  for (const Statement& statement : statements) {
    Statement one = statement;
    if (auto* guard = std::get_if<GuardStatement>(&one.is)) {
      guard->body = without_list_loops(guard->body);
    } else if (auto* loop = std::get_if<LoopStatement>(&one.is)) {
      const std::uint64_t rounds = plain_count(loop->count).value_or(0);
      if (!loop->is_by_rank && rounds > 1 && rounds <= kMostRounds &&
          has_list(loop->body, rounds)) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
          std::vector<Statement> body = loop->body;
          say_round(body, rounds, round);
          std::ranges::move(body, std::back_inserter(result));
        }
        continue;
      }
      loop->body = without_list_loops(loop->body);
    }
    result.push_back(std::move(one));
  }
  return result;
}

} // namespace rondo::logical::internal
