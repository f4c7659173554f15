// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/rejoin.hpp"

#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace rondo::fold {
namespace {

using trace::PlaceTimes;

// The program of one thread of the rank in the making.
struct Thread {
  ProgramBuilder builder;
  std::vector<std::int64_t> event;
};

std::uint64_t place_key(std::uint32_t before, std::uint32_t call) {
  return static_cast<std::uint64_t>(before) << 32 | call;
}

// Gives each place's times to the first call there; a place after any call to the first call that
// has no place of its own.
class PlacesOnce {
public:
  explicit PlacesOnce(const std::vector<PlaceTimes>& times) {
    for (const PlaceTimes& place : times)
      places_.emplace(place_key(place.before, place.call), &place);
  }

  const PlaceTimes* take(std::uint32_t symbol) {
    const std::uint32_t before = std::exchange(before_, symbol);
    for (const std::uint32_t wanted : {before, PlaceTimes::kOther}) {
      const auto found = places_.find(place_key(wanted, symbol));
      if (found != places_.end()) return std::exchange(found->second, nullptr);
    }
    return nullptr;
  }

private:
  std::unordered_map<std::uint64_t, const PlaceTimes*> places_;
  std::uint32_t before_ = PlaceTimes::kStart;
};

// Words of arrays and texts are indices into tables of the chunk: they become those of the builder.
void translate_tables(const trace::CallInstance& call, const trace::Program& program, Thread& to) {
  std::size_t word = 0;
  for (const trace::Field& field : call.function->fields) {
    std::int64_t& value = to.event[kEventHead + word];
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    word += is_status ? 3 : 1;
    if (trace::is_special(value)) continue;
    const auto index = static_cast<std::size_t>(value);
    if (field.is_array) {
      value = to.builder.array(program.arrays[index].data(), program.arrays[index].size());
    } else if (field.kind == trace::FieldKind::kText) {
      value = to.builder.text(program.texts[index]);
    }
  }
}

void replay(const trace::Trace& chunk, const trace::RankClass& c, std::int64_t rank, Thread& to) {
  PlacesOnce places(c.program->times);
  trace::CallReader reader(chunk, c, rank);
  while (const trace::CallInstance* call = reader.next()) {
    to.event.assign({header_word(call->function->id, call->error), call->site});
    to.event.insert(to.event.end(), call->words.begin(), call->words.end());
    translate_tables(*call, *c.program, to);
    to.builder.record_again(to.event.data(), to.event.size(), places.take(call->symbol));
  }
}

bool is_prefix(const std::vector<trace::CallSite>& a, const std::vector<trace::CallSite>& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

} // namespace

Result<Part> rejoin(std::vector<Part>&& chunks) {
  if (chunks.size() == 1) return std::move(chunks.front());
  const Part& last = chunks.back();
  const auto contradict = [&](const Part& chunk) {
    return chunk.ranks.size() != 1 || chunk.ranks.front().first != last.ranks.front().first ||
           !is_prefix(chunk.tables.sites, last.tables.sites);
  };
  if (chunks.empty() || std::any_of(chunks.begin(), chunks.end(), contradict)) {
    return fail(ErrorCode::kDamaged, "the chunks of a rank do not belong together");
  }
  const std::int64_t rank = last.ranks.front().first;
  Part result;
  result.run = last.run;
  result.ranks = last.ranks;
  result.tables = last.tables;
  std::map<std::uint32_t, Thread> threads;
  for (Part& part : chunks) {
    const trace::Trace chunk = resolve(std::move(part));
    const trace::Positions positions(chunk, rank);
    for (const trace::RankClass& c : chunk.classes) {
      Thread& thread = threads[c.thread];
      for (const std::int64_t slot : {trace::kWorldSlot, trace::kSelfSlot}) {
        thread.builder.set_position(slot, positions.of(slot).rank, positions.of(slot).size);
      }
      for (const trace::CommDefinition& comm : chunk.comms) {
        const auto& at = positions.of(comm.slot);
        thread.builder.set_position(comm.slot, at.rank, at.size);
      }
      replay(chunk, c, rank, thread);
    }
  }
  for (auto& [number, thread] : threads)
    result.classes.push_back(class_of_stream(rank, number, thread.builder.finish()));
  return result;
}

} // namespace rondo::fold
