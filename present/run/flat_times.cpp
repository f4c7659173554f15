// SPDX-License-Identifier: Apache-2.0
#include "present/run/flat_times.hpp"

#include "rondo/base/units.hpp"

#include <fmt/core.h>

namespace rondo::present {

FlatTimes::FlatTimes(const trace::Trace& trace, std::int64_t rank, std::uint32_t thread) {
  if (const trace::TimeStamps* stamps = trace.stamps_of(rank, thread)) reader_.emplace(*stamps);
}

void FlatTimes::advance() {
  if (reader_) time_ = reader_->next();
}

std::string FlatTimes::text() const {
  if (!reader_) return "";
  if (!time_) return fmt::format("{:>17} {:>9}  ", "-", "-"); // times were given up
  return fmt::format("{:>7}.{:09} {:>9}  ", time_->start_ns / 1'000'000'000,
                     time_->start_ns % 1'000'000'000,
                     human_duration(static_cast<double>(time_->inside_ns)));
}

void FlatTimes::add_to(nlohmann::json& json) const {
  if (!time_) return;
  json["start_ns"] = time_->start_ns;
  json["computation_ns"] = time_->computation_ns;
  json["inside_ns"] = time_->inside_ns;
}

} // namespace rondo::present
