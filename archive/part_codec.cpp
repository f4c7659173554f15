// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/part_codec.hpp"

#include "archive/image.hpp"
#include "archive/program_codec.hpp"

namespace rondo::archive {
namespace {

// Merging goes through peers and open words side by side.
bool are_classes_consistent(const Image& image) {
  if (image.peers.size() != image.trace.classes.size()) return false;
  for (std::size_t i = 0; i < image.peers.size(); ++i) {
    const trace::Program& program = *image.trace.classes[i].program;
    if (!is_consistent(program, image.trace.sites.size())) return false;
    std::size_t open = 0;
    for (const trace::Call& call : program.calls) {
      fold::for_each_open_peer(call, [&](std::size_t, bool) { ++open; });
    }
    if (open != image.peers[i].size()) return false;
  }
  return true;
}

} // namespace

std::string encode_part(const fold::Part& part) {
  Image image;
  image.trace = part.tables;
  image.trace.run = part.run;
  for (const auto& [rank, facts] : part.ranks) {
    image.rank_ids.push_back(rank);
    image.trace.ranks.push_back(facts);
  }
  for (const fold::PartClass& c : part.classes) {
    // Borrowed for the encoding only: the part outlives it.
    std::shared_ptr<const trace::Program> program(std::shared_ptr<void>(), &c.stream.program);
    image.trace.classes.push_back({trace::RankSet::of(c.ranks), c.thread, std::move(program)});
    image.peers.push_back(c.stream.peers);
  }
  const std::string programs = encode_program_section(image);
  const std::string times = encode_times_section(image.trace);
  // FlatBuffers read in place need 8-byte alignment: both parts start on it.
  std::string bytes(8, '\0');
  const std::uint64_t size = programs.size();
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(size >> (8 * i));
  bytes += programs;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes + times;
}

Result<fold::Part> decode_part(std::string_view bytes) {
  const auto damaged = fail(ErrorCode::kDamaged, "the recording of a group of ranks is damaged");
  if (bytes.size() < 8) return damaged;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i)
    size |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  if (size > bytes.size() - 8) return damaged;
  const std::size_t times = (8 + size + 7) / 8 * 8;
  auto image = decode_program_section(bytes.substr(8, size));
  if (!image || times > bytes.size() || !decode_times_section(bytes.substr(times), image->trace))
    return damaged;
  if (!are_classes_consistent(*image)) return damaged;
  fold::Part part;
  part.run = std::move(image->trace.run);
  for (std::size_t i = 0; i < image->rank_ids.size(); ++i) {
    part.ranks.emplace_back(image->rank_ids[i], image->trace.ranks[i]);
  }
  for (std::size_t i = 0; i < image->trace.classes.size(); ++i) {
    const trace::RankClass& c = image->trace.classes[i];
    part.classes.push_back({c.ranks.ranks(), c.thread, {*c.program, std::move(image->peers[i])}});
  }
  image->trace.classes.clear();
  image->trace.ranks.clear();
  part.tables = std::move(image->trace);
  return part;
}

} // namespace rondo::archive
