// SPDX-License-Identifier: Apache-2.0
// The seeds that the archive's fuzz target starts from, and what the mutator makes of them.
#include "rondo/archive/archive.hpp"
#include "rondo/base/files.hpp"
#include "tests/support/archive_mutator.hpp"
#include "tests/support/archive_sections.hpp"
#include "tests/support/open_archive.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

namespace rondo::archive {
namespace {

using Files = std::map<std::string, std::string>; // bytes by name

Files seeds(const std::string& extension) {
  const char* source = std::getenv("RONDO_SOURCE_DIR");
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::string(source == nullptr ? "." : source) + "/tests/data/fuzz/archive")) {
    if (entry.path().extension() == extension)
      files[entry.path().filename()] = read_file(entry.path()).value_or("");
  }
  return files;
}

// A seed that does not open shows a fuzzer nothing but the way out.
TEST(Corpus, SeedsOpen) {
  const Files files = seeds(".rondo");
  EXPECT_GE(files.size(), 3u);
  for (const auto& [name, bytes] : files) {
    const auto trace = decode(bytes, name);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  }
  const Files sections = seeds(".section");
  EXPECT_GE(sections.size(), 3u);
  for (const auto& [name, bytes] : sections)
    EXPECT_TRUE(decode(support::plain_archive({{SectionKind::kProgram, bytes}}), name)) << name;
}

TEST(Corpus, SeedsHaveEveryKindOfSection) {
  std::map<SectionKind, int> kinds;
  for (const auto& [name, bytes] : seeds(".rondo")) {
    for (const RawSection& section : support::sections_of(bytes))
      if (!section.bytes.empty()) ++kinds[section.kind];
  }
  for (const auto kind :
       {SectionKind::kProgram, SectionKind::kTimes, SectionKind::kStamps, SectionKind::kNames})
    EXPECT_GE(kinds[kind], 1);
}

TEST(Corpus, SectionsMakeTheSameArchiveAgain) {
  for (const auto& [name, bytes] : seeds(".rondo")) {
    const auto before = decode(bytes);
    const auto after = decode(support::plain_archive(support::sections_of(bytes)));
    ASSERT_TRUE(before && after) << name;
    EXPECT_EQ(encode(*before), encode(*after)) << name;
  }
}

// No mutant stops at a checksum, and many get through to the end.
TEST(Corpus, MutantsReachTheReaders) {
  constexpr int kMutants = 400;
  int opened = 0;
  int all = 0;
  for (const auto& [name, bytes] : seeds(".rondo")) {
    std::mt19937_64 random(7);
    for (int i = 0; i < kMutants; ++i, ++all) {
      const std::string mutant = support::mutated_archive(bytes, random);
      EXPECT_NE(mutant, bytes);
      const auto trace = decode(mutant, name);
      const std::string refusal = trace ? "" : trace.error().text();
      EXPECT_EQ(refusal.find("checksum"), std::string::npos) << refusal;
      opened += support::open_archive(mutant, 50) ? 1 : 0;
    }
  }
  EXPECT_GT(opened, all / 20);
  EXPECT_LT(opened, all);
}

} // namespace
} // namespace rondo::archive
