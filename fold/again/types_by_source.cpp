// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/types_by_source.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>

namespace rondo::fold {

using trace::Field;
using trace::FieldKind;

namespace {

constexpr std::int64_t kUnknown = -1; // no call that makes it was recorded

bool is_made(std::int64_t slot) { return slot >= 0 && !trace::is_special(slot); }

bool frees(const trace::Function& function) {
  return trace::meaning_of(function).act == trace::Act::kFreeObject;
}

} // namespace

void TypesBySource::change(std::int64_t rank, const trace::CallInstance& call, const Field& field,
                           std::span<std::int64_t> values) {
  if (field.kind != FieldKind::kDatatype) return;
  for (std::int64_t& value : values) {
    if (!is_made(value)) continue;
    if (field.is_outcome && !frees(*call.function)) freed({rank, value}); // it is another one now
    value = used({rank, value});
  }
}

void TypesBySource::change(std::int64_t rank, const trace::CallInstance& call,
                           std::span<std::int64_t> words) {
  std::size_t word = 0;
  for (const Field& field : call.function->fields) {
    std::int64_t& value = words[word];
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    if (field.kind != FieldKind::kDatatype || field.is_array || !is_made(value)) continue;
    const OfRank type{rank, value};
    if (frees(*call.function)) {
      value = used(type);
      freed(type);
    } else {
      value = field.is_outcome ? made(type, call.site) : used(type);
    }
  }
}

std::int64_t TypesBySource::made(const OfRank& type, std::int64_t site) {
  freed(type);
  Source source{site, 0};
  std::set<std::int64_t>& taken = taken_[{type.first, site}];
  while (keeps_ == Keeps::kApart && taken.contains(source.number)) ++source.number;
  taken.insert(source.number);
  source_.emplace(type, source);
  return used(type);
}

std::int64_t TypesBySource::used(const OfRank& type) {
  const Source& source = source_.try_emplace(type, Source{kUnknown, type.second}).first->second;
  const std::int64_t slot =
      slots_.try_emplace(source, static_cast<std::int64_t>(slots_.size())).first->second;
  were_[slot].insert(type.second);
  return slot;
}

void TypesBySource::freed(const OfRank& type) {
  const auto known = source_.find(type);
  if (known == source_.end()) return;
  taken_[{type.first, known->second.site}].erase(known->second.number);
  source_.erase(known);
}

std::vector<trace::DatatypeDefinition> TypesBySource::definitions(const trace::Trace& trace) const {
  std::vector<trace::DatatypeDefinition> all = trace.datatypes;
  std::erase_if(all, [](const auto& type) { return type.slot >= 0; });
  for (const auto& [slot, were] : were_) {
    trace::DatatypeDefinition one{slot, "", 0, 0, {}};
    for (const trace::DatatypeDefinition& type : trace.datatypes) {
      if (!were.contains(type.slot)) continue;
      one.size_bytes = std::max(one.size_bytes, type.size_bytes);
      one.extent_bytes = std::max(one.extent_bytes, type.extent_bytes);
    }
    all.push_back(std::move(one));
  }
  return all;
}

bool knows_sites(const trace::Trace& trace) {
  const auto is_known = [&](const trace::Call& call) {
    const bool has_line = call.site < trace.names.size() && trace.names[call.site].line != 0;
    return has_line || trace.sites.at(call.site).offset != 0;
  };
  return !trace.sites.empty() &&
         std::all_of(trace.classes.begin(), trace.classes.end(), [&](const trace::RankClass& c) {
           return std::all_of(c.program->calls.begin(), c.program->calls.end(), is_known);
         });
}

} // namespace rondo::fold
