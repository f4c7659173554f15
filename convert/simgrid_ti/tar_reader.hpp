// SPDX-License-Identifier: Apache-2.0
// The regular files of a tar (ustar, GNU or pax), one after another, without unpacking anything to
// disk.
#pragma once

#include "convert/text/byte_source.hpp"

#include <cstdint>
#include <string>

namespace rondo::convert::internal {

class TarReader {
public:
  /// @param bytes   of the tar; must outlive the reader
  /// @param path    for errors
  TarReader(ByteSource& bytes, std::string path) : bytes_(&bytes), path_(std::move(path)) {}

  struct Member {
    std::string name;
    std::uint64_t size = 0;
  };

  /// Goes to the next regular file, past what is left of this one. An empty name is the end.
  /// @error  kDamaged if the tar is cut or a header makes no sense
  Result<Member> next();

  /// Bytes of the current file; 0 at its end.
  Result<std::size_t> read(char* to, std::size_t size);

  /// True if these first bytes of a file look like a tar's.
  static bool is_tar(std::string_view start);

private:
  Status read_exactly(char* to, std::size_t size);
  Status skip(std::uint64_t size);
  Result<std::string> read_text(std::uint64_t size);
  tl::unexpected<Error> damaged(const std::string& what) const;

  ByteSource* bytes_;
  std::string path_;
  std::uint64_t left_ = 0; // of the current file
  std::uint64_t padding_ = 0; // behind it
};

} // namespace rondo::convert::internal
