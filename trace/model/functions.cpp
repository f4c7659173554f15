// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/functions.hpp"
#include "trace/mpi_names.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::trace {
namespace {

#include "trace/mpi_functions.inc" // kFunctions, kPredefinedComms ... ; generated from record/mpi_calls.toml

constexpr std::array<std::string_view, 20> kRoleNames = {
    "env",        "send",     "recv", "sendrecv", "probe",   "complete", "request",
    "collective", "neighbor", "comm", "topo",     "group",   "datatype", "op",
    "rma",        "win",      "io",   "process",  "session", "marker"};

} // namespace

std::span<const Function> all_functions() { return kFunctions; }

const Function* find_function(std::uint16_t id) {
  static const auto by_id = [] {
    std::vector<const Function*> index;
    for (const Function& function : kFunctions) {
      if (function.id >= index.size()) index.resize(function.id + std::size_t{1}, nullptr);
      index[function.id] = &function;
    }
    return index;
  }();
  return id < by_id.size() ? by_id[id] : nullptr;
}

const Function* find_function(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Function*> index;
    for (const Function& function : kFunctions) index.emplace(function.name, &function);
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string_view name_of(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::string named_value(const Field& field, std::int64_t word) {
  if (!field.are_flags) {
    // Unsigned, as the difference may be larger than any std::int64_t.
    const auto choice = static_cast<std::uint64_t>(kFirstChoice) - static_cast<std::uint64_t>(word);
    return choice < field.names.size() ? std::string(field.names[choice]) : "";
  }
  std::string names;
  for (std::size_t bit = 0; bit < field.names.size() && !is_special(word); ++bit) {
    if ((word >> bit & 1) == 0) continue;
    if (!names.empty()) names += '|';
    names += field.names[bit];
  }
  return names;
}

std::string_view error_class_name(std::uint16_t error) {
  return error > 0 && error <= std::size(kErrorClasses) ? kErrorClasses[error - 1]
                                                        : mpi::ERR_LASTCODE;
}

std::size_t Function::words() const {
  std::size_t words = 0;
  for (const Field& field : fields)
    words += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  return words;
}

int Function::word_of(std::string_view field_name) const {
  int word = 0;
  for (const Field& field : fields) {
    if (field.name == field_name) return word;
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  return -1;
}

int Function::comm_word() const {
  for (const Field& field : fields) {
    if (field.kind == FieldKind::kComm && !field.is_outcome) return word_of(field.name);
  }
  return -1;
}

std::span<const std::string_view> predefined_objects(FieldKind kind) {
  switch (kind) {
  case FieldKind::kComm:
    return kPredefinedComms;
  case FieldKind::kGroup:
    return kPredefinedGroups;
  case FieldKind::kDatatype:
    return kPredefinedDatatypes;
  case FieldKind::kOp:
    return kPredefinedOps;
  default:
    return {};
  }
}

} // namespace rondo::trace
