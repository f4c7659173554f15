// SPDX-License-Identifier: Apache-2.0
// Counts of a rank's datatypes as counts of those that SimGrid has: of others, their bytes.
#pragma once

#include "convert/simgrid_ti/export.hpp"

#include <cstdint>
#include <unordered_map>

namespace rondo::convert::internal {

struct Amount {
  std::int64_t count = 0;
  int type = 0; // SimGrid's number
};

class Amounts {
public:
  struct Type {
    std::int64_t size_bytes = 0;
    int number = -1; // SimGrid's, -1 if it has none
  };
  /// @param run  must outlive the object
  Amounts(Export& run, std::int64_t rank);

  /// @param function  is refused if the trace does not define the datatype
  Type type_of(const trace::Function& function, std::int64_t type);
  Amount of(const trace::Function& function, std::int64_t count, std::int64_t type);

private:
  Export& run_;
  std::unordered_map<std::int64_t, Type> types_; // by slot
};

} // namespace rondo::convert::internal
