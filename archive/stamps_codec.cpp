// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/packed.hpp"

#include <utility>

namespace rondo::archive {

StampsSection::StampsSection(const std::vector<trace::TimeStamps>& all) {
  Packer heads;
  std::vector<std::size_t> ends; // of the heads before each block
  heads.put(all.size());
  for (const trace::TimeStamps& stamps : all) {
    heads.put(static_cast<std::uint64_t>(stamps.rank));
    heads.put(stamps.thread);
    heads.put_signed(stamps.origin_unix_ns);
    heads.put(stamps.blocks.size());
    for (const trace::StampBlock& block : stamps.blocks) {
      heads.put(block.bytes.size());
      ends.push_back(heads.bytes().size());
    }
  }
  heads_ = std::move(heads).bytes();
  std::size_t at = 0;
  std::size_t next = 0;
  for (const trace::TimeStamps& stamps : all) {
    for (const trace::StampBlock& block : stamps.blocks) {
      pieces_.push_back(std::string_view(heads_).substr(at, ends[next] - at));
      pieces_.push_back(block.bytes);
      at = ends[next++];
    }
  }
  pieces_.push_back(std::string_view(heads_).substr(at));
}

std::string StampsSection::bytes() const {
  std::size_t size = 0;
  for (const std::string_view piece : pieces_) size += piece.size();
  std::string whole;
  whole.reserve(size);
  for (const std::string_view piece : pieces_) whole += piece;
  return whole;
}

bool decode_stamps_section(std::string_view bytes, const std::shared_ptr<const void>& owner,
                           std::vector<trace::TimeStamps>& all, Budget* budget) {
  Unpacker in(bytes, budget);
  for (std::size_t left = in.get_count(); left > 0 && in.pay(1, sizeof(trace::TimeStamps));
       --left) {
    trace::TimeStamps& stamps = all.emplace_back();
    stamps.rank = static_cast<std::int64_t>(in.get());
    stamps.thread = static_cast<std::uint32_t>(in.get());
    stamps.origin_unix_ns = in.get_signed();
    for (std::size_t blocks = in.get_count(); blocks > 0; --blocks) {
      if (!in.pay(1, sizeof(trace::StampBlock))) return false;
      const std::string_view block = in.get_view();
      const auto calls = trace::calls_of_block(block);
      if (!calls) in.refuse();
      stamps.calls += calls.value_or(0);
      stamps.blocks.push_back(owner == nullptr ? trace::stamp_block(std::string(block))
                                               : trace::StampBlock{block, owner});
    }
  }
  return in.ok() && in.at_end();
}

bool are_stamps_consistent(const std::vector<trace::TimeStamps>& all,
                           const CallsOfStream& calls_of) {
  const trace::TimeStamps* last = nullptr;
  for (const trace::TimeStamps& stamps : all) {
    const bool ascends = last == nullptr || std::pair(last->rank, last->thread) <
                                                std::pair(stamps.rank, stamps.thread);
    const auto calls = calls_of(stamps.rank, stamps.thread);
    if (!ascends || !calls || stamps.calls > *calls) return false;
    last = &stamps;
  }
  return true;
}

} // namespace rondo::archive
