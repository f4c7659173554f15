// SPDX-License-Identifier: Apache-2.0
// Communication matrices in and out of files; the format goes by the extension.
//   .csv   src,dst,messages,bytes   in and out; loses nothing
//   .mtx   MatrixMarket coordinate  in and out; one quantity
//   .npy   NumPy, dense             out; one quantity
//   .json  messages and bytes       out
//   .svg .png  heat map             out; one quantity
//
//   auto matrix = read_matrix("lu.csv");
//   if (!matrix) return propagate(matrix);
//   auto written = write_matrix("lu.png", *matrix, {});
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/file_traffic.hpp"
#include "rondo/matrix/matrix_picture.hpp"
#include "rondo/matrix/other_processes.hpp"
#include "rondo/matrix/quantity.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::matrix {

enum class MatrixFormat { kCsv, kMatrixMarket, kNumPy, kJson, kSvg, kPng };

/// @return  the format of a file of that name; "-" is CSV
/// @error   kUsage, listing the extensions
Result<MatrixFormat> format_of(const std::string& path);

struct MatrixReadOptions {
  std::optional<std::int64_t> ranks{}; // unset: what the file says, else the largest rank + 1
};

/// Reads .csv or .mtx; "-" is CSV from standard input.
/// @error       those of read_file(), format_of(), parse_csv() and parse_matrix_market()
/// @complexity  O(n) for n entries in order, O(n log n) otherwise
Result<CommunicationMatrix> read_matrix(const std::string& path,
                                        const MatrixReadOptions& options = {});

struct MatrixWriteOptions {
  Measure measure{}; // .csv and .json always carry messages and bytes
  std::optional<MatrixFormat> format{}; // unset: by extension
  Overwrite overwrite = Overwrite::kRefuse;
  PictureOptions picture{}; // its measure is replaced by `measure`
  const FileTraffic* files = nullptr; // for .json: a list "files", as file_table_json() has it
  const OtherTraffic* others = nullptr; // likewise "other_processes", as other_table_json() has it
};

/// @error  those of format_of(), check_measure(), encode_matrix() and write_file()
Status write_matrix(const std::string& path, const CommunicationMatrix& matrix,
                    const MatrixWriteOptions& options = {});

/// The bytes write_matrix() would write.
/// @error  kUsage for a measure without its seconds; kUnsupported for a dense file above 2 GiB
Result<std::string> encode_matrix(const CommunicationMatrix& matrix, MatrixFormat format,
                                  const MatrixWriteOptions& options = {});

/// Lines `source,destination,messages,bytes` of whole numbers. A header, blank lines and lines that
/// begin with # are allowed; `# ranks=N` gives the number of ranks. Lines of one pair are added up.
/// @param file  name for the error's place
/// @error       kFormat with the line and what was expected there
Result<CommunicationMatrix> parse_csv(std::string_view text, const std::string& file,
                                      const MatrixReadOptions& options = {});

/// With a fifth column `bytes_per_second` if the measure asks for it; parse_csv() passes over that.
std::string to_csv(const CommunicationMatrix& matrix, const Measure& measure = {});

/// A square coordinate matrix of integers, reals or a pattern; general or symmetric. The numbers
/// are messages if a comment `% quantity: messages` says so or for a pattern; otherwise bytes, and
/// then every entry counts as one message.
/// @error  kFormat with the line; kUnsupported for arrays, complex, skew-symmetric or bytes per
/// second
Result<CommunicationMatrix> parse_matrix_market(std::string_view text, const std::string& file,
                                                const MatrixReadOptions& options = {});

std::string to_matrix_market(const CommunicationMatrix& matrix, const Measure& measure = {});

/// NumPy format 1.0, shape (ranks, ranks), C order, '<u8' (or '<f8' for bytes per second); row =
/// source.
/// @error       kUnsupported above 2 GiB
/// @complexity  O(ranks^2)
Result<std::string> to_npy(const CommunicationMatrix& matrix, const Measure& measure = {});

/// {"schema": 1, "ranks": N, "entries": [{"source", "destination", "messages", "bytes"}, ...]}
/// @param files   if given, "files" has them as file_table_json() does
/// @param others  if given, "other_processes" has them as other_table_json() does
std::string to_json(const CommunicationMatrix& matrix, const FileTraffic* files = nullptr,
                    const OtherTraffic* others = nullptr);

} // namespace rondo::matrix
