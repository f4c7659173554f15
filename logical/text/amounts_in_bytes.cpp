// SPDX-License-Identifier: Apache-2.0
#include "logical/text/amounts_in_bytes.hpp"

#include <algorithm>

namespace rondo::logical::internal {

AmountsInBytes::AmountsInBytes(const trace::Trace& trace) : slot_(0) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.slot < 0) continue;
    types_[type.slot].push_back(type);
    slot_ = std::max(slot_, type.slot + 1);
  }
  holders_ = trace::RankSet::from_range({0, 1, trace.run.ranks});
}

trace::DatatypeDefinition AmountsInBytes::definition() const { return {slot_, {}, 1, 1, holders_}; }

std::int64_t AmountsInBytes::size_of(std::int64_t type, std::int64_t rank) const {
  const auto known = types_.find(type);
  if (known == types_.end()) return -1;
  for (const trace::DatatypeDefinition& one : known->second) {
    if (one.holders.contains(rank)) return one.size_bytes;
  }
  return -1;
}

std::vector<std::int64_t> AmountsInBytes::sizes(std::int64_t rank) const {
  std::vector<std::int64_t> result;
  for (const auto& [type, definitions] : types_) result.push_back(size_of(type, rank));
  return result;
}

void AmountsInBytes::change(const trace::Function& function, std::int64_t rank,
                            std::span<std::int64_t> words) const {
  using Kind = trace::FieldKind;
  if (slot_ < 0) return;
  std::int64_t* count = nullptr;
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_one = !field.is_array && !field.is_outcome;
    if (is_one && field.kind == Kind::kInteger && field.name.ends_with("count")) {
      count = &words[word];
    } else if (is_one && field.kind == Kind::kDatatype && count != nullptr) {
      const std::int64_t size = words[word] < 0 ? -1 : size_of(words[word], rank);
      if (size >= 0 && *count >= 0) {
        *count *= size;
        words[word] = slot_;
      }
      count = nullptr;
    } else if (field.is_array) {
      count = nullptr; // counts of each rank
    }
    word += field.kind == Kind::kStatus && !field.is_array ? 3 : 1;
  }
}

} // namespace rondo::logical::internal
