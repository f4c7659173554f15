// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_output.hpp"

#include <utility>

namespace rondo::present {
namespace {

Result<std::string> draw(const matrix::CommunicationMatrix& matrix, PictureFormat format,
                         const MatrixWriteOptions& options) {
  PictureOptions picture = options.picture;
  picture.measure = options.measure;
  return draw_matrix(matrix, format, picture);
}

} // namespace

Result<std::string> encode_matrix(const matrix::CommunicationMatrix& matrix,
                                  matrix::MatrixFormat format, const MatrixWriteOptions& options) {
  if (auto good = matrix::check_measure(options.measure); !good) return propagate(good);
  switch (format) {
  case matrix::MatrixFormat::kCsv:
    return matrix::to_csv(matrix, options.measure);
  case matrix::MatrixFormat::kMatrixMarket:
    return matrix::to_matrix_market(matrix, options.measure);
  case matrix::MatrixFormat::kNumPy:
    return matrix::to_npy(matrix, options.measure);
  case matrix::MatrixFormat::kJson:
    return to_json(matrix, options.files, options.others);
  case matrix::MatrixFormat::kSvg:
    return draw(matrix, PictureFormat::kSvg, options);
  case matrix::MatrixFormat::kPng:
    return draw(matrix, PictureFormat::kPng, options);
  }
  return fail(ErrorCode::kUsage, "unknown format");
}

Status write_matrix(const std::string& path, const matrix::CommunicationMatrix& matrix,
                    const MatrixWriteOptions& options) {
  if (auto ready = check_output(path, options.overwrite); !ready) return ready;
  matrix::MatrixFormat format{};
  if (options.format) {
    format = *options.format;
  } else {
    const auto by_name = matrix::format_of(path);
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

} // namespace rondo::present
