// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/calls.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace rondo::generate::internal {

using trace::Field;
using trace::FieldKind;

void Calls::survey() {
  std::int64_t oldest = -1;
  const auto see = [&](const Field& field, std::int64_t value) {
    if (trace::is_special(value)) return;
    if (!table_of(field.kind).empty()) shared_.objects.see(field.kind, value);
    if (field.kind != FieldKind::kRequest || trace::is_foreign(value)) return;
    const auto place = static_cast<std::int64_t>(trace::age_or_slot(value));
    if (trace::is_persistent(value)) {
      shared_.benchmark.persistent = std::max(shared_.benchmark.persistent, place + 1);
    } else {
      oldest = std::max(oldest, place);
    }
  };
  std::set<std::pair<std::shared_ptr<const std::vector<std::int64_t>>, FieldKind>> seen;
  for (std::size_t symbol = 0; symbol < words_.program().calls.size(); ++symbol) {
    const CallContext context = contexts_.of(symbol, {});
    if (context.function->role != trace::Role::kDatatype)
      shared_.benchmark.buffer_bytes =
          std::max(shared_.benchmark.buffer_bytes, sizes_.bytes_of(context));
    if (context.function->makes_request) oldest = std::max<std::int64_t>(oldest, 0);
    if (context.function->makes_request && context.function->mode == trace::Mode::kPersistent)
      shared_.benchmark.persistent = std::max<std::int64_t>(shared_.benchmark.persistent, 1);
    for (std::size_t w = 0; w < context.words.size(); ++w) {
      const Field* field = context.field_of(static_cast<int>(w));
      if (field == nullptr || (table_of(field->kind).empty() && field->kind != FieldKind::kRequest))
        continue;
      for (const Sequence& s : context.words[w]) {
        if (!s.is_constant() && !seen.insert({s.values, field->kind}).second) continue;
        for (std::size_t i = 0; i < s.size(); ++i) {
          if (!field->is_array) {
            see(*field, s.at(i));
          } else if (!trace::is_special(s.at(i))) {
            const auto& array = words_.array(s.at(i));
            shared_.benchmark.longest_list =
                std::max(shared_.benchmark.longest_list, static_cast<std::int64_t>(array.size()));
            for (const std::int64_t value : array) see(*field, value);
          }
        }
      }
    }
  }
  std::int64_t ring = oldest < 0 ? 0 : 1;
  while (ring <= oldest) ring *= 2;
  shared_.benchmark.requests = std::max(shared_.benchmark.requests, ring);
}

std::vector<Statement> Calls::statements(std::size_t symbol, const EnclosingLoops& place,
                                         const TermPlace& at) {
  const CallContext context = contexts_.of(symbol, place, &at);
  if (is_query(*context.function)) return {};
  if (auto flags = frees_of(context, symbol, at)) return free_made(context, std::move(*flags));
  const int outcome = poll_outcome(*context.function);
  if (outcome >= 0) return polls_.statements(context, outcome);
  return {arguments_.call_of(context)};
}

// Frees that are left out stand within calls that free other datatypes too.
std::optional<std::vector<Sequence>> Calls::frees_of(const CallContext& context, std::size_t symbol,
                                                     const TermPlace& at) {
  const auto id = static_cast<std::uint32_t>(symbol);
  const auto found = shared_.queries.frees.find({&words_.program(), id});
  if (found == shared_.queries.frees.end()) return std::nullopt;
  std::vector<Sequence> flags;
  for (const std::int64_t r : context.ranks) {
    const Sequence all{0, std::make_shared<const std::vector<std::int64_t>>(found->second.at(r)),
                       0};
    flags.push_back(places_.at(at, trace::Term::symbol(id), r, all));
  }
  return flags;
}

std::vector<Statement> Calls::free_made(CallContext context, std::vector<Sequence> flags) {
  bool has[2] = {false, false};
  for (const Sequence& of_rank : flags) {
    for (std::size_t i = 0; i < of_rank.size(); ++i) has[of_rank.at(i)] = true;
  }
  if (!has[1]) return {};
  if (!has[0]) return {arguments_.call_of(context)};
  const auto word = static_cast<int>(context.words.size());
  context.words.push_back(flags); // as if it was an outcome of the call
  const ValueKind kind{.hint = "made", .is_number = false, .leaf = number, .constant_name = {}};
  Statement choice{.kind = Statement::Kind::kIf, .name = ""};
  choice.value = shared_.forms.expression(context.domain, flags, context.place, kind);
  choice.body.push_back(arguments_.call_of(context.only(word, 1)));
  return {choice};
}

} // namespace rondo::generate::internal
