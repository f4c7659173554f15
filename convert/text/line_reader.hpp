// SPDX-License-Identifier: Apache-2.0
// Lines of a text that is read piece by piece. Memory is one buffer, whatever the length of the
// text.
#pragma once

#include "rondo/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

/// Fills at most `size` bytes and returns how many; 0 at the end.
using ReadBytes = std::function<Result<std::size_t>(char* to, std::size_t size)>;

class LineReader {
public:
  /// @param file   name for errors
  LineReader(ReadBytes read, std::string file);

  struct Line {
    std::string_view text; // without line feed or carriage return; valid until the next call
    bool is_end = false; // no line: the text is over
    bool is_whole = true; // false: the text ended before a line feed
  };

  /// @error  those of reading; kFormat for a line of more than 64 MiB
  Result<Line> next();

  std::uint64_t line() const { return line_; } // number of the line given last, from 1
  std::uint64_t bytes() const { return bytes_; } // read so far
  const std::string& file() const { return file_; }

private:
  ReadBytes read_;
  std::string file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; // of what is not yet given
  std::size_t end_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t bytes_ = 0;
};

} // namespace rondo::convert::internal
