// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/ran_programs.hpp"

#include "rondo/base/command_line.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::trace {
namespace {

// The executables that calls of a program stand in, or their callers do.
std::set<std::string_view> executables_of(const Trace& trace, const Program& program) {
  constexpr std::string_view kLibrary = ".so"; // libx.so, libx.so.40
  std::set<std::string_view> executables;
  std::set<std::uint32_t> looked_at;
  for (const Call& call : program.calls) {
    if (!looked_at.insert(call.site).second || call.site >= trace.sites.size()) continue;
    const CallSite* site = &trace.sites[call.site];
    for (;;) {
      const std::string_view name = file_name(site->module);
      if (!name.empty() && name.find(kLibrary) == std::string_view::npos) executables.insert(name);
      if (site->caller == 0) break;
      site = &trace.sites[site->caller - 1];
    }
  }
  return executables;
}

} // namespace

std::vector<RanProgram> ran_programs(const Trace& trace) {
  std::vector<std::pair<std::string_view, const RankSet*>> of_classes;
  for (const RankClass& of : trace.classes) {
    if (of.thread != 0) continue;
    const std::set<std::string_view> executables = executables_of(trace, *of.program);
    if (executables.size() != 1) return {};
    of_classes.emplace_back(*executables.begin(), &of.ranks);
  }
  const auto is_first = [&](const auto& one) { return one.first == of_classes.front().first; };
  if (std::all_of(of_classes.begin(), of_classes.end(), is_first)) return {};
  std::map<std::string_view, std::vector<std::int64_t>> ranks_of;
  for (const auto& [name, ranks] : of_classes) {
    const std::vector<std::int64_t> more = ranks->ranks();
    ranks_of[name].insert(ranks_of[name].end(), more.begin(), more.end());
  }
  std::vector<RanProgram> programs;
  for (auto& [name, ranks] : ranks_of)
    programs.push_back({std::string(name), RankSet::of(std::move(ranks))});
  std::sort(programs.begin(), programs.end(), [](const RanProgram& a, const RanProgram& b) {
    return a.ranks.front() < b.ranks.front();
  });
  return programs;
}

std::string ran_programs_text(const std::vector<RanProgram>& programs) {
  std::string text;
  for (const auto& [name, ranks] : programs) {
    text += text.empty() ? "" : ", ";
    text += (ranks.size() == 1 ? "rank " : "ranks ") + ranks.text();
    text += (ranks.size() == 1 ? " runs " : " run ") + name;
  }
  return text;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

std::string program_name(std::string_view command) {
  const std::vector<std::string> words = words_of_command(command);
  return words.empty() ? "" : std::string(file_name(words.front()));
}

std::string program_name(const Trace& trace) {
  std::string names;
  for (const RanProgram& program : ran_programs(trace))
    names += (names.empty() ? "" : ", ") + program.name;
  return names.empty() ? program_name(trace.run.command) : names;
}

} // namespace rondo::trace
