// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the archive's reader. An input is a whole file if it starts like one, else the raw
// bytes of a program section, which get a sound file around them: checksums would keep a fuzzer
// out.
//
//   archive_fuzz FILES        runs the target on saved inputs (built with g++, as in CTest)
//   clang++ -fsanitize=fuzzer -DRONDO_LIBFUZZER ...      looks for new ones
#include "archive/image.hpp"
#include "archive/layout.hpp"
#include "rondo/base/files.hpp"
#include "tests/support/open_archive.hpp"

#include <cstdio>

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}

#ifndef RONDO_LIBFUZZER
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto bytes = rondo::read_file(argv[i]);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().text().c_str());
      return 2;
    }
    run(*bytes);
    // Cut and changed inputs cost nothing to try besides.
    for (std::size_t cut = 0; cut < bytes->size(); cut += 1 + bytes->size() / 64)
      run(bytes->substr(0, cut));
    for (std::size_t at = 0; at < bytes->size(); ++at) {
      std::string changed = *bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      run(changed);
    }
  }
  return 0;
}
#endif
