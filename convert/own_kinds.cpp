// SPDX-License-Identifier: Apache-2.0
// What can be said of inputs and outputs without a reader of other tools' formats.
#include "convert/own_kinds.hpp"

#include "rondo/archive/part_files.hpp"
#include "rondo/base/input.hpp"

#include <array>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace rondo::convert {
namespace internal {

Result<std::optional<InputKind>> own_kind(const std::string& path) {
  constexpr std::string_view kRondoStart = "\x93RONDO";
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return archive::is_parts_folder(path) ? std::optional(InputKind::kParts) : std::nullopt;
  // Looking at a pipe would take its beginning from the reader.
  if (std::filesystem::is_fifo(path, error)) return InputKind::kRondo;
  const auto descriptor = open_to_read(path);
  if (!descriptor) return propagate(descriptor);
  std::array<char, kRondoStart.size()> start{};
  const ssize_t n = ::read(*descriptor, start.data(), start.size());
  ::close(*descriptor);
  const bool is_rondo = n == static_cast<ssize_t>(start.size()) &&
                        std::string_view(start.data(), start.size()) == kRondoStart;
  return is_rondo ? std::optional(InputKind::kRondo) : std::nullopt;
}

InputName name_of_input(std::string_view path) {
  static constexpr InputName kNames[] = {
      {".otf2", "an OTF2 archive"},
      {".prv", "a Paraver trace"},
      {".prv.gz", "a Paraver trace"},
      {".meta", "a DUMPI trace"},
      {".goal", "a GOAL schedule"},
      {".et", "a Chakra trace"},
      {".ti", "a time-independent trace of SimGrid"},
      {".pftrace", "a timeline for Perfetto", true},
      {".perfetto", "a timeline for Perfetto", true},
      {".chrome.json", "a timeline for Chrome", true},
      {".dim", "a trace for Dimemas", true},
  };
  for (const InputName& name : kNames) {
    if (path.ends_with(name.ending)) return name;
  }
  return {};
}

} // namespace internal

std::string_view named_as(std::string_view path) { return internal::name_of_input(path).what; }

Result<OutputKind> output_kind(std::string_view path) {
  if (path.ends_with(".rondo")) return OutputKind::kRondo;
  if (path.ends_with(".chrome.json")) return OutputKind::kChrome;
  if (path.ends_with(".pftrace") || path.ends_with(".perfetto")) return OutputKind::kPerfetto;
  if (path.ends_with(".json")) return OutputKind::kJson;
  if (path.ends_with(".csv")) return OutputKind::kCsv;
  if (path.ends_with(".ti") || path.ends_with(".ti/")) return OutputKind::kSimgridTi;
  if (path.ends_with(".otf2")) return OutputKind::kOtf2;
  if (path.ends_with(".goal")) return OutputKind::kGoal;
  if (path.ends_with(".prv")) return OutputKind::kParaver;
  if (path.ends_with(".dim")) return OutputKind::kDimemas;
  return fail(ErrorCode::kUsage,
              "cannot tell the output's format from its name; end it in .rondo, .json, .csv, "
              ".ti, .otf2, .prv, .dim, .goal, .pftrace or .chrome.json, or say --to",
              {std::string(path), {}, {}, {}});
}

} // namespace rondo::convert
