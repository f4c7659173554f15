// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/objects.hpp"

#include "rondo/trace/call_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::generate::internal {
namespace {

using trace::FieldKind;

// An argument that does not matter: Open MPI wants a datatype all the same, as where the root of a
// broadcast to another group is MPI_PROC_NULL.
std::string object_name(FieldKind kind, std::int64_t word) {
  if (word == trace::kNothing && kind == FieldKind::kDatatype) return std::string(mpi::BYTE);
  if (word == trace::kNothing) word = trace::kNull;
  if (trace::is_special(word)) return trace::special_text(kind, word);
  const auto names = trace::predefined_objects(kind);
  const auto index = static_cast<std::size_t>(-1 - word);
  return index < names.size() ? std::string(names[index]) : trace::special_text(kind, trace::kNull);
}

bool is_recorded(std::int64_t word) { return word >= 0; }

} // namespace

std::string table_of(FieldKind kind) {
  switch (kind) {
  case FieldKind::kComm:
    return "comm";
  case FieldKind::kGroup:
    return "group";
  case FieldKind::kDatatype:
    return "type";
  case FieldKind::kOp:
    return "op";
  case FieldKind::kMessage:
    return "message";
  case FieldKind::kWin:
    return "win";
  case FieldKind::kFile:
    return "file";
  default:
    return "";
  }
}

void Objects::see(FieldKind kind, std::int64_t slot) {
  if (is_recorded(slot)) recorded_[kind] = std::max(recorded_[kind], slot + 1);
}

std::int64_t Objects::place_of(FieldKind kind, std::int64_t word) {
  if (is_recorded(word)) {
    std::int64_t& length = benchmark_.objects[table_of(kind)];
    length = std::max(length, recorded_[kind]);
    return word;
  }
  const std::string table = table_of(kind);
  const std::string object = object_name(kind, word);
  std::int64_t next = recorded_[kind];
  for (const Preset& preset : benchmark_.presets) {
    if (preset.table != table) continue;
    if (preset.name == object) return preset.place;
    next = preset.place + 1;
  }
  benchmark_.presets.push_back({table, next, object});
  benchmark_.objects[table] = next + 1;
  return next;
}

Expression Objects::use(ValueForms& forms, const Domain& domain, const std::vector<Sequence>& slots,
                        const EnclosingLoops& place, FieldKind kind) {
  const bool is_plain = std::ranges::all_of(slots, &Sequence::is_constant);
  if (is_plain) { // by name or place, if a short formula tells the ranks apart
    std::vector<std::int64_t> values;
    for (const Sequence& s : slots) values.push_back(s.constant);
    const Leaf leaf = [&](std::int64_t word) {
      return is_recorded(word) ? lookup(table_of(kind), {number(place_of(kind, word))})
                               : name(object_name(kind, word));
    };
    Domain significant = domain;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == trace::kNothing) continue;
      significant.world[kept] = domain.world[i];
      significant.own[kept] = domain.own[i];
      values[kept++] = values[i];
    }
    if (kept == 0) return leaf(trace::kNothing);
    values.resize(kept);
    significant.world.resize(kept);
    significant.own.resize(kept);
    if (auto formula = formula_for(significant, values, false, leaf)) return *formula;
  }
  return slot(forms, domain, slots, place, kind);
}

Expression Objects::slot(ValueForms& forms, const Domain& domain,
                         const std::vector<Sequence>& slots, const EnclosingLoops& place,
                         FieldKind kind) {
  const auto places = mapped(slots, [&](std::int64_t word) { return place_of(kind, word); });
  const ValueKind index{.hint = table_of(kind) + "_of",
                        .leaf = [](std::int64_t i) { return number(trace::is_special(i) ? 0 : i); },
                        .constant_name = {}};
  return lookup(table_of(kind), {forms.expression(domain, places, place, index)});
}

} // namespace rondo::generate::internal
