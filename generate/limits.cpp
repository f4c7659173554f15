// SPDX-License-Identifier: Apache-2.0
#include "generate/limits.hpp"

#include "generate/c_arguments.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace rondo::generate::internal {
namespace {

using trace::FieldKind;
using trace::Role;

// Why calls of this function can't be made again; empty if they can.
std::string_view reason_of(const trace::Function& function) {
  static constexpr std::array<std::string_view, 6> kRemoved{"MPI_Type_hvector", "MPI_Type_hindexed",
                                                            "MPI_Type_struct"};
  const std::string_view name = function.name;
  if (name == "MPI_Abort") return "ends all processes";
  if (name == "MPI_Comm_get_parent") return "";
  if (function.role == Role::kProcess) return "talks to processes outside MPI_COMM_WORLD";
  if (function.role == Role::kSession || name.find("_from_group") != name.npos)
    return "belongs to a session";
  if (function.mode == trace::Mode::kPartitioned || name.starts_with("MPI_Pready") ||
      name == "MPI_Parrived")
    return "is partitioned communication";
  if (name.starts_with("MPI_Grequest")) return "makes a request that the program itself completes";
  if (name.starts_with("MPI_Type_get_contents")) return "gives datatypes that no call made";
  if (name == "MPI_Win_create_dynamic" || name == "MPI_Win_attach" || name == "MPI_Win_detach")
    return "makes memory known by its address";
  if (std::ranges::find(kRemoved, name) != kRemoved.end()) return "is not in MPI any more";
  return "";
}

bool refers_outside(const trace::Call& call, const trace::Function& function) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const std::size_t next = word + (field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1);
    const trace::Word& w = call.words[word];
    if (field.kind == FieldKind::kRequest && !field.is_array &&
        w.form == trace::Word::Form::kConstant &&
        (w.value == trace::kUnrecorded ||
         (!trace::is_special(w.value) && trace::is_foreign(w.value))))
      return true;
    word = next;
  }
  return false;
}

bool has_bottom(const trace::Call& call, const trace::Function& function) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const trace::Word& w = call.words[word];
    if (field.kind == FieldKind::kBuffer && w.form == trace::Word::Form::kConstant &&
        w.value == trace::kBottom) {
      const int count = function.word_of("count");
      const bool is_empty =
          count >= 0 && call.words[static_cast<std::size_t>(count)] == trace::Word{};
      return !is_empty;
    }
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  return false;
}

} // namespace

Status check_limits(const trace::Trace& trace) {
  std::map<std::string, std::uint64_t> found;
  if (!trace.run.complete) {
    return fail(ErrorCode::kUnsupported, "is the trace of a run that did not reach MPI_Finalize, "
                                         "so a benchmark of it could hang; record a run that ends");
  }
  if (!trace.run.choice.empty())
    return fail(ErrorCode::kUnsupported,
                "holds " + trace.run.choice + " calls; a benchmark needs all of them");
  for (const auto& program : trace.programs) {
    if (program->thread > 0) {
      found["calls of threads other than the first"] += program->calls.size();
      continue;
    }
    for (const trace::MergedCall& merged : program->calls) {
      const trace::Function& function = *trace::find_function(merged.call.function);
      const std::string name(function.name);
      if (const auto reason = reason_of(function); !reason.empty())
        ++found[name + " " + std::string(reason)];
      if (merged.call.error != 0)
        ++found[name + " failed with " + std::string(trace::error_class_name(merged.call.error))];
      if (refers_outside(merged.call, function))
        ++found[name +
                " refers to a request of a call that was not recorded, or of another thread"];
      if (has_bottom(merged.call, function))
        ++found[name + " takes data from MPI_BOTTOM by its address"];
    }
  }
  if (found.empty()) return {};
  std::string text = "has calls that can't be generated:";
  for (const auto& [what, places] : found)
    text += "\n  " + what + " (" + std::to_string(places) + (places == 1 ? " place)" : " places)");
  return fail(ErrorCode::kUnsupported, text);
}

} // namespace rondo::generate::internal
