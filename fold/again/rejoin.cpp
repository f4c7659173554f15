// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/rejoin.hpp"

#include "fold/again/replay.hpp"
#include "fold/merge/merge_tables.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::fold {
namespace {

void join_stamps(std::map<std::uint32_t, trace::TimeStamps>& into, trace::TimeStamps&& more) {
  const auto known = into.find(more.thread);
  if (known != into.end()) {
    known->second.append(std::move(more));
  } else {
    into.emplace(more.thread, std::move(more));
  }
}

bool is_prefix(const std::vector<trace::CallSite>& a, const std::vector<trace::CallSite>& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

} // namespace

Result<RecordingPart> rejoin(std::vector<RecordingPart>&& chunks) {
  if (chunks.size() == 1) return std::move(chunks.front());
  const RecordingPart& last = chunks.back();
  const auto contradict = [&](const RecordingPart& chunk) {
    return chunk.ranks.size() != 1 || chunk.ranks.front().first != last.ranks.front().first ||
           !is_prefix(chunk.tables.sites, last.tables.sites);
  };
  if (chunks.empty() || std::any_of(chunks.begin(), chunks.end(), contradict)) {
    return fail(ErrorCode::kDamaged, "the chunks of a rank do not belong together");
  }
  const std::int64_t rank = last.ranks.front().first;
  RecordingPart result;
  result.run = last.run;
  result.ranks = last.ranks;
  result.tables.sites = last.tables.sites;
  MergedTables tables(result.tables);
  std::map<std::uint32_t, ProgramBuilder> threads;
  std::map<std::uint32_t, trace::TimeStamps> stamps;
  for (RecordingPart& part : chunks) {
    // A chunk has the objects that the program made since the one before; communicators are needed
    // to read its calls.
    tables.add(std::move(part.tables));
    part.tables.comms.swap(result.tables.comms);
    trace::Trace chunk = resolve(std::move(part));
    for (trace::TimeStamps& more : chunk.stamps) join_stamps(stamps, std::move(more));
    for (const trace::RankClass& c : chunk.classes) {
      ProgramBuilder& thread = threads[c.thread];
      set_positions(thread, chunk, rank);
      const RankShares shares(c);
      replay(chunk, c, rank, {.places = &shares}, {}, thread);
    }
    chunk.comms.swap(result.tables.comms);
  }
  for (auto& [number, thread] : threads)
    result.classes.push_back(class_of_stream(rank, number, thread.finish()));
  for (auto& [number, of] : stamps) result.stamps.push_back(std::move(of));
  return result;
}

} // namespace rondo::fold
