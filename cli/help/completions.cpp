// SPDX-License-Identifier: Apache-2.0
// Completions of shells. Each script is a fixed part and tables of commands, options and values.
#include "cli/help/command_model.hpp"
#include "rondo/base/escape.hpp"

#include <fmt/core.h>

namespace rondo::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(const OptionModel& option) {
  std::vector<std::string> names;
  for (const std::string& name : {option.long_name, option.short_name})
    if (!name.empty()) names.push_back(name);
  return names;
}

std::string commands_of(const std::vector<CommandModel>& commands) {
  std::vector<std::string> names = {"help"};
  for (const CommandModel& command : commands)
    if (!command.name.empty()) names.push_back(command.name);
  return joined(names);
}

std::string options_of(const CommandModel& command) {
  std::vector<std::string> names;
  for (const OptionModel& option : command.options)
    for (std::string& name : names_of(option)) names.push_back(std::move(name));
  return joined(names);
}

// What bash completes behind an option: cases of "COMMAND OPTION".
std::string bash_values(const CommandModel& command) {
  std::string cases;
  for (const OptionModel& option : command.options) {
    if (option.value.empty()) continue;
    std::string patterns;
    for (const std::string& name : names_of(option))
      patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", command.name, name);
    const std::string what = !option.choices.empty()
                                 ? fmt::format("values='{}'", joined(option.choices))
                             : option.takes_path() ? "values=FILES"
                                                   : "values=NONE";
    cases += fmt::format("    {}) {} ;;\n", patterns, what);
  }
  return cases;
}

constexpr const char* kBashHead = R"(# bash completion of rondo; written from its own help
_rondo() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options= values= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --) # behind it stands a program of the user's
        if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); return; fi
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
        return ;;
      -*) ;;
      *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;
    esac
  done
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$command $before" in
)";
constexpr const char* kBashTail = R"(  esac
  if [[ -z $command && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $values == FILES || (-z $values && $word != -*) ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ $values != NONE ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${values:-$options}" -- "$word")
  fi
}
complete -F _rondo rondo
)";

std::string bash(const std::vector<CommandModel>& commands) {
  std::string text = kBashHead;
  for (const CommandModel& command : commands) text += bash_values(command);
  text += "  esac\n  case $command in\n";
  for (const CommandModel& command : commands) {
    const std::string own = options_of(command);
    if (command.name.empty())
      text += fmt::format("    '') options='{}'\n"
                          "      [[ $word != -* ]] && options='{}' ;;\n",
                          own, commands_of(commands));
    else
      text += fmt::format("    {}) options='{}' ;;\n", command.name, own);
  }
  text += fmt::format("    help) values='{}' ;;\n", commands_of(commands));
  return text + kBashTail;
}

// Inside of zsh's _arguments, where colons and brackets part things.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionModel& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices) + ")";
  return option.takes_path() ? "_files" : " ";
}

std::string zsh_option(const OptionModel& option) {
  const std::string meaning = "[" + zsh_text(first_clause(option.meaning)) + "]";
  const std::string value =
      option.value.empty() ? "" : ":" + zsh_text(option.value) + ":" + zsh_action(option);
  std::string lines;
  for (const std::string& name : names_of(option)) {
    const std::string behind = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    lines += fmt::format("    {} \\\n", escape::shell("*" + name + behind + meaning + value));
  }
  return lines;
}

std::string zsh_command(const CommandModel& command) {
  std::string text = fmt::format("_rondo_{}() {{\n  _arguments -s \\\n", command.name);
  for (const OptionModel& option : command.options) text += zsh_option(option);
  bool has_rest = command.takes_program();
  if (has_rest) text += "    '(-)*::command: _normal'\n";
  for (const OptionModel& positional : command.positionals) {
    if (has_rest) break;
    has_rest = positional.several;
    text += fmt::format(
        "    {}{}\n",
        escape::shell((has_rest ? "*:" : ":") + zsh_text(positional.positional) + ":_files"),
        &positional == &command.positionals.back() || has_rest ? "" : " \\");
  }
  if (command.positionals.empty()) text += "    && return\n";
  return text + "}\n";
}

std::string zsh(const std::vector<CommandModel>& commands) {
  std::string text = "#compdef rondo\n# zsh completion of rondo; written from its own help\n";
  for (const CommandModel& command : commands)
    if (!command.name.empty()) text += zsh_command(command);
  text += "_rondo() {\n  local curcontext=\"$curcontext\" state line\n"
          "  local -a commands=(\n    'help:Say what a command does'\n";
  for (const CommandModel& command : commands) {
    if (!command.name.empty())
      text +=
          fmt::format("    {}\n", escape::shell(command.name + ":" + zsh_text(command.meaning)));
  }
  text += "  )\n  _arguments -C \\\n";
  for (const OptionModel& option : commands.front().options) text += zsh_option(option);
  return text + R"(    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      if [[ $line[1] == help ]]; then _describe command commands
      elif (( $+functions[_rondo_$line[1]] )); then _rondo_$line[1]
      fi ;;
  esac
}
if [[ $funcstack[1] == _rondo ]]; then _rondo "$@"; else compdef _rondo rondo; fi
)";
}

std::string fish_option(const CommandModel& command, const OptionModel& option) {
  std::string line = "complete -c rondo -n ";
  line += command.name.empty() ? "__fish_use_subcommand"
                               : "'__fish_seen_subcommand_from " + command.name + "'";
  if (!option.long_name.empty()) line += " -l " + option.long_name.substr(2);
  if (!option.short_name.empty()) line += " -s " + option.short_name.substr(1);
  if (!option.choices.empty())
    line += " -x -a '" + joined(option.choices) + "'";
  else if (option.takes_path())
    line += " -r -F";
  else if (!option.value.empty())
    line += " -x";
  return line + " -d " + escape::shell(first_clause(option.meaning)) + "\n";
}

std::string fish(const std::vector<CommandModel>& commands) {
  std::string text =
      "# fish completion of rondo; written from its own help\n"
      "complete -c rondo -n __fish_use_subcommand -f\n"
      "complete -c rondo -n __fish_use_subcommand -a help -d 'Say what a command does'\n";
  for (const CommandModel& command : commands) {
    if (command.name.empty()) continue;
    text += fmt::format("complete -c rondo -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        escape::shell(command.meaning));
  }
  for (const CommandModel& command : commands)
    for (const OptionModel& option : command.options) text += fish_option(command, option);
  return text + fmt::format("complete -c rondo -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                            commands_of(commands));
}

} // namespace

std::vector<NamedText> completions(const std::vector<CommandModel>& commands) {
  return {{"bash-completion/completions/rondo", bash(commands)},
          {"zsh/site-functions/_rondo", zsh(commands)},
          {"fish/vendor_completions.d/rondo.fish", fish(commands)}};
}

} // namespace rondo::cli
