// SPDX-License-Identifier: Apache-2.0
#include "present/words.hpp"

#include "rondo/base/command_line.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <fmt/core.h>
#include <vector>

namespace rondo::present {

std::string count_of(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", human_count(static_cast<double>(count)), count == 1 ? one : many);
}

std::string about_run(const trace::Trace& trace) {
  constexpr std::size_t kLongest = 80;
  std::vector<std::string> words = words_of_command(trace.run.command);
  if (!words.empty()) words.front() = trace::program_name(trace.run.command);
  std::string command = command_line(words);
  if (!trace::ran_programs(trace).empty()) command = trace::program_name(trace);
  if (command.size() > kLongest) command = command.substr(0, kLongest) + "...";
  if (command.empty()) command = "a program";
  return command + " · " + count_of(static_cast<std::uint64_t>(trace.run.ranks), "rank");
}

} // namespace rondo::present
