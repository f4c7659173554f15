// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/comparison.hpp"

#include "logical/compare/list_loops.hpp"
#include "logical/compare/shapes.hpp"
#include "logical/compare/turning.hpp"
#include "logical/places/conditions.hpp"
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace rondo::logical {
namespace {

using internal::line_of;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// A word that is a number, or a name and a number.
std::string name_of_number(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) return word.substr(0, equals);
  return word.find_first_of("0123456789") == 0 ? "size" : "peers"; // "across x", "across d4"
}

class Comparer {
public:
  Comparison run(const LogicalText& a, const LogicalText& b) {
    scales("ranks", "program", std::to_string(a.ranks), std::to_string(b.ranks));
    for (std::size_t i = 0; i < std::min(a.peer_topologies.size(), b.peer_topologies.size()); ++i)
      scales("topology", "program", a.peer_topologies[i].name, b.peer_topologies[i].name);
    if (a.led_by.empty() != b.led_by.empty()) {
      differ("another rank leads in each step of one only", "led " + a.led_by, "led " + b.led_by);
      return std::move(result_);
    }
    scales("led", "program", a.led_by, b.led_by);
    if (a.outside.calls + b.outside.calls > 0)
      result_.scaling.push_back(
          {"calls off topology", "program", off_topology(a), off_topology(b)});
    if (a.parts.size() != b.parts.size()) {
      differ("another number of parts", std::to_string(a.parts.size()) + " parts",
             std::to_string(b.parts.size()) + " parts");
      return std::move(result_);
    }
    for (std::size_t i = 0; i < a.parts.size() && !result_.difference; ++i) {
      if (a.parts.size() > 1) place_.push_back("part " + std::to_string(i + 1));
      scales("ranks", where(), a.parts[i].ranks, b.parts[i].ranks);
      bodies(a.parts[i].statements, b.parts[i].statements);
      if (a.parts.size() > 1) place_.pop_back();
    }
    return std::move(result_);
  }

private:
  std::string where() const {
    std::string text;
    for (const std::string& step : place_) text += (text.empty() ? "" : " > ") + step;
    return text.empty() ? "program" : text;
  }

  // Said even if equal: of these calls nothing was compared, or only distances between ranks.
  static std::string off_topology(const LogicalText& text) {
    return std::to_string(text.outside.calls) + " of " + std::to_string(text.all.calls);
  }

  void scales(const std::string& what, const std::string& place, const std::string& a,
              const std::string& b) {
    if (a != b) result_.scaling.push_back({what, place, a, b});
  }

  void differ(std::string why, std::string a, std::string b) {
    result_.difference = {where(), std::move(why), std::move(a), std::move(b)};
  }

  // Phases say what the calls say too, and end elsewhere in a larger run.
  static std::vector<const Statement*> without_phases(const std::vector<Statement>& body) {
    std::vector<const Statement*> result;
    for (const Statement& statement : body) {
      if (!std::holds_alternative<PhaseStatement>(statement.is)) result.push_back(&statement);
    }
    return result;
  }

  using Body = std::vector<const Statement*>;

  void bodies(const std::vector<Statement>& all_a, const std::vector<Statement>& all_b) {
    const Body a = without_phases(all_a);
    const Body b = without_phases(all_b);
    std::map<std::string, int> seen; // how often a name stood in this body
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() && k < b.size()) {
      if (const auto steps = steps_at(a, i, b, k)) {
        repetitions(a, i, b, k, *steps, seen);
        i += steps->length * steps->in_a;
        k += steps->length * steps->in_b;
      } else {
        statements(*a[i++], *b[k++], seen);
      }
      if (result_.difference) return;
    }
    if (i == a.size() && k == b.size()) return;
    const bool is_a = i < a.size();
    differ(is_a ? "only the first goes on" : "only the second goes on", is_a ? line_of(*a[i]) : "",
           is_a ? "" : line_of(*b[k]));
  }

  // Neighbouring statements that come again with the next direction: the partner in each bit.
  struct Steps {
    std::size_t length = 0; // of one
    std::size_t in_a = 0;
    std::size_t in_b = 0;
  };

  static std::size_t repetitions_at(const Body& body, std::size_t at,
                                    const std::vector<std::string>& step) {
    std::size_t n = 0;
    while (at + step.size() <= body.size()) {
      for (const std::string& gist : step) {
        if (internal::step_gist_of(*body[at++]) != gist) return n;
      }
      ++n;
    }
    return n;
  }

  // The shortest step of which the two have another number; nothing if there is none.
  static std::optional<Steps> steps_at(const Body& a, std::size_t i, const Body& b, std::size_t k) {
    constexpr std::size_t kLongest = 16;
    std::vector<std::string> step;
    bool has_direction = false;
    while (step.size() < kLongest && i + step.size() < a.size() && k + step.size() < b.size()) {
      step.push_back(internal::step_gist_of(*a[i + step.size()]));
      if (step.back() != internal::step_gist_of(*b[k + step.size() - 1])) return std::nullopt;
      has_direction = has_direction || internal::has_step(step.back());
      if (!has_direction) return std::nullopt;
      const Steps steps{step.size(), repetitions_at(a, i, step), repetitions_at(b, k, step)};
      if (steps.in_a != steps.in_b) return steps;
    }
    return std::nullopt;
  }

  // Of the longer sequence those are compared that have more lines in common with the other's: a
  // program may go through the directions upwards or downwards.
  void repetitions(const Body& a, std::size_t i, const Body& b, std::size_t k, const Steps& steps,
                   std::map<std::string, int>& seen) {
    const std::size_t both = std::min(steps.in_a, steps.in_b) * steps.length;
    const std::size_t end_a = i + steps.in_a * steps.length;
    const std::size_t end_b = k + steps.in_b * steps.length;
    const auto equal_lines = [&](std::size_t from_a, std::size_t from_b) {
      std::size_t equal = 0;
      for (std::size_t n = 0; n < both; ++n)
        equal += line_of(*a[from_a + n]) == line_of(*b[from_b + n]) ? 1 : 0;
      return equal;
    };
    const bool is_at_end = equal_lines(end_a - both, end_b - both) > equal_lines(i, k);
    enter("step", seen);
    scales("repetitions", where(), std::to_string(steps.in_a), std::to_string(steps.in_b));
    in_steps_ = true;
    std::map<std::string, int> inside;
    for (std::size_t n = 0; n < both && !result_.difference; ++n)
      statements(*a[is_at_end ? end_a - both + n : i + n], *b[is_at_end ? end_b - both + n : k + n],
                 inside);
    in_steps_ = false;
    place_.pop_back();
  }

  std::string shape_of(const std::string& text) const {
    return in_steps_ ? internal::step_shape_of(text) : internal::shape_of(text);
  }

  // "ranks 0-3,8" and "ranks 0-7" are both "ranks": who it is grows with the run.
  std::string shape_of_condition(const std::string& condition) const {
    if (condition.starts_with("rank")) return "ranks";
    const char* const word = condition.find(" or ") != std::string::npos ? " or " : " and ";
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) { // "north and west" is "west and north"
      const std::size_t end = condition.find(word, begin);
      const std::string literal = condition.substr(begin, end - begin);
      // What the file of a program is called says nothing of what it does.
      if (internal::names_program(literal))
        parts.push_back(literal.starts_with("not ") ? "not in a program" : "in a program");
      else
        parts.push_back(shape_of(literal));
      if (end == std::string::npos) break;
      begin = end + std::string_view(word).size();
    }
    std::sort(parts.begin(), parts.end());
    return joined(parts, 0, parts.size());
  }

  void statements(const Statement& a, const Statement& b, std::map<std::string, int>& seen) {
    if (a.is.index() != b.is.index()) return differ("another kind of line", line_of(a), line_of(b));
    if (const auto* loop = std::get_if<LoopStatement>(&a.is)) {
      const auto& other = std::get<LoopStatement>(b.is);
      enter("loop", seen);
      scales("iterations", where(), loop->count, other.count);
      bodies(loop->body, other.body);
      place_.pop_back();
    } else if (const auto* guard = std::get_if<GuardStatement>(&a.is)) {
      const auto& other = std::get<GuardStatement>(b.is);
      const std::string shape = shape_of_condition(guard->condition);
      if (shape != shape_of_condition(other.condition))
        return differ("done by others", line_of(a), line_of(b));
      enter(shape == "ranks" ? shape : "if " + shape, seen);
      scales("who", where(), guard->condition, other.condition);
      bodies(guard->body, other.body);
      place_.pop_back();
    } else {
      calls(std::get<CallStatement>(a.is), std::get<CallStatement>(b.is), seen);
    }
  }

  void enter(const std::string& name, std::map<std::string, int>& seen) {
    place_.push_back(name + " " + std::to_string(++seen[name]));
  }

  void calls(const CallStatement& a, const CallStatement& b, std::map<std::string, int>& seen) {
    if (a.name != b.name) return differ("another call", a.text(), b.text());
    if (shape_of(a.what) != shape_of(b.what) || a.remarks.size() != b.remarks.size())
      return differ("other arguments", a.text(), b.text());
    enter(a.name, seen);
    arguments(a.what, b.what);
    for (std::size_t i = 0; i < a.remarks.size(); ++i) {
      const std::string name = a.remarks[i].substr(0, a.remarks[i].find(' '));
      if (shape_of(a.remarks[i]) != shape_of(b.remarks[i])) {
        place_.pop_back();
        return differ("other arguments", a.text(), b.text());
      }
      scales(name == "on" ? "communicator" : name, where(), value_of(a.remarks[i]),
             value_of(b.remarks[i]));
    }
    place_.pop_back();
  }

  static std::string value_of(const std::string& remark) {
    const std::size_t blank = remark.find(' ');
    return blank == std::string::npos ? remark : remark.substr(blank + 1);
  }

  // Peers stand in front; a choice of several is one thing, whatever its length.
  void arguments(const std::string& a, const std::string& b) {
    const std::vector<std::string> words_a = words_of(a);
    const std::vector<std::string> words_b = words_of(b);
    const std::size_t words = std::max(words_of_a_choice(words_a), words_of_a_choice(words_b));
    const std::size_t peers_a = words_of_peers(words_a, words);
    const std::size_t peers_b = words_of_peers(words_b, words);
    scales("peers", where(), joined(words_a, 0, peers_a), joined(words_b, 0, peers_b));
    if (words_a.size() - peers_a != words_b.size() - peers_b) {
      scales("arguments", where(), joined(words_a, peers_a, words_a.size()),
             joined(words_b, peers_b, words_b.size()));
      return;
    }
    for (std::size_t i = peers_a, k = peers_b; i < words_a.size(); ++i, ++k)
      scales(name_of_number(words_a[i]), where(), words_a[i], words_b[k]);
  }

  // Of one name among "child 0|child 1"; 0 where there is no choice.
  static std::size_t words_of_a_choice(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].find('|') != std::string::npos) return i + 1;
    }
    return 0;
  }

  static std::size_t words_of_peers(const std::vector<std::string>& words, std::size_t of_one) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].find('|') != std::string::npos) last = i;
    }
    return std::min(last + of_one, words.size());
  }

  static std::string joined(const std::vector<std::string>& words, std::size_t begin,
                            std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += (text.empty() ? "" : " ") + words[i];
    return text;
  }

  Comparison result_;
  std::vector<std::string> place_;
  bool in_steps_ = false; // directions may be others
};

LogicalText without_list_loops(LogicalText text) {
  for (LogicalText::Part& part : text.parts)
    part.statements = internal::without_list_loops(part.statements);
  return text;
}

} // namespace

Comparison compare(const LogicalText& a, const LogicalText& b) {
  if (!a.procedures.empty() || !b.procedures.empty()) return compare(expanded(a), expanded(b));
  Comparison as_written = Comparer().run(a, b);
  if (!as_written.difference) return as_written;
  Comparison without_lists = Comparer().run(without_list_loops(a), without_list_loops(b));
  if (!without_lists.difference) return without_lists;
  if (a.peer_topologies.empty()) return as_written;
  const std::vector<std::string>& directions = a.peer_topologies.front().directions;
  for (const internal::Renaming& names : internal::turns_of(directions)) {
    Comparison turned = Comparer().run(internal::turned(a, names), b);
    if (turned.difference) continue;
    Scaling row{"directions", "program", "", ""};
    for (const std::string& direction : directions) {
      row.a += (row.a.empty() ? "" : ", ") + direction;
      row.b += (row.b.empty() ? "" : ", ") + names.at(direction);
    }
    turned.scaling.insert(turned.scaling.begin(), std::move(row));
    return turned;
  }
  return as_written;
}

} // namespace rondo::logical
