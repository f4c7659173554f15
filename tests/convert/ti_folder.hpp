// SPDX-License-Identifier: Apache-2.0
// Words for tests of the reader of time-independent traces: a folder of hand-made rank files, and
// what comes out.
#pragma once

#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/trace/call_text.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rondo::convert {

using Lines = std::vector<std::string>;

/// A temporary folder that goes away with its object.
class TiFolder {
public:
  TiFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rondo-ti-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TiFolder() { std::filesystem::remove_all(path_); }
  TiFolder(const TiFolder&) = delete;
  TiFolder& operator=(const TiFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string path(const std::string& file) const { return (path_ / file).string(); }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << text;
  }
  /// "send 1 2 3" becomes "R send 1 2 3" in R.txt, between init and finalize.
  void write_rank(int rank, const Lines& actions) const {
    std::string text = std::to_string(rank) + " init\n";
    for (const std::string& action : actions) text += std::to_string(rank) + " " + action + "\n";
    write(std::to_string(rank) + ".txt", text + std::to_string(rank) + " finalize\n");
  }
  void write_idle_ranks(int first, int end) const {
    for (int rank = first; rank < end; ++rank) write_rank(rank, {});
  }

  Result<Imported> read(const SimgridTiOptions& options = {}) const {
    return read_simgrid_ti(path(), options);
  }

private:
  std::filesystem::path path_;
};

inline Lines lines_of(const trace::Trace& trace, std::int64_t rank) {
  const trace::RankClass* rank_class = trace.class_of(rank);
  if (rank_class == nullptr) return {"no such rank"};
  trace::CallReader reader(trace, *rank_class, rank);
  trace::CallLineWriter writer(trace, reader);
  Lines lines;
  while (const trace::CallInstance* call = reader.next()) lines.push_back(writer.line(*call));
  return lines;
}

/// The calls that these actions of rank 0 of `ranks` become, without MPI_Init and MPI_Finalize; or
/// the error.
inline Lines calls_of(const Lines& actions, int ranks = 4, int rank = 0) {
  const TiFolder folder;
  folder.write_idle_ranks(0, ranks);
  folder.write_rank(rank, actions);
  const auto imported = folder.read();
  if (!imported) return {imported.error().message};
  Lines lines = lines_of(imported->trace, rank);
  return {lines.begin() + 1, lines.end() - 1};
}

/// The error that these actions of rank 0 of 4 give.
inline Error error_of(const Lines& actions) {
  const TiFolder folder;
  folder.write_idle_ranks(1, 4);
  folder.write_rank(0, actions);
  const auto imported = folder.read();
  return imported ? Error{ErrorCode::kIo, "no error", {}} : imported.error();
}

} // namespace rondo::convert
