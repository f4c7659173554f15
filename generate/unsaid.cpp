// SPDX-License-Identifier: Apache-2.0
#include "generate/unsaid.hpp"

#include "rondo/trace/functions.hpp"

#include <map>

namespace rondo::generate {
namespace {

// Of each function that the trace calls, by field: whether a call says it. A root's arguments are
// said on one rank only, so words that depend on the rank count as said.
std::map<std::pair<std::uint16_t, std::size_t>, bool> said_fields(const trace::Trace& trace) {
  std::map<std::pair<std::uint16_t, std::size_t>, bool> said;
  for (const auto& program : trace.programs) {
    for (const trace::MergedCall& merged : program->calls) {
      const trace::Function& function = *trace::find_function(merged.call.function);
      std::size_t word = 0;
      for (std::size_t f = 0; f < function.fields.size(); ++f) {
        const trace::Field& field = function.fields[f];
        const trace::Word nothing{trace::Word::Form::kConstant, trace::kNothing};
        said[{function.id, f}] |= merged.call.words[word] != nothing;
        word += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
      }
    }
  }
  return said;
}

UnsaidFields unsaid_only_in(const trace::Trace& silent, const trace::Trace& other) {
  const auto here = said_fields(silent);
  const auto there = said_fields(other);
  UnsaidFields unsaid;
  for (const auto& [field, is_said] : here) {
    const auto found = there.find(field);
    const bool is_status =
        trace::find_function(field.first)->fields[field.second].kind == trace::FieldKind::kStatus;
    if (!is_said && !is_status && found != there.end() && found->second) unsaid.insert(field);
  }
  return unsaid;
}

} // namespace

UnsaidFields unsaid_in_one(const trace::Trace& a, const trace::Trace& b) {
  UnsaidFields unsaid = unsaid_only_in(a, b);
  unsaid.merge(unsaid_only_in(b, a));
  return unsaid;
}

bool hides_what_came(const trace::Trace& trace) {
  bool asks_for_any = false;
  for (const auto& program : trace.programs) {
    for (const trace::MergedCall& merged : program->calls) {
      std::size_t word = 0;
      for (const trace::Field& field : trace::find_function(merged.call.function)->fields) {
        const trace::Word& w = merged.call.words[word];
        const bool is_constant = w.form == trace::Word::Form::kConstant;
        const bool is_silent =
            is_constant && (w.value == trace::kNothing || (field.is_array && w.value == 0));
        if (field.kind == trace::FieldKind::kStatus && !is_silent) return false;
        asks_for_any |= is_constant && (w.value == trace::kAnySource || w.value == trace::kAnyTag);
        word += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
      }
    }
  }
  return asks_for_any;
}

std::vector<std::string> remarks_on_unsaid(const trace::Trace& a, const trace::Trace& b) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& name, const UnsaidFields& unsaid) {
    std::string text;
    for (const auto& [function, field] : unsaid) {
      const trace::Function& f = *trace::find_function(function);
      text += (text.empty() ? "" : ", ") + std::string(f.fields[field].name) + " of " +
              std::string(f.name);
    }
    if (!text.empty()) remarks.push_back("not compared, as " + name + " does not say it: " + text);
  };
  add("A", unsaid_only_in(a, b));
  add("B", unsaid_only_in(b, a));
  return remarks;
}

} // namespace rondo::generate
