// SPDX-License-Identifier: Apache-2.0
// What processes that a program spawned wrote beside the program's own recording. They are an
// MPI_COMM_WORLD of their own, which names its archive by itself: OUTPUT.spawned.rondo, or
// OUTPUT.spawned.1.rondo if that is there.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo::cli {

class SpawnedRecordings {
public:
  /// Looks at what is there before the program begins.
  explicit SpawnedRecordings(const std::string& output);

  /// What has been written since, the oldest first.
  std::vector<std::string> written() const;

private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;
  Times times() const;

  std::filesystem::path folder_;
  std::string begin_; // of the names
  Times before_;
};

} // namespace rondo::cli
