// SPDX-License-Identifier: Apache-2.0
// Communication matrices as tables in files; the format goes by the extension.
//   .csv   src,dst,messages,bytes   in and out; loses nothing
//   .mtx   MatrixMarket coordinate  in and out; one quantity
//   .npy   NumPy, dense             out; one quantity
// present/matrix/matrix_output.hpp writes these and what is for people, JSON and pictures.
//
//   auto matrix = read_matrix("lu.csv");
//   if (!matrix) return propagate(matrix);
//   const std::string table = to_csv(*matrix);
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
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

} // namespace rondo::matrix
