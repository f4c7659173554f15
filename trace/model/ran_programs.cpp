// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/ran_programs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::trace {
namespace {

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1)); // npos + 1 is 0
}

// The executables that calls of a program stand in, or their callers do.
std::set<std::string> executables_of(const Trace& trace, const Program& program) {
  constexpr std::string_view kLibrary = ".so"; // libx.so, libx.so.40
  std::set<std::string> executables;
  std::set<std::uint32_t> looked_at;
  for (const Call& call : program.calls) {
    if (!looked_at.insert(call.site).second || call.site >= trace.sites.size()) continue;
    const CallSite* site = &trace.sites[call.site];
    for (;;) {
      const std::string name = file_name(site->module);
      if (!name.empty() && name.find(kLibrary) == std::string::npos) executables.insert(name);
      if (site->caller == 0) break;
      site = &trace.sites[site->caller - 1];
    }
  }
  return executables;
}

} // namespace

std::vector<RanProgram> ran_programs(const Trace& trace) {
  std::map<std::string, std::vector<std::int64_t>> ranks_of;
  std::map<const Program*, std::set<std::string>> known;
  for (const RankClass& of : trace.classes) {
    if (of.thread != 0) continue;
    const auto [at, is_new] = known.try_emplace(of.program.get());
    if (is_new) at->second = executables_of(trace, *of.program);
    if (at->second.size() != 1) return {};
    const std::vector<std::int64_t> ranks = of.ranks.ranks();
    std::vector<std::int64_t>& all = ranks_of[*at->second.begin()];
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
  if (ranks_of.size() < 2) return {};
  std::vector<RanProgram> programs;
  for (auto& [name, ranks] : ranks_of) programs.push_back({name, RankSet::of(std::move(ranks))});
  std::sort(programs.begin(), programs.end(), [](const RanProgram& a, const RanProgram& b) {
    return a.ranks.ranks().front() < b.ranks.ranks().front();
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

std::string program_name(std::string_view command) {
  return file_name(command.substr(0, command.find_first_of(" \n\t")));
}

std::string program_name(const Trace& trace) {
  std::string names;
  for (const RanProgram& program : ran_programs(trace))
    names += (names.empty() ? "" : ", ") + program.name;
  return names.empty() ? program_name(trace.run.command) : names;
}

} // namespace rondo::trace
