// SPDX-License-Identifier: Apache-2.0
#include "logical/local_calls.hpp"

#include "logical/names.hpp"
#include "rondo/trace/function_groups.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace rondo::logical::internal {
namespace {

constexpr std::string_view kLocalHead = "# left out of sight: local calls, ";

} // namespace
} // namespace rondo::logical::internal

namespace rondo::logical {

bool is_unseen(Unseen unseen, const trace::Function& function) {
  if (unseen == Unseen::kNothing) return false;
  if (trace::is_local(function)) return true;
  const bool is_maker =
      function.role == trace::Role::kDatatype || function.role == trace::Role::kOp;
  return unseen == Unseen::kTypes && is_maker;
}

} // namespace rondo::logical

namespace rondo::logical::internal {

std::vector<LocalCalls> local_calls_of(const trace::Trace& trace, Unseen unseen) {
  std::map<std::string, std::uint64_t> counts;
  for (const trace::RankClass& c : trace.classes) {
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    for (std::size_t symbol = 0; symbol < executions.size(); ++symbol) {
      const auto& function = *trace::find_function(c.program->calls[symbol].function);
      if (is_unseen(unseen, function) && executions[symbol] > 0)
        counts[short_name(function.name)] +=
            executions[symbol] * static_cast<std::uint64_t>(c.ranks.size());
    }
  }
  std::vector<LocalCalls> result;
  for (const auto& [name, calls] : counts) result.push_back({name, calls});
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.calls > b.calls; });
  return result;
}

std::string local_line(const std::vector<LocalCalls>& local) {
  std::string text(kLocalHead);
  for (std::size_t i = 0; i < local.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(local[i].calls) + " " + local[i].name;
  return text;
}

bool is_local_line(std::string_view line) { return line.starts_with(kLocalHead); }

bool read_local_line(std::string_view line, std::vector<LocalCalls>& local) {
  line.remove_prefix(kLocalHead.size());
  while (true) {
    const std::string_view one = line.substr(0, line.find(", "));
    LocalCalls& read = local.emplace_back();
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), read.calls);
    const auto digits = static_cast<std::size_t>(end - one.data());
    if (error != std::errc{} || read.calls == 0 || digits + 1 >= one.size() || one[digits] != ' ')
      return false;
    read.name = one.substr(digits + 1);
    if (one.size() == line.size()) return true;
    line.remove_prefix(one.size() + 2);
  }
}

} // namespace rondo::logical::internal
