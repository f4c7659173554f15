// SPDX-License-Identifier: Apache-2.0
// The regular files of a tar (ustar, GNU or pax), one after another, without unpacking anything to
// disk.
#pragma once

#include "convert/text/byte_source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct archive; // of libarchive

namespace rondo::convert::internal {

class TarReader {
public:
  /// @param bytes   of the tar; must outlive the reader
  /// @param path    for errors
  TarReader(ByteSource& bytes, std::string path);
  TarReader(const TarReader&) = delete; // libarchive knows its place
  TarReader& operator=(const TarReader&) = delete;

  struct Member {
    std::string name;
    std::uint64_t size = 0;
  };

  /// Goes to the next regular file, past what is left of this one. An empty name is the end.
  /// @error  kDamaged if the tar is cut or a header makes no sense; those of the bytes
  Result<Member> next();

  /// Bytes of the current file; 0 at its end.
  Result<std::size_t> read(char* to, std::size_t size);

  /// True if these first bytes of a file look like a tar's.
  static bool is_tar(std::string_view start);

private:
  struct Callbacks;
  struct Close {
    void operator()(::archive* tar) const;
  };

  tl::unexpected<Error> failed() const;

  ByteSource* bytes_;
  std::string path_;
  std::vector<char> piece_; // that libarchive looks at
  std::optional<Error> error_; // of the bytes
  bool is_open_ = false;
  std::unique_ptr<::archive, Close> tar_;
};

} // namespace rondo::convert::internal
