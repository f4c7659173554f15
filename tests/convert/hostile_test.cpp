// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are, reading gives a trace or an error: texts and tars with a few bytes
// changed, cut or doubled.
#include "tests/convert/ti_folder.hpp"

#include <random>

namespace rondo::convert {
namespace {

const char* const kText =
    "0 init\n0 compute 5.5e3\n0 irecv 0 7 5 0\n0 isend 0 7 5 43\n0 wait 0 0 7\n0 waitall 1\n"
    "0 bcast 3 0 1\n0 alltoallv 1 1 1 1 0 0\n0 gatherv 1 1 0 0 0\n0 location a.c 3\n0 finalize\n";

std::string spoilt(std::string bytes, std::mt19937& random) {
  const auto any = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (std::size_t changes = 1 + any(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = any(bytes.size());
    switch (any(5)) {
    case 0:
      bytes[at] = static_cast<char>(any(256));
      break;
    case 1:
      bytes.erase(at, 1 + any(8));
      break;
    case 2:
      bytes.insert(at, bytes.substr(any(bytes.size()), 1 + any(16)));
      break;
    case 3:
      bytes[at] = "0123456789-e. \n"[any(15)];
      break;
    default:
      bytes.resize(at + 1);
      break;
    }
  }
  return bytes;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TiHostile, SpoiltTextsAreTracesOrErrors) {
  std::mt19937 random(1);
  const TiFolder folder;
  int errors = 0;
  for (int i = 0; i < 1000; ++i) {
    folder.write("0.txt", spoilt(kText, random));
    const auto imported = folder.read();
    if (imported) {
      lines_of(imported->trace, 0);
    } else {
      ++errors;
      EXPECT_FALSE(imported.error().message.empty());
    }
  }
  EXPECT_GT(errors, 300);
}

TEST(TiHostile, SpoiltTarsAreTracesOrErrors) {
  std::mt19937 random(2);
  const TiFolder folder;
  folder.write("run/0.txt", kText);
  const std::string pack =
      "cd " + folder.path() + " && tar -cf run.tar run && zstd -q run.tar -o run.tar.zst";
  ASSERT_EQ(std::system(pack.c_str()), 0);
  for (const std::string name : {"run.tar", "run.tar.zst"}) {
    const std::string whole = contents(folder.path(name));
    for (int i = 0; i < 300; ++i) {
      folder.write("spoilt", spoilt(whole.substr(0, 4096), random) +
                                 whole.substr(std::min<std::size_t>(whole.size(), 4096)));
      const auto imported = read_simgrid_ti(folder.path("spoilt"), {});
      if (!imported) {
        EXPECT_FALSE(imported.error().message.empty());
      }
    }
  }
}

} // namespace
} // namespace rondo::convert
