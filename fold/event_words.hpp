// SPDX-License-Identifier: Apache-2.0
// What the words of an event are: which tell shapes apart, which are peers; and what ProgramBuilder
// compares with them at every call.
#pragma once

#include "rondo/fold/expected_call.hpp"
#include "rondo/fold/program_builder.hpp"

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::fold {

/// In the header of an event: its call is folded by what repeats, whatever ProgramOptions say.
constexpr std::int64_t kAsItRepeats = std::int64_t{1} << 32;
/// Likewise: it received from anybody, and its source is the one whose message it took.
constexpr std::int64_t kAnybody = std::int64_t{1} << 33;

inline std::uint64_t hash_words(const std::int64_t* words, std::size_t size) {
  return XXH3_64bits(words, size * sizeof *words);
}

inline const trace::Function& function_of(const std::int64_t* event) {
  return *trace::find_function(static_cast<std::uint16_t>(event[0] & 0xffff));
}

// Words that tell one shape from another and never become columns.
inline bool is_hard(trace::FieldKind kind) {
  switch (kind) {
  case trace::FieldKind::kComm:
  case trace::FieldKind::kGroup:
  case trace::FieldKind::kDatatype:
  case trace::FieldKind::kOp:
  case trace::FieldKind::kWin:
  case trace::FieldKind::kFile:
  case trace::FieldKind::kSession:
  case trace::FieldKind::kBuffer:
    return true;
  default:
    return false;
  }
}

// Calls visit(word, field, part) for each word of a function; part counts within a status.
template <class Visit> void for_each_word(const trace::Function& function, Visit visit) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const int parts = field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part) visit(word++, field, part);
  }
}

inline bool is_peer(const trace::Field& field, int part) {
  if (field.is_array) return false;
  return field.kind == trace::FieldKind::kRank || field.kind == trace::FieldKind::kRoot ||
         (field.kind == trace::FieldKind::kStatus && part == 0);
}

inline std::uint64_t shape_hash(const std::int64_t* event, std::size_t size) {
  std::int64_t hard[16] = {event[0], event[1], static_cast<std::int64_t>(size)};
  std::size_t n = 3;
  for_each_word(function_of(event), [&](std::size_t word, const trace::Field& field, int) {
    if (!field.is_array && is_hard(field.kind) && n < 16) hard[n++] = event[kEventHead + word];
  });
  return hash_words(hard, n);
}

inline bool same_shape(const std::int64_t* a, const std::int64_t* b) {
  if (a[0] != b[0] || a[1] != b[1]) return false;
  bool same = true;
  for_each_word(function_of(a), [&](std::size_t word, const trace::Field& field, int) {
    if (!field.is_array && is_hard(field.kind))
      same = same && a[kEventHead + word] == b[kEventHead + word];
  });
  return same;
}

inline bool ProgramBuilder::matches(const Symbol& symbol, const std::int64_t* event,
                                    std::size_t size) const {
  if (symbol.size != size) return false;
  const std::int64_t* words = words_.data() + symbol.offset;
  if (symbol.varying == 0) return same_words(words, event, size);
  const std::int64_t* masks = words + size;
  std::int64_t difference = 0;
  for (std::size_t i = 0; i < size; ++i) difference |= (words[i] ^ event[i]) & masks[i];
  return difference == 0;
}

} // namespace rondo::fold
