// SPDX-License-Identifier: Apache-2.0
#include "convert/text/line_reader.hpp"

#include <cstring>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kBufferSize = 1 << 17;
constexpr std::size_t kMaxLine = 1 << 26; // alltoallv on a million ranks takes 16 MB

} // namespace

LineReader::LineReader(ReadBytes read, std::string file)
    : read_(std::move(read)), file_(std::move(file)), buffer_(kBufferSize) {}

Result<LineReader::Line> LineReader::next() {
  std::size_t searched = begin_;
  for (;;) {
    if (const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched)) {
      const auto feed = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      const std::size_t start = begin_;
      begin_ = feed + 1;
      ++line_;
      const std::size_t end = feed > start && buffer_[feed - 1] == '\r' ? feed - 1 : feed;
      return Line{{buffer_.data() + start, end - start}, false, true};
    }
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    searched = end_;
    if (end_ == buffer_.size()) {
      if (end_ >= kMaxLine) {
        return fail(ErrorCode::kFormat, "the line is longer than 64 MiB; this is no trace as text",
                    {file_, {}, {}, line_ + 1});
      }
      buffer_.resize(2 * buffer_.size());
    }
    const auto n = read_(buffer_.data() + end_, buffer_.size() - end_);
    if (!n) return propagate(n);
    bytes_ += *n;
    end_ += *n;
    if (*n > 0) continue;
    if (end_ == 0) return Line{{}, true, true};
    begin_ = end_;
    ++line_;
    return Line{{buffer_.data(), end_}, false, false};
  }
}

} // namespace rondo::convert::internal
