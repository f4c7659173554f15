// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/call_context.hpp"

#include <memory>

namespace rondo::generate::internal {

const trace::Field* CallContext::field_of(int word) const {
  int next = 0;
  for (const trace::Field& field : function->fields) {
    if (next == word) return &field;
    next += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  return nullptr;
}

CallContext CallContext::only(int word, std::int64_t value) const {
  const auto& outcomes = words[static_cast<std::size_t>(word)];
  CallContext result = *this;
  result.ranks.clear();
  result.domain.world.clear();
  result.domain.own.clear();
  for (auto& sequences : result.words) sequences.clear();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Sequence& outcome = outcomes[r];
    if (outcome.is_constant() && (outcome.constant != 0) != (value != 0)) continue;
    result.ranks.push_back(ranks[r]);
    result.domain.world.push_back(domain.world[r]);
    result.domain.own.push_back(domain.own[r]);
    if (!outcome.is_constant()) result.place = {};
    for (std::size_t w = 0; w < words.size(); ++w) {
      Sequence kept = words[w][r];
      if (!outcome.is_constant() && !kept.is_constant()) {
        std::vector<std::int64_t> values;
        for (std::size_t i = 0; i < kept.values->size(); ++i) {
          if ((outcome.at(i) != 0) == (value != 0)) values.push_back((*kept.values)[i]);
        }
        kept.values = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
      }
      result.words[w].push_back(std::move(kept));
    }
  }
  return result;
}

CallContext CallContexts::of(std::size_t symbol, const EnclosingLoops& place, const TermPlace* at) {
  const trace::MergedProgram& program = words_.program();
  CallContext context;
  context.merged = &program.calls[symbol];
  context.function = trace::find_function(context.merged->call.function);
  context.ranks = program.table.sets[context.merged->set].ranks();
  context.place = place;
  set_domain(context);
  context.words.resize(context.merged->call.words.size());
  const int comm = context.function->comm_word();
  for (const std::int64_t r : context.ranks) {
    const trace::Positions& positions = words_.positions(r);
    std::int64_t slot = trace::kWorldSlot;
    if (comm >= 0)
      slot = words_
                 .sequence(context.merged->call.words[static_cast<std::size_t>(comm)], r,
                           {r, trace_.run.ranks, nullptr})
                 .at(0);
    for (std::size_t w = 0; w < context.words.size(); ++w) {
      Sequence values = words_.sequence(context.merged->call.words[w], r, positions.of(slot));
      if (at != nullptr)
        values =
            places_.at(*at, trace::Term::symbol(static_cast<std::uint32_t>(symbol)), r, values);
      context.words[w].push_back(std::move(values));
    }
  }
  return context;
}

// Where the ranks stand in the call's communicator; peers are ranks of it.
void CallContexts::set_domain(CallContext& context) {
  Domain& domain = context.domain;
  domain.world = context.ranks;
  domain.own = context.ranks;
  domain.size = trace_.run.ranks;
  const int word = context.function->comm_word();
  if (word < 0) return;
  std::vector<Sequence> slots;
  for (std::size_t i = 0; i < context.ranks.size(); ++i) {
    const std::int64_t r = context.ranks[i];
    slots.push_back(words_.sequence(context.merged->call.words[static_cast<std::size_t>(word)], r,
                                    {r, trace_.run.ranks, nullptr}));
    const auto& position = words_.positions(r).of(slots.back().at(0));
    domain.own[i] = position.rank;
    domain.size = i == 0 || domain.size == position.size ? position.size : 0;
  }
  if (domain.size != trace_.run.ranks) domain.own_size = number(domain.size);
  if (domain.own == domain.world) return;
  Domain plain;
  plain.world = domain.world;
  plain.own = domain.world;
  domain.own_rank =
      call("rank_in", {objects_.use(forms_, plain, slots, context.place, trace::FieldKind::kComm)});
}

} // namespace rondo::generate::internal
