// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/rank_activity.hpp"

namespace rondo::simulate::internal {

RankActivity::RankActivity(std::uint32_t id, std::int64_t rank, double start_s, Stage& stage,
                           CallSource& source, std::shared_ptr<RankObjects> objects)
    : Activity(id, rank, start_s, stage.transport, stage.ledger), stage_(stage), source_(source),
      objects_(std::move(objects)) {}

std::int64_t RankActivity::named_word(std::string_view field) const {
  return trace::word_or(call_->words, call_->function->word_of(field), trace::kNothing);
}

std::uint64_t RankActivity::bytes(std::int64_t count, std::int64_t type) {
  if (count <= 0) return 0;
  const auto known = source_.type_bytes(type);
  if (!known) ++stage_.unknown_sizes;
  return static_cast<std::uint64_t>(count) * known.value_or(0);
}

void RankActivity::unsupported(const std::string& why) {
  ++stage_.unsupported[std::string(call_->function->name) + " " + why];
  if (call_->function->makes_request && !call_view().means().is_started_later)
    open_.add(transport_.timed(clock_));
}

BackgroundActivity& RankActivity::new_background(Request* done) {
  stage_.background.push_back(std::make_unique<BackgroundActivity>(
      stage_.next_id++, *this, done, call_name(), transport_, ledger_));
  return *stage_.background.back();
}

} // namespace rondo::simulate::internal
