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

Result<std::string> draw(const CommunicationMatrix& matrix, PictureFormat format,
                         const MatrixWriteOptions& options) {
  PictureOptions picture = options.picture;
  picture.measure = options.measure;
  return draw_matrix(matrix, format, picture);
}

} // namespace

Result<MatrixFormat> format_of(const std::string& path) {
  if (path == "-") return MatrixFormat::kCsv;
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  return fail(ErrorCode::kUsage, "unknown extension; use .csv, .mtx, .npy, .json, .svg or .png",
              rondo::Place{path, {}, {}, {}});
}

Result<CommunicationMatrix> read_matrix(const std::string& path, const MatrixReadOptions& options) {
  const auto format = format_of(path);
  if (!format) return propagate(format);
  if (*format != MatrixFormat::kCsv && *format != MatrixFormat::kMatrixMarket) {
    return fail(ErrorCode::kUnsupported, "can be written but not read; use .csv or .mtx",
                rondo::Place{path, {}, {}, {}});
  }
  const auto bytes = read_file(path);
  if (!bytes) return propagate(bytes);
  const std::string name = path == "-" ? "standard input" : path;
  return *format == MatrixFormat::kCsv ? parse_csv(*bytes, name, options)
                                       : parse_matrix_market(*bytes, name, options);
}

Result<std::string> encode_matrix(const CommunicationMatrix& matrix, MatrixFormat format,
                                  const MatrixWriteOptions& options) {
  if (auto good = check_measure(options.measure); !good) return propagate(good);
  switch (format) {
  case MatrixFormat::kCsv:
    return to_csv(matrix, options.measure);
  case MatrixFormat::kMatrixMarket:
    return to_matrix_market(matrix, options.measure);
  case MatrixFormat::kNumPy:
    return to_npy(matrix, options.measure);
  case MatrixFormat::kJson:
    return to_json(matrix, options.files, options.others);
  case MatrixFormat::kSvg:
    return draw(matrix, PictureFormat::kSvg, options);
  case MatrixFormat::kPng:
    return draw(matrix, PictureFormat::kPng, options);
  }
  return fail(ErrorCode::kUsage, "unknown format");
}

Status write_matrix(const std::string& path, const CommunicationMatrix& matrix,
                    const MatrixWriteOptions& options) {
  if (auto ready = check_output(path, options.overwrite); !ready) return ready;
  MatrixFormat format{};
  if (options.format) {
    format = *options.format;
  } else {
    const auto by_name = format_of(path);
    if (!by_name) return propagate(by_name);
    format = *by_name;
  }
  const auto bytes = encode_matrix(matrix, format, options);
  if (!bytes) {
    Error error = bytes.error();
    error.place.file = path;
    return tl::unexpected<Error>(std::move(error));
  }
  return write_file(path, *bytes, options.overwrite);
}

} // namespace rondo::matrix
