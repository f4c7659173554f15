// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/program_size.hpp"
#include "archive/sections.hpp"
#include "rondo/archive/archive.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <algorithm>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

namespace rondo::archive {
namespace {

// Levels of zstd, by size (bench/runs/2026-11-26-compression): the strongest for what is small; 17
// takes 0.6 of its time for more than that, at 0.5 % more bytes of programs, and less of what
// thousands of threads leave. A low one is at times better than both, and takes next to nothing.
// Large sections are worth less waiting, unless they shrink so much that the levels are quick.
constexpr std::size_t kMiddling = std::size_t{32} << 10;
constexpr std::size_t kLarge = std::size_t{8} << 20;
constexpr std::size_t kMuch = 64; // times smaller
constexpr std::size_t kOfABlock = 16; // bytes at most for its head and what a flush leaves

using Borders = std::vector<std::size_t>; // ascending

// One frame. A block ends at each border, as zstd has one table of how often each byte comes for a
// block; columns of numbers have little in common in that.
std::string packed_at(int level, std::string_view raw, const Borders& borders) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  if (context == nullptr) return std::string(raw);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), raw.size());
  std::string packed(ZSTD_compressBound(raw.size()) + kOfABlock * borders.size(), '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_inBuffer in{raw.data(), 0, 0};
  const auto is_added = [&](std::size_t end, ZSTD_EndDirective how) {
    in.size = end;
    return ZSTD_compressStream2(context.get(), &out, &in, how) == 0; // there is room for all
  };
  bool is_whole = true;
  for (const std::size_t border : borders) is_whole = is_whole && is_added(border, ZSTD_e_flush);
  is_whole = is_whole && is_added(raw.size(), ZSTD_e_end);
  if (!is_whole) return std::string(raw);
  packed.resize(out.pos);
  return packed;
}

std::string packed(std::string_view raw, const Borders& borders) {
  if (raw.size() <= kMiddling) return packed_at(19, raw, borders);
  std::string quickly = packed_at(raw.size() > kLarge ? 5 : 9, raw, borders);
  if (raw.size() > kLarge && quickly.size() > raw.size() / kMuch) return quickly;
  std::string well = packed_at(17, raw, borders);
  return well.size() < quickly.size() ? well : quickly;
}

// Heads of blocks are worth their bytes where the columns are long.
std::string packed(SectionKind kind, std::string_view raw) {
  if (kind != SectionKind::kTimes) return packed(raw, {});
  std::string cut = packed(raw, borders_in_times(raw));
  if (raw.size() > kMiddling) return cut;
  std::string whole = packed(raw, {});
  return cut.size() < whole.size() ? cut : whole;
}

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

struct Section {
  SectionKind kind;
  std::uint64_t raw_size;
  Codec codec;
  std::string stored;
};

Section make_section(SectionKind kind, std::string&& raw) {
  const std::size_t raw_size = raw.size();
  std::string stored = packed(kind, raw);
  if (stored.size() >= raw_size) return {kind, raw_size, Codec::kNone, std::move(raw)};
  return {kind, raw_size, Codec::kZstd, std::move(stored)};
}

using Pieces = std::vector<std::string_view>;

// Adds up what a section's pieces, or all of the file so far, consist of.
class Checksum {
public:
  Checksum() { XXH3_64bits_reset(&state_); }
  void add(std::string_view bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  std::uint64_t size() const { return size_; }
  std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

private:
  XXH3_state_t state_;
  std::uint64_t size_ = 0;
};

// A file in the making: the head, sections of our own, and large ones that stay where they are.
class File {
public:
  void add(SectionKind kind, std::string&& raw) {
    if (kind == SectionKind::kProgram) version_ = std::max(version_, version_of_programs(raw));
    if (kind == SectionKind::kTimes) version_ = std::max(version_, version_of_times(raw));
    const Section& section = sections_.emplace_back(make_section(kind, std::move(raw)));
    add_entry(kind, section.codec, section.raw_size, {section.stored});
  }
  void add_as_it_is(SectionKind kind, const Pieces& pieces) {
    add_entry(kind, Codec::kNone, std::nullopt, pieces);
  }

  /// Valid as long as the file and what was added as it is.
  Pieces pieces() {
    head_ = std::string(kMagic);
    put_little_endian(head_, version_, 4);
    put_little_endian(head_, count_, 4);
    head_ += entries_;
    put_little_endian(head_, XXH3_64bits(head_.data(), head_.size()), 8);
    Pieces all = {head_};
    all.insert(all.end(), pieces_.begin(), pieces_.end());
    return all;
  }

private:
  void add_entry(SectionKind kind, Codec codec, std::optional<std::uint64_t> raw_size,
                 const Pieces& pieces) {
    Checksum sum;
    for (const std::string_view piece : pieces) sum.add(piece);
    put_little_endian(entries_, static_cast<std::uint64_t>(kind), 2);
    put_little_endian(entries_, static_cast<std::uint64_t>(codec), 2);
    put_little_endian(entries_, 0, 4);
    put_little_endian(entries_, raw_size.value_or(sum.size()), 8);
    put_little_endian(entries_, sum.size(), 8);
    put_little_endian(entries_, sum.value(), 8);
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
    ++count_;
  }

  std::deque<Section> sections_; // which do not move
  std::string entries_;
  std::uint64_t count_ = 0;
  std::uint32_t version_ = kVersionOfFewThreads;
  std::string head_;
  Pieces pieces_;
};

std::string joined(const Pieces& pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  std::string bytes;
  bytes.reserve(size);
  for (const std::string_view piece : pieces) bytes += piece;
  return bytes;
}

// Calls use(pieces of the file).
template <class Use> auto with_pieces(const trace::Trace& trace, Use use) {
  Image image;
  image.trace = trace;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i)
    image.rank_ids.push_back(static_cast<std::int64_t>(i));
  const bool has_times =
      std::any_of(trace.classes.begin(), trace.classes.end(),
                  [](const trace::RankClass& c) { return !c.program->times.empty(); });
  File file;
  file.add(SectionKind::kProgram, encode_program_section(image));
  if (has_times) file.add(SectionKind::kTimes, encode_short_times_section(trace.classes));
  if (!trace.names.empty()) file.add(SectionKind::kNames, encode_names_section(trace.names));
  const StampsSection stamps(trace.stamps);
  if (!trace.stamps.empty()) file.add_as_it_is(SectionKind::kStamps, stamps.pieces());
  return use(file.pieces());
}

} // namespace

std::uint64_t stored_size(std::string raw) {
  return make_section(SectionKind::kProgram, std::move(raw)).stored.size();
}

std::string join_sections(std::vector<RawSection> raw) {
  File file;
  for (RawSection& section : raw) {
    if (section.kind == SectionKind::kStamps) {
      file.add_as_it_is(section.kind, {section.bytes});
    } else {
      file.add(section.kind, std::move(section.bytes));
    }
  }
  return joined(file.pieces());
}

std::string encode(const trace::Trace& trace) { return with_pieces(trace, joined); }

std::string free_name(const std::string& path) {
  const std::size_t dot = path.rfind(".rondo");
  const std::string stem = dot == std::string::npos ? path : path.substr(0, dot);
  std::string name = path;
  for (int i = 1; ::access(name.c_str(), F_OK) == 0; ++i)
    name = stem + "." + std::to_string(i) + ".rondo";
  return name;
}

Status write(const trace::Trace& trace, const std::string& path, Overwrite overwrite) {
  if (auto ready = check_output(path, overwrite); !ready) return ready;
  if (auto fit = check_programs_fit(trace); !fit) {
    fit.error().place.file = path;
    return fit;
  }
  return with_pieces(trace,
                     [&](const Pieces& pieces) { return write_file(path, pieces, overwrite); });
}

} // namespace rondo::archive
