// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/tar_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMaxText = 1 << 20; // of long names and pax headers

std::string field(const char* block, std::size_t at, std::size_t size) {
  const std::string text(block + at, size);
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> octal(const char* block, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::size_t i = at;
  while (i < at + size && block[i] == ' ') ++i;
  for (; i < at + size && block[i] >= '0' && block[i] <= '7'; ++i) {
    value = value * 8 + static_cast<std::uint64_t>(block[i] - '0');
  }
  const bool ends = i == at + size || block[i] == ' ' || block[i] == '\0';
  return ends ? std::optional(value) : std::nullopt;
}

// The header's bytes added up, with blanks in place of the sum itself.
bool has_right_checksum(const char* block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return octal(block, 148, 8) == sum;
}

// The value of `path` in a pax header: lines "LENGTH KEY=VALUE".
std::string pax_path(const std::string& records) {
  std::size_t at = 0;
  while (at < records.size()) {
    std::size_t length = 0;
    std::from_chars(records.data() + at, records.data() + records.size(), length);
    if (length == 0 || length > records.size() - at) break;
    const std::string record = records.substr(at, length - 1);
    const std::size_t key = record.find(' ') + 1;
    if (record.compare(key, 5, "path=") == 0) return record.substr(key + 5);
    at += length;
  }
  return "";
}

} // namespace

bool TarReader::is_tar(std::string_view start) {
  return start.size() >= kBlock && start.substr(257, 5) == "ustar" &&
         has_right_checksum(start.data());
}

tl::unexpected<Error> TarReader::damaged(const std::string& what) const {
  return fail(ErrorCode::kDamaged, what, {path_, {}, {}, {}});
}

Status TarReader::read_exactly(char* to, std::size_t size) {
  while (size > 0) {
    const auto n = bytes_->read(to, size);
    if (!n) return propagate(n);
    if (*n == 0) return damaged("the packed folder is cut; copy it again");
    to += *n;
    size -= *n;
  }
  return {};
}

Status TarReader::skip(std::uint64_t size) {
  char buffer[1 << 14];
  while (size > 0) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof buffer));
    if (auto read = read_exactly(buffer, n); !read) return read;
    size -= n;
  }
  return {};
}

Result<std::string> TarReader::read_text(std::uint64_t size) {
  if (size > kMaxText)
    return damaged("the packed folder has a file name of " + std::to_string(size) + " bytes");
  std::string text(size, '\0');
  if (auto done = read_exactly(text.data(), text.size()); !done) return propagate(done);
  if (auto done = skip((kBlock - size % kBlock) % kBlock); !done) return propagate(done);
  return text;
}

Result<TarReader::Member> TarReader::next() {
  if (auto done = skip(left_ + padding_); !done) return propagate(done);
  left_ = padding_ = 0;
  std::string long_name;
  for (;;) {
    char block[kBlock];
    if (auto done = read_exactly(block, kBlock); !done) return propagate(done);
    if (std::all_of(block, block + kBlock, [](char c) { return c == '\0'; })) return Member{};
    const auto size = octal(block, 124, 12);
    if (!size || !has_right_checksum(block))
      return damaged("the packed folder is damaged; copy it again");
    const std::uint64_t padding = (kBlock - *size % kBlock) % kBlock;
    const char type = block[156];
    if (type == 'L' || type == 'x') {
      auto text = read_text(*size);
      if (!text) return propagate(text);
      const std::string name = type == 'L' ? text->substr(0, text->find('\0')) : pax_path(*text);
      if (!name.empty()) long_name = name;
    } else if (type == '0' || type == '\0') {
      left_ = *size;
      padding_ = padding;
      if (!long_name.empty()) return Member{long_name, *size};
      const std::string prefix = field(block, 257, 6) == "ustar" ? field(block, 345, 155) : "";
      return Member{(prefix.empty() ? "" : prefix + "/") + field(block, 0, 100), *size};
    } else { // folders, links, devices, pax headers for all files
      if (auto done = skip(*size + padding); !done) return propagate(done);
      long_name.clear();
    }
  }
}

Result<std::size_t> TarReader::read(char* to, std::size_t size) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, left_));
  if (wanted == 0) return std::size_t{0};
  const auto n = bytes_->read(to, wanted);
  if (!n) return n;
  if (*n == 0) return damaged("the packed folder is cut; copy it again");
  left_ -= *n;
  return n;
}

} // namespace rondo::convert::internal
