// SPDX-License-Identifier: Apache-2.0
// The call that waits for requests: for formats whose operations only say what they need.
//
//   const CallWords words = wait_words(program, made, numbers);
#pragma once

#include "convert/calls/call_forms.hpp"
#include "convert/calls/rank_program.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::convert::internal {

/// MPI_Wait or MPI_Waitall for at least one request of the `made` ones so far, in the order in
/// which they were made, so that equal places look alike; `numbers` count from 1 and get sorted.
inline CallWords wait_words(RankProgram& program, std::uint64_t made,
                            std::vector<std::uint64_t>& numbers) {
  static const CallForm kOne = call_form(mpi::Wait);
  static const CallForm kAll = call_form(mpi::Waitall);
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::int64_t> references;
  for (const std::uint64_t number : numbers)
    references.push_back(trace::request_by_age(made - number));
  if (references.size() == 1) {
    CallWords words(kOne);
    words.put(kOne.request, references.front());
    return words;
  }
  CallWords words(kAll);
  words.put(kAll.requests, program.array_of(references));
  words.put(kAll.request_count, static_cast<std::int64_t>(references.size()));
  return words;
}

} // namespace rondo::convert::internal
