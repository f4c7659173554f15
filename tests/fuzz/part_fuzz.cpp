// SPDX-License-Identifier: Apache-2.0
// Fuzz target of recordings of some ranks on their way to be merged: decode_part(). Parts are good
// only between equal versions, so that kept ones would soon test nothing but the refusal of old
// ones: an input is a list of changes (pattern and size of the part, then position and value, two
// bytes each) to parts that this version has just written.
#include "rondo/archive/part_codec.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/spmd.hpp"

#include <array>
#include <iterator>

namespace {

using rondo::support::kPatterns;

std::string written(rondo::support::Pattern pattern) {
  return rondo::archive::encode_part(rondo::support::run(pattern, 4, 5).front()->part());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto kParts = [] {
    std::array<std::string, std::size(kPatterns)> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = written(kPatterns[i]);
    return parts;
  }();
  if (size < 2) return 0;
  std::string part = kParts[bytes[0] % kParts.size()];
  if (bytes[1] > 0) part.resize(part.size() * bytes[1] / 255);
  for (std::size_t i = 2; i + 3 < size && !part.empty(); i += 4) {
    const std::size_t at = (bytes[i] | std::size_t{bytes[i + 1]} << 8) % part.size();
    part[at] = static_cast<char>(bytes[i + 2]);
    if (at + 1 < part.size() && bytes[i + 3] != 0) part[at + 1] = static_cast<char>(bytes[i + 3]);
  }
  const auto decoded = rondo::archive::decode_part(part);
  rondo::fuzz::use(decoded ? 1 : 0);
  return 0;
}
