// SPDX-License-Identifier: Apache-2.0
// Where bytes come from, piece by piece: a file, a zstd or gzip stream over another source, one
// member of a tar.
#pragma once

#include "rondo/base/result.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace rondo::convert::internal {

class ByteSource {
public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills at most `size` bytes. @return  how many; 0 at the end
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
};

/// @error  kNotFound, kIo
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

/// What a file begins with: enough to tell what it is, less if it is shorter.
Result<std::string> first_bytes(const std::string& path);

/// The file's bytes, unpacked if they are a zstd or gzip stream.
/// @error  those of open_file(); reading gives kDamaged where the stream is cut or broken
Result<std::unique_ptr<ByteSource>> open_unpacked(const std::string& path);

/// What the unpacked file begins with, as first_bytes().
Result<std::string> first_unpacked_bytes(const std::string& path);

} // namespace rondo::convert::internal
