// SPDX-License-Identifier: Apache-2.0
// Archives that open, though some bytes of their programs were changed: `mutated_archives CORPUS
// OUT N` writes N of them into the folder OUT and prints their names. The same every time.
#include "archive/sections.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace {

using rondo::archive::RawSection;
using rondo::archive::SectionKind;

std::string changed(std::string bytes, std::mt19937& random) {
  const auto any = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (std::size_t changes = 1 + any(6); changes > 0; --changes) {
    char& byte = bytes[any(bytes.size())];
    byte = any(2) == 0 ? static_cast<char>(any(256)) : static_cast<char>(byte ^ (1 << any(8)));
  }
  return bytes;
}

std::vector<std::string> sections_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".section") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> sections;
  for (const std::string& path : paths) sections.push_back(rondo::read_file(path).value_or(""));
  return sections;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::vector<std::string> sections = sections_in(argv[1]);
  std::mt19937 random(18);
  const int wanted = std::atoi(argv[3]);
  int made = 0;
  for (int attempt = 0; made < wanted && attempt < 100'000 && !sections.empty(); ++attempt) {
    const std::string& section = sections[static_cast<std::size_t>(attempt) % sections.size()];
    if (section.empty()) continue;
    const std::string bytes =
        rondo::archive::join_sections({{SectionKind::kProgram, changed(section, random)}});
    if (!rondo::archive::decode(bytes)) continue;
    const std::string name = "mutated" + std::to_string(made++) + ".rondo";
    const std::string path = std::string(argv[2]) + "/" + name;
    if (!rondo::write_file(path, bytes, rondo::Overwrite::kReplace)) return 2;
    std::puts(name.c_str());
  }
  return made == wanted ? 0 : 2;
}
