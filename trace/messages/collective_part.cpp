// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/collective_part.hpp"

#include "rondo/trace/call_meaning.hpp"

namespace rondo::trace {
namespace {

void set_blocks(const CollectiveWords& where, std::span<const std::int64_t> words,
                const WordReader& reader, CollectivePart& part) {
  const auto word = [&](int index, std::int64_t otherwise) {
    return index < 0 ? otherwise : words[static_cast<std::size_t>(index)];
  };
  const bool in_place = word(where.send_buffer, 0) == kInPlace;
  const bool is_scatter =
      part.operation == CollectiveKind::kScatter || part.operation == CollectiveKind::kScatterv;
  const bool is_root = part.is_inter ? part.root == CollectivePart::kHere : part.root == part.rank;
  const bool from_receive = part.operation == CollectiveKind::kReduceScatter ||
                            (where.receive_count >= 0 && (is_scatter ? !is_root : in_place));
  const std::int64_t count = word(from_receive ? where.receive_count : where.send_count, 0);
  const std::int64_t type = word(from_receive ? where.receive_type : where.send_type, 0);
  const bool is_list = part.operation == CollectiveKind::kAlltoallv ||
                       (part.operation == CollectiveKind::kScatterv && is_root) ||
                       where.has_block_lists;
  if (part.operation == CollectiveKind::kAllgatherv) { // everybody knows what everybody has
    for (const std::int64_t n : reader.array(word(where.receive_count, kNothing)))
      part.blocks.push_back(reader.bytes(n, word(where.receive_type, 0)));
    return;
  }
  if (!is_list) {
    part.block = is_special(count) ? 0 : reader.bytes(count, type);
    return;
  }
  const auto counts = reader.array(count);
  const auto types = where.has_type_arrays ? reader.array(type) : std::span<const std::int64_t>{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    part.blocks.push_back(reader.bytes(counts[i], i < types.size() ? types[i] : type));
}

} // namespace

CollectiveWords collective_words_of(const Function& function) {
  const CallMeaning& means = meaning_of(function);
  CollectiveWords where;
  where.operation = collective_kind_of(function).value_or(CollectiveKind::kBarrier);
  where.root = means.root;
  where.send_buffer = means.send_buffer;
  where.send_count = means.send_count;
  where.send_type = means.send_type;
  where.receive_count = means.receive_count;
  where.receive_type = means.receive_type;
  where.has_type_arrays = means.has_send_types;
  where.has_block_lists = means.collective == Collective::kReduceScatter ||
                          means.collective == Collective::kNeighborAlltoallv ||
                          means.collective == Collective::kNeighborAlltoallw;
  return where;
}

CollectivePart part_of(const CollectiveWords& where, std::span<const std::int64_t> words,
                       const Member& member, const WordReader& reader) {
  CollectivePart part;
  part.operation = where.operation;
  part.rank = member.rank;
  part.is_inter = member.is_inter;
  part.members = member.view.peers
                     ? Members::listed(member.view.peers)
                     : Members::consecutive(member.view.first_peer, member.view.peer_count);
  const std::int64_t root = where.root < 0 ? 0 : words[static_cast<std::size_t>(where.root)];
  if (root == kRootHere)
    part.root = CollectivePart::kHere;
  else
    part.root = is_special(root) ? -1 : root;
  set_blocks(where, words, reader, part);
  return part;
}

} // namespace rondo::trace
