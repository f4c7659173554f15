// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/logical_text.hpp"

#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"

namespace rondo::logical {
namespace {

class TextWriter {
public:
  explicit TextWriter(const LogicalTextOptions& options) : options_(options) {}

  void write(const std::vector<Statement>& statements, int depth) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        line(depth, "loop " + loop->count + ":");
        write(loop->body, depth + 1);
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        const bool is_ranks = guard->condition.starts_with("rank");
        line(depth, (is_ranks ? "" : "if ") + guard->condition + ":");
        write(guard->body, depth + 1);
      } else {
        const auto& call = std::get<CallStatement>(statement.is);
        const bool has_time = options_.times && call.before_ns > 0;
        line(depth,
             call.text() + (has_time ? "  # " + human_duration(call.before_ns) + " before" : ""));
      }
    }
  }

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(depth * options_.indent), ' ');
    text_ += text + "\n";
  }

  std::string take() { return std::move(text_); }

private:
  const LogicalTextOptions& options_;
  std::string text_;
};

// What the ranks of one of several programs are of the whole: "8 of 16 ranks, 52 % of the calls".
std::string share_text(const LogicalProgram& logical, std::size_t program) {
  std::uint64_t calls = 0;
  std::uint64_t all = 0;
  for (const trace::RankClass& c : logical.cells.classes) {
    std::uint64_t of_rank = 0;
    for (const std::uint64_t n : c.program->nest.occurrences(c.program->calls.size())) of_rank += n;
    const std::uint64_t of_class = of_rank * static_cast<std::uint64_t>(c.ranks.size());
    all += of_class;
    calls += c.merged == program ? of_class : 0;
  }
  const std::uint64_t percent = all == 0 ? 0 : (200 * calls + all) / (2 * all);
  return std::to_string(logical.cells.programs[program]->ranks().size()) + " of " +
         std::to_string(logical.cells.run.ranks) + " ranks, " + std::to_string(percent) +
         " % of the calls";
}

} // namespace

std::string CallStatement::text() const {
  std::string result = name + (what.empty() ? "" : " " + what);
  for (const std::string& remark : remarks) result += "  " + remark;
  return result;
}

std::string logical_text(const LogicalProgram& logical, const LogicalTextOptions& options) {
  const auto programs = statements_of(logical);
  std::size_t records = 0;
  for (const auto& statements : programs) records += records_of(statements);
  std::string grounds;
  for (const Ground& ground : logical.grounds) grounds += ", " + ground.name;
  TextWriter out(options);
  const std::string& command = logical.cells.run.command;
  out.line(0, "program " + command.substr(0, command.find(' ')) + "  # " +
                  std::to_string(logical.cells.run.ranks) + " ranks" + grounds + ", " +
                  std::to_string(records) + " records");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs.size() > 1)
      out.line(0, trace::guard_text(logical.cells.programs[i]->ranks()) + ":  # " +
                      share_text(logical, i));
    out.write(programs[i], 1);
  }
  return out.take();
}

} // namespace rondo::logical
