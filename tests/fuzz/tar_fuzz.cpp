// SPDX-License-Identifier: Apache-2.0
// Fuzz target of packed folders: TarReader.
#include "convert/simgrid_ti/tar_reader.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <array>

namespace {

class Memory : public rondo::convert::internal::ByteSource {
public:
  explicit Memory(std::string_view bytes) : left_(bytes) {}
  rondo::Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t some = std::min(size, left_.size());
    std::copy_n(left_.begin(), some, to);
    left_.remove_prefix(some);
    return some;
  }

private:
  std::string_view left_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Memory memory(rondo::fuzz::text_of(bytes, size));
  rondo::convert::internal::TarReader tar(memory, "input");
  std::array<char, 4096> buffer{};
  while (true) {
    const auto member = tar.next();
    if (!member || member->name.empty()) return 0;
    while (true) {
      const auto some = tar.read(buffer.data(), buffer.size());
      if (!some || *some == 0) break;
      rondo::fuzz::use(*some);
    }
  }
}
