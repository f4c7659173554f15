// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/patterns_picture.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "present/patterns/pattern_picture.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || std::filesystem::is_directory(path, ignored);
}

int draw(const patterns::CommunicationPatterns& found, std::size_t index, const std::string& path,
         const PatternPictures& pictures) {
  const patterns::CommunicationPattern& pattern = found.patterns[index];
  const patterns::Documentation known = patterns::documented(found, pattern);
  const auto messages = patterns::messages_of(found, pattern, known.in_turns);
  present::PatternPictureOptions picture;
  for (const patterns::NamedPhase& phase : known.phases)
    picture.title +=
        fmt::format("{}{}", picture.title.empty() ? "" : ", then ", patterns::to_text(phase.name));
  if (picture.title.empty()) picture.title = "communication pattern";
  picture.subtitle = fmt::format(
      "number {}, {}, {} in {}", index + 1, count_of(pattern.executions, "execution"),
      human_bytes(static_cast<double>(pattern.bytes)), count_of(pattern.messages, "message"));
  picture.about = pictures.about;
  const auto format =
      path.ends_with(".png") ? present::PictureFormat::kPng : present::PictureFormat::kSvg;
  const auto drawn = present::draw_pattern(messages, format, picture);
  return drawn ? put(*drawn, path, pictures.force) : complain(drawn.error());
}

int draw_all(const patterns::CommunicationPatterns& found, const std::vector<std::size_t>& drawable,
             const PatternPictures& pictures) {
  std::error_code failed;
  std::filesystem::create_directories(pictures.path, failed);
  if (failed) return complain(pictures.path + ": " + failed.message());
  const std::filesystem::path folder(pictures.path);
  for (const std::size_t index : drawable) {
    const auto path = folder / fmt::format("pattern-{}.svg", index + 1);
    if (const int status = draw(found, index, path.string(), pictures); status != kDone)
      return status;
  }
  return kDone;
}

} // namespace

bool is_picture_path(const std::string& path) {
  return path.ends_with(".png") || path.ends_with(".svg") || is_folder(path);
}

int draw_patterns(const patterns::CommunicationPatterns& found,
                  const std::vector<std::size_t>& chosen, const PatternPictures& pictures) {
  std::vector<std::size_t> drawable;
  for (const std::size_t index : chosen) {
    if (!patterns::messages_of(found, found.patterns[index]).empty()) drawable.push_back(index);
  }
  if (pictures.number) {
    const std::size_t index = *pictures.number - 1;
    if (std::find(chosen.begin(), chosen.end(), index) == chosen.end())
      return complain(
          fmt::format("--pattern {}: no such pattern is in the list", *pictures.number));
    drawable = {index};
  }
  if (drawable.empty())
    return complain("no communication pattern has messages, so there is nothing to draw");
  if (is_folder(pictures.path)) return draw_all(found, drawable, pictures);
  return draw(found, drawable.front(), pictures.path, pictures);
}

} // namespace rondo::cli
