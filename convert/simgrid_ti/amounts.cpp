// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/amounts.hpp"

#include "convert/simgrid_ti/datatypes.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

int simgrid_number(const trace::DatatypeDefinition& type) {
  for (int number = 0; number < kDatatypes; ++number) {
    const SimgridDatatype& known = simgrid_datatype(number);
    if (!known.name.empty() && known.name == type.name && known.size_bytes == type.size_bytes)
      return number;
  }
  return -1;
}

} // namespace

Amounts::Amounts(Export& run, std::int64_t rank) : run_(run) {
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank))
      types_[type.slot] = {std::max<std::int64_t>(type.size_bytes, 0), simgrid_number(type)};
  }
}

Amounts::Type Amounts::type_of(const trace::Function& function, std::int64_t type) {
  const auto found = types_.find(type);
  if (found != types_.end()) return found->second;
  if (!trace::is_special(type))
    run_.refuse(function, "has a datatype that the trace does not define");
  return {};
}

Amount Amounts::of(const trace::Function& function, std::int64_t count, std::int64_t type) {
  const Type known = type_of(function, type);
  const std::int64_t whole = trace::is_special(count) ? 0 : std::max<std::int64_t>(count, 0);
  if (known.number >= 0) return {whole, known.number};
  return {whole * known.size_bytes, kByteType};
}

} // namespace rondo::convert::internal
