// SPDX-License-Identifier: Apache-2.0
// Loop nests as words in tests. Symbols are letters, a loop is its body in brackets with its trip
// counts:
//
//   (a b)*100         a b a b ... , 100 times
//   ((a)*{2,3} b)*2   a a b a a a b; the counts in the order of execution
//   ((a)*{7x4,2} b)*5 seven trips four times, then two
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace rondo::support {

using Stream = std::vector<std::uint32_t>;

std::string text_of(const trace::Nest& nest);

/// Every symbol of the nest, in order.
Stream expand(const trace::Nest& nest);

/// Every value of the column, in order.
std::vector<std::int64_t> expand(const trace::Column& column);

/// Symbols of a word: "aab" is 0 0 1, blanks are nothing.
Stream letters(const std::string& word);

/// `word` as a stream, `times` times.
Stream repeat(const Stream& word, std::size_t times);

MATCHER_P(IsNest, want, std::string("is the nest ") + want) {
  const std::string got = text_of(arg);
  *result_listener << "it is " << got;
  return got == want;
}

MATCHER_P(HasTermsAtMost, limit, "has at most " + std::to_string(limit) + " terms") {
  *result_listener << "it has " << arg.terms();
  return arg.terms() <= static_cast<std::size_t>(limit);
}

/// Equal to `want`; the first difference is told, not the whole stream.
MATCHER_P(IsStream, want, "is the same stream") {
  const std::size_t shorter = std::min(arg.size(), want.size());
  for (std::size_t i = 0; i < shorter; ++i) {
    if (arg[i] == want[i]) continue;
    *result_listener << "at " << i << " it has " << testing::PrintToString(arg[i]) << " and not "
                     << testing::PrintToString(want[i]);
    return false;
  }
  *result_listener << "it has " << arg.size() << " elements and not " << want.size();
  return arg.size() == want.size();
}

} // namespace rondo::support
