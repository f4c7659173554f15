// SPDX-License-Identifier: Apache-2.0
#include "tests/support/archive_sections.hpp"

#include "rondo/archive/archive.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace rondo::support {
namespace {

constexpr std::uint64_t kMostRaw = 1 << 20; // seeds are small

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint64_t get(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

std::string raw(std::string_view stored, std::uint64_t codec, std::uint64_t raw_size) {
  if (codec != static_cast<std::uint64_t>(archive::Codec::kZstd)) return std::string(stored);
  std::string bytes(raw_size <= kMostRaw ? raw_size : 0, '\0');
  const std::size_t done =
      ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
  bytes.resize(ZSTD_isError(done) != 0 ? 0 : done);
  return bytes;
}

} // namespace

std::vector<archive::RawSection> sections_of(std::string_view file) {
  if (file.size() < archive::kHeadSize || file.substr(0, archive::kMagic.size()) != archive::kMagic)
    return {};
  const std::uint64_t count = get(file, 12, 4);
  if (count > archive::kMaxSections) return {};
  const std::size_t head = archive::kHeadSize + count * archive::kEntrySize + 8;
  if (file.size() < head) return {};
  std::vector<archive::RawSection> sections;
  std::string_view rest = file.substr(head);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = archive::kHeadSize + i * archive::kEntrySize;
    const std::string_view stored = rest.substr(0, get(file, at + 16, 8));
    rest.remove_prefix(stored.size());
    sections.push_back({static_cast<archive::SectionKind>(get(file, at, 2)),
                        raw(stored, get(file, at + 2, 2), get(file, at + 8, 8))});
  }
  return sections;
}

std::string plain_archive(const std::vector<archive::RawSection>& sections) {
  std::string file(archive::kMagic);
  put(file, archive::kVersion, 4);
  put(file, sections.size(), 4);
  for (const archive::RawSection& section : sections) {
    put(file, static_cast<std::uint64_t>(section.kind), 2);
    put(file, static_cast<std::uint64_t>(archive::Codec::kNone), 2);
    put(file, 0, 4);
    put(file, section.bytes.size(), 8);
    put(file, section.bytes.size(), 8);
    put(file, XXH3_64bits(section.bytes.data(), section.bytes.size()), 8);
  }
  put(file, XXH3_64bits(file.data(), file.size()), 8);
  for (const archive::RawSection& section : sections) file += section.bytes;
  return file;
}

} // namespace rondo::support
