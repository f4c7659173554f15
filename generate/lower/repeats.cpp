// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/repeats.hpp"

#include "generate/lower/arguments/c_arguments.hpp"
#include "generate/lower/function_names.hpp"
#include "generate/lower/statement_act.hpp"
#include "generate/write/c_text.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace rondo::generate::internal {
namespace {

using StatementKind = Statement::Kind;
using List = std::vector<Statement>;

constexpr std::size_t kLongest = 48; // statements of one list
constexpr std::size_t kMostParameters = 3;
constexpr int kWorthAFunction = 4; // lines that it saves, its own counted
constexpr int kMostFunctions = 40;

struct Occurrence {
  List* list = nullptr;
  std::size_t begin = 0;
};

// A value in which occurrences may differ.
struct Slot {
  Expression* value = nullptr;
  std::string name; // of the argument; "time" of a computation
  std::set<std::string> bound; // loops' variables of the sequence around it
};

bool is_loop_variable(const std::string& name) {
  return (name.size() == 1 && name[0] >= 'i' && name[0] <= 'n') ||
         (name.size() > 1 && name[0] == 'i' &&
          std::all_of(name.begin() + 1, name.end(),
                      [](unsigned char c) { return std::isdigit(c); }));
}

// Names that a function would not see, or that say something else at its beginning.
void add_locals(const Expression& e, std::set<std::string>& to) {
  const bool is_one =
      e.kind == Expression::Kind::kName &&
      (is_loop_variable(e.text) || e.text == "iterations" || e.text.starts_with("the_"));
  if (is_one) to.insert(e.text);
  for (const Expression& part : e.of) add_locals(part, to);
}

bool is_local(const Expression& e, const std::set<std::string>& but) {
  std::set<std::string> locals;
  add_locals(e, locals);
  return !std::ranges::includes(but, locals);
}

bool uses_any(const Expression& e, const std::set<std::string>& names) {
  return (e.kind == Expression::Kind::kName && names.contains(e.text)) ||
         std::ranges::any_of(e.of, [&](const Expression& p) { return uses_any(p, names); });
}

// Whether it gives another value each time, or may be no plain number.
bool has_calls(const Expression& e) {
  return e.kind == Expression::Kind::kCall || e.kind == Expression::Kind::kAddress ||
         e.kind == Expression::Kind::kText || std::ranges::any_of(e.of, has_calls);
}

bool is_integer(const Statement& call, std::size_t argument) {
  const trace::Function* const function = trace::find_function(call.name);
  if (function == nullptr) return false;
  const auto arguments = c_arguments(function->id);
  return argument < arguments.size() && arguments[argument].type == "int" &&
         !arguments[argument].is_array && arguments[argument].direction == Direction::kIn &&
         arguments[argument].length_of < 0;
}

// In the order in which they stand, those of bodies among them.
void add_slots(Statement& s, const std::set<std::string>& bound, std::vector<Slot>& to) {
  const auto slot = [&](Expression& value, const std::string& name) {
    if (!has_calls(value)) to.push_back({&value, name, bound});
  };
  if (s.kind == StatementKind::kCompute) slot(s.value, "time");
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    if (s.kind == StatementKind::kCall && is_integer(s, i))
      slot(s.arguments[i].value, s.arguments[i].name);
  }
  std::set<std::string> inner = bound;
  if (s.kind == StatementKind::kLoop) inner.insert(s.name);
  for (Statement& one : s.body) add_slots(one, inner, to);
  for (Statement& one : s.otherwise) add_slots(one, inner, to);
}

// What statements are but for their slots. A body is said by the numbers of what is in it, as
// programs are nested deeply.
class Shapes {
public:
  struct Shape {
    std::size_t number = 0; // equal ones have equal numbers
    int lines = 0;
    bool is_bound_to_main = false;
    std::set<std::string> locals; // that it needs from around it, but in slots
    bool is_possible() const { return !is_bound_to_main && locals.empty(); } // in a function
  };

  const Shape& of(const Statement& s) {
    const auto known = known_.find(&s);
    return known != known_.end() ? known->second : known_.emplace(&s, made_of(s)).first->second;
  }

private:
  Shape made_of(const Statement& s) {
    Shape result;
    result.lines = 1;
    result.is_bound_to_main = act_of(s) == trace::Act::kInit || act_of(s) == trace::Act::kFinalize;
    std::string text = std::to_string(static_cast<int>(s.kind)) + s.name;
    const auto fixed = [&](const Expression& value) {
      text += "," + c_expression(value);
      add_locals(value, result.locals);
    };
    const auto slot = [&](const Expression& value) {
      if (has_calls(value)) return fixed(value);
      text += "?";
    };
    if (s.kind == StatementKind::kCompute) slot(s.value);
    if (s.kind == StatementKind::kLoop || s.kind == StatementKind::kIf) fixed(s.value);
    for (std::size_t i = 0; i < s.arguments.size(); ++i) {
      const bool may_differ = s.kind == StatementKind::kCall && is_integer(s, i);
      may_differ ? slot(s.arguments[i].value) : fixed(s.arguments[i].value);
    }
    Shape inner;
    add_list(s.body, text, inner);
    if (!s.otherwise.empty()) text += "else";
    add_list(s.otherwise, text, inner);
    if (s.kind == StatementKind::kLoop) inner.locals.erase(s.name);
    result.lines += inner.lines;
    result.is_bound_to_main = result.is_bound_to_main || inner.is_bound_to_main;
    result.locals.merge(inner.locals);
    result.number = numbers_.try_emplace(std::move(text), numbers_.size()).first->second;
    return result;
  }

  void add_list(const List& all, std::string& text, Shape& to) {
    if (all.empty()) return;
    ++to.lines; // its bracket
    text += "{";
    for (const Statement& s : all) {
      const Shape& one = of(s);
      text += "\n" + std::to_string(one.number);
      to.lines += one.lines;
      to.is_bound_to_main = to.is_bound_to_main || one.is_bound_to_main;
      to.locals.insert(one.locals.begin(), one.locals.end());
    }
    text += "}";
  }

  std::unordered_map<const Statement*, Shape> known_;
  std::unordered_map<std::string, std::size_t> numbers_; // by what is said
};

struct Candidate {
  std::vector<Occurrence> places;
  std::size_t length = 0;
  int saved = 0;
  std::vector<std::vector<Slot>> slots; // of each place
  std::vector<std::vector<std::size_t>> parameters; // slots that always say the same
};

class Repeats {
public:
  explicit Repeats(Benchmark& benchmark) : benchmark_(benchmark) {}

  int run() {
    int made = 0;
    for (; made < kMostFunctions; ++made) {
      lists_.clear();
      for (Function& function : benchmark_.functions) collect(function.body);
      collect(benchmark_.main);
      auto best = find();
      if (!best) break;
      make(*best, made + 1);
    }
    number_in_order();
    return made;
  }

private:
  void collect(List& list) {
    if (list.empty()) return;
    lists_.push_back(&list);
    for (Statement& s : list) {
      collect(s.body);
      collect(s.otherwise);
    }
  }

  // All statements behind one another, each list with an end of its own.
  struct Flat {
    std::vector<std::size_t> shapes; // numbers; 0 is none that is possible, and the end of a list
    std::vector<int> lines;
    std::vector<Occurrence> places;
  };

  Flat flattened() {
    Shapes shapes;
    std::map<std::size_t, std::size_t> numbers; // of those that are possible, as they come
    Flat flat;
    const auto add = [&](std::size_t shape, int lines, Occurrence place) {
      flat.shapes.push_back(shape);
      flat.lines.push_back(lines);
      flat.places.push_back(place);
    };
    for (List* list : lists_) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        const Shapes::Shape& shape = shapes.of((*list)[i]);
        add(shape.is_possible()
                ? numbers.try_emplace(shape.number, numbers.size() + 1).first->second
                : 0,
            shape.lines, {list, i});
      }
      add(0, 0, {list, list->size()});
    }
    return flat;
  }

  // Windows of one length that are equal, by where they begin, without those that overlap one
  // before. Each is one of the length before with one shape more, so that what did not repeat then
  // is not looked at again.
  using Windows = std::vector<std::vector<std::size_t>>;
  static Windows longer(const Windows& before, const Flat& flat, std::size_t length) {
    Windows result;
    std::map<std::size_t, std::vector<std::size_t>> by_last; // of one window of `before`
    for (const std::vector<std::size_t>& begins : before) {
      by_last.clear();
      for (const std::size_t at : begins) {
        const std::size_t last = flat.shapes[at + length - 1];
        if (last != 0) by_last[last].push_back(at);
      }
      for (auto& [last, places] : by_last) {
        if (count_apart(places, length) >= 2) result.push_back(std::move(places));
      }
    }
    return result;
  }

  static std::size_t count_apart(const std::vector<std::size_t>& begins, std::size_t length) {
    std::size_t count = 0;
    std::size_t end = 0;
    for (const std::size_t at : begins) {
      if (at < end) continue;
      ++count;
      end = at + length;
    }
    return count;
  }

  std::optional<Candidate> find() {
    const Flat flat = flattened();
    std::vector<std::size_t> all(flat.shapes.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Windows windows{std::move(all)};
    std::optional<Candidate> best;
    for (std::size_t length = 1; length <= kLongest; ++length) {
      windows = longer(windows, flat, length);
      if (windows.empty()) break; // no longer one repeats either
      for (const std::vector<std::size_t>& begins : windows) {
        int own = 0;
        for (std::size_t i = 0; i < length; ++i) own += flat.lines[begins.front() + i];
        const auto count = static_cast<int>(count_apart(begins, length));
        const int saved = own * (count - 1) - count - 3; // the invocations; head, end, blank line
        if (saved < kWorthAFunction || (best && saved <= best->saved)) continue;
        Candidate candidate{{}, length, saved, {}, {}};
        for (std::size_t end = 0; const std::size_t at : begins) {
          if (at < end) continue;
          candidate.places.push_back(flat.places[at]);
          end = at + length;
        }
        if (unify(candidate)) best = std::move(candidate);
      }
    }
    return best;
  }

  // Finds the parameters; false if there are too many, or one can't be.
  static bool unify(Candidate& candidate) {
    for (const Occurrence& place : candidate.places) {
      std::vector<Slot>& slots = candidate.slots.emplace_back();
      for (std::size_t i = 0; i < candidate.length; ++i)
        add_slots((*place.list)[place.begin + i], {}, slots);
    }
    std::map<std::string, std::size_t> known; // values in all places -> parameter
    for (std::size_t s = 0; s < candidate.slots.front().size(); ++s) {
      const Slot& first = candidate.slots.front()[s];
      std::string values = first.name == "time" ? "time" : "";
      bool differs = false;
      bool is_inner = false;
      for (const auto& slots : candidate.slots) {
        differs = differs || *slots[s].value != *first.value;
        is_inner = is_inner || uses_any(*slots[s].value, slots[s].bound);
        values += "," + c_expression(*slots[s].value);
      }
      if (!differs && !is_local(*first.value, first.bound)) continue;
      if (is_inner) return false;
      const auto [found, is_new] = known.try_emplace(values, candidate.parameters.size());
      if (is_new) candidate.parameters.emplace_back();
      candidate.parameters[found->second].push_back(s);
    }
    return candidate.parameters.size() <= kMostParameters;
  }

  void make(Candidate& candidate, int number) {
    Function function{"part_" + std::to_string(number), "", false, {}, {}};
    std::vector<Statement> invocations(
        candidate.places.size(), Statement{.kind = StatementKind::kInvoke, .name = function.name});
    for (std::size_t p = 0; p < candidate.parameters.size(); ++p) {
      const std::vector<std::size_t>& slots = candidate.parameters[p];
      const std::string& what = candidate.slots.front()[slots.front()].name;
      std::string name = "the_" + what;
      if (std::ranges::find(function.parameters, name, &Parameter::name) !=
          function.parameters.end())
        name += "_" + std::to_string(p + 1);
      function.parameters.push_back({name, what == "time" ? "double" : "int"});
      for (std::size_t place = 0; place < candidate.places.size(); ++place)
        invocations[place].arguments.push_back(
            {name, *candidate.slots[place][slots.front()].value});
      for (const std::size_t s : slots) *candidate.slots.front()[s].value = generate::name(name);
    }
    const Occurrence& first = candidate.places.front();
    const auto begin = first.list->begin() + static_cast<std::ptrdiff_t>(first.begin);
    function.body.assign(begin, begin + static_cast<std::ptrdiff_t>(candidate.length));
    for (const Occurrence& place : candidate.places) {
      for (std::size_t i = 0; i < candidate.length && &place != &first; ++i)
        join_sites(function.body[i], (*place.list)[place.begin + i]);
    }
    const std::size_t before = first_function_with(candidate.places);
    for (std::size_t end = candidate.places.size(); end > 0;) { // inner lists before outer ones
      std::size_t p = end - 1;
      while (p > 0 && candidate.places[p - 1].list == candidate.places[p].list) --p;
      replace(candidate, p, end, invocations);
      end = p;
    }
    benchmark_.functions.insert(benchmark_.functions.begin() + static_cast<std::ptrdiff_t>(before),
                                std::move(function));
  }

  // Puts invocations in place of the occurrences from `p` to `end`, which are in one list. The
  // statements between them are moved once, however many there are.
  static void replace(const Candidate& candidate, std::size_t p, std::size_t end,
                      List& invocations) {
    List& list = *candidate.places[p].list;
    std::size_t to = candidate.places[p].begin;
    for (; p < end; ++p) {
      list[to++] = std::move(invocations[p]);
      std::size_t from = candidate.places[p].begin + candidate.length;
      const std::size_t next = p + 1 < end ? candidate.places[p + 1].begin : list.size();
      if (from == to) to = from = next; // nothing has moved yet
      while (from < next) list[to++] = std::move(list[from++]);
    }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(to), list.end());
  }

  // They were made in the order of what they save, and are read in that of the program.
  void number_in_order() {
    std::map<std::string, std::string> names;
    for (Function& function : benchmark_.functions) {
      if (!function.name.starts_with("part_")) continue;
      std::string& name = names[function.name];
      name = "part_" + std::to_string(names.size());
      function.name = name;
    }
    lists_.clear();
    for (Function& function : benchmark_.functions) collect(function.body);
    collect(benchmark_.main);
    for (List* list : lists_) {
      for (Statement& s : *list) {
        const auto found = names.find(s.name);
        if (s.kind == StatementKind::kInvoke && found != names.end()) s.name = found->second;
      }
    }
  }

  // Functions call only those before them.
  std::size_t first_function_with(const std::vector<Occurrence>& places) {
    std::set<const List*> of_places;
    for (const Occurrence& place : places) of_places.insert(place.list);
    for (std::size_t f = 0; f < benchmark_.functions.size(); ++f) {
      lists_.clear();
      collect(benchmark_.functions[f].body);
      if (std::ranges::any_of(lists_, [&](List* list) { return of_places.contains(list); }))
        return f;
    }
    return benchmark_.functions.size();
  }

  Benchmark& benchmark_;
  std::vector<List*> lists_;
};

} // namespace

int share_repeats(Benchmark& benchmark) { return Repeats(benchmark).run(); }

} // namespace rondo::generate::internal
