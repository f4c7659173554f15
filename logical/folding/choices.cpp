// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/choices.hpp"

#include "logical/joining/joined_words.hpp"
#include "logical/text/rounds_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rondo::logical::internal {
namespace {

// "bit 0", "bit 1", "bit 2" count on, and are one choice however many they are; so are "east" and
// "east of ring of 6 ranks", the same way round on different communicators.
std::string_view without_number(std::string_view name) {
  name = name.substr(0, name.find(" of "));
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// Of "west|east|nobody".
std::size_t choices_among(std::string_view names) {
  std::map<std::string_view, std::size_t> kinds;
  while (!names.empty()) {
    const std::size_t bar = std::min(names.find('|'), names.size());
    const std::string_view name = names.substr(0, bar);
    const bool is_border = name == "nobody"; // whoever is there in an open dimension
    const bool is_number = !name.empty() && name[0] >= '0' && name[0] <= '9';
    if (!is_border && !is_number) ++kinds[without_number(name)];
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  std::size_t choices = kinds.empty() ? 0 : kinds.size() - 1;
  for (const auto& [kind, number] : kinds) choices += number > 1 ? 1 : 0;
  return choices;
}

// Of peers and datatypes; a choice of numbers is no harder to read than a range. In a list a few
// more directions are as much as one choice: it says which comes when.
std::size_t choices_in(std::string_view what) {
  constexpr std::size_t kInList = 4;
  constexpr std::size_t kInRange = 8; // of peers at many distances, "rank-8..+9"
  constexpr std::string_view kGap = ", ";
  std::size_t choices = 0;
  std::size_t in_list = 0;
  if (what.find("rank-") != what.npos && what.find("..+") != what.npos) choices += kInRange;
  while (!what.empty()) {
    const std::size_t gap = std::min(what.find(kGap), what.size());
    choices += choices_among(what.substr(0, gap));
    in_list += gap < what.size() ? 1 : 0;
    what.remove_prefix(std::min(gap + kGap.size(), what.size()));
  }
  return choices + in_list / kInList;
}

// To and from the same directions is one thing to understand.
std::size_t choices_in(const CallStatement& call, std::set<std::string_view>& known) {
  std::size_t choices = 0;
  for (const SaidWord& word : call.words) {
    if (!word.is_remark && known.insert(word.text).second) choices += choices_in(word.text);
  }
  return choices;
}

// "loop 15, 15, 9, 15, 15, 4": what is it that goes round so often?
bool is_of_many_counts(const std::string& count) {
  constexpr std::ptrdiff_t kMany = 4;
  return std::count(count.begin(), count.end(), ',') + 1 >= kMany && !is_condition(count);
}

// "tag rank != 1 ? 1 : 2": which of several statements of the source is it that a rank makes?
bool has_tag_by_condition(const CallStatement& call) {
  return std::any_of(call.words.begin(), call.words.end(), [](const SaidWord& word) {
    return word.remark == SaidWord::Remark::kTag && word.text.find(" ? ") != word.text.npos;
  });
}

// "loop rank / 3 + 2": why does a rank go round once more? Where its calls are several ones, others
// of them may be behind it.
bool is_count_by_number(const LoopStatement& loop) {
  return loop.is_by_rank && loop.count.find("rank") != loop.count.npos;
}

} // namespace

std::size_t choices_of(const std::vector<Statement>& statements, bool is_by_flow) {
  std::size_t choices = 0;
  std::set<std::string_view> known; // what calls say
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      const std::size_t within = choices_of(loop->body, is_by_flow);
      choices += within + (within > 0 && is_count_by_number(*loop) ? 1 : 0) +
                 (!loop->is_by_rank && is_of_many_counts(loop->count) ? 1 : 0);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      choices += choices_of(guard->body, is_by_flow);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      if (!is_by_flow) known.clear();
      choices += choices_in(*call, known) + (has_tag_by_condition(*call) ? 1 : 0);
    } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
      for (const Argument& argument : invoke->arguments) {
        const bool is_trip_counts = argument.value.starts_with('[');
        choices += is_trip_counts ? 0 : choices_in(std::string_view(argument.value));
      }
    }
  }
  return choices;
}

namespace {

// Whether a body has something in every 20th round, say, and nothing in every 5th: loops in loops
// would say so as well where one number is a multiple of the other.
bool has_steps_of_ifs(const std::vector<Statement>& body) {
  std::vector<std::int64_t> steps;
  for (const Statement& statement : body) {
    const auto* loop = std::get_if<LoopStatement>(&statement.is);
    if (const auto step = loop != nullptr ? internal::kth_of(loop->count) : std::nullopt)
      steps.push_back(*step);
  }
  if (steps.size() == 1) return body.size() > 1;
  return std::any_of(steps.begin(), steps.end(), [&](std::int64_t a) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](std::int64_t b) { return a % b != 0 && b % a != 0; });
  });
}

// What seldom comes in a loop belongs to another part of the program, which has calls of the same
// functions: who follows whom says little then.
bool comes_seldom(const std::string& count) {
  const auto counts = internal::counts_of(count);
  constexpr double kSeldom = 0.1; // of the rounds around it
  return counts && counts->least == 0 && counts->mean < kSeldom;
}

bool is_loop_and_condition(const std::string& count) {
  const auto counts = internal::counts_of(count);
  return counts && counts->least == 0 && !is_condition(count);
}

// "in every 8th round: loop 8: send" of all ranks is more likely two loops in a loop; what rank 0
// alone goes through is a gather for output, as `if (step % 8 == 0)` has it.
bool has_loop_of_all(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    const auto* loop = std::get_if<LoopStatement>(&statement.is);
    return loop != nullptr && !is_condition(loop->count);
  });
}

// Whether nothing in the body comes in each round, or in rounds that a rule says: then the loop
// says nothing of the order.
bool says_no_order(const LoopStatement& loop) {
  return std::all_of(loop.body.begin(), loop.body.end(), [](const Statement& statement) {
    const auto* inner = std::get_if<LoopStatement>(&statement.is);
    return inner != nullptr && is_condition(inner->count) &&
           inner->count.find("(mean ") != std::string::npos;
  });
}

// "loop rank != 0 ? 18 : 198: receive, in some rounds: bcast" is a loop of rank 0 within one of all
// ranks, whose rounds are not the same: what comes in some of them.
std::size_t in_some_rounds(const std::vector<Statement>& body) {
  std::size_t count = 0;
  for (const Statement& statement : body) {
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      count += in_some_rounds(guard->body);
    } else if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      count += is_in_some_rounds(loop->count) ? 1 : 0;
    }
  }
  return count;
}

std::size_t mixed_rounds(const LoopStatement& loop) {
  return loop.is_by_rank ? in_some_rounds(loop.body) : 0;
}

} // namespace

// Tags that are one call's there tell apart who calls a function in the source, or what kind of a
// message it is. A loop that does not go round at all in some rounds of the one around it is a loop
// and a condition.
std::size_t lost_by_flow(const std::vector<Statement>& statements) {
  constexpr std::size_t kForSeldom = 6;
  const bool has_steps = has_steps_of_ifs(statements);
  std::size_t lost = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      lost += lost_by_flow(loop->body) +
              (says_no_order(*loop) ? loop->body.size() : mixed_rounds(*loop));
      const bool is_kth = internal::kth_of(loop->count).has_value();
      if (is_kth && has_loop_of_all(loop->body)) ++lost;
      if (has_steps && is_kth) continue; // its rounds are known
      lost += comes_seldom(loop->count) ? kForSeldom : is_loop_and_condition(loop->count) ? 1 : 0;
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      lost += lost_by_flow(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      for (const SaidWord& word : call->words) {
        if (word.remark == SaidWord::Remark::kTag && word.least < word.most)
          lost += std::max<std::size_t>(word.values.size(), 2) - 1;
      }
    }
  }
  return lost;
}

std::size_t known_ifs_in(const std::vector<Statement>& statements) {
  const bool has_steps = has_steps_of_ifs(statements);
  std::size_t ifs = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      ifs += known_ifs_in(loop->body) + (has_steps && internal::kth_of(loop->count) ? 1 : 0);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      ifs += known_ifs_in(guard->body);
    }
  }
  return ifs;
}

} // namespace rondo::logical::internal
