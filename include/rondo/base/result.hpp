// SPDX-License-Identifier: Apache-2.0
// Errors as values. A function that can fail on bad input returns Result<T>; it never prints, exits
// or throws. An Error carries what happened, where (file, rank, offset or line) and what to do.
//
//   Result<Table> read_table(const std::string& path);
//   auto table = read_table(path);
//   if (!table) return propagate(table);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace rondo {

enum class ErrorCode {
  kUsage, // the caller asked for something that makes no sense
  kNotFound, // a file, program or rank that is not there
  kExists, // an output that would be overwritten
  kIo, // the operating system refused a read or a write
  kFormat, // not a file of the expected format
  kDamaged, // the right format, but cut or corrupted
  kNewerVersion, // written by a newer Rondo
  kUnsupported, // valid, but outside what this command can do
};

/// Where in the input the error was met; unset parts are unknown.
struct ErrorPlace {
  std::string file;
  std::optional<std::int64_t> rank;
  std::optional<std::uint64_t> offset; // bytes from the start of the file
  std::optional<std::uint64_t> line; // 1 is the first
};

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string message; // one sentence: what is wrong and what to do, no trailing full stop
  ErrorPlace place;

  /// "FILE:LINE: message" or "FILE: message (rank R, byte OFFSET)".
  std::string text() const;
};

template <class T> using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, ErrorPlace place = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(place)});
}

/// The error of a failed result, to be returned from a function with another value type.
template <class T> tl::unexpected<Error> propagate(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

} // namespace rondo
