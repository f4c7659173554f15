// SPDX-License-Identifier: Apache-2.0
// The actions of a time-independent trace and the MPI calls they stand for.
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

enum class ActionKind : std::uint8_t {
  kCall, // as its arguments say
  kInit,
  kFinalize,
  kWait,
  kTest,
  kWaitall,
  kCompute,
  kSleep,
  kLocation,
  kPassedOver, // a question to MPI, which traces do not keep
  kUnreadable, // says too little to be a call
};

struct Argument {
  enum class Kind : std::uint8_t {
    kSkipped,
    kFlops,
    kCount,
    kCounts,
    kTag,
    kRank,
    kRoot,
    kDatatype,
    kDatatypes
  };
  Kind kind = Kind::kSkipped;
  bool is_optional = false;
  std::size_t word = 0; // of the call
  std::string_view name;
};

/// One form of an action.
struct ActionForm {
  ActionKind kind = ActionKind::kCall;
  std::string_view arguments_text; // for people
  std::vector<Argument> arguments; // of kCall
  const trace::Function* function = nullptr;
  std::vector<std::int64_t> event; // the call with nothing known: head and words
  /// Words that only the root's call has a meaning for, if it has any.
  std::vector<std::size_t> root_words;
  std::vector<std::size_t> datatype_words;
  int root_word = -1;
  int source_word = -1;
  int dest_word = -1;
  int tag_word = -1;
  bool has_unknown_op = false;

  /// The fewest and the most arguments on that many ranks.
  std::size_t least(std::size_t ranks) const;
  std::size_t most(std::size_t ranks) const;
};

/// The forms of the action of that name in any case, in the order in which they are to be tried;
/// none if there is no such action.
std::span<const ActionForm> forms_of(std::string_view name);

} // namespace rondo::convert::internal
