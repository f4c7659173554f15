// SPDX-License-Identifier: Apache-2.0
// Archives that open, though what their sections hold was changed: `mutated_archives CORPUS OUT N`
// writes N of them into the folder OUT and prints their names. The same every time.
#include "rondo/archive/archive.hpp"
#include "rondo/base/files.hpp"
#include "tests/support/archive_mutator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace {

std::vector<std::string> archives_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".rondo") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> archives;
  for (const std::string& path : paths) archives.push_back(rondo::read_file(path).value_or(""));
  return archives;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::vector<std::string> archives = archives_in(argv[1]);
  std::mt19937_64 random(18);
  const int wanted = std::atoi(argv[3]);
  int made = 0;
  for (int attempt = 0; made < wanted && attempt < 100'000 && !archives.empty(); ++attempt) {
    const std::string& archive = archives[static_cast<std::size_t>(attempt) % archives.size()];
    const std::string bytes = rondo::support::mutated_archive(archive, random);
    if (!rondo::archive::decode(bytes)) continue;
    const std::string name = "mutated" + std::to_string(made++) + ".rondo";
    const std::string path = std::string(argv[2]) + "/" + name;
    if (!rondo::write_file(path, bytes, rondo::Overwrite::kReplace)) return 2;
    std::puts(name.c_str());
  }
  return made == wanted ? 0 : 2;
}
