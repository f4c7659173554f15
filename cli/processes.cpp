// SPDX-License-Identifier: Apache-2.0
#include "cli/processes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/core.h>
#include <string_view>

namespace rondo::cli {
namespace {

struct LaunchedAs {
  const char* mine;
  const char* all;
};

// Slurm sets the number of tasks of a step in steps only, not in the script of a job.
constexpr LaunchedAs kLaunchedAs[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
                                      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
constexpr std::size_t kMostProcesses = 1 << 20;

bool parse_part(std::string_view mine, std::string_view all, convert::Processes& into) {
  const auto number = [](std::string_view text, std::size_t& value) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size();
  };
  return number(mine, into.mine) && number(all, into.all) && into.mine < into.all &&
         into.all <= kMostProcesses;
}

} // namespace

Result<convert::Processes> processes_of(const std::string& part, const std::string& output) {
  convert::Processes processes;
  if (!part.empty()) {
    const std::size_t slash = std::min(part.find('/'), part.size() - 1);
    const std::string_view text = part;
    if (!parse_part(text.substr(0, slash), text.substr(slash + 1), processes))
      return fail(ErrorCode::kUsage,
                  fmt::format("--part is one of several processes, such as 0/4 for the first of "
                              "four, and not '{}'",
                              part));
  }
  for (const LaunchedAs& launcher : kLaunchedAs) {
    const char* const mine = std::getenv(launcher.mine);
    const char* const all = std::getenv(launcher.all);
    if (!part.empty() || mine == nullptr || all == nullptr) continue;
    if (parse_part(mine, all, processes)) break;
    processes = {};
  }
  if (processes.all > 1 && output == "-")
    return fail(ErrorCode::kUsage, "several processes meet beside the output; name a file");
  std::string place = output;
  while (place.ends_with('/')) place.pop_back();
  processes.folder = place + ".meeting";
  return processes;
}

} // namespace rondo::cli
