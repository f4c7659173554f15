// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/layout.hpp"
#include "archive/program_codec.hpp"
#include "rondo/archive/archive.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace rondo::archive {
namespace {

struct Entry {
  std::uint16_t kind = 0;
  std::uint16_t codec = 0;
  std::uint64_t raw_size = 0;
  std::uint64_t stored_size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t offset = 0;
};

std::uint64_t get_little_endian(std::string_view bytes, std::size_t offset, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[offset + static_cast<std::size_t>(i)])} << (8 * i);
  }
  return value;
}

// Nothing real is larger; a damaged size must not ask for all memory.
constexpr std::uint64_t kMaxRawSize = std::uint64_t{1} << 36;

class HeadReader {
public:
  HeadReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Result<std::vector<Entry>> entries() const {
    if (bytes_.substr(0, kMagic.size()) != kMagic) {
      const bool is_cut = bytes_.size() < kMagic.size() && kMagic.substr(0, bytes_.size()) == bytes_;
      return is_cut ? cut(bytes_.size())
                    : fail(ErrorCode::kFormat, "is no .rondo archive; record one with 'rondo record' or make one "
                                               "with 'rondo convert'", {file_, {}, {}, {}});
    }
    if (bytes_.size() < kHeadSize) return cut(bytes_.size());
    const auto version = static_cast<std::uint32_t>(get_little_endian(bytes_, 8, 4));
    if (version > kVersion) {
      return fail(ErrorCode::kNewerVersion, "has format version " + std::to_string(version) +
                                                ", this Rondo reads up to " + std::to_string(kVersion) +
                                                "; read it with a newer Rondo", {file_, {}, {}, {}});
    }
    const std::uint64_t count = get_little_endian(bytes_, 12, 4);
    const std::uint64_t head = kHeadSize + count * kEntrySize;
    if (count > kMaxSections) return damaged("the number of sections is impossible", 12);
    if (bytes_.size() < head + 8) return cut(bytes_.size());
    if (XXH3_64bits(bytes_.data(), head) != get_little_endian(bytes_, head, 8)) {
      return damaged("the head does not agree with its checksum", head);
    }
    return read_entries(count, head + 8);
  }

  tl::unexpected<Error> damaged(const std::string& what, std::uint64_t offset) const {
    return fail(ErrorCode::kDamaged, "is damaged: " + what + "; get the file again from where it was written",
                {file_, {}, offset, {}});
  }

private:
  Result<std::vector<Entry>> read_entries(std::uint64_t count, std::uint64_t offset) const {
    std::vector<Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = kHeadSize + i * kEntrySize;
      entries[i] = {static_cast<std::uint16_t>(get_little_endian(bytes_, at, 2)),
                    static_cast<std::uint16_t>(get_little_endian(bytes_, at + 2, 2)),
                    get_little_endian(bytes_, at + 8, 8), get_little_endian(bytes_, at + 16, 8),
                    get_little_endian(bytes_, at + 24, 8), offset};
      if (entries[i].stored_size > bytes_.size() - offset) return cut(bytes_.size());
      offset += entries[i].stored_size;
    }
    if (offset != bytes_.size()) return damaged("bytes follow the last section", offset);
    return entries;
  }

  tl::unexpected<Error> cut(std::uint64_t offset) const {
    return fail(ErrorCode::kDamaged, "is cut short; copy the file again or record the run again",
                {file_, {}, offset, {}});
  }

  std::string_view bytes_;
  std::string file_;
};

Result<std::string> raw_bytes(const HeadReader& head, std::string_view bytes, const Entry& entry) {
  const std::string_view stored = bytes.substr(entry.offset, entry.stored_size);
  if (XXH3_64bits(stored.data(), stored.size()) != entry.checksum) {
    return head.damaged("a section does not agree with its checksum", entry.offset);
  }
  if (entry.codec == static_cast<std::uint16_t>(Codec::kNone)) return std::string(stored);
  const bool known = entry.codec == static_cast<std::uint16_t>(Codec::kZstd) && entry.raw_size <= kMaxRawSize;
  std::string raw(known ? entry.raw_size : 0, '\0');
  if (!known || ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size()) != raw.size()) {
    return head.damaged("a section cannot be decompressed", entry.offset);
  }
  return raw;
}

Status check(const HeadReader& head, const Image& image, std::uint64_t offset) {
  const auto ranks = static_cast<std::uint64_t>(image.trace.run.ranks);
  if (image.trace.ranks.size() != ranks) return head.damaged("ranks are missing", offset);
  for (const trace::RankClass& c : image.trace.classes) {
    for (const trace::RankRange& range : c.ranks.ranges()) {
      const std::int64_t last = range.start + (range.count - 1) * range.stride;
      if (range.start < 0 || last < range.start || last >= image.trace.run.ranks) {
        return head.damaged("a class of ranks is impossible", offset);
      }
    }
    if (!is_consistent(*c.program, image.trace.sites.size())) {
      return head.damaged("a program contradicts itself", offset);
    }
  }
  return {};
}

} // namespace

Result<std::vector<SectionSize>> section_sizes(std::string_view bytes, const std::string& file) {
  const auto entries = HeadReader(bytes, file).entries();
  if (!entries) return propagate(entries);
  std::vector<SectionSize> sizes;
  for (const Entry& entry : *entries) {
    const bool times = entry.kind == static_cast<std::uint16_t>(SectionKind::kTimes);
    sizes.push_back({times ? "times" : "program", entry.stored_size, entry.raw_size});
  }
  return sizes;
}

Result<trace::Trace> decode(std::string_view bytes, const std::string& file) {
  const HeadReader head(bytes, file);
  const auto entries = head.entries();
  if (!entries) return propagate(entries);
  Image image;
  bool has_program = false;
  for (const Entry& entry : *entries) {
    const bool is_program = entry.kind == static_cast<std::uint16_t>(SectionKind::kProgram);
    const bool is_times = entry.kind == static_cast<std::uint16_t>(SectionKind::kTimes);
    if (!is_program && !is_times) continue; // of a later version, and it said that it may be skipped
    const auto raw = raw_bytes(head, bytes, entry);
    if (!raw) return propagate(raw);
    if (is_program) {
      auto read = decode_program_section(*raw);
      if (!read) return head.damaged("the program section is not well-formed", entry.offset);
      image = std::move(*read);
      has_program = true;
    } else if (!has_program || !decode_times_section(*raw, image.trace)) {
      return head.damaged("the times section is not well-formed", entry.offset);
    }
  }
  if (!has_program) return head.damaged("there is no program section", 0);
  if (auto sound = check(head, image, entries->front().offset); !sound) return propagate(sound);
  return std::move(image.trace);
}

Result<trace::Trace> read(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return propagate(bytes);
  return decode(*bytes, path);
}

} // namespace rondo::archive
