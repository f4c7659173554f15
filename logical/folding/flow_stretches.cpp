// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/flow_stretches.hpp"

#include "logical/text/beyond_topology.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace rondo::logical::internal {
namespace {

std::vector<Statement> statements_at(const std::vector<Statement>& statements,
                                     const std::vector<bool>& sites) {
  std::vector<Statement> result;
  const auto add_around = [&](auto around, const std::vector<Statement>& body) {
    around.body = statements_at(body, sites);
    if (!around.body.empty()) result.push_back({std::move(around)});
  };
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      add_around(LoopStatement{loop->count, {}, loop->is_by_rank, loop->count_of_rank}, loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      add_around(GuardStatement{guard->condition, {}}, guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      if (std::any_of(call->sites.begin(), call->sites.end(),
                      [&](std::uint32_t site) { return sites[site]; }))
        result.push_back(statement);
    }
  }
  return result;
}

} // namespace

FlowStretches::FlowStretches(const trace::Trace& trace)
    : all_sites_(trace.sites.size()), stretches_(fold::stretches_of_flow(trace)) {}

std::vector<bool> FlowStretches::sites_in(const std::set<std::size_t>& stretches) const {
  std::vector<bool> result(all_sites_, false);
  for (const std::size_t stretch : stretches) {
    for (const std::uint32_t site : stretches_[stretch].sites) result[site] = true;
  }
  return result;
}

std::map<std::size_t, std::size_t> FlowStretches::calls_in(const trace::Trace& trace,
                                                           const UnseenCalls& unseen) const {
  std::vector<std::size_t> stretch_of(all_sites_, stretches_.size());
  for (std::size_t stretch = 0; stretch < stretches_.size(); ++stretch) {
    for (const std::uint32_t site : stretches_[stretch].sites) stretch_of[site] = stretch;
  }
  std::map<std::size_t, std::size_t> most;
  for (const trace::RankClass& of : trace.classes) {
    std::map<std::size_t, std::size_t> calls;
    const auto count = [&](const std::vector<trace::Term>& body) {
      for (const trace::Term term : body) {
        if (term.is_loop() || unseen.may_contain(of, term.index())) continue;
        const std::size_t stretch = stretch_of[of.program->calls[term.index()].site];
        if (stretch < stretches_.size()) ++calls[stretch];
      }
    };
    count(of.program->nest.top());
    for (const trace::Loop& loop : of.program->nest.loops()) count(loop.body);
    for (const auto& [stretch, n] : calls) most[stretch] = std::max(most[stretch], n);
  }
  return most;
}

LogicalText FlowStretches::text_of(const LogicalText& text, std::size_t stretch,
                                   std::uint64_t calls) const {
  const std::vector<bool> sites = sites_in(std::set{stretch});
  LogicalText result;
  for (const LogicalText::Part& part : text.parts)
    result.parts.push_back({part.ranks, statements_at(part.statements, sites)});
  result.beyond = beyond_of(result.parts, calls);
  return result;
}

} // namespace rondo::logical::internal
