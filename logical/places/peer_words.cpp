// SPDX-License-Identifier: Apache-2.0
#include "logical/places/peer_words.hpp"

namespace rondo::logical::internal {
namespace {

bool is_argument_said(const trace::Field& field) {
  using Kind = trace::FieldKind;
  return field.kind == Kind::kInteger || field.kind == Kind::kColor ||
         field.kind == Kind::kDatatype || field.kind == Kind::kOp || field.kind == Kind::kTag ||
         field.kind == Kind::kRoot;
}

WordKinds kinds_of(const trace::Function& function) {
  using Kind = trace::FieldKind;
  const bool is_start = trace::meaning_of(function).act == trace::Act::kStart;
  WordKinds kinds;
  kinds.comm = function.comm_word();
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == Kind::kStatus && !field.is_array;
    const bool is_rank =
        !field.is_array && (field.kind == Kind::kRank || field.kind == Kind::kRoot);
    if (is_rank || is_status) kinds.ranks.push_back({word, &field});
    const bool is_said =
        !field.is_array && ((is_argument_said(field) && !field.is_outcome) ||
                            field.kind == Kind::kRank || field.kind == Kind::kComm);
    const bool is_started = is_start && field.kind == Kind::kRequest;
    for (const std::size_t end = word + (is_status ? 3 : 1); word < end; ++word) {
      if (!is_said && !is_started) kinds.unsaid.push_back(word);
    }
  }
  return kinds;
}

std::vector<WordKinds> kinds_of_all() {
  std::vector<WordKinds> all;
  for (const trace::Function& function : trace::all_functions()) {
    if (all.size() <= function.id) all.resize(function.id + std::size_t{1});
    all[function.id] = kinds_of(function);
  }
  return all;
}

} // namespace

const WordKinds& word_kinds_of(const trace::Function& function) {
  static const std::vector<WordKinds> known = kinds_of_all();
  return known[function.id];
}

} // namespace rondo::logical::internal
