// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/common.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <utility>

namespace rondo::cli {
namespace {

constexpr std::size_t kNameColumns = 30;
constexpr std::size_t kLeastText = 30; // narrower columns of text cannot be read

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t hanging) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + hanging;
  std::string text;
  std::size_t first = 0; // of the line that is being filled
  while (line.size() - first + (first > 0 ? indent : 0) > width) {
    const std::size_t room = width - std::min(width - 1, first > 0 ? indent : 0);
    const std::size_t start = first == 0 ? std::min(indent, line.size()) : first;
    std::size_t blank = line.rfind(' ', first + room);
    if (blank == std::string_view::npos || blank <= start) blank = line.find(' ', start);
    if (blank == std::string_view::npos) break;
    text += (first > 0 ? std::string(indent, ' ') : "");
    text += line.substr(first, blank - first);
    text += '\n';
    first = std::min(line.find_first_not_of(' ', blank), line.size());
  }
  if (first > 0) text += std::string(indent, ' ');
  text += line.substr(first);
  return text;
}

// Damerau and Levenshtein's distance: letters to insert, leave out, change, or swap with the next.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(rows[0].begin(), rows[0].end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

class Formatter : public CLI::Formatter {
public:
  Formatter() { column_width(kNameColumns); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = make_option_name(option, is_positional) + make_option_opts(option);
    return entry(name, make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  // A group that is not shown leaves an empty line behind the others.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);
    return text;
  }
  std::string make_footer(const CLI::App* app) const override {
    const std::string text = app->get_footer();
    return text.empty() ? text : wrapped(text, width(), 2) + "\n";
  }

private:
  static std::size_t width() { return static_cast<std::size_t>(std::max(terminal_columns(), 40)); }

  // A name and, in a column of its own, what it means.
  static std::string entry(const std::string& name, const std::string& meaning) {
    std::string line = "  " + name;
    if (meaning.empty()) return line + "\n";
    const std::size_t column = width() < kNameColumns + kLeastText ? 6 : kNameColumns;
    const std::string text = wrapped(meaning, width() - column);
    if (line.size() >= column) line += "\n" + std::string(column, ' ');
    line.resize(std::max(line.size(), column), ' ');
    for (const char c : text) {
      line += c;
      if (c == '\n') line.append(column, ' ');
    }
    return line + "\n";
  }
};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string suggestion(std::string_view mistyped, const std::vector<std::string>& words) {
  const auto meant = nearest(mistyped, words);
  return meant ? fmt::format(" Did you mean '{}'?", *meant) : "";
}

std::string unknown_command(const std::string& word, const std::vector<std::string>& names) {
  return fmt::format("there is no command '{}'.{} 'rondo help' lists them", word,
                     suggestion(word, names));
}

} // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t hanging) {
  std::string result;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    result +=
        (first > 0 ? "\n" : "") + wrapped_line(text.substr(first, end - first), width, hanging);
    first = end + 1;
  }
  return result;
}

std::optional<std::string> nearest(std::string_view mistyped,
                                   const std::vector<std::string>& words) {
  std::size_t least = std::max<std::size_t>(1, mistyped.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string& word : words) {
    const bool is_begun = mistyped.size() > 2 && word.rfind(mistyped, 0) == 0; // "topo"
    const std::size_t apart = is_begun ? 1 : distance(mistyped, word);
    if (apart >= least) continue;
    least = apart;
    found = word;
  }
  return found;
}

void wrap_help(CLI::App& app) {
  const auto formatter = std::make_shared<Formatter>();
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands(nullptr)) command->formatter(formatter);
}

namespace {

// "Could not convert: --rank = x", as CLI11 has it, does not say what was expected.
std::string text_of(const CLI::ParseError& error) {
  constexpr std::string_view kPrefix = "Could not convert: ";
  constexpr std::string_view kGap = " = ";
  const std::string text = error.what();
  const std::size_t gap = text.find(kGap);
  if (!text.starts_with(kPrefix) || gap == std::string::npos) return text;
  return fmt::format("{}: '{}' is no whole number, or none that fits",
                     text.substr(kPrefix.size(), gap - kPrefix.size()),
                     text.substr(gap + kGap.size()));
}

} // namespace

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> extras = app.remaining(true);
  if (chosen.empty()) {
    if (extras.empty() || extras.front().front() == '-')
      return fmt::format("{}; 'rondo help' lists the commands", error.what());
    return unknown_command(extras.front(), command_names(app));
  }
  const CLI::App& command = *chosen.front();
  std::string problem = text_of(error);
  // What stands behind the command's own words, as a launcher, is the whole line's.
  std::vector<std::string> strangers = command.remaining(true);
  strangers.insert(strangers.end(), extras.begin(), extras.end());
  for (const std::string& extra : strangers) {
    if (extra == "--") break; // behind it stands the program
    const bool is_option =
        extra.size() > 1 && extra[0] == '-' && (extra[1] < '0' || extra[1] > '9');
    if (!is_option) continue;
    const std::string option = extra.substr(0, extra.find('='));
    problem = fmt::format("'rondo {}' has no option '{}'.{}", command.get_name(), option,
                          suggestion(option, option_names(command)));
    break;
  }
  if (problem.ends_with('.')) problem.pop_back();
  return fmt::format("{}{} 'rondo help {}' says more", problem, problem.back() == '?' ? "" : ";",
                     command.get_name());
}

Status check_help(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0] != "help" || words[1].rfind('-', 0) == 0) return {};
  const auto names = command_names(app);
  if (words[1] == "help" || std::find(names.begin(), names.end(), words[1]) != names.end())
    return {};
  return fail(ErrorCode::kUsage, unknown_command(words[1], names));
}

std::vector<std::string> without_help_command(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  if (!words.empty() && words.front() == "help") words.clear();
  words.resize(std::min<std::size_t>(words.size(), 1)); // more would be taken for arguments
  words.emplace_back("--help");
  return words;
}

} // namespace rondo::cli
