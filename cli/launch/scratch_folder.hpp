// SPDX-License-Identifier: Apache-2.0
// A folder for what is needed for a while: nobody else can have made it or look into it, and it
// goes with its files in the end, also if a signal ends the command.
#pragma once

#include "rondo/base/unfinished_files.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace rondo::cli {

class ScratchFolder {
public:
  /// @param stem  of its path; what follows cannot be foreseen
  explicit ScratchFolder(const std::filesystem::path& stem) : path_(stem.string() + ".XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      error_ = errno;
    else
      guard_ = unfinished_file(path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    if (error_ == 0) std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// Why it could not be made, as errno has it; 0 if it is there.
  int error() const { return error_; }
  const std::string& path() const { return path_; }

private:
  std::string path_;
  int error_ = 0;
  std::shared_ptr<const void> guard_;
};

} // namespace rondo::cli
