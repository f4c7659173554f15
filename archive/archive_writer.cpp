// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/sections.hpp"
#include "rondo/archive/archive.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

namespace rondo::archive {
namespace {

// The level beyond which zstd gains little on programs; large sections are worth less waiting.
constexpr int kLevel = 19;
constexpr int kLevelOfLarge = 5;
constexpr std::size_t kLarge = std::size_t{8} << 20;

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

struct Section {
  SectionKind kind;
  std::uint64_t raw_size;
  Codec codec;
  std::string stored;
};

Section make_section(SectionKind kind, const std::string& raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  const int level = raw.size() > kLarge ? kLevelOfLarge : kLevel;
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), level);
  if (ZSTD_isError(size) != 0 || size >= raw.size()) return {kind, raw.size(), Codec::kNone, raw};
  packed.resize(size);
  return {kind, raw.size(), Codec::kZstd, std::move(packed)};
}

} // namespace

std::string join_sections(const std::vector<RawSection>& raw) {
  std::vector<Section> sections;
  for (const RawSection& section : raw)
    sections.push_back(make_section(section.kind, section.bytes));
  std::string bytes(kMagic);
  put_little_endian(bytes, kVersion, 4);
  put_little_endian(bytes, sections.size(), 4);
  for (const Section& section : sections) {
    put_little_endian(bytes, static_cast<std::uint64_t>(section.kind), 2);
    put_little_endian(bytes, static_cast<std::uint64_t>(section.codec), 2);
    put_little_endian(bytes, 0, 4);
    put_little_endian(bytes, section.raw_size, 8);
    put_little_endian(bytes, section.stored.size(), 8);
    put_little_endian(bytes, XXH3_64bits(section.stored.data(), section.stored.size()), 8);
  }
  put_little_endian(bytes, XXH3_64bits(bytes.data(), bytes.size()), 8);
  for (const Section& section : sections) bytes += section.stored;
  return bytes;
}

std::string encode(const trace::Trace& trace) {
  Image image;
  image.trace = trace;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i)
    image.rank_ids.push_back(static_cast<std::int64_t>(i));
  TimesOfClasses times;
  for (const trace::RankClass& c : trace.classes) times.push_back(c.program->times);
  std::vector<RawSection> sections{{SectionKind::kProgram, encode_program_section(image)}};
  const bool has_times =
      std::any_of(times.begin(), times.end(), [](const auto& places) { return !places.empty(); });
  if (has_times) sections.push_back({SectionKind::kTimes, encode_times_section(times)});
  return join_sections(sections);
}

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
  return write_file(path, encode(trace), overwrite);
}

} // namespace rondo::archive
