// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/function_names.hpp"

#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "generate/taken_names.inc" // kTaken_names_txt

namespace rondo::generate::internal {
namespace {

// Names that mean something else in C, its library, Python or a benchmark.
std::set<std::string> taken_names(const Benchmark& benchmark) {
  std::set<std::string> taken;
  std::istringstream words{std::string(kTaken_names_txt)};
  for (std::string word; words >> word;) taken.insert(word);
  const auto take = [&](const auto& all) {
    for (const auto& one : all) taken.insert(one.name);
  };
  take(benchmark.constants);
  take(benchmark.tables);
  take(benchmark.series);
  take(benchmark.histograms);
  take(benchmark.courses);
  take(benchmark.functions);
  for (const auto& [kind, length] : benchmark.objects) taken.insert(kind);
  return taken;
}

// "i", "n2", "nj": variables of loops and their ends.
bool is_like_variable(const std::string& name) {
  std::size_t letters = 0;
  while (letters < name.size() && std::isdigit(static_cast<unsigned char>(name[letters])) == 0)
    ++letters;
  const bool ends_in_digits =
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(letters), name.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; });
  return letters <= 2 && ends_in_digits;
}

// "Comm<3>::reverse" as "Comm_reverse", "__halo_MOD_swap" as "swap". Empty if nothing is left.
std::string identifier(std::string function) {
  const std::string_view in_module = "_MOD_"; // of Fortran, as gfortran has it
  if (const auto at = function.find(in_module); at != function.npos)
    function.erase(0, at + in_module.size());
  function.erase(std::min(function.find('.'), function.size())); // ".constprop.0", ".part.1"
  std::string name;
  for (const char c : function) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain || (!name.empty() && name.back() != '_')) name += is_plain ? c : '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  const bool is_bad = name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
                      name.starts_with("MPI_") || name.starts_with("PMPI_");
  return is_bad ? "" : name;
}

// As a text of a logical program, as far as naming asks.
std::vector<logical::Statement> outline(const std::vector<Statement>& statements) {
  using Kind = Statement::Kind;
  std::vector<logical::Statement> result;
  for (const Statement& s : statements) {
    if (s.kind == Kind::kCall) {
      logical::CallStatement call;
      call.name = s.name;
      call.sites = s.sites;
      result.push_back({std::move(call)});
    } else if (s.kind == Kind::kInvoke) {
      result.push_back({logical::InvokeStatement{s.name}});
    } else if (s.kind != Kind::kCompute) {
      result.push_back({logical::GuardStatement{"", outline(s.body)}});
      if (!s.otherwise.empty())
        result.push_back({logical::GuardStatement{"", outline(s.otherwise)}});
    }
  }
  return result;
}

void rename(std::vector<Statement>& body, const std::map<std::string, std::string>& to) {
  for (Statement& s : body) {
    const auto found = to.find(s.name);
    if (s.kind == Statement::Kind::kInvoke && found != to.end()) s.name = found->second;
    rename(s.body, to);
    rename(s.otherwise, to);
  }
}

// Calls behind one another from one place say it once.
void say_sites_of(std::vector<Statement>& body,
                  const std::function<std::string(std::uint32_t site)>& text) {
  constexpr std::size_t kMost = 3;
  std::string before;
  for (Statement& s : body) {
    std::string comment;
    for (std::size_t i = 0; i < std::min(kMost, s.sites.size()); ++i) {
      const std::string place = text(s.sites[i]);
      comment += (comment.empty() || place.empty() ? "" : "; ") + place;
    }
    if (s.sites.size() > kMost)
      comment += " and " + std::to_string(s.sites.size() - kMost) + " more";
    if (comment != before) s.comment = comment;
    if (!comment.empty()) before = std::move(comment);
    say_sites_of(s.body, text);
    say_sites_of(s.otherwise, text);
  }
}

} // namespace

void join_sites(Statement& to, const Statement& from) {
  std::vector<std::uint32_t> both;
  std::ranges::set_union(to.sites, from.sites, std::back_inserter(both));
  to.sites = std::move(both);
  join_sites(to.body, from.body);
  join_sites(to.otherwise, from.otherwise);
}

void join_sites(std::vector<Statement>& to, const std::vector<Statement>& from) {
  for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) join_sites(to[i], from[i]);
}

void name_functions(Benchmark& benchmark,
                    const std::function<std::vector<std::string>(std::uint32_t site)>& functions) {
  logical::LogicalText text;
  for (const Function& function : benchmark.functions)
    text.procedures.push_back({function.name, {}, outline(function.body)});
  text.parts.emplace_back().statements = outline(benchmark.main);
  if (functions) logical::name_procedures(text, functions);
  logical::name_by_calls(text);
  std::set<std::string> taken = taken_names(benchmark);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < benchmark.functions.size(); ++i) {
    Function& function = benchmark.functions[i];
    const std::string& source = text.procedures[i].name;
    const std::string plain = source == function.name ? "" : identifier(source);
    if (plain.empty()) continue;
    std::string name = is_like_variable(plain) ? plain + "_1" : plain;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = plain + "_" + std::to_string(number);
    names.emplace(function.name, name);
    function.name = std::move(name);
  }
  for (Function& function : benchmark.functions) rename(function.body, names);
  rename(benchmark.main, names);
  for (Thread& thread : benchmark.threads) {
    const auto found = names.find(thread.function);
    if (found != names.end()) thread.function = found->second;
  }
}

void say_sites(Benchmark& benchmark, const std::function<std::string(std::uint32_t site)>& text) {
  for (Function& function : benchmark.functions) say_sites_of(function.body, text);
  say_sites_of(benchmark.main, text);
}

} // namespace rondo::generate::internal
