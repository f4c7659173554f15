// SPDX-License-Identifier: Apache-2.0
// A record's values by their names, and the words of an event that they become.
#pragma once

#include "convert/dumpi/dumpi_file.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

// libdumpi's numbers.
constexpr std::int64_t kDumpiNullRequest = 1;
constexpr std::int64_t kDumpiAny = -1; // source or tag

/// nullptr if the function has no such argument.
inline std::int64_t* word_in(const trace::Function& function, std::string_view name,
                             std::vector<std::int64_t>& event) {
  const int word = function.word_of(name);
  return word < 0 ? nullptr : &event[fold::kEventHead + static_cast<std::size_t>(word)];
}

/// `otherwise` if the record has no such value.
inline std::int64_t value_in(const DumpiRecord& record, std::string_view name,
                             std::int64_t otherwise) {
  const DumpiField* const field = record.field(name);
  return field == nullptr ? otherwise : field->value;
}

} // namespace rondo::convert::internal
