// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/started_operations.hpp"

#include <utility>

namespace rondo::convert::internal {

std::uint64_t StartedOperations::add(Operation operation) {
  operations_.emplace(++started_, std::move(operation));
  return started_;
}

std::vector<StartedOperations::Operation> StartedOperations::take_until(std::uint64_t number) {
  std::vector<Operation> taken;
  const auto last = operations_.find(number);
  if (last == operations_.end()) return taken;
  const std::uint32_t comm = last->second.comm;
  for (auto each = operations_.begin(); each != operations_.end() && each->first <= number;) {
    if (each->second.comm == comm) {
      taken.push_back(std::move(each->second));
      each = operations_.erase(each);
    } else {
      ++each;
    }
  }
  return taken;
}

std::vector<StartedOperations::Operation> StartedOperations::take_all(std::uint32_t comm) {
  for (auto each = operations_.rbegin(); each != operations_.rend(); ++each) {
    if (each->second.comm == comm) return take_until(each->first);
  }
  return {};
}

} // namespace rondo::convert::internal
