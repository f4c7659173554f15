// SPDX-License-Identifier: Apache-2.0
#include "cli/recordings_beside.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".rondo";
constexpr std::string_view kSpawned = "spawned";

// What stands between the beginning and the end of a file's name; empty if the name is another.
std::string_view between(std::string_view name, std::string_view begin) {
  if (!name.starts_with(begin) || !name.ends_with(kEnding)) return {};
  if (name.size() < begin.size() + kEnding.size()) return {};
  return name.substr(begin.size(), name.size() - begin.size() - kEnding.size());
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

RecordingsBeside::RecordingsBeside(const std::string& output)
    : folder_(fs::path(output).parent_path()) {
  const std::string name = fs::path(output).filename().string();
  begin_ = name.substr(0, name.rfind(kEnding)) + ".";
  before_ = times();
}

RecordingsBeside::Times RecordingsBeside::times() const {
  Times times;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string_view middle = between(name, begin_);
    if (!is_number(middle) && !middle.starts_with(kSpawned)) continue;
    std::error_code gone;
    const auto time = entry->last_write_time(gone);
    if (!gone) times.emplace(entry->path().string(), time);
  }
  return times;
}

std::vector<RecordingsBeside::Recording> RecordingsBeside::written() const {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for (const auto& [file, time] : times()) {
    const auto old = before_.find(file);
    if (old == before_.end() || old->second != time) found.emplace_back(time, file);
  }
  std::sort(found.begin(), found.end());
  std::vector<Recording> recordings;
  for (auto& [time, file] : found) {
    const std::string name = fs::path(file).filename().string();
    recordings.push_back({std::move(file), between(name, begin_).starts_with(kSpawned)});
  }
  return recordings;
}

} // namespace rondo::cli
