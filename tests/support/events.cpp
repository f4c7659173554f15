// SPDX-License-Identifier: Apache-2.0
#include "tests/support/events.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace rondo::support {

Event event_of(std::string_view name, std::initializer_list<NamedWord> words, std::uint32_t site) {
  const trace::Function* function = trace::find_function(name);
  if (function == nullptr) std::abort();
  Event event(fold::kEventHead + function->words(), 0);
  event[0] = fold::header_word(function->id, 0);
  event[1] = site;
  if (function->comm_word() >= 0)
    event[fold::kEventHead + static_cast<std::size_t>(function->comm_word())] = -1;
  for (const auto& [field, value] : words) {
    const int word = function->word_of(field);
    if (word < 0) std::abort();
    event[fold::kEventHead + static_cast<std::size_t>(word)] = value;
  }
  return event;
}

RankRecorder::RankRecorder(std::int64_t rank, std::int64_t ranks, fold::ProgramOptions options)
    : rank_(rank), ranks_(ranks), builder_(options) {
  builder_.set_position(-1, rank, ranks);
  builder_.set_position(-2, 0, 1);
}

void RankRecorder::call(std::string_view function, std::initializer_list<NamedWord> words,
                        std::uint32_t site) {
  record(event_of(function, words, site));
}

void RankRecorder::record(const Event& event) {
  // Times that differ from call to call, and whose sums are easy to check.
  const std::uint64_t computation = 100 + events_.size() % 900;
  const std::uint64_t inside = 10 + events_.size() % 90;
  builder_.record(event.data(), event.size(), computation, inside);
  const std::uint64_t end = times_.empty() ? 0 : times_.back().end_ns() + 5;
  times_.push_back({end + computation, computation, inside});
  computation_ns_ += computation;
  inside_ns_ += inside;
  events_.push_back(event);
}

fold::RecordingPart RankRecorder::part() {
  fold::RecordingPart part;
  part.run.command = "test";
  part.run.ranks = ranks_;
  part.run.complete = true;
  trace::RankFacts facts;
  facts.calls = events_.size();
  facts.computation_ns = computation_ns_;
  facts.inside_ns = inside_ns_;
  part.ranks.emplace_back(rank_, facts);
  part.classes.push_back(fold::class_of_stream(rank_, 0, builder_.finish()));
  for (std::uint64_t site = 0; site < 16; ++site)
    part.tables.sites.push_back({"program", site * 16});
  return part;
}

fold::RecordingPart RankRecorder::part_with_stamps() {
  fold::RecordingPart result = part();
  trace::TimeStampWriter writer;
  for (const trace::CallTime& time : times_) writer.add(time);
  result.stamps.push_back(writer.take());
  result.stamps.back().rank = rank_;
  return result;
}

std::vector<Event> events_of(const trace::Trace& trace, std::int64_t rank) {
  std::vector<Event> events;
  const trace::RankClass* rank_class = trace.class_of(rank);
  if (rank_class == nullptr) return events;
  trace::CallReader reader(trace, *rank_class, rank);
  while (const trace::CallInstance* call = reader.next()) {
    Event event{fold::header_word(call->function->id, call->error), call->site};
    event.insert(event.end(), call->words.begin(), call->words.end());
    events.push_back(std::move(event));
  }
  return events;
}

void set_programs(trace::Trace& trace) {
  trace.programs.clear();
  for (const trace::RankClass& c : trace.classes) {
    trace::MergedProgram merged;
    merged.thread = c.thread;
    if (c.program->by_rank) merged.table = *c.program->by_rank;
    merged.table.sets.resize(std::max<std::size_t>(merged.table.sets.size(), 1));
    merged.table.sets.front() = c.ranks;
    for (const trace::Call& call : c.program->calls) merged.calls.push_back({call, 0});
    merged.top = c.program->nest.top();
    merged.columns = c.program->columns;
    merged.arrays = c.program->arrays;
    merged.texts = c.program->texts;
    for (const trace::Loop& loop : c.program->nest.loops()) {
      const auto column = static_cast<std::int64_t>(merged.columns.size());
      merged.loops.push_back({loop.body, {trace::Word::Form::kColumn, column}, 0});
      merged.columns.push_back(loop.trip_counts);
    }
    trace.programs.push_back(std::make_shared<const trace::MergedProgram>(std::move(merged)));
  }
}

trace::Trace trace_of(RankRecorder& rank) { return fold::resolve(rank.part()); }

} // namespace rondo::support
