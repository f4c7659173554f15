// SPDX-License-Identifier: Apache-2.0
// Start and duration of calls in front of their lines.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace rondo::present {

// When each call of a stream began, where the archive says it.
class FlatTimes {
public:
  FlatTimes(const trace::Trace& trace, std::int64_t rank, std::uint32_t thread);
  /// The times of the next call; every call must pass.
  void advance();
  /// With blanks behind it; empty without times.
  std::string text() const;
  void add_to(nlohmann::json& json) const;
  bool is_damaged() const { return reader_ && reader_->is_damaged(); }

private:
  std::optional<trace::TimeStampReader> reader_;
  std::optional<trace::CallTime> time_;
};

} // namespace rondo::present
