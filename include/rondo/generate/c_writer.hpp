// SPDX-License-Identifier: Apache-2.0
// Writes a benchmark as C: a program, a header with its numbers, support code, a Makefile and a
// README.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <map>
#include <string>

namespace rondo::generate {

struct WriterOptions {
  std::string version; // of Rondo
  bool has_names = false; // the recorded program may be named
};

/// @return  file name -> text
std::map<std::string, std::string> write_c(const Benchmark& benchmark,
                                           const WriterOptions& options);

} // namespace rondo::generate
