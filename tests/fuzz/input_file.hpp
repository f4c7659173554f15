// SPDX-License-Identifier: Apache-2.0
// The input of a fuzz target as a file, for readers that take paths: in a folder of this process,
// which goes away at its end.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace rondo::fuzz {

class InputFolder {
public:
  InputFolder() : path_(std::filesystem::temp_directory_path() / "rondo-fuzz-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~InputFolder() { std::filesystem::remove_all(path_); }
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::string& path() const { return path_; }
  /// @return  its path
  std::string write(const std::string& name, const std::uint8_t* bytes, std::size_t size) const {
    std::ofstream(path_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    return path_ + "/" + name;
  }

private:
  std::string path_;
};

} // namespace rondo::fuzz
