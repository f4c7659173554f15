// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/open_requests.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

void OpenRequests::add(Request* request) {
  ++made_;
  open_.push_back(request);
}

std::optional<std::size_t> OpenRequests::place_of(std::int64_t reference) const {
  if (trace::is_special(reference) || trace::is_foreign(reference) ||
      trace::is_persistent(reference))
    return std::nullopt;
  const std::uint64_t age = trace::age_or_slot(reference);
  if (age >= made_ || made_ - age < first_) return std::nullopt;
  return static_cast<std::size_t>(made_ - age - first_);
}

Request* OpenRequests::find(std::int64_t reference) const {
  if (const Slot* slot = slots_.find(reference)) return slot->active;
  const auto place = place_of(reference);
  return place ? open_[*place] : nullptr;
}

void OpenRequests::close(std::int64_t reference) {
  if (Slot* slot = slots_.find(reference)) slot->active = nullptr;
  const auto place = place_of(reference);
  if (!place) return;
  open_[*place] = nullptr;
  while (!open_.empty() && open_.front() == nullptr) {
    open_.pop_front();
    ++first_;
  }
}

void OpenRequests::free(std::int64_t reference) {
  if (!slots_.free(reference)) close(reference);
}

bool OpenRequests::is_empty() const {
  const auto is_open = [](const Request* request) { return request != nullptr; };
  return std::none_of(open_.begin(), open_.end(), is_open) &&
         slots_.none_of([](const Slot& slot) { return slot.active != nullptr; });
}

} // namespace rondo::simulate::internal
