// SPDX-License-Identifier: Apache-2.0
// Words of calls by the names of their arguments, for writers that ask for the same few of millions
// of calls: each question is answered once by the table of functions, and remembered.
//
//   WordLookup words;
//   const std::int64_t dest = words.of(function, call.words, {"dest"});
//
// Names must be literals: they are told apart by where they stand. Not thread-safe.
#pragma once

#include "rondo/trace/functions.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

class WordLookup {
public:
  /// The first of these words that the function has, or -1.
  int index_of(const trace::Function& function, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (const int index = one(function, name); index >= 0) return index;
    }
    return -1;
  }
  /// Its value; kNothing if the function has none of them.
  std::int64_t of(const trace::Function& function, const std::vector<std::int64_t>& words,
                  std::initializer_list<std::string_view> names) {
    const int index = index_of(function, names);
    return index < 0 ? trace::kNothing : words[static_cast<std::size_t>(index)];
  }

private:
  struct Answer {
    const char* name = nullptr;
    std::uint16_t function = 0;
    std::int16_t index = -1;
  };

  int one(const trace::Function& function, std::string_view name) {
    const auto place = reinterpret_cast<std::uintptr_t>(name.data());
    Answer& answer = known_[(place ^ place >> 7 ^ function.id * std::size_t{37}) % known_.size()];
    if (answer.name != name.data() || answer.function != function.id)
      answer = {name.data(), function.id, static_cast<std::int16_t>(function.word_of(name))};
    return answer.index;
  }

  std::array<Answer, 512> known_{};
};

} // namespace rondo::convert::internal
