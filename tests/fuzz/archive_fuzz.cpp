// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the archive's reader. An input is a whole file if it starts like one, else the raw
// bytes of a program section, which get a sound file around them. Files are changed inside their
// sections, with checksums that fit again: they would keep a fuzzer out.
#include "archive/image.hpp"
#include "archive/layout.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/archive_mutator.hpp"
#include "tests/support/open_archive.hpp"

#include <algorithm>

namespace {

constexpr std::uint64_t kCalls = 200; // of each rank that is looked at

// As a section of full times, and as a block in it.
void open_stamps(std::string_view input) {
  std::vector<rondo::trace::TimeStamps> all;
  rondo::archive::decode_stamps_section(input, nullptr, all);
  all.emplace_back().blocks.push_back(rondo::trace::stamp_block(std::string(input)));
  for (const rondo::trace::TimeStamps& stamps : all) {
    rondo::trace::TimeStampReader reader(stamps);
    while (reader.next()) continue;
  }
}

void run(std::string_view input) {
  const std::string_view magic = rondo::archive::kMagic;
  open_stamps(input);
  if (input.substr(0, magic.size()) == magic) {
    rondo::support::open_archive(input, kCalls);
  } else {
    rondo::support::open_sections(input, "", kCalls);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  run(rondo::fuzz::text_of(bytes, size));
  return 0;
}

#ifdef RONDO_FUZZ
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  std::mt19937_64 random(seed);
  // Now and then as any file, so that what reads the head is tried, too.
  if (random() % 16 == 0) return LLVMFuzzerMutate(bytes, size, most);
  const std::string changed =
      rondo::support::mutated_archive(rondo::fuzz::text_of(bytes, size), random);
  if (changed.empty() || changed.size() > most) return LLVMFuzzerMutate(bytes, size, most);
  std::copy(changed.begin(), changed.end(), reinterpret_cast<char*>(bytes));
  return changed.size();
}
#endif
