// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/site_facts.hpp"

#include "rondo/fold/types_by_source.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

bool is_binding(const trace::Trace& trace) {
  constexpr std::size_t kFewest = 3; // functions
  struct Module {
    std::set<std::uint32_t> sites;
    std::set<std::uint16_t> functions;
    bool has_lines = false;
    std::uint64_t executions = 0;
  };
  const std::string program = trace::program_name(trace.run.command);
  std::map<std::string_view, Module> modules;
  std::uint64_t executions = 0;
  for (const trace::RankClass& of : trace.classes) {
    const std::vector<trace::Call>& calls = of.program->calls;
    const auto times = of.program->nest.occurrences(calls.size());
    for (std::size_t symbol = 0; symbol < calls.size(); ++symbol) {
      const trace::Call& call = calls[symbol];
      const bool has_line = call.site < trace.names.size() && trace.names[call.site].line != 0;
      Module& module = modules[trace.sites.at(call.site).module];
      module.sites.insert(call.site);
      module.functions.insert(call.function);
      module.has_lines = module.has_lines || has_line;
      module.executions += times[symbol] * static_cast<std::uint64_t>(of.ranks.size());
      executions += times[symbol] * static_cast<std::uint64_t>(of.ranks.size());
    }
  }
  return std::any_of(modules.begin(), modules.end(), [&](const auto& one) {
    const auto& [path, module] = one;
    return 2 * module.executions > executions && !module.has_lines &&
           module.functions.size() >= kFewest && module.functions.size() == module.sites.size() &&
           trace::file_name(path) != program;
  });
}

std::size_t length_of_source(const trace::Trace& trace) {
  std::vector<bool> leads_there(trace.sites.size(), false);
  for (const trace::CallSite& site : trace.sites) {
    if (site.caller != 0) leads_there[site.caller - 1] = true;
  }
  for (const trace::RankClass& of : trace.classes) {
    for (const trace::Call& call : of.program->calls) {
      if (call.site < leads_there.size()) leads_there[call.site] = false;
    }
  }
  return static_cast<std::size_t>(std::count(leads_there.begin(), leads_there.end(), false));
}

bool sites_tell(const trace::Trace& trace) {
  if (!fold::knows_sites(trace)) return false;
  std::map<std::uint32_t, std::uint16_t> function_at;
  for (const trace::RankClass& of : trace.classes) {
    for (const trace::Call& call : of.program->calls) {
      const auto known = function_at.try_emplace(call.site, call.function).first;
      if (known->second != call.function) return false;
    }
  }
  return true;
}

} // namespace rondo::logical::internal
