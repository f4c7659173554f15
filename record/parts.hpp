// SPDX-License-Identifier: Apache-2.0
// Where a rank writes what must not be lost while the program runs: RONDO_OUTPUT.parts, see
// rondo/archive/part_files.hpp.
#pragma once

#include "rondo/archive/part_files.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::record {

class Parts {
public:
  Parts(const std::string& output, std::int64_t rank);

  /// Replaces what the open chunk says. False if it cannot be written: what it said before stays.
  /// @param calls   of this rank that are on disk then, in all chunks
  bool write(std::string_view encoded, std::uint64_t calls);
  std::uint64_t calls_on_disk() const { return calls_on_disk_; }
  /// Why the last write failed; empty if it did not.
  const std::string& trouble() const { return trouble_; }
  /// The open chunk is final: what is written next is another.
  void seal() { ++name_.chunk; }
  /// The bytes of a chunk's file, empty if it cannot be read; of any file of the folder, whether it
  /// is there; and another rank's file, as it was read.
  std::string read(std::uint32_t chunk) const;
  bool has(const std::string& file) const;
  bool write_for(const archive::PartName& name, std::string_view bytes) const;
  /// The number of sealed chunks.
  std::uint32_t sealed() const { return name_.chunk; }
  /// Removes all chunks of this rank.
  void remove();

  const std::string& folder() const { return folder_; }
  /// The name of a chunk.
  archive::PartName name(std::uint32_t chunk) const;
  void remove_folder() const; // if it is empty

private:
  void choose_run();

  std::string folder_;
  archive::PartName name_;
  bool is_named_ = false;
  std::uint64_t calls_on_disk_ = 0;
  std::string trouble_;
};

} // namespace rondo::record
