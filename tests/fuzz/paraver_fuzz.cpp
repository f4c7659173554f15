// SPDX-License-Identifier: Apache-2.0
// Fuzz target of Paraver traces: read_paraver() of a .prv with the names that Extrae gives.
#include "rondo/convert/paraver.hpp"
#include "tests/fuzz/target.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

// A folder of this process, gone at its end.
class PrvFolder {
public:
  PrvFolder() : path_(std::filesystem::temp_directory_path() / "rondo-prv-fuzz-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~PrvFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const PrvFolder kFolder;
  const std::string file = kFolder.path() + "/run.prv";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  rondo::convert::ImportOptions options;
  options.all_times = true;
  const auto imported = rondo::convert::read_paraver(file, options);
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
