// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/effort.hpp"

#include "logical/folding/choices.hpp"
#include "logical/folding/small_dimensions.hpp"
#include "logical/joining/joined_words.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical {

bool leaves_open(const LogicalText& text) {
  const auto is_open = [](const std::vector<Statement>& statements) {
    return internal::choices_of(statements) + internal::lost_by_flow(statements) > 0;
  };
  return std::any_of(text.procedures.begin(), text.procedures.end(),
                     [&](const Procedure& p) { return is_open(p.statements); }) ||
         std::any_of(text.parts.begin(), text.parts.end(),
                     [&](const LogicalText::Part& part) { return is_open(part.statements); });
}

namespace internal {
namespace {

constexpr std::size_t kChoice = 2; // worth as many records
constexpr std::size_t kWorthLists = 2; // records: what comes when stands in a line of its own else
constexpr std::size_t kMostTerms = 100'000; // of more, records are many more than kMostToRead

// Of a direction, or of one each time round.
bool is_by_direction(const GuardStatement& guard) {
  return is_direction(GuardStatement{guard.condition.substr(0, guard.condition.find(", ")), {}});
}

// Calls that have no direction of their own, under a guard that is one.
bool has_waits_by_direction(const std::vector<Statement>& statements, bool is_guarded = false) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      return has_waits_by_direction(loop->body, is_guarded);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      return has_waits_by_direction(guard->body, is_guarded || is_by_direction(*guard));
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && is_guarded &&
           std::none_of(call->words.begin(), call->words.end(),
                        [](const SaidWord& word) { return word.kind == SaidWord::Kind::kPeer; });
  });
}

// Of what kinds the words are that statements are written with.
void add_kinds(const std::vector<Statement>& statements, std::string& to) {
  const auto add = [&](auto... numbers) { (..., (to += std::to_string(numbers) + ' ')); };
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) add_kinds(loop->body, to);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) add_kinds(guard->body, to);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    if (call == nullptr) continue;
    for (const SaidWord& word : call->words) {
      to += word.name + ' ';
      add(static_cast<int>(word.kind), static_cast<int>(word.remark), word.is_remark ? 1 : 0,
          word.before.size(), word.text.size(), word.least, word.most);
      for (const std::int64_t value : word.values) add(value);
    }
    to += '\n';
  }
}

// What is known of a text without its procedures, and what there is to read of these and the rest.
Effort as_written(const LogicalText& text, bool is_by_flow, Effort effort) {
  effort.records = text.records() + effort.by_ranks;
  const auto add = [&](const std::vector<Statement>& statements) {
    effort.choices += choices_of(statements, is_by_flow);
    effort.known_ifs += known_ifs_in(statements);
    effort.has_waits_by_direction =
        effort.has_waits_by_direction || has_waits_by_direction(statements);
  };
  for (const Procedure& procedure : text.procedures) add(procedure.statements);
  for (const LogicalText::Part& part : text.parts) add(part.statements);
  return effort;
}

// What may be left of the first text when others are tried: more than was ever seen to go.
Effort at_least(Effort first) {
  first.records -= first.records / 5;
  first.choices -= first.choices / 5;
  return first;
}

bool is_endless(const LogicalProgram& logical) { return terms_of(logical) > kMostTerms; }

} // namespace

Effort effort_of(LogicalText text, bool is_by_flow, const IsWorthMore& is_worth_more) {
  Effort effort;
  if (is_by_flow) {
    for (const LogicalText::Part& part : text.parts)
      effort.choices += lost_by_flow(part.statements);
  }
  for (const RankDifference& set : text.beyond.sets) effort.by_ranks += set.records;
  if (text.records() > kMostToRead) return as_written(text, is_by_flow, effort); // takes long
  std::function<bool(const LogicalText&)> is_text_worth_more;
  if (is_worth_more) {
    is_text_worth_more = [&](const LogicalText& first) {
      return is_worth_more(at_least(as_written(first, is_by_flow, effort)));
    };
  }
  const TriedText tried = with_procedures_if(std::move(text), is_text_worth_more);
  effort = as_written(tried.text, is_by_flow, effort);
  effort.is_first = tried.is_first;
  return effort;
}

bool is_far_longer(const LogicalProgram& other, const LogicalProgram& best) {
  // Terms, and times those of the best, of which a text is longer than this one, however much of it
  // is procedures: the worst that was seen to become short enough had a fifth of that.
  constexpr std::size_t kFewTerms = 64;
  constexpr std::size_t kFarMoreTerms = 16;
  return terms_of(other) > kFarMoreTerms * std::max(terms_of(best), kFewTerms);
}

std::size_t weighed(const Effort& effort) { return effort.records + kChoice * effort.choices; }

Effort KnownEfforts::of(LogicalText text, const std::string& written, bool is_by_flow,
                        const IsWorthMore& is_worth_more) {
  std::string all = written + (is_by_flow ? "by flow" : "by what repeats");
  for (const RankDifference& set : text.beyond.sets) all += '\n' + std::to_string(set.records);
  for (const LogicalText::Part& part : text.parts) add_kinds(part.statements, all);
  const auto known = known_.find(all);
  if (known != known_.end() &&
      (!known->second.is_first || (is_worth_more && !is_worth_more(at_least(known->second)))))
    return known->second;
  const Effort effort = effort_of(std::move(text), is_by_flow, is_worth_more);
  known_.insert_or_assign(std::move(all), effort);
  return effort;
}

// With disorder summed up only where nobody could read it otherwise: what is in order says more.
// Each direction in a line of its own says more than a list, too, where that is no longer.
Effort KnownEfforts::of(LogicalProgram& logical, const IsWorthMore& is_worth_more) {
  logical.lists_few = false;
  std::vector<std::vector<Statement>> statements;
  const auto text_now = [&] {
    statements = statements_without_bytes(logical);
    return text_without_bytes(logical, statements);
  };
  LogicalText text;
  if (!is_endless(logical)) text = text_now();
  if (is_endless(logical) || text.records() > kMostToRead) {
    logical.sums_up_disorder = true;
    text = text_now();
    if (text.records() > kMostToRead) return effort_of(std::move(text), logical.is_by_flow);
  }
  const std::string without_lists = logical_text(text);
  const Effort effort = of(std::move(text), without_lists, logical.is_by_flow, is_worth_more);
  logical.lists_few = true;
  text = text_without_bytes(logical, std::move(statements));
  const std::string written = logical_text(text);
  if (written == without_lists) { // as most often: procedures are what takes long
    logical.lists_few = false;
    return effort;
  }
  const Effort with_lists =
      of(std::move(text), written, logical.is_by_flow, [&](const Effort& least) {
        return (!is_worth_more || is_worth_more(least)) &&
               (effort.is_first || weighed(least) + kWorthLists <= weighed(effort));
      });
  logical.lists_few = weighed(with_lists) + kWorthLists <= weighed(effort);
  return logical.lists_few ? with_lists : effort;
}

} // namespace internal

} // namespace rondo::logical
