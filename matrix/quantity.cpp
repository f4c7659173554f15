// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/quantity.hpp"

#include "rondo/base/units.hpp"

namespace rondo::matrix {

Result<Quantity> parse_quantity(std::string_view name) {
  for (const auto quantity : {Quantity::kMessages, Quantity::kBytes, Quantity::kBytesPerSecond}) {
    if (name == name_of(quantity)) return quantity;
  }
  return fail(ErrorCode::kUsage,
              "unknown quantity '" + std::string(name) + "'; use messages, bytes or bytes/s");
}

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
  case Quantity::kMessages:
    return "messages";
  case Quantity::kBytes:
    return "bytes";
  case Quantity::kBytesPerSecond:
    return "bytes/s";
  }
  return "";
}

Status check_measure(const Measure& measure) {
  if (measure.quantity != Quantity::kBytesPerSecond || measure.seconds > 0) return {};
  return fail(ErrorCode::kUsage,
              "bytes per second need the length of the run in seconds, above zero");
}

double value_of(const MatrixEntry& entry, const Measure& measure) {
  switch (measure.quantity) {
  case Quantity::kMessages:
    return static_cast<double>(entry.messages);
  case Quantity::kBytes:
    return static_cast<double>(entry.bytes);
  case Quantity::kBytesPerSecond:
    return static_cast<double>(entry.bytes) / measure.seconds;
  }
  return 0;
}

std::string human_value(double value, Quantity quantity) {
  switch (quantity) {
  case Quantity::kMessages:
    return human_count(value);
  case Quantity::kBytes:
    return human_bytes(value);
  case Quantity::kBytesPerSecond:
    return human_bytes_per_second(value);
  }
  return "";
}

} // namespace rondo::matrix
