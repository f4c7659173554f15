// SPDX-License-Identifier: Apache-2.0
// The words of a call that name ranks, and those that the paper's records do without.
#pragma once

#include "rondo/fold/recast.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::logical::internal {

/// What the words of a function's calls are, of which there are millions.
struct WordKinds {
  struct Rank {
    std::size_t word;
    const trace::Field* field;
  };
  std::vector<Rank> ranks; // single ones: peers, the sources of statuses, roots
  std::vector<std::size_t> unsaid; // as blank_unsaid() has it
  int comm = -1; // Function::comm_word()
};

/// Found once for all functions.
const WordKinds& word_kinds_of(const trace::Function& function);

/// Calls visit(word, field) for each word that is a single rank: peers, the sources of statuses,
/// roots.
template <class Visit> void for_each_rank_word(const trace::Function& function, Visit visit) {
  for (const WordKinds::Rank& rank : word_kinds_of(function).ranks) visit(rank.word, *rank.field);
}

/// Calls visit(value) for each value that is a rank in the array of a field: relative to the own
/// rank in MPI_COMM_WORLD. Status arrays are [n, (index, source, tag, bytes)...].
template <class Visit>
void for_each_rank_in_array(const trace::Field& field, std::span<std::int64_t> values,
                            Visit visit) {
  if (field.kind == trace::FieldKind::kRank) {
    for (std::int64_t& value : values) visit(value);
  } else if (field.kind == trace::FieldKind::kStatus) {
    for (std::size_t i = 2; i < values.size(); i += 4) visit(values[i]);
  }
}

/// The communicator of a call, MPI_COMM_WORLD of one that has none.
inline std::int64_t comm_of(const trace::CallInstance& call) {
  const int word = word_kinds_of(*call.function).comm;
  return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)];
}

inline bool is_point_to_point(const trace::Function& function) {
  return function.role == trace::Role::kSend || function.role == trace::Role::kRecv ||
         function.role == trace::Role::kSendrecv || function.role == trace::Role::kProbe;
}

/// In a program in source order the site of a call says where it stands, and whether it was moved.
inline std::int64_t site_in_source_order(std::int64_t site) { return 2 * site; }
inline bool was_moved(const trace::CallSite& site) {
  return site.offset % 2 == fold::Recasting::kMovedSite;
}
inline std::uint32_t recorded_site(const trace::CallSite& site) {
  return static_cast<std::uint32_t>(site.offset / 2);
}

/// Words of which the text says nothing become kNothing: outcomes, requests, arrays, buffers. What
/// starts persistent requests keeps them: they say how much is sent.
inline void blank_unsaid(const trace::Function& function, std::span<std::int64_t> words) {
  for (const std::size_t word : word_kinds_of(function).unsaid) words[word] = trace::kNothing;
}

/// How much goes where of a gather or scatter, and as what, as the ranks have it that are not its
/// root: what the root alone says besides is the same for each of them, or an array.
inline void blank_said_by_root(const trace::Function& function, std::span<std::int64_t> words) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  const bool is_scatter = means.collective == trace::Collective::kScatter ||
                          means.collective == trace::Collective::kScatterv;
  const bool is_gather = means.collective == trace::Collective::kGather ||
                         means.collective == trace::Collective::kGatherv;
  if (!is_scatter && !is_gather) return;
  const auto move = [&](int from, int to) { // what MPI_IN_PLACE leaves open
    if (from < 0) return;
    std::int64_t& at_root = words[static_cast<std::size_t>(from)];
    if (to >= 0 && words[static_cast<std::size_t>(to)] == trace::kNothing)
      words[static_cast<std::size_t>(to)] = at_root;
    at_root = trace::kNothing;
  };
  const int send_count = means.has_send_counts ? -1 : means.send_count;
  const int receive_count = means.has_receive_counts ? -1 : means.receive_count;
  move(is_scatter ? means.send_type : means.receive_type,
       is_scatter ? means.receive_type : means.send_type);
  move(is_scatter ? send_count : receive_count, is_scatter ? receive_count : send_count);
}

/// Words that Detail::kPaper does not keep become kNothing.
inline void blank_for_paper(const trace::Function& function, std::span<std::int64_t> words) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    const bool is_kept = !field.is_array && (field.kind == trace::FieldKind::kRank ||
                                             field.kind == trace::FieldKind::kDatatype ||
                                             field.kind == trace::FieldKind::kComm);
    for (std::size_t part = 0; part < (is_status ? 3 : 1); ++part) {
      if (!is_kept) words[word + part] = trace::kNothing;
    }
    word += is_status ? 3 : 1;
  }
}

} // namespace rondo::logical::internal
