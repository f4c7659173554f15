// SPDX-License-Identifier: Apache-2.0
// What an ELF file says of how it will be loaded, read from the file itself: neither ldd nor the
// program is run.
#pragma once

#include "rondo/base/result.hpp"

#include <string>
#include <vector>

namespace rondo::cli {

struct ElfFacts {
  bool is_elf = false; // all else is of 64-bit files of this machine only
  bool is_readable = false; // 64 bits, this architecture, and whole
  bool has_interpreter = false; // a dynamic linker, which is what preloads
  std::vector<std::string> needed; // libraries, as the file names them
  std::string rpath; // folders to look for them in, as the file has them
  std::string runpath;
  std::vector<std::string> mpi_functions; // defined in it: MPI_Init, not PMPI_Init
  /// PMPI_Init is defined in it: it has an MPI library inside.
  bool has_pmpi = false;
};

/// @error  kNotFound, kIo as read_file(); a file that is no ELF is none
/// @complexity  O(symbols)
Result<ElfFacts> elf_facts(const std::string& path);

} // namespace rondo::cli
