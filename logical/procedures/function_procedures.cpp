// SPDX-License-Identifier: Apache-2.0
// What one function of the program does, where call stacks say so, as a procedure that has its
// name.
#include "logical/procedures/procedure_name.hpp"
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace rondo::logical {
namespace {

constexpr std::size_t kWorthAName = 3; // records: a shorter one is read faster where it stands

// Of some statements, with all below them and what procedures do for them.
struct Within {
  struct Seen { // of a function
    std::size_t surely = 0; // calls that have it on all their stacks
    std::size_t perhaps = 0; // on some of them
    std::size_t distance = 0; // most frames between it and the call
  };
  std::map<std::string, Seen> functions;
  std::size_t calls = 0;
  std::size_t records = 0;
  bool has_phase = false;

  bool is_all_of(const std::string& function) const {
    const auto found = functions.find(function);
    return calls > 0 && found != functions.end() && found->second.surely == calls;
  }

  void add(const Within& other) {
    for (const auto& [name, seen] : other.functions) {
      Seen& sum = functions[name];
      sum.surely += seen.surely;
      sum.perhaps += seen.perhaps;
      sum.distance = std::max(sum.distance, seen.distance);
    }
    calls += other.calls;
    records += other.records;
    has_phase = has_phase || other.has_phase;
  }
};

class FunctionProcedures {
public:
  FunctionProcedures(LogicalText&& text, const FunctionsOfSite& functions)
      : text_(std::move(text)), functions_(functions) {
    for (const Procedure& procedure : text_.procedures) { // which call those before them
      taken_.insert(procedure.name);
      procedures_[procedure.name] = within_of(procedure.statements);
    }
    for (const LogicalText::Part& part : text_.parts) all_.add(within_of(part.statements));
  }

  LogicalText take() {
    for (LogicalText::Part& part : text_.parts) {
      std::set<std::string> inside;
      part.statements = factored(std::move(part.statements), inside, false);
    }
    return std::move(text_);
  }

private:
  using Statements = std::vector<Statement>;

  struct Run {
    std::string function; // empty: there is none
    std::size_t size = 0;
    std::size_t distance = 0;
  };

  // @param may_be_all  of the statements may be one function's: they are the body of a loop or
  //                    guard, not already that of a function
  Statements factored(Statements statements, std::set<std::string>& inside, bool may_be_all) {
    std::vector<Within> within;
    within.reserve(statements.size());
    for (const Statement& statement : statements) within.push_back(within_of({&statement, 1}));
    Statements result;
    for (std::size_t i = 0; i < statements.size();) {
      const Run run = longest_run(statements, within, i, inside, may_be_all);
      if (run.function.empty()) {
        Statement& statement = statements[i++];
        if (auto* loop = std::get_if<LoopStatement>(&statement.is))
          loop->body = factored(std::move(loop->body), inside, true);
        if (auto* guard = std::get_if<GuardStatement>(&statement.is))
          guard->body = factored(std::move(guard->body), inside, true);
        result.push_back(std::move(statement));
        continue;
      }
      const auto begin = statements.begin() + static_cast<std::ptrdiff_t>(i);
      Statements body(std::make_move_iterator(begin),
                      std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(run.size)));
      i += run.size;
      inside.insert(run.function);
      body = factored(std::move(body), inside, false);
      inside.erase(run.function);
      std::string name = run.function;
      for (int number = 2; !taken_.insert(name).second; ++number)
        name = run.function + "_" + std::to_string(number);
      result.push_back({InvokeStatement{name}});
      text_.procedures.push_back({std::move(name), {}, std::move(body)});
    }
    return result;
  }

  // From a statement on, that of a function which makes no calls elsewhere; of several runs that
  // are equally long, the innermost function's. A function that is called in a loop is more common
  // than one that is nothing but a loop.
  Run longest_run(const Statements& statements, const std::vector<Within>& within,
                  std::size_t begin, const std::set<std::string>& inside, bool may_be_all) const {
    Run best;
    for (const auto& [name, seen] : within[begin].functions) {
      if (inside.contains(name)) continue;
      Run run{name, 0, seen.distance};
      std::size_t perhaps = 0;
      std::size_t records = 0;
      for (std::size_t i = begin; i < within.size(); ++i) {
        if (within[i].has_phase || !within[i].is_all_of(name)) break;
        perhaps += within[i].functions.at(name).perhaps;
        records += within[i].records;
        run.distance = std::max(run.distance, within[i].functions.at(name).distance);
        ++run.size;
      }
      const bool is_one_loop =
          run.size == 1 && std::holds_alternative<LoopStatement>(statements[begin].is);
      if (records < kWorthAName || is_one_loop || perhaps < all_.functions.at(name).perhaps ||
          (run.size == within.size() && !may_be_all))
        continue;
      const bool is_better =
          run.size > best.size || (run.size == best.size && run.distance < best.distance);
      if (is_better) best = std::move(run);
    }
    return best;
  }

  Within within_of(std::span<const Statement> statements) {
    Within within;
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        within.add(within_of(loop->body));
        ++within.records;
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        within.add(within_of(guard->body));
      } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
        within.add(within_of(*call));
      } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
        Within called = procedures_[invoke->name];
        called.records = 1;
        within.add(called);
      } else {
        within.has_phase = true;
      }
    }
    return within;
  }

  Within within_of(const CallStatement& call) {
    std::map<std::string, std::pair<std::size_t, std::size_t>> sites; // and distance, by function
    for (const std::uint32_t site : call.sites) {
      for (const auto& [name, distance] : functions_.of(site)) {
        auto& [count, most] = sites[name];
        ++count;
        most = std::max(most, distance);
      }
    }
    Within within;
    within.calls = within.records = 1;
    for (const auto& [name, seen] : sites) {
      const bool is_on_all = seen.first == call.sites.size();
      within.functions[name] = {is_on_all ? std::size_t{1} : 0, 1, seen.second};
    }
    return within;
  }

  LogicalText text_;
  internal::FunctionsOnStacks functions_;
  std::map<std::string, Within> procedures_; // by name
  std::set<std::string> taken_; // names
  Within all_; // of the text
};

} // namespace

LogicalText with_functions(LogicalText text, const FunctionsOfSite& functions) {
  return FunctionProcedures(std::move(text), functions).take();
}

} // namespace rondo::logical
