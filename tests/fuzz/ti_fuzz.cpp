// SPDX-License-Identifier: Apache-2.0
// Fuzz target of SimGrid's time-independent traces: read_simgrid_ti() of a file that holds the
// lines of all ranks.
#include "rondo/convert/simgrid_ti.hpp"
#include "tests/fuzz/target.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

// A folder of this process, gone at its end.
class Folder {
public:
  Folder() : path_(std::filesystem::temp_directory_path() / "rondo-ti-fuzz-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Folder kFolder;
  std::ofstream(kFolder.path() + "/rank-0.txt", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  const auto imported = rondo::convert::read_simgrid_ti(kFolder.path(), {});
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
