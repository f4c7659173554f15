// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/matrix_files.hpp"

#include <array>
#include <utility>

namespace rondo::matrix {
namespace {

constexpr std::array<std::pair<std::string_view, MatrixFormat>, 6> kExtensions{{
    {".csv", MatrixFormat::kCsv},
    {".mtx", MatrixFormat::kMatrixMarket},
    {".npy", MatrixFormat::kNumPy},
    {".json", MatrixFormat::kJson},
    {".svg", MatrixFormat::kSvg},
    {".png", MatrixFormat::kPng},
}};

} // namespace

Result<MatrixFormat> format_of(const std::string& path) {
  if (path == "-") return MatrixFormat::kCsv;
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  return fail(ErrorCode::kUsage, "unknown extension; use .csv, .mtx, .npy, .json, .svg or .png",
              ErrorPlace{path, {}, {}, {}});
}

Result<CommunicationMatrix> read_matrix(const std::string& path, const MatrixReadOptions& options) {
  const auto format = format_of(path);
  if (!format) return propagate(format);
  if (*format != MatrixFormat::kCsv && *format != MatrixFormat::kMatrixMarket) {
    return fail(ErrorCode::kUnsupported, "can be written but not read; use .csv or .mtx",
                ErrorPlace{path, {}, {}, {}});
  }
  const auto bytes = read_file(path);
  if (!bytes) return propagate(bytes);
  const std::string name = path == "-" ? "standard input" : path;
  return *format == MatrixFormat::kCsv ? parse_csv(*bytes, name, options)
                                       : parse_matrix_market(*bytes, name, options);
}

} // namespace rondo::matrix
