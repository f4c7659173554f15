// SPDX-License-Identifier: Apache-2.0
// What a picture, a file or a filter shows of a communication matrix: messages, bytes, or bytes per
// second of the run.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"

#include <string>
#include <string_view>

namespace rondo::matrix {

enum class Quantity { kMessages, kBytes, kBytesPerSecond };

struct Measure {
  Quantity quantity = Quantity::kBytes;
  double seconds = 0; // length of the run; only kBytesPerSecond needs it
};

/// @return  the quantity called "messages", "bytes" or "bytes/s"
/// @error   kUsage, naming the three
Result<Quantity> parse_quantity(std::string_view name);

/// "messages", "bytes" or "bytes/s".
std::string_view name_of(Quantity quantity);

/// @error  kUsage if bytes per second are asked for and the seconds are not above zero
Status check_measure(const Measure& measure);

/// One entry's number; `measure` must have passed check_measure().
double value_of(const MatrixEntry& entry, const Measure& measure);

/// A number of this quantity for people: "805", "54 MB", "1.2 GB/s".
std::string human_value(double value, Quantity quantity);

} // namespace rondo::matrix
