// SPDX-License-Identifier: Apache-2.0
#include "cli/help/command_model.hpp"

#include <algorithm>

namespace rondo::cli {
namespace {

// "TEXT:{bytes,messages}" is a value with choices.
void read_type(const std::string& type, OptionModel& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos || type.compare(colon, 2, ":{") != 0) return;
  std::string word;
  for (const char c : type.substr(colon + 2)) {
    if (c != ',' && c != '}') {
      word += c;
      continue;
    }
    option.choices.push_back(word);
    word.clear();
  }
}

OptionModel model_of(const CLI::Option& option) {
  OptionModel model;
  if (!option.get_snames().empty()) model.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) model.long_name = "--" + option.get_lnames().front();
  if (option.get_positional()) model.positional = option.get_single_name();
  const bool has_value = option.get_type_size_max() > 0;
  if (has_value) {
    read_type(option.get_type_name(), model);
    model.preset = option.get_default_str();
  }
  model.meaning = option.get_description();
  model.required = option.get_required();
  model.several = has_value && option.get_items_expected_max() > 1;
  return model;
}

CommandModel model_of(const CLI::App& app, bool is_top) {
  CommandModel model;
  model.name = is_top ? "" : app.get_name();
  model.meaning = app.get_description();
  model.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      model.positionals.push_back(model_of(*option));
    else if (!option->get_group().empty())
      model.options.push_back(model_of(*option));
  }
  return model;
}

} // namespace

bool OptionModel::takes_path() const {
  return value.find("FILE") != std::string::npos || value.find("DIR") != std::string::npos ||
         value.find("FOLDER") != std::string::npos;
}

bool CommandModel::takes_program() const {
  return std::any_of(positionals.begin(), positionals.end(), [](const OptionModel& positional) {
    return positional.positional == "command" || positional.value.find("--") != std::string::npos ||
           positional.value.find("COMMAND") != std::string::npos;
  });
}

std::vector<CommandModel> command_model(const CLI::App& app) {
  std::vector<CommandModel> commands = {model_of(app, true)};
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (!command->get_group().empty()) commands.push_back(model_of(*command, false));
  return commands;
}

std::string first_clause(std::string_view text) {
  constexpr std::size_t kLongest = 72;
  const std::size_t end = std::min(
      {text.find("; "), text.find(". "), text.find(": "), text.find(" ("), text.find('\n')});
  std::string clause(text.substr(0, end));
  if (clause.size() <= kLongest) return clause;
  const std::size_t blank = clause.rfind(' ', kLongest);
  return clause.substr(0, blank == std::string::npos ? kLongest : blank) + " ...";
}

} // namespace rondo::cli
