// SPDX-License-Identifier: Apache-2.0
// Fuzz target of OTF2 archives: read_otf2(). The input is an archive's files one after another,
// each behind its length (two bytes, the lower first): the anchor, the definitions, and of each
// location its definitions and its events. libotf2 opens them by their names, so they are written
// to a folder.
#include "rondo/convert/otf2.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace {

using rondo::fuzz::InputFolder;

constexpr std::size_t kMostFiles = 20;

std::string name_of(std::size_t file) {
  if (file < 2) return file == 0 ? "run.otf2" : "run.def";
  return "run/" + std::to_string((file - 2) / 2) + (file % 2 == 0 ? ".def" : ".evt");
}

// Files of the input before are gone.
void write_archive(const InputFolder& folder, const std::uint8_t* bytes, std::size_t size) {
  std::filesystem::remove_all(folder.path() + "/run");
  std::filesystem::create_directory(folder.path() + "/run");
  std::size_t at = 0;
  for (std::size_t file = 0; file < kMostFiles; ++file) {
    std::size_t length = 0;
    if (at + 2 <= size) length = static_cast<std::size_t>(bytes[at] | bytes[at + 1] << 8);
    at = std::min(at + 2, size);
    length = std::min(length, size - at);
    if (file < 2 || length > 0) folder.write(name_of(file), bytes + at, length);
    at += length;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const InputFolder kFolder;
  write_archive(kFolder, bytes, size);
  rondo::convert::ImportOptions options;
  options.all_times = true;
  const auto imported = rondo::convert::read_otf2(kFolder.path() + "/run.otf2", options);
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
