// SPDX-License-Identifier: Apache-2.0
// An executable or library on disk, asked what stands at an address. Debug information may be in it
// or beside it, in a file that is found by its build-id or its link.
#pragma once

#include "rondo/sites/resolver.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace rondo::sites {

class ModuleFile {
public:
  explicit ModuleFile(const std::string& path);
  ~ModuleFile();
  ModuleFile(const ModuleFile&) = delete;
  ModuleFile& operator=(const ModuleFile&) = delete;

  bool is_open() const { return module_ != nullptr; }
  const std::string& build_id() const { return build_id_; } // in hexadecimal, empty if it has none

  /// Fills in what is known of the code before the return address at this offset.
  void describe(std::uint64_t offset, trace::SiteName& place);

private:
  struct Session; // of libdwfl
  void find_start();
  void read_build_id();

  std::unique_ptr<Session> session_;
  void* module_ = nullptr; // Dwfl_Module*
  std::uint64_t start_ = 0; // address that offset 0 means
  std::string build_id_;
};

} // namespace rondo::sites
