// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_functions.hpp"

#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using Names = std::vector<std::string>; // of the functions on a stack, the call's own first

constexpr std::size_t kMostFunctions = 2; // that a heading names

Names names_of(sites::Resolver& resolver, std::uint32_t site) {
  Names names = resolver.functions(site);
  if (!names.empty() && !names.front().empty()) return names;
  const std::string& module = resolver.place(site).module;
  if (module.empty()) return {};
  return {module.substr(module.rfind('/') + 1)};
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Where every program begins says nothing, unless all of the calls stand there.
std::string common_function(const std::vector<Names>& stacks) {
  for (const std::string& name : stacks.front()) {
    const bool is_begin = name == "main" || name == "MAIN__";
    const bool is_of_all = std::all_of(stacks.begin(), stacks.end(), [&](const Names& names) {
      return is_begin ? names.front() == name : has(names, name);
    });
    if (is_of_all && !name.empty()) return name;
  }
  return {};
}

} // namespace

std::string functions_text(sites::Resolver& resolver,
                           const std::map<std::uint32_t, std::uint64_t>& calls) {
  std::vector<Names> stacks;
  std::map<std::string, std::uint64_t> own;
  for (const auto& [site, count] : calls) {
    Names names = names_of(resolver, site);
    if (names.empty()) return {};
    own[names.front()] += count;
    stacks.push_back(std::move(names));
  }
  if (stacks.empty()) return {};
  if (const std::string name = common_function(stacks); !name.empty())
    return " in " + escape::terminal(name);
  std::vector<std::pair<std::string, std::uint64_t>> functions(own.begin(), own.end());
  sort_stably(functions.begin(), functions.end(),
              [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = " in ";
  const std::size_t named = std::min(kMostFunctions, functions.size());
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == functions.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    text += escape::terminal(functions[i].first);
  }
  if (named < functions.size())
    text += " and " + counted(functions.size() - named, "more function", "more functions");
  return text;
}

} // namespace rondo::present
