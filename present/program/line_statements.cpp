// SPDX-License-Identifier: Apache-2.0
#include "present/program/line_statements.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/alike_runs.hpp"
#include "logical/joining/guards.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/rank_sequence.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace rondo::present {
namespace {

using logical::SaidWord;
using logical::Statement;
using logical::internal::Guarded;
using trace::CallWords;
using trace::FieldKind;
using trace::ProgramLine;
using trace::RankSet;

constexpr std::size_t kLongestArgument = 48; // of a procedure, in characters
constexpr const char* kSiteMark = "# "; // before the word of a statement that is the call's site
// Behind values in the order of some ranks follow these ranks, as the same values of others are not
// the same.
constexpr char kOrderMark = '\x01';

// What may be said of it where the procedure is called.
bool can_be_parameter(const std::string& text) {
  return text.size() <= kLongestArgument && text.find('"') == std::string::npos;
}

// What a reader may be told in one word for several calls.
SaidWord::Kind kind_of_argument(const CallWords::Argument& argument) {
  if (argument.least <= argument.most) return SaidWord::Kind::kNumber;
  if (argument.is_in_order) return SaidWord::Kind::kOther;
  switch (argument.kind) {
  case FieldKind::kDatatype:
  case FieldKind::kOp:
  case FieldKind::kRequest:
    return SaidWord::Kind::kObject;
  default:
    return argument.is_array ? SaidWord::Kind::kObject : SaidWord::Kind::kOther;
  }
}

const SaidWord* word_of(const logical::CallStatement& call, const std::string& before) {
  const auto found = std::find_if(call.words.begin(), call.words.end(),
                                  [&](const SaidWord& word) { return word.before == before; });
  return found == call.words.end() ? nullptr : &*found;
}

// What MPI reads at the root alone is no difference between it and the others: they say it too.
void say_what_root_says(logical::CallStatement& call, const logical::CallStatement& root) {
  if (call.name != root.name || call.words.size() >= root.words.size()) return;
  const SaidWord* const here = word_of(call, "root=");
  const SaidWord* const there = word_of(root, "root=");
  if (here == nullptr || there == nullptr || here->text != there->text) return;
  std::vector<SaidWord> words;
  std::size_t own = 0;
  for (const SaidWord& word : root.words) {
    const SaidWord* const same = word_of(call, word.before);
    words.push_back(same != nullptr ? *same : word);
    own += same != nullptr ? 1 : 0;
  }
  if (own != call.words.size()) return;
  call.words = std::move(words);
  logical::internal::put_words_together(call);
}

// Of guards next to each other.
void say_what_root_says(std::vector<Guarded>& items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    std::vector<Statement>& a = items[i - 1].body;
    std::vector<Statement>& b = items[i].body;
    if (items[i - 1].is_free || items[i].is_free || a.size() != b.size()) continue;
    for (std::size_t k = 0; k < a.size(); ++k) {
      auto* call = std::get_if<logical::CallStatement>(&a[k].is);
      auto* other = std::get_if<logical::CallStatement>(&b[k].is);
      if (call == nullptr || other == nullptr) continue;
      say_what_root_says(*call, *other);
      say_what_root_says(*other, *call);
    }
  }
}

class StatementsOfLines {
public:
  StatementsOfLines(const trace::ProgramLines& program, std::uint32_t first_number, bool is_told)
      : lines_(program.lines), first_number_(first_number), is_told_(is_told) {}

  /// Of the lines from here on that are as deep, or deeper.
  std::vector<Statement> body(int depth, const RankSet& around) {
    if (is_told_) return joined(depth, around);
    std::vector<Statement> result;
    while (is_in(depth)) {
      const ProgramLine& line = lines_[next_++];
      if (line.kind == ProgramLine::Kind::kCall) {
        result.push_back({call(line, around)});
      } else if (line.kind == ProgramLine::Kind::kLoop) {
        result.push_back({logical::LoopStatement{line.head, body(depth + 1, around)}});
      } else {
        result.push_back({logical::GuardStatement{line.head, body(depth + 1, *line.ranks)}});
      }
    }
    return result;
  }

private:
  bool is_in(int depth) const { return next_ < lines_.size() && lines_[next_].depth >= depth; }

  // Guards that say the same of several ranks as one.
  std::vector<Statement> joined(int depth, const RankSet& around) {
    std::vector<Guarded> items;
    while (is_in(depth)) {
      const ProgramLine& line = lines_[next_++];
      if (line.kind == ProgramLine::Kind::kGuard) {
        items.push_back({*line.ranks, body(depth + 1, *line.ranks)});
      } else {
        Statement one{call(line, around)};
        if (line.kind == ProgramLine::Kind::kLoop)
          one = {logical::LoopStatement{in_order_of(line.head, line.head.ends_with(']'), around),
                                        body(depth + 1, around)}};
        items.push_back({around, {std::move(one)}, true});
      }
    }
    say_what_root_says(items);
    return logical::internal::statements_under_guards(
        std::move(items), around,
        [](const RankSet& set, const RankSet&) { return trace::guard_text(set); },
        [](const std::map<std::int64_t, std::int64_t>& counts, auto) {
          trace::RankSequence values;
          for (const auto& [rank, count] : counts) values.push(count);
          return "[" + values.text([](std::int64_t value) { return std::to_string(value); }) + "]";
        });
  }

  std::string in_order_of(std::string text, bool is_in_order, const RankSet& ranks) const {
    if (is_told_ && is_in_order) text += kOrderMark + ranks.text();
    return text;
  }

  logical::CallStatement call(const ProgramLine& line, const RankSet& around) const {
    logical::CallStatement call;
    call.name = line.call.function;
    for (const CallWords::Argument& argument : line.call.arguments) {
      SaidWord word;
      word.before = argument.name + "=";
      word.text = in_order_of(argument.text, argument.is_in_order, around);
      if (can_be_parameter(argument.text)) word.name = argument.name;
      word.is_remark = argument.is_outcome;
      if (is_told_) word.kind = kind_of_argument(argument);
      word.least = argument.least;
      word.most = argument.most;
      if (argument.least == argument.most) word.values = {argument.least};
      call.words.push_back(std::move(word));
    }
    if (!line.site.empty() && !is_told_) {
      SaidWord word;
      word.before = kSiteMark;
      word.text = line.site;
      word.is_remark = true;
      call.words.push_back(std::move(word));
    }
    if (!call.words.empty()) logical::internal::put_words_together(call);
    call.sites = {first_number_ + static_cast<std::uint32_t>(&line - lines_.data())};
    return call;
  }

  const std::vector<ProgramLine>& lines_;
  std::uint32_t first_number_;
  bool is_told_;
  std::size_t next_ = 0;
};

void count_calls(std::span<const Statement> statements,
                 std::map<std::string, std::uint64_t>& calls) {
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<logical::LoopStatement>(&statement.is)) {
      count_calls(loop->body, calls);
    } else if (const auto* guard = std::get_if<logical::GuardStatement>(&statement.is)) {
      count_calls(guard->body, calls);
    } else if (const auto* call = std::get_if<logical::CallStatement>(&statement.is)) {
      ++calls[call->name];
    }
  }
}

Statement summary_of(std::span<const Statement> statements) {
  constexpr std::size_t kMostNamed = 4;
  std::map<std::string, std::uint64_t> calls;
  count_calls(statements, calls);
  std::vector<std::pair<std::uint64_t, std::string>> kinds;
  for (const auto& [name, count] : calls) kinds.emplace_back(count, name);
  sort_stably(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  logical::CallStatement call;
  call.name = "# " + std::to_string(logical::internal::lines_of(statements)) + " lines more: ";
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostNamed); ++i)
    call.name += (i == 0 ? "" : ", ") + std::to_string(kinds[i].first) + " " + kinds[i].second;
  call.name +=
      kinds.size() > kMostNamed ? " and others; --stored shows them" : "; --stored shows them";
  return {std::move(call)};
}

void take_marks_off(std::vector<Statement>& statements) {
  const auto take_off = [](std::string& text) {
    text.resize(std::min(text.find(kOrderMark), text.size()));
  };
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<logical::LoopStatement>(&statement.is)) {
      take_off(loop->count);
      take_marks_off(loop->body);
    } else if (auto* guard = std::get_if<logical::GuardStatement>(&statement.is)) {
      take_marks_off(guard->body);
    } else if (auto* call = std::get_if<logical::CallStatement>(&statement.is)) {
      for (SaidWord& word : call->words) take_off(word.text);
      if (!call->words.empty()) logical::internal::put_words_together(*call);
    }
  }
}

} // namespace

std::vector<Statement> stored_statements(const trace::ProgramLines& program,
                                         std::uint32_t first_number) {
  return StatementsOfLines(program, first_number, false).body(0, program.ranks);
}

std::vector<Statement> told_statements(const trace::ProgramLines& program,
                                       std::uint32_t first_number) {
  std::vector<Statement> statements =
      StatementsOfLines(program, first_number, true).body(0, program.ranks);
  statements = logical::internal::with_runs_as_loops(std::move(statements), false, 0);
  take_marks_off(statements);
  return statements;
}

void cut_to(std::vector<Statement>& statements, std::uint64_t most_lines) {
  constexpr std::uint64_t kWorthABody = 8; // lines
  std::uint64_t lines = 0;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::uint64_t own = logical::internal::lines_of({&statements[i], 1});
    if (lines + own <= most_lines) {
      lines += own;
      continue;
    }
    auto* loop = std::get_if<logical::LoopStatement>(&statements[i].is);
    auto* guard = std::get_if<logical::GuardStatement>(&statements[i].is);
    const bool has_body = loop != nullptr || guard != nullptr;
    if (has_body && lines + kWorthABody <= most_lines) {
      cut_to(loop != nullptr ? loop->body : guard->body, most_lines - lines - 1);
      lines = most_lines;
      continue;
    }
    Statement summary = summary_of(std::span(statements).subspan(i));
    statements.resize(i);
    statements.push_back(std::move(summary));
    return;
  }
}

CallWords words_of_statement(const logical::CallStatement& call, bool is_marker) {
  CallWords words{call.name, {}, is_marker};
  for (const SaidWord& word : call.words) {
    if (word.before != kSiteMark)
      words.arguments.push_back(
          {word.before.substr(0, word.before.size() - 1), word.text, word.is_remark});
  }
  return words;
}

} // namespace rondo::present
