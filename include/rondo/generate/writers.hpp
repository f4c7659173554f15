// SPDX-License-Identifier: Apache-2.0
// Benchmarks as files: each writer is one language. docs/formats/benchmark.md says what a writer
// has to know.
//
//   const auto files = write_python(benchmark, {"0.1.0"});
//   if (!files) return propagate(files);
//   for (const auto& [name, text] : *files) use(name, text);
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/generate/benchmark.hpp"

#include <map>
#include <string>

namespace rondo::generate {

struct WriterOptions {
  std::string version; // of Rondo
  bool has_names = false; // the recorded program may be named
};

/// Name -> text, all for one folder.
using BenchmarkFiles = std::map<std::string, std::string>;

/// C: a program, a header with its numbers, support code, a Makefile and a README.
/// @complexity  O(size of the benchmark)
BenchmarkFiles write_c(const Benchmark& benchmark, const WriterOptions& options);

/// Python with mpi4py 3.1: a program and a README.
/// @error       kUnsupported with the list of what mpi4py can't say
/// @complexity  O(size of the benchmark)
Result<BenchmarkFiles> write_python(const Benchmark& benchmark, const WriterOptions& options);

/// The intermediate form itself, benchmark.json, for writers that are no part of Rondo.
/// @complexity  O(size of the benchmark)
BenchmarkFiles write_json(const Benchmark& benchmark, const WriterOptions& options);

} // namespace rondo::generate
