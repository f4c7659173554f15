// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/comparison.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace rondo::logical {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

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

// Every number or range of numbers as "#".
std::string without_numbers(const std::string& text) {
  std::string shape;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      shape += text[i++];
      continue;
    }
    while (i < text.size() && (is_digit(text[i]) || (text.compare(i, 2, "..") == 0 &&
                                                     i + 2 < text.size() && is_digit(text[i + 2]))))
      i += is_digit(text[i]) ? 1 : 2;
    shape += '#';
  }
  return shape;
}

// A choice "child 0|child 1|child 2" has as many members as there are ranks for: equal shapes
// count once. The last member goes on into the rest of the call: "child 1|child 2 8 double".
std::string shape_of(const std::string& text) {
  const std::string plain = without_numbers(text);
  std::string result;
  std::vector<std::string> seen;
  std::size_t begin = 0;
  while (true) {
    const std::size_t bar = plain.find('|', begin);
    if (bar == std::string::npos) break;
    const std::string member = plain.substr(begin, bar - begin);
    if (std::find(seen.begin(), seen.end(), member) == seen.end()) seen.push_back(member);
    begin = bar + 1;
  }
  std::string rest = plain.substr(begin);
  constexpr std::string_view kMore = "..."; // a choice of more than the text names
  if (!seen.empty() && rest.starts_with(kMore)) rest.replace(0, kMore.size(), seen.back());
  const bool is_repeated = std::any_of(seen.begin(), seen.end(), [&](const std::string& member) {
    return rest == member || rest.starts_with(member + " ");
  });
  for (const std::string& member : seen) {
    const bool is_last = is_repeated && (rest == member || rest.starts_with(member + " "));
    if (!is_last) result += member + "|";
  }
  return result + rest;
}

// "ranks 0-3,8" and "ranks 0-7" are both "ranks": who it is grows with the run.
std::string shape_of_condition(const std::string& condition) {
  return condition.starts_with("rank") ? "ranks" : shape_of(condition);
}

std::string line_of(const Statement& statement) {
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
    return "loop " + loop->count + ":";
  if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
    return (guard->condition.starts_with("rank") ? "" : "if ") + guard->condition + ":";
  return std::get<CallStatement>(statement.is).text();
}

// A word that is a number, or a name and a number.
std::string name_of_number(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? "size" : word.substr(0, equals);
}

class Comparer {
public:
  Comparison run(const LogicalText& a, const LogicalText& b) {
    scales("ranks", "program", std::to_string(a.ranks), std::to_string(b.ranks));
    for (std::size_t i = 0; i < std::min(a.grounds.size(), b.grounds.size()); ++i)
      scales("topology", "program", a.grounds[i].name, b.grounds[i].name);
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

  void bodies(const std::vector<Statement>& a, const std::vector<Statement>& b) {
    std::map<std::string, int> seen; // how often a name stood in this body
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      statements(a[i], b[i], seen);
      if (result_.difference) return;
    }
    if (a.size() == b.size()) return;
    const std::string only_a = a.size() > b.size() ? line_of(a[b.size()]) : "";
    const std::string only_b = b.size() > a.size() ? line_of(b[a.size()]) : "";
    differ(a.size() > b.size() ? "only the first goes on" : "only the second goes on", only_a,
           only_b);
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
};

} // namespace

Comparison compare(const LogicalText& a, const LogicalText& b) { return Comparer().run(a, b); }

} // namespace rondo::logical
