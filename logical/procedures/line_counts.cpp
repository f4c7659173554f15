// SPDX-License-Identifier: Apache-2.0
// With its procedures written out a text has the calls of the one without, in the same order: so
// the k-th call that is reached in the one is the k-th of the other.
#include "logical/procedures/line_counts.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace rondo::logical::internal {
namespace {

template <typename Statements, typename Visit>
void for_each_call(Statements& statements, const Visit& visit) {
  for (auto& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is))
      for_each_call(loop->body, visit);
    else if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      for_each_call(guard->body, visit);
    else if (auto* call = std::get_if<CallStatement>(&statement.is))
      visit(*call);
  }
}

// What was read from a file has no executions: each place weighs as one.
double weight_of(const CallStatement& call) {
  return static_cast<double>(std::max<std::uint64_t>(call.executions, 1));
}

class LineCounter {
public:
  LineCounter(const LogicalText& text, LogicalText& shorter) : shorter_(shorter) {
    for (const LogicalText::Part& part : text.parts)
      for_each_call(part.statements, [&](const CallStatement& call) { calls_.push_back(&call); });
    for (Procedure& procedure : shorter.procedures)
      procedures_.emplace(procedure.name, &procedure.statements);
  }

  void run() {
    const auto forget = [&](CallStatement& call) {
      call.executions = 0;
      call.sites.clear();
      weights_[&call] = 0;
    };
    for (Procedure& procedure : shorter_.procedures) for_each_call(procedure.statements, forget);
    for (LogicalText::Part& part : shorter_.parts) for_each_call(part.statements, forget);
    for (LogicalText::Part& part : shorter_.parts) walk(part.statements);
  }

private:
  void walk(std::vector<Statement>& statements) {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<LoopStatement>(&statement.is))
        walk(loop->body);
      else if (auto* guard = std::get_if<GuardStatement>(&statement.is))
        walk(guard->body);
      else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is))
        walk(*procedures_.at(invoke->name));
      else if (auto* call = std::get_if<CallStatement>(&statement.is))
        add(*call, *calls_[next_++]);
    }
  }

  void add(CallStatement& into, const CallStatement& from) {
    double& weight = weights_[&into];
    const double more = weight_of(from);
    const auto mean = [&](double mine, double other) {
      return weight == 0 ? other : (mine * weight + other * more) / (weight + more);
    };
    into.before_ns = mean(into.before_ns, from.before_ns);
    into.inside_ns = mean(into.inside_ns, from.inside_ns);
    weight += more;
    into.executions += from.executions;
    std::vector<std::uint32_t> sites;
    std::ranges::set_union(into.sites, from.sites, std::back_inserter(sites));
    into.sites = std::move(sites);
  }

  LogicalText& shorter_;
  std::vector<const CallStatement*> calls_; // of the text without procedures, in its order
  std::size_t next_ = 0;
  std::unordered_map<std::string, std::vector<Statement>*> procedures_;
  std::unordered_map<const CallStatement*, double> weights_; // executions that were added
};

} // namespace

void count_lines(const LogicalText& text, LogicalText& shorter) {
  LineCounter(text, shorter).run();
}

} // namespace rondo::logical::internal
