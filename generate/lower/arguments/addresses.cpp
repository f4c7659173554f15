// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/addresses.hpp"

#include "generate/lower/completions.hpp"

#include <algorithm>
#include <map>

namespace rondo::generate::internal {
namespace {

using trace::CallInstance;
using trace::Field;
using trace::FieldKind;

constexpr std::int64_t kFar = std::int64_t{1} << 16;
constexpr std::int64_t kAlignment = 16; // of memory, of the stack: the same in every run

} // namespace

bool may_have_addresses(const trace::Function& function, const Field& field) {
  return function.role == trace::Role::kDatatype && field.is_array && !field.is_outcome &&
         field.name == "array_of_displacements" && !function.name.ends_with("_c");
}

bool has_addresses(const std::vector<std::int64_t>& displacements) {
  return std::ranges::any_of(displacements, [](std::int64_t d) { return d >= kFirstAddress; });
}

std::vector<std::int64_t> placed(std::vector<std::int64_t> displacements) {
  std::map<std::int64_t, std::int64_t> places; // by address
  for (const std::int64_t d : displacements) {
    if (d >= kFirstAddress) places[d] = 0;
  }
  std::int64_t before = 0;
  for (auto& [address, place] : places) {
    place = before == 0 ? kFirstAddress + address % kAlignment
                        : places[before] + std::min(address - before, kFar);
    before = address;
  }
  for (std::int64_t& d : displacements) {
    if (d >= kFirstAddress) d = places[d];
  }
  return displacements;
}

void AddressedTypes::next(const trace::Program& program, const CallInstance& call) {
  if (call.function->role != trace::Role::kDatatype) return;
  bool is_addressed = false;
  int word = 0;
  for (const Field& field : call.function->fields) { // outcomes come last
    const std::int64_t w = word_at(call, word++);
    if (may_have_addresses(*call.function, field)) {
      is_addressed = is_addressed || has_addresses(elements_of(program, w));
    } else if (field.kind == FieldKind::kDatatype && !field.is_outcome && field.is_array) {
      is_addressed = is_addressed || std::ranges::any_of(elements_of(program, w),
                                                         [&](auto t) { return contains(t); });
    } else if (field.kind == FieldKind::kDatatype && !field.is_outcome) {
      is_addressed = is_addressed || contains(w);
    } else if (field.kind == FieldKind::kDatatype && !field.is_array) {
      is_addressed ? void(slots_.insert(w)) : void(slots_.erase(w));
    }
  }
}

} // namespace rondo::generate::internal
