// SPDX-License-Identifier: Apache-2.0
// Communication matrices written to files: as tables, as JSON, and as heat maps; the format goes by
// the extension, .csv .mtx .npy .json .svg or .png.
//
//   auto written = write_matrix("lu.png", *matrix, {});
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/file_traffic.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/matrix/other_processes.hpp"

#include <optional>
#include <string>

namespace rondo::present {

struct MatrixWriteOptions {
  matrix::Measure measure{}; // .csv and .json always carry messages and bytes
  std::optional<matrix::MatrixFormat> format{}; // unset: by extension
  Overwrite overwrite = Overwrite::kRefuse;
  PictureOptions picture{}; // its measure is replaced by `measure`
  const matrix::FileTraffic* files =
      nullptr; // for .json: a list "files", as file_table_json() has it
  const matrix::OtherTraffic* others =
      nullptr; // likewise "other_processes", as other_table_json() has it
};

/// @error  those of format_of(), check_measure(), encode_matrix() and write_file()
Status write_matrix(const std::string& path, const matrix::CommunicationMatrix& matrix,
                    const MatrixWriteOptions& options = {});

/// The bytes write_matrix() would write.
/// @error  kUsage for a measure without its seconds; kUnsupported for a dense file above 2 GiB
Result<std::string> encode_matrix(const matrix::CommunicationMatrix& matrix,
                                  matrix::MatrixFormat format,
                                  const MatrixWriteOptions& options = {});

/// {"schema": 1, "ranks": N, "entries": [{"source", "destination", "messages", "bytes"}, ...]}
/// @param files   if given, "files" has them as file_table_json() does
/// @param others  if given, "other_processes" has them as other_table_json() does
std::string to_json(const matrix::CommunicationMatrix& matrix,
                    const matrix::FileTraffic* files = nullptr,
                    const matrix::OtherTraffic* others = nullptr);

} // namespace rondo::present
