// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/goal_text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <utility>

namespace rondo::convert::internal {
namespace {

// More operations than that are joined in one before others require all of them.
constexpr std::size_t kMostRequired = 8;

} // namespace

GoalText::Label GoalText::begin() {
  if (now_.required.size() > kMostRequired) join();
  return ++last_;
}

void GoalText::require(Label label) {
  for (const Label earlier : now_.required)
    fmt::format_to(std::back_inserter(*out_), "l{} requires l{}\n", label, earlier);
}

void GoalText::join() {
  const Label label = ++last_;
  fmt::format_to(std::back_inserter(*out_), "l{}: calc 0\n", label);
  require(label);
  now_.required = {label};
  now_.epoch = ++epochs_;
}

GoalText::Label GoalText::send(const Message& message) {
  finish();
  const Label label = begin();
  fmt::format_to(std::back_inserter(*out_), "l{}: send {}b to {} tag {}\n", label, message.bytes,
                 message.peer, message.tag);
  require(label);
  open_[label] = now_.epoch;
  now_.begun.insert(label);
  return label;
}

GoalText::Label GoalText::receive(const Message& message) {
  finish();
  const Label label = begin();
  fmt::format_to(std::back_inserter(*out_), "l{}: recv {}b from {} tag {}\n", label, message.bytes,
                 message.peer, message.tag);
  require(label);
  open_[label] = now_.epoch;
  now_.begun.insert(label);
  return label;
}

void GoalText::finish() {
  const std::uint64_t ns = std::exchange(computed_ns_, 0);
  if (ns == 0) return;
  const Label label = begin();
  fmt::format_to(std::back_inserter(*out_), "l{}: calc {}\n", label, ns);
  require(label);
  for (const Label begun : now_.begun)
    fmt::format_to(std::back_inserter(*out_), "l{} irequires l{}\n", label, begun);
  now_.begun.clear();
  now_.required = {label};
  now_.epoch = ++epochs_;
}

// One that was posted after what is required now requires that itself.
void GoalText::wait(const std::vector<Label>& labels) {
  const auto is_open = [this](Label label) { return open_.contains(label); };
  if (std::any_of(labels.begin(), labels.end(), is_open)) finish();
  std::vector<Label> waited;
  bool is_implied = false;
  for (const Label label : labels) {
    const auto found = open_.find(label);
    if (found == open_.end()) continue;
    is_implied = is_implied || found->second == now_.epoch;
    waited.push_back(label);
    now_.begun.erase(label);
    open_.erase(found);
  }
  if (waited.empty()) return;
  if (is_implied) now_.required.clear();
  now_.required.insert(now_.required.end(), waited.begin(), waited.end());
  now_.epoch = ++epochs_;
}

void GoalText::begin_branch() {
  finish();
  main_ = now_;
  now_.begun.clear();
  first_of_branch_ = last_ + 1;
}

std::vector<GoalText::Label> GoalText::end_branch() {
  std::vector<Label> ends;
  if (last_ >= first_of_branch_) ends = now_.required;
  for (const Label begun : now_.begun) ends.push_back(begun);
  now_ = std::move(main_);
  main_ = {};
  for (const Label end : ends) open_[end] = now_.epoch;
  return ends;
}

} // namespace rondo::convert::internal
