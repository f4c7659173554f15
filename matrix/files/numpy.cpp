// SPDX-License-Identifier: Apache-2.0
// NumPy's format 1.0: "\x93NUMPY", version 1 0, length of the header (16 bits, little-endian), the
// header (a Python dictionary, padded with blanks so that the data begin at a multiple of 64), then
// the data.
#include "rondo/matrix/matrix_files.hpp"

#include "rondo/base/units.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace rondo::matrix {
namespace {

constexpr std::uint64_t kMostRanks = 16384; // 2 GiB

std::string header(std::int64_t ranks, bool real) {
  const std::string side = std::to_string(ranks);
  std::string dictionary = std::string("{'descr': '") + (real ? "<f8" : "<u8") +
                           "', 'fortran_order': False, 'shape': (" + side + ", " + side + "), }";
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFF);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary;
}

std::uint64_t cell(const MatrixEntry& entry, const Measure& measure) {
  if (measure.quantity == Quantity::kMessages) return entry.messages;
  if (measure.quantity == Quantity::kBytes) return entry.bytes;
  return std::bit_cast<std::uint64_t>(value_of(entry, measure));
}

void store_little_endian(char* where, std::uint64_t value) {
  std::array<char, 8> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  std::memcpy(where, bytes.data(), bytes.size());
}

} // namespace

Result<std::string> to_npy(const CommunicationMatrix& matrix, const Measure& measure) {
  const auto ranks = static_cast<std::uint64_t>(matrix.ranks());
  if (ranks > kMostRanks) {
    return fail(ErrorCode::kUnsupported,
                "a dense matrix of " + std::to_string(ranks) + " ranks would take " +
                    human_bytes(static_cast<double>(ranks) * static_cast<double>(ranks) * 8) +
                    "; write .mtx or .csv, which keep only the pairs that talk");
  }
  std::string bytes = header(matrix.ranks(), measure.quantity == Quantity::kBytesPerSecond);
  const std::size_t data = bytes.size();
  bytes.resize(data + static_cast<std::size_t>(ranks * ranks * 8), '\0');
  for (const MatrixEntry& entry : matrix.entries()) {
    const auto index = static_cast<std::size_t>(entry.source * matrix.ranks() + entry.destination);
    store_little_endian(bytes.data() + data + index * 8, cell(entry, measure));
  }
  return bytes;
}

} // namespace rondo::matrix
