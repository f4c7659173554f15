// SPDX-License-Identifier: Apache-2.0
// What a program reads from files and writes to them through MPI: bytes by file, rank and kind of
// access.
//
//   for (const FileUse& file : file_traffic_of(trace).files)
//     for (const FileAccess& access : file.accesses) use(file.name, access.rank, access.bytes);
//
// Bytes are those that calls ask for, count times the size of the datatype, as far as a file goes
// or not. A split collective counts at its begin, a non-blocking call when it is called.
#pragma once

#include "rondo/trace/trace.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::matrix {

enum class AccessKind : std::uint8_t { kIndependent, kCollective, kNonblocking, kSplit };
std::string_view name_of(AccessKind kind);

/// One rank's calls of one kind to one file.
struct FileAccess {
  std::int64_t rank = 0;
  bool is_write = false;
  AccessKind kind = AccessKind::kIndependent;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const FileAccess&, const FileAccess&) = default;
};

struct FileUse {
  std::string name; // as MPI_File_open got it; empty: opened where it was not recorded
  std::uint64_t opens = 0; // of all ranks
  std::vector<FileAccess> accesses; // by direction, kind and rank
  std::uint64_t bytes() const;
};

struct FileTraffic {
  std::vector<FileUse> files; // most bytes first, then by name
  std::uint64_t unknown_sizes = 0; // calls with a datatype without definition: counted with 0 bytes
  std::uint64_t bytes() const;
};

/// Calls that failed are left out.
/// @complexity  O(terms) for each rank, times the iterations of loops in which files are opened or
///              sizes vary; loops without files are passed over
FileTraffic file_traffic_of(const trace::Trace& trace);

} // namespace rondo::matrix
