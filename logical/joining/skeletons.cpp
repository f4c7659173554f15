// SPDX-License-Identifier: Apache-2.0
// What statements have in common that differ in values, peers and datatypes only.
#include "logical/joining/alike.hpp"
#include "logical/joining/joined_words.hpp"

#include <algorithm>

namespace rondo::logical::internal {

namespace {

// Words that are the same in all statements of a skeleton.
bool is_fixed(const SaidWord& word) {
  return word.kind == SaidWord::Kind::kOther ||
         (word.kind == SaidWord::Kind::kNumber && word.least > word.most);
}

bool are_words_alike(const SaidWord& a, const SaidWord& b) {
  return a.kind == b.kind && a.is_remark == b.is_remark && a.before == b.before &&
         is_fixed(a) == is_fixed(b) && (!is_fixed(a) || a.text == b.text) &&
         is_any_source(a) == is_any_source(b);
}

void add_skeleton(const Statement& statement, std::string& text, bool on_any);

void add_skeleton(const std::vector<Statement>& body, std::string& text, bool on_any) {
  text += '{';
  for (const Statement& inner : body) {
    add_skeleton(inner, text, on_any);
    text += '\n';
  }
  text += '}';
}

void add_skeleton(const Statement& statement, std::string& text, bool on_any) {
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    text += "loop ";
    if (!counts_of(loop->count)) text += loop->count;
    return add_skeleton(loop->body, text, on_any);
  }
  if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    text += "if ";
    text += on_any && is_direction(*guard) ? "#" : guard->condition;
    return add_skeleton(guard->body, text, on_any);
  }
  const auto* call = std::get_if<CallStatement>(&statement.is);
  if (call == nullptr) return;
  if (call->words.empty()) {
    text += call->text();
    return;
  }
  text += call->name;
  for (const SaidWord& word : call->words) {
    text += word.is_remark ? "  " : " ";
    text += word.before;
    if (on_any && is_communicator(word)) {
      text += '#';
    } else if (is_fixed(word)) {
      text += word.text;
    } else {
      text += static_cast<char>('0' + static_cast<int>(word.kind));
    }
    if (is_any_source(word)) text += "any";
  }
}

} // namespace

std::string skeleton_of(const Statement& statement) {
  std::string text;
  add_skeleton(statement, text, false);
  return text;
}

std::string skeleton_on_any(const Statement& statement) {
  std::string text;
  add_skeleton(statement, text, true);
  return text;
}

bool are_alike(const CallStatement& a, const CallStatement& b) {
  if (a.name != b.name || a.words.size() != b.words.size()) return false;
  if (a.words.empty()) return a.what == b.what && a.remarks == b.remarks;
  return std::equal(a.words.begin(), a.words.end(), b.words.begin(), are_words_alike);
}

bool are_alike(Body a, Body b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](const Statement& one, const Statement& other) {
                                              return are_alike(one, other);
                                            });
}

bool are_alike(const Statement& a, const Statement& b) {
  if (const auto* call = std::get_if<CallStatement>(&a.is)) {
    const auto* other = std::get_if<CallStatement>(&b.is);
    return other != nullptr && are_alike(*call, *other);
  }
  if (const auto* guard = std::get_if<GuardStatement>(&a.is)) {
    const auto* other = std::get_if<GuardStatement>(&b.is);
    return other != nullptr && guard->condition == other->condition &&
           are_alike(Body(guard->body), Body(other->body));
  }
  if (const auto* loop = std::get_if<LoopStatement>(&a.is)) {
    const auto* other = std::get_if<LoopStatement>(&b.is);
    if (other == nullptr || !are_alike(Body(loop->body), Body(other->body))) return false;
    const bool is_number = counts_of(loop->count).has_value();
    return is_number == counts_of(other->count).has_value() &&
           (is_number || loop->count == other->count);
  }
  return a.is.index() == b.is.index();
}

} // namespace rondo::logical::internal
