// SPDX-License-Identifier: Apache-2.0
// What stands beside OUTPUT.rondo after a recording: OUTPUT.1.rondo, OUTPUT.2.rondo, ... of further
// MPI programs that the same command started, and OUTPUT.spawned.rondo, OUTPUT.spawned.1.rondo, ...
// of processes that a program spawned, which are an MPI_COMM_WORLD of their own. Those who write
// them choose the names.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo::cli {

class RecordingsBeside {
public:
  /// Looks at what is there before the program begins.
  explicit RecordingsBeside(const std::string& output);

  struct Recording {
    std::string file;
    bool is_spawned = false;
  };
  /// What has been written since, the oldest first.
  std::vector<Recording> written() const;

private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;
  Times times() const;

  std::filesystem::path folder_;
  std::string begin_; // of the names
  Times before_;
};

} // namespace rondo::cli
