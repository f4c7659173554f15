// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece, in little memory: under another name beside its own, which
// it gets when it is whole.
//
//   auto file = GrowingFile::create(path, overwrite);
//   file->text() += "a line\n";
//   if (auto written = file->spill(); !written) ...   // now and then
//   return file->finish();
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace rondo::convert::internal {

class GrowingFile {
public:
  /// @param path   "-" is standard output, where nothing can be taken back
  /// @error  as write_file()
  static Result<GrowingFile> create(const std::string& path, Overwrite overwrite);
  GrowingFile(GrowingFile&&) noexcept = default;
  GrowingFile& operator=(GrowingFile&&) noexcept = default;
  ~GrowingFile();

  /// Bytes that are to come next.
  std::string& text() { return text_; }
  /// Writes them if they are many. @error  kIo
  Status spill();
  /// Puts bytes in the place of others that were there. @error  kIo, as for pipes
  Status replace(std::uint64_t at, std::string_view bytes);
  /// Writes what is left and gives the file its name. @error  kIo
  Status finish();

private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  GrowingFile(File file, std::string path, std::string temporary)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)) {}
  Status flush();

  File file_;
  std::string path_;
  std::string temporary_; // empty: none
  std::shared_ptr<const void> guard_; // takes it away if a signal comes
  std::string text_;
};

} // namespace rondo::convert::internal
