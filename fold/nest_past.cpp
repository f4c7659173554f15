// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/nest_past.hpp"

#include <algorithm>

namespace rondo::fold {
namespace {

// A builder is copied after as many symbols as make it worth that.
constexpr std::size_t kLeastApart = 2048;
// With more, every other one of the older half goes.
constexpr std::size_t kMostKept = 16;

} // namespace

void NestPast::keep(const NestBuilder& builder) {
  if (!keeps_) {
    next_kept_ = ~std::size_t{0};
    return;
  }
  next_kept_ = builder.size() + kLeastApart + builder.terms() / 2;
  kept_.push_back({builder, next_kept_});
  if (kept_.size() <= kMostKept) return;
  for (std::size_t i = 1; i <= kMostKept / 4; ++i)
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
}

// Takes the symbols out of the builder, which is empty then.
void NestPast::read(NestBuilder& builder) {
  symbols_.clear();
  kept_.clear();
  symbols_.reserve(builder.size());
  const trace::Nest nest = builder.finish(Polishing::kNone);
  trace::NestReader reader(nest);
  while (const auto symbol = reader.next()) symbols_.push_back(*symbol);
}

// To where it had at most so many symbols. @return how many
std::size_t NestPast::go_back(NestBuilder& builder, std::size_t most) {
  while (!kept_.empty() && kept_.back().builder.size() > most) kept_.pop_back();
  if (kept_.empty()) {
    builder.finish(Polishing::kNone); // empties it
    next_kept_ = kLeastApart;
  } else {
    builder = kept_.back().builder;
    next_kept_ = kept_.back().next;
  }
  return builder.size();
}

} // namespace rondo::fold
