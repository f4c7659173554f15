// SPDX-License-Identifier: Apache-2.0
// What MessageSimulator's calls are made of.
#pragma once

#include "tests/support/recorded.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::support::internal {

inline constexpr std::int64_t kAny = -1;
inline constexpr std::int64_t kTags = 3;
inline constexpr std::int64_t kStartTag = 7; // of the persistent requests
using Named = std::vector<std::pair<std::string_view, std::int64_t>>;

inline std::int64_t source_word(std::int64_t source) {
  return source == kAny ? trace::kAnySource : source;
}
inline std::int64_t tag_word(std::int64_t tag) { return tag == kAny ? trace::kAnyTag : tag; }

// Like Caller::call, for arguments that are made at run time and a status of three words.
inline void play_call(Caller& caller, std::string_view name, const Named& arguments) {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
  event[0] = fold::header_word(function.id, 0);
  event[1] = 0;
  for (const auto& [field, value] : arguments) {
    const bool is_second = field == "status.tag";
    const int word = function.word_of(is_second ? "status" : field);
    ASSERT_GE(word, 0) << name << " has no " << field;
    event[fold::kEventHead + static_cast<std::size_t>(word) + (is_second ? 1 : 0)] = value;
  }
  caller.builder.record(event.data(), event.size(), 0, 0);
}

} // namespace rondo::support::internal
