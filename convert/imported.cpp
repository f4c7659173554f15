// SPDX-License-Identifier: Apache-2.0
// What the readers of foreign formats say alike.
#include "rondo/convert/imported.hpp"

namespace rondo::convert {

std::vector<Remark> counted_remarks(std::vector<Remark> remarks,
                                    const std::map<std::string, std::uint64_t>& left_out) {
  for (const auto& [name, count] : left_out)
    remarks.push_back({count, "calls of " + name,
                       "left out: the trace says too little of them, or they only ask"});
  std::erase_if(remarks, [](const Remark& remark) { return remark.count == 0; });
  return remarks;
}

} // namespace rondo::convert
