// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/threads.hpp"

#include "generate/lower/statement_act.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::generate::internal {
namespace {

using Kind = Expression::Kind;
using Object = std::pair<std::string, std::int64_t>; // table, and place in it

constexpr std::int64_t kAnyPlace = -1; // which one is told when the program runs

// The objects that statements name.
struct Named {
  std::set<Object> made, freed, used;
};

class Namer {
public:
  explicit Namer(const Benchmark& benchmark) : benchmark_(benchmark) {}

  Named of(const Statement& statement) const {
    Named named;
    see(statement, named);
    return named;
  }

private:
  void see(const Statement& statement, Named& named) const {
    const std::string_view name = statement.name;
    const bool frees =
        name.ends_with("_free") || name.ends_with("_close") || name.ends_with("_disconnect");
    if (statement.kind != Statement::Kind::kCompute) see(statement.value, false, frees, named);
    for (const Argument& argument : statement.arguments) see(argument.value, false, frees, named);
    for (const Statement& inner : statement.body) see(inner, named);
    for (const Statement& inner : statement.otherwise) see(inner, named);
    if (statement.kind != Statement::Kind::kInvoke) return;
    const auto function = std::ranges::find(benchmark_.functions, statement.name, &Function::name);
    if (function == benchmark_.functions.end()) return;
    for (const Statement& inner : function->body) see(inner, named);
  }

  void see(const Expression& e, bool is_address, bool frees, Named& named) const {
    const bool is_object = e.kind == Kind::kLookup && benchmark_.objects.contains(e.text);
    if (is_object) {
      const Object object{e.text, e.of.front().is_number() ? e.of.front().number : kAnyPlace};
      if (!is_preset(object))
        (is_address ? frees ? named.freed : named.made : named.used).insert(object);
    }
    if (e.kind == Kind::kCall && e.text == "types_of") named.used.insert({"type", kAnyPlace});
    for (const Expression& part : e.of) see(part, e.kind == Kind::kAddress, frees, named);
  }

  // MPI's own are in the tables of all threads.
  bool is_preset(const Object& object) const {
    return std::ranges::any_of(benchmark_.presets, [&](const Preset& preset) {
      return Object{preset.table, preset.place} == object;
    });
  }

  const Benchmark& benchmark_;
};

bool is_same(const Object& a, const Object& b) {
  return a.first == b.first &&
         (a.second == b.second || a.second == kAnyPlace || b.second == kAnyPlace);
}

bool holds(const std::set<Object>& all, const Object& one) {
  return std::ranges::any_of(all, [&](const Object& other) { return is_same(one, other); });
}

// Before which statements of main something may begin, and has to have ended.
struct Window {
  std::size_t from = 0;
  std::size_t to = 0;
};

// When the first thread's objects are there.
class Lives {
public:
  Lives(const Benchmark& benchmark, const Namer& namer) {
    for (const Statement& statement : benchmark.main) {
      named_.push_back(namer.of(statement));
      const bool is_end = act_of(statement) == trace::Act::kFinalize;
      if (is_end) end_ = named_.size() - 1;
    }
    if (end_ == 0) end_ = named_.size();
  }

  /// All the time that there are threads: from behind MPI_Init to MPI_Finalize.
  Window whole() const { return {1, end_}; }

  /// Nothing where the object is made several times, or with its end in one statement.
  std::optional<Window> of(const Object& object) const {
    if (object.second == kAnyPlace) return std::nullopt;
    Window window = whole();
    int made = 0;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      if (holds(named_[i].freed, object)) {
        if (made == 0 || holds(named_[i].made, object)) return std::nullopt;
        window.to = std::min(window.to, i);
      }
      if (!holds(named_[i].made, object)) continue;
      window.from = i + 1;
      ++made;
    }
    return made == 1 && window.from <= window.to ? std::optional(window) : std::nullopt;
  }

  bool makes(const Object& object) const {
    return std::ranges::any_of(named_,
                               [&](const Named& named) { return holds(named.made, object); });
  }
  bool uses(const Object& object) const {
    return std::ranges::any_of(named_,
                               [&](const Named& named) { return named.used.contains(object); });
  }

private:
  std::vector<Named> named_; // by statement of main
  std::size_t end_ = 0;
};

Expression with_first(Expression e, const std::set<Object>& of_first) {
  if (e.kind == Kind::kLookup && e.of.front().is_number() &&
      of_first.contains({e.text, e.of.front().number}))
    e.text = "first_" + e.text;
  for (Expression& part : e.of) part = with_first(std::move(part), of_first);
  return e;
}

void name_first(std::vector<Statement>& statements, const std::set<Object>& of_first) {
  for (Statement& statement : statements) {
    statement.value = with_first(std::move(statement.value), of_first);
    for (Argument& argument : statement.arguments)
      argument.value = with_first(std::move(argument.value), of_first);
    name_first(statement.body, of_first);
    name_first(statement.otherwise, of_first);
  }
}

Statement invocation(const std::string& name, std::initializer_list<std::int64_t> numbers = {}) {
  Statement result{.kind = Statement::Kind::kInvoke, .name = name};
  for (const std::int64_t n : numbers) result.arguments.push_back({"", number(n)});
  return result;
}

// What one thread does, in phases.
class Phases {
public:
  Phases(const Namer& namer, const Lives& lives, std::vector<Statement>& body)
      : namer_(namer), lives_(lives), body_(body) {}

  /// Also puts their borders into the body. Returns why it can't; empty if it can.
  std::string find() {
    std::vector<Named> named;
    for (const Statement& statement : body_) named.push_back(namer_.of(statement));
    for (const Named& one : named) made_.insert(one.made.begin(), one.made.end());
    windows_ = {lives_.whole()};
    std::vector<std::size_t> borders;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const Window before = windows_.back();
      Window own = lives_.whole();
      if (std::string why = narrow(named[i], own); !why.empty()) return why;
      const Window both{std::max(before.from, own.from), std::min(before.to, own.to)};
      if (both.from <= both.to) {
        windows_.back() = both;
      } else if (own.from > before.to) {
        windows_.push_back(own);
        borders.push_back(i);
      } else {
        return "objects that were freed before others are made that they use first";
      }
    }
    for (std::size_t i = borders.size(); i-- > 0;)
      body_.insert(body_.begin() + static_cast<std::ptrdiff_t>(borders[i]),
                   invocation("next_phase"));
    name_first(body_, of_first_);
    return "";
  }

  const std::vector<Window>& windows() const { return windows_; }
  const std::set<Object>& of_first() const { return of_first_; }
  const std::set<Object>& made() const { return made_; }

private:
  // Of a statement: to when all objects of the first thread are there that it uses.
  std::string narrow(const Named& named, Window& window) {
    for (const Object& object : named.freed) {
      if (!holds(made_, object)) return "objects of the first thread, and free them";
    }
    for (const Object& object : named.used) {
      if (made_.contains(object)) continue;
      const bool is_own = object.second == kAnyPlace && holds(made_, object);
      if (is_own && !lives_.makes(object)) continue;
      if (is_own || holds(made_, object)) return "objects that some thread or other has made";
      const auto lives = lives_.of(object);
      if (!lives) return "objects that the first thread makes several times";
      of_first_.insert(object);
      window = {std::max(window.from, lives->from), std::min(window.to, lives->to)};
    }
    return window.from <= window.to ? "" : "objects that are never there at the same time";
  }

  const Namer& namer_;
  const Lives& lives_;
  std::vector<Statement>& body_;
  std::set<Object> made_; // by the thread
  std::set<Object> of_first_;
  std::vector<Window> windows_;
};

// Where phases begin and end, as statements of main.
class Schedule {
public:
  void add(std::uint32_t thread, const std::vector<Window>& windows) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      at_[windows[i].from].lets.emplace_back(i + 1, thread);
      at_[windows[i].to].awaits.emplace_back(i + 1, thread);
    }
  }

  void insert(std::vector<Statement>& main) {
    for (auto at = at_.rbegin(); at != at_.rend(); ++at) {
      std::vector<Statement> statements;
      add("let_threads", at->second.lets, statements);
      add("await_threads", at->second.awaits, statements);
      main.insert(main.begin() + static_cast<std::ptrdiff_t>(at->first), statements.begin(),
                  statements.end());
    }
  }

private:
  using Ends = std::vector<std::pair<std::size_t, std::uint32_t>>; // phases, thread
  struct Place {
    Ends lets, awaits;
  };

  // Threads behind one another that come to the same phase are said together.
  static void add(const std::string& name, Ends ends, std::vector<Statement>& to) {
    std::ranges::sort(ends);
    for (std::size_t i = 0; i < ends.size();) {
      std::size_t end = i + 1;
      while (end < ends.size() && ends[end].first == ends[i].first &&
             ends[end].second == ends[end - 1].second + 1)
        ++end;
      to.push_back(invocation(
          name, {ends[i].second, ends[end - 1].second, static_cast<std::int64_t>(ends[i].first)}));
      i = end;
    }
  }

  std::map<std::size_t, Place> at_; // before which statement of main
};

} // namespace

rondo::Status add_threads(Benchmark& benchmark, ThreadBodies bodies) {
  const Namer namer(benchmark);
  const Lives lives(benchmark, namer);
  Schedule schedule;
  std::set<std::string> whys;
  for (auto& [thread, body] : bodies) {
    Phases phases(namer, lives, body);
    std::string why = phases.find();
    const bool is_given = std::ranges::any_of(phases.made(), [&](const Object& object) {
      return lives.uses(object) && !lives.makes(object);
    });
    if (why.empty() && is_given) why = "objects for the first thread, and make them";
    if (!why.empty()) whys.insert(why);
    schedule.add(thread, phases.windows());
  }
  if (!whys.empty()) {
    std::string text = "has what can't be generated:";
    for (const std::string& why : whys) text += "\n  threads that use " + why;
    return fail(ErrorCode::kUnsupported, text);
  }
  for (auto& [thread, body] : bodies) {
    const std::string name = "thread_" + std::to_string(thread);
    benchmark.functions.push_back({name, "", false, {}, std::move(body)});
    benchmark.threads.push_back({thread, name});
  }
  schedule.insert(benchmark.main);
  return {};
}

} // namespace rondo::generate::internal
