// SPDX-License-Identifier: Apache-2.0
// Names of procedures from the functions that their calls stand in, and the places of calls.
#include "logical/procedures/procedure_name.hpp"
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::logical {
namespace internal {
namespace {

// PyObject_Vectorcall, _PyEval_EvalFrameDefault, Py_RunMain: Python's own, which stand around all
// calls of a program in Python, and say nothing of it.
bool is_of_python(std::string_view function) {
  constexpr std::string_view kPrefix = "Py";
  if (function.starts_with('_')) function.remove_prefix(1);
  if (!function.starts_with(kPrefix)) return false;
  function.remove_prefix(kPrefix.size());
  const std::size_t end = function.find('_');
  const bool is_type =
      !function.empty() && std::isupper(static_cast<unsigned char>(function[0])) != 0;
  return end == 0 || (is_type && end != function.npos);
}

} // namespace

std::string procedure_name(const std::string& function) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  int depth = 0;
  for (const char c : function) {
    if (c == '<') ++depth;
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                          c == '.' || c == ':' || c == '~';
    if (depth == 0) name += is_plain ? c : '_';
    if (c == '>' && depth > 0) --depth;
  }
  while (!name.empty() && (name.back() == ':' || name.back() == '_')) name.pop_back();
  if (name.size() > kLongest || name == "main" || name == "MAIN" || is_of_python(name)) return {};
  return name;
}

const FunctionsOnStacks::Distances& FunctionsOnStacks::of(std::uint32_t site) {
  const auto [found, is_new] = known_.try_emplace(site);
  if (!is_new) return found->second;
  std::size_t distance = 0;
  for (const std::string& function : functions_(site)) {
    std::string name = procedure_name(function);
    if (!name.empty()) found->second.try_emplace(std::move(name), distance);
    ++distance;
  }
  return found->second;
}

} // namespace internal

namespace {

class ProcedureNaming {
public:
  ProcedureNaming(const LogicalText& text, const FunctionsOfSite& functions)
      : functions_(functions) {
    for (const Procedure& procedure : text.procedures) {
      look_at(procedure.statements);
      called_[procedure.name] = {seen_, {invokes_.begin(), invokes_.end()}, calls_, {}};
      add_to_all();
    }
    for (const LogicalText::Part& part : text.parts) {
      look_at(part.statements);
      add_to_all();
    }
  }

  struct Named {
    std::string name; // empty: no one function
    bool is_all = false; // it makes all the calls
    std::vector<std::string> callers; // of it, through which all the calls come; innermost first
  };

  // Those that it invokes come before.
  Named name_of(const Procedure& procedure) {
    look_at(procedure.statements);
    add_parts();
    Named named{best_name(procedure), false, {}};
    called_.at(procedure.name).name = named.name;
    const auto own = seen_.find(named.name);
    if (own == seen_.end()) return named;
    named.is_all = own->second.calls == calls_;
    std::multimap<std::size_t, std::string> callers; // by distance
    for (const auto& [name, seen] : seen_) {
      if (seen.is_alone && seen.calls == calls_ && seen.distance > own->second.distance)
        callers.emplace(seen.distance, name);
    }
    for (auto& [distance, name] : callers) named.callers.push_back(std::move(name));
    return named;
  }

private:
  std::string best_name(const Procedure& procedure) const {
    std::string best;
    std::pair<std::size_t, std::size_t> least{calls_, 0}; // calls without it, frames to it
    bool is_only = false;
    for (const auto& [name, seen] : seen_) {
      const std::pair key{calls_ - seen.calls, seen.distance};
      if (!seen.is_alone || 2 * seen.calls <= calls_ || key > least) continue;
      if (seen.distance > 0 && does_more(name, procedure.name)) continue;
      is_only = key < least;
      least = key;
      best = name;
    }
    return is_only ? best : "";
  }

  struct Seen { // of a function
    std::size_t calls = 0; // that have a site in it
    std::size_t distance = 0; // most
    bool is_alone = false; // one of them has all its sites in it
  };
  using AllSeen = std::map<std::string, Seen>;

  struct Called { // of a procedure
    AllSeen seen;
    std::set<std::string> invoked;
    std::size_t calls = 0;
    std::string name; // a function's; empty: none yet
  };

  void look_at(const std::vector<Statement>& statements) {
    seen_.clear();
    invokes_.clear();
    calls_ = 0;
    visit(statements);
  }

  // A function calls others, which are procedures with names of their own. A part without a name
  // that it invokes is one statement of it, or of another function: of eight parts and one call the
  // call's function would be no name.
  void add_parts() {
    if (calls_ == 0) return; // of parts only
    for (const std::string& name : invokes_) {
      const auto part = called_.find(name);
      if (part == called_.end() || !part->second.name.empty()) continue;
      ++calls_;
      for (const auto& [function, within] : part->second.seen) {
        const auto own = seen_.find(function);
        if (own != seen_.end() && 2 * within.calls > part->second.calls) ++own->second.calls;
      }
    }
  }

  void add_to_all() {
    for (const auto& [name, seen] : seen_) calls_of_all_[name] += seen.calls;
  }

  // A function further up the stack that also makes calls outside of the procedure, and of those
  // that it invokes, is no name for it: the procedure is a part of what it does.
  bool does_more(const std::string& function, const std::string& procedure) const {
    std::set<std::string> within{procedure};
    std::vector<std::string> todo{procedure};
    std::size_t calls = 0;
    while (!todo.empty()) {
      const auto called = called_.find(todo.back());
      todo.pop_back();
      if (called == called_.end()) continue;
      const auto seen = called->second.seen.find(function);
      if (seen != called->second.seen.end()) calls += seen->second.calls;
      for (const std::string& other : called->second.invoked) {
        if (within.insert(other).second) todo.push_back(other);
      }
    }
    return calls < calls_of_all_.at(function);
  }

  void visit(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) visit(loop->body);
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) visit(guard->body);
      if (const auto* call = std::get_if<CallStatement>(&statement.is)) add(*call);
      if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is))
        invokes_.push_back(invoke->name);
    }
  }

  void add(const CallStatement& call) {
    std::map<std::string, std::size_t> sites; // by function
    for (const std::uint32_t site : call.sites) {
      for (const auto& [name, distance] : functions_.of(site)) {
        ++sites[name];
        seen_[name].distance = std::max(seen_[name].distance, distance);
      }
    }
    ++calls_;
    for (const auto& [name, count] : sites) {
      ++seen_[name].calls;
      seen_[name].is_alone = seen_[name].is_alone || count == call.sites.size();
    }
  }

  internal::FunctionsOnStacks functions_;
  std::map<std::string, Called> called_; // by procedure
  std::map<std::string, std::size_t> calls_of_all_; // statements of the text, by function
  AllSeen seen_; // of the procedure at hand
  std::vector<std::string> invokes_; // procedures, each time
  std::size_t calls_ = 0; // statements
};

// Several procedures of one function: those that do other things too have no name where others do
// nothing else, and the others are named by the caller that makes the difference.
void tell_apart(std::vector<ProcedureNaming::Named>& all) {
  using Named = ProcedureNaming::Named;
  std::map<std::string, std::vector<Named*>> of_function;
  for (Named& named : all) {
    if (!named.name.empty()) of_function[named.name].push_back(&named);
  }
  std::set<std::string> taken;
  for (const auto& [name, these] : of_function) taken.insert(name);
  for (auto& [name, these] : of_function) {
    const auto whole = std::stable_partition(these.begin(), these.end(),
                                             [](const Named* one) { return one->is_all; });
    if (whole == these.begin()) continue;
    std::for_each(whole, these.end(), [](Named* one) { one->name.clear(); });
    these.erase(whole, these.end());
    std::map<std::string, std::size_t> comes_through; // procedures, by caller
    for (const Named* one : these)
      for (const std::string& caller : one->callers) ++comes_through[caller];
    for (std::size_t i = 1; i < these.size(); ++i) { // the first is the function's own
      const auto& callers = these[i]->callers;
      const auto differs = std::find_if(callers.begin(), callers.end(), [&](const auto& caller) {
        return comes_through.at(caller) == 1 && !taken.contains(caller);
      });
      if (differs == callers.end()) continue;
      these[i]->name = *differs;
      taken.insert(*differs);
    }
  }
}

void rename_calls(std::vector<Statement>& statements,
                  const std::map<std::string, std::string>& to) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) rename_calls(loop->body, to);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is)) rename_calls(guard->body, to);
    if (auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
      const auto found = to.find(invoke->name);
      if (found != to.end()) invoke->name = found->second;
    }
  }
}

void say_places_in(std::vector<Statement>& statements, const PlacesOfSites& places) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) say_places_in(loop->body, places);
    if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      say_places_in(guard->body, places);
    if (auto* call = std::get_if<CallStatement>(&statement.is)) call->places = places(call->sites);
  }
}

} // namespace

void say_places(LogicalText& text, const PlacesOfSites& places) {
  for (Procedure& procedure : text.procedures) say_places_in(procedure.statements, places);
  for (LogicalText::Part& part : text.parts) say_places_in(part.statements, places);
}

void internal::rename_procedures(LogicalText& text, const std::map<std::string, std::string>& to) {
  for (Procedure& procedure : text.procedures) {
    rename_calls(procedure.statements, to);
    const auto found = to.find(procedure.name);
    if (found != to.end()) procedure.name = found->second;
  }
  for (LogicalText::Part& part : text.parts) rename_calls(part.statements, to);
}

void name_procedures(LogicalText& text, const FunctionsOfSite& functions) {
  ProcedureNaming naming(text, functions);
  std::set<std::string> taken;
  std::vector<ProcedureNaming::Named> names;
  for (const Procedure& procedure : text.procedures) {
    taken.insert(procedure.name);
    names.push_back(naming.name_of(procedure));
  }
  tell_apart(names);
  std::map<std::string, std::string> new_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& function = names[i].name;
    if (function.empty()) continue;
    std::string name = function;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = function + "_" + std::to_string(number);
    new_names.emplace(text.procedures[i].name, std::move(name));
  }
  internal::rename_procedures(text, new_names);
}

} // namespace rondo::logical
