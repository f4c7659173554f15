// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/named_requests.hpp"

#include <utility>

namespace rondo::convert::internal {

void NamedRequests::add(RequestKeys keys) {
  ++made_;
  open_.emplace_back(std::move(keys));
}

RequestKeys* NamedRequests::keys_of(std::int64_t reference) {
  if (trace::is_special(reference) || trace::is_foreign(reference)) return nullptr;
  if (trace::is_persistent(reference)) {
    RequestSlot* slot = slots_.find(reference);
    return slot == nullptr ? nullptr : &slot->active;
  }
  const std::uint64_t age = trace::age_or_slot(reference);
  if (age >= made_ || made_ - age < first_open_) return nullptr;
  auto& request = open_[made_ - age - first_open_];
  return request ? &*request : nullptr;
}

RequestKeys NamedRequests::take(std::int64_t reference) {
  RequestKeys* keys = keys_of(reference);
  if (keys == nullptr) return {};
  RequestKeys taken;
  std::swap(taken, *keys);
  if (trace::is_persistent(reference)) return taken;
  open_[made_ - trace::age_or_slot(reference) - first_open_].reset();
  while (!open_.empty() && !open_.front()) {
    open_.pop_front();
    ++first_open_;
  }
  return taken;
}

} // namespace rondo::convert::internal
