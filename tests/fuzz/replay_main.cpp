// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on saved inputs, without a fuzzer: each file, and each cut at some places and
// with some of its bits turned over, the same ones every time.
//   fuzz_corpora NAME FILE|FOLDER ...
#include "rondo/base/files.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kVariants = 512; // of each kind, of each file

void run_variants(const rondo::fuzz::Target& target, const std::string& bytes) {
  const auto run = [&](const std::string& input) {
    target.read(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  };
  run(bytes);
  const std::size_t step = 1 + bytes.size() / kVariants;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    run(bytes.substr(0, at));
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    run(changed);
    run(bytes.substr(0, at) + bytes.substr(at / 2)); // a stretch comes twice
  }
}

std::vector<std::string> files_in(const std::string& path) {
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(path)) return {path};
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

int main(int argc, char** argv) {
  const auto& targets = rondo::fuzz::kTargets;
  const auto target = std::find_if(targets.begin(), targets.end(), [&](const auto& each) {
    return argc > 1 && each.name == argv[1];
  });
  if (target == targets.end()) {
    std::fprintf(stderr, "usage: fuzz_corpora NAME FILE|FOLDER ...\n");
    return 2;
  }
  std::size_t inputs = 0;
  for (int i = 2; i < argc; ++i) {
    for (const std::string& file : files_in(argv[i])) {
      const auto bytes = rondo::read_file(file);
      if (!bytes) {
        std::fprintf(stderr, "%s\n", bytes.error().text().c_str());
        return 2;
      }
      run_variants(*target, *bytes);
      ++inputs;
    }
  }
  std::printf("%zu inputs and their variants\n", inputs);
  return inputs == 0 ? 2 : 0; // a corpus that is not there must not pass
}
