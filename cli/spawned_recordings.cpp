// SPDX-License-Identifier: Apache-2.0
#include "cli/spawned_recordings.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".rondo";

bool is_between(std::string_view name, std::string_view begin) {
  if (name.size() < begin.size() + kEnding.size()) return false;
  return name.substr(0, begin.size()) == begin &&
         name.substr(name.size() - kEnding.size()) == kEnding;
}

} // namespace

SpawnedRecordings::SpawnedRecordings(const std::string& output)
    : folder_(fs::path(output).parent_path()) {
  const std::string name = fs::path(output).filename().string();
  begin_ = name.substr(0, name.rfind(kEnding)) + ".spawned";
  before_ = times();
}

SpawnedRecordings::Times SpawnedRecordings::times() const {
  Times times;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_between(entry->path().filename().string(), begin_)) continue;
    std::error_code gone;
    const auto time = entry->last_write_time(gone);
    if (!gone) times.emplace(entry->path().string(), time);
  }
  return times;
}

std::vector<std::string> SpawnedRecordings::written() const {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for (const auto& [file, time] : times()) {
    const auto old = before_.find(file);
    if (old == before_.end() || old->second != time) found.emplace_back(time, file);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> files;
  for (auto& [time, file] : found) files.push_back(std::move(file));
  return files;
}

} // namespace rondo::cli
