// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/runs_csv.hpp"

#include "present/matrix/statistics_text.hpp"
#include "rondo/base/escape.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using nlohmann::ordered_json;

std::string name_of_item(const ordered_json& item, std::size_t index) {
  if (item.is_object()) {
    const auto text = std::find_if(item.begin(), item.end(),
                                   [](const ordered_json& value) { return value.is_string(); });
    if (text != item.end()) return text->get<std::string>();
  }
  return std::to_string(index);
}

void add_lines(std::string& out, const std::string& run, const std::string& name,
               const ordered_json& value) {
  const auto below = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) add_lines(out, run, below(key), item);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      add_lines(out, run, below(name_of_item(value[i], i)), value[i]);
  } else if (!value.is_null()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    out +=
        run + "," + escape::csv(name) + "," + (value.is_string() ? escape::csv(text) : text) + "\n";
  }
}

} // namespace

std::string stats_csv(const std::vector<MeasuredRun>& runs) {
  std::string out = "run,quantity,value\n";
  for (const MeasuredRun& run : runs)
    add_lines(out, escape::csv(run.name), "", ordered_json::parse(statistics_json(run.statistics)));
  return out;
}

} // namespace rondo::present
