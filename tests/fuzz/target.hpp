// SPDX-License-Identifier: Apache-2.0
// What every fuzz target defines, for libFuzzer and for replay_main.cpp alike: it reads the input
// as files of one format are read, uses what came out, and must neither crash, hang nor take memory
// out of proportion. Whether the input was refused does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rondo::fuzz {

/// Keeps a result from being optimised away.
inline void use(std::size_t value) { [[maybe_unused]] volatile std::size_t sink = value; }

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Without a fuzzer all are in one program (CMakeLists.txt).
struct Target {
  std::string_view name;
  int (*read)(const std::uint8_t* bytes, std::size_t size);
};
extern const std::vector<Target> kTargets;

} // namespace rondo::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
