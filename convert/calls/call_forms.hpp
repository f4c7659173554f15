// SPDX-License-Identifier: Apache-2.0
// What traces of other tools can say of a call to each MPI function, and which words of the call
// that is.
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

struct CallForm {
  const trace::Function* function = nullptr;
  std::vector<std::int64_t> event; // the call with nothing known: head and words
  // Words of the call, -1 if it has none such.
  int dest = -1, send_tag = -1, send_count = -1, send_type = -1;
  int source = -1, receive_tag = -1, receive_count = -1, receive_type = -1;
  int comm = -1, root = -1;
  int request = -1, requests = -1, request_count = -1; // that it completes
  int index = -1, indices = -1, completed_count = -1, flag = -1;
  bool sends = false; // a message
  bool receives = false;
  bool has_operation = false;
  bool has_lists = false; // of counts, which a trace has only the sum of
  bool completes_all = false;
  bool waits = false; // for what it completes, else it may find nothing
  bool is_on_object = false; // a window or a file, which a record has to name

  bool makes_request() const { return function->makes_request; }
  bool completes() const { return request >= 0 || requests >= 0; }
  bool is_collective() const { return function->role == trace::Role::kCollective; }
  /// Blocked until its message is there, or it has none.
  bool waits_for_message() const { return receives && !makes_request(); }
};

/// Whether a kind of trace names the windows and files that calls are on.
enum class Objects : std::uint8_t { kUnnamed, kNamed };

/// The form of a function's calls; a form without function if Rondo does not read such calls from
/// traces that have no handles: there is no such function, or too little is said of it.
CallForm call_form(std::string_view function, Objects objects = Objects::kUnnamed);

/// The word for a predefined datatype, operation or the like; trace::kNothing if MPI has none of
/// that name.
std::int64_t predefined_object(trace::FieldKind kind, std::string_view name);
/// The word for MPI_BYTE, in which all sizes are where datatypes are unknown.
std::int64_t byte_datatype();
/// The word for MPI_NO_OP, with which one-sided calls fetch and hand nothing over.
std::int64_t no_operation();

} // namespace rondo::convert::internal
