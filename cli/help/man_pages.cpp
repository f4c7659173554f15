// SPDX-License-Identifier: Apache-2.0
// Man pages from the commands' help.
#include "cli/help/command_model.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

constexpr const char* kStatus = ".TP\n.B 0\nDone.\n"
                                ".TP\n.B 1\nDone, and the answer is no.\n"
                                ".TP\n.B 2\nBad usage or input.\n";

// Text that troff takes for nothing but text: ASCII minus signs, no commands at a line's start.
std::string troff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    begins = c == '\n';
    switch (c) {
    case '\\':
      out += "\\e";
      break;
    case '-':
      out += "\\-";
      break;
    case '\'':
      out += "\\(aq";
      break;
    case '^':
      out += "\\(ha";
      break;
    case '~':
      out += "\\(ti";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string page_name(const CommandModel& command) {
  return command.name.empty() ? "rondo" : "rondo-" + command.name;
}

std::string heading(const CommandModel& command, std::string_view version) {
  const std::string name = page_name(command);
  std::string meaning = command.meaning;
  if (!meaning.empty()) meaning[0] = static_cast<char>(std::tolower(meaning[0]));
  return fmt::format(".TH {} 1 \"\" \"rondo {}\" \"Rondo\"\n.SH NAME\n{} \\- {}\n",
                     troff(upper(name)), version, troff(name), troff(meaning));
}

std::string synopsis(const CommandModel& command) {
  std::string text = ".SH SYNOPSIS\n.B rondo";
  text += command.name.empty() ? "\n[OPTIONS] COMMAND ...\n" : " " + command.name + "\n";
  if (command.name.empty()) return text;
  text += "[OPTIONS]";
  for (const OptionModel& positional : command.positionals) {
    const bool is_program = positional.positional == "command";
    const std::string word = is_program ? "-- COMMAND ..."
                             : !positional.value.empty() && positional.value != "TEXT"
                                 ? positional.value
                                 : upper(positional.positional);
    const std::string more = positional.several && !is_program ? " ..." : "";
    text += " " + troff(positional.required ? word + more : "[" + word + more + "]");
  }
  return text + "\n";
}

std::string name_of_option(const OptionModel& option) {
  std::string names;
  for (const std::string& name : {option.short_name, option.long_name}) {
    if (name.empty()) continue;
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", troff(name));
  }
  if (names.empty()) names = fmt::format("\\fI{}\\fR", troff(option.positional));
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", troff(option.value));
  return names;
}

std::string entry(const OptionModel& option) {
  std::string text = fmt::format(".TP\n{}\n{}.\n", name_of_option(option), troff(option.meaning));
  std::string list;
  for (const std::string& choice : option.choices) list += (list.empty() ? "" : ", ") + choice;
  if (!list.empty()) text += fmt::format("One of: {}.\n", troff(list));
  if (!option.preset.empty()) text += fmt::format("Default: {}.\n", troff(option.preset));
  return text;
}

// The footer's text, and its examples as they stand.
std::string notes(const std::string& footer) {
  const std::size_t at = std::min(footer.find("Examples:"), footer.find("Example:"));
  std::string text;
  if (const std::string notes = footer.substr(0, at); !notes.empty())
    text += ".SH NOTES\n" + troff(notes) + (notes.ends_with('\n') ? "" : "\n");
  if (at == std::string::npos) return text;
  const std::size_t begin = footer.find_first_not_of(": \n", footer.find(':', at));
  return text + ".SH EXAMPLES\n.nf\n" + troff(footer.substr(begin)) + "\n.fi\n";
}

std::string list_of(const std::vector<CommandModel>& commands) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandModel& command : commands)
    if (!command.name.empty())
      text += fmt::format(".TP\n\\fBrondo {}\\fR\n{}; see \\fB{}\\fR(1).\n", command.name,
                          troff(command.meaning), troff(page_name(command)));
  return text;
}

std::string page(const CommandModel& command, const std::vector<CommandModel>& all,
                 std::string_view version) {
  std::string text = heading(command, version) + synopsis(command);
  if (command.name.empty()) text += list_of(all);
  if (!command.positionals.empty()) text += ".SH ARGUMENTS\n";
  for (const OptionModel& positional : command.positionals) text += entry(positional);
  text += ".SH OPTIONS\n";
  for (const OptionModel& option : command.options) text += entry(option);
  text += notes(command.footer);
  text += ".SH EXIT STATUS\n" + std::string(kStatus) + ".SH SEE ALSO\n";
  std::string others;
  for (const CommandModel& other : all)
    if (other.name != command.name)
      others +=
          fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ",\n", troff(page_name(other)));
  return text + others + "\n";
}

} // namespace

std::vector<NamedText> man_pages(const std::vector<CommandModel>& commands,
                                 std::string_view version) {
  std::vector<NamedText> pages;
  for (const CommandModel& command : commands)
    pages.emplace_back("man/man1/" + page_name(command) + ".1", page(command, commands, version));
  return pages;
}

} // namespace rondo::cli
