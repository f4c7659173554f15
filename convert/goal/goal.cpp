// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/goal.hpp"
#include "rondo/base/command_line.hpp"
#include "trace/mpi_names.hpp"

#include "convert/calls/rank_program.hpp"
#include "convert/calls/wait_words.hpp"
#include "convert/goal/play.hpp"
#include "convert/text/folder_of_text.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;
using GoalKind = GoalOperation::Kind;

struct GoalCounts {
  std::uint64_t any_source = 0;
  std::uint64_t stuck = 0;

  std::vector<Remark> remarks(const GoalSchedule& schedule) const {
    return counted_remarks({
        {any_source, "receives from any source", "the schedule does not say who sent"},
        {stuck, "operations that can never begin",
         "no message comes that they require; they stand at the end of their rank"},
        {schedule.on_other_cpus, "operations on a CPU other than 0",
         "a rank's operations follow one another on one thread"},
        {schedule.on_other_nics, "operations on a network card other than 0", "taken as the first"},
    });
  }
};

// One rank's operations as its calls.
class GoalCalls {
public:
  GoalCalls(const GoalSchedule& schedule, const ImportOptions& options, std::size_t rank,
            GoalCounts& counts)
      : rank_(schedule.ranks[rank]), counts_(counts),
        program_(options, static_cast<std::int64_t>(rank), 0,
                 static_cast<std::int64_t>(schedule.ranks.size())) {}

  void begin(std::uint32_t index, std::span<const GoalPlay::Required> required) {
    std::vector<std::uint64_t> numbers;
    for (const auto& one : required) {
      if (!one.on_start) take(one.operation, numbers);
    }
    wait(numbers);
    const GoalOperation& operation = rank_.operations[index];
    if (operation.kind == GoalKind::kCompute) {
      computed_ns_ += operation.size;
      return;
    }
    post(operation);
    open_[index] = ++made_;
  }

  std::uint64_t end_ns() const { return now_ns_ + computed_ns_; }

  fold::RecordingPart finish(std::uint64_t span_ns) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [index, number] : open_) numbers.push_back(number);
    wait(numbers);
    static const CallForm kEnd = call_form(mpi::Finalize);
    record(CallWords(kEnd)); // so that computation behind the last message is before something
    return program_.finish({.span_ns = span_ns});
  }

private:
  void take(std::uint32_t index, std::vector<std::uint64_t>& numbers) {
    const auto found = open_.find(index);
    if (found == open_.end()) return;
    numbers.push_back(found->second);
    open_.erase(found);
  }

  void record(const CallWords& words) {
    now_ns_ += computed_ns_;
    program_.record(words.event, {now_ns_, now_ns_, std::exchange(computed_ns_, 0)});
  }

  void post(const GoalOperation& operation) {
    static const CallForm kSend = call_form(mpi::Isend);
    static const CallForm kReceive = call_form(mpi::Irecv);
    const bool sends = operation.kind == GoalKind::kSend;
    const CallForm& form = sends ? kSend : kReceive;
    const bool is_any = operation.peer == GoalOperation::kAny;
    counts_.any_source += is_any ? 1 : 0;
    CallWords words(form);
    words.put(sends ? form.dest : form.source,
              is_any ? trace::kAnySource : std::int64_t{operation.peer});
    words.put(sends ? form.send_tag : form.receive_tag,
              operation.tag == GoalOperation::kAny ? trace::kAnyTag : std::int64_t{operation.tag});
    words.put_bytes(sends ? form.send_count : form.receive_count,
                    sends ? form.send_type : form.receive_type,
                    static_cast<std::int64_t>(operation.size));
    record(words);
  }

  // In the order in which they were made, so that equal places look alike.
  void wait(std::vector<std::uint64_t>& numbers) {
    if (numbers.empty()) return;
    record(wait_words(program_, made_, numbers));
  }

  const GoalRank& rank_;
  GoalCounts& counts_;
  RankProgram program_;
  std::unordered_map<std::uint32_t, std::uint64_t> open_; // requests by operation
  std::uint64_t made_ = 0;
  std::uint64_t computed_ns_ = 0; // since the last call
  std::uint64_t now_ns_ = 0;
};

} // namespace
} // namespace internal

Result<Imported> read_goal(const std::string& place, const ImportOptions& options) {
  using namespace internal;
  const auto file = text_trace_at(place);
  if (!file) return propagate(file);
  const std::string& path = *file;
  std::error_code unknown;
  const auto schedule =
      read_schedule(path, Budget::of_file(fs::file_size(path, unknown)), options.progress);
  if (!schedule) return propagate(schedule);
  GoalPlay play(*schedule);
  if (const auto checked = play.check(); !checked) {
    Error error = checked.error();
    error.place.file = path;
    return tl::unexpected<Error>(std::move(error));
  }
  GoalCounts counts;
  std::vector<std::unique_ptr<GoalCalls>> ranks;
  for (std::size_t rank = 0; rank < schedule->ranks.size(); ++rank)
    ranks.push_back(std::make_unique<GoalCalls>(*schedule, options, rank, counts));
  counts.stuck = play.run([&](std::size_t rank, std::uint32_t index) {
    ranks[rank]->begin(index, play.required(rank, index));
  });
  std::uint64_t span_ns = 0;
  for (const auto& rank : ranks) span_ns = std::max(span_ns, rank->end_ns());
  std::vector<fold::RecordingPart> parts;
  for (auto& rank : ranks) {
    parts.push_back(rank->finish(span_ns));
    rank.reset();
  }
  fold::RecordingPart whole = merge_parts(parts, options.merges);
  whole.run.command = command_line({fs::path(path).filename().string()});
  whole.run.mpi = "GOAL schedule";
  whole.run.recorder = "rondo " RONDO_VERSION " from a GOAL schedule";
  whole.run.thread_level = -1; // not said
  whole.run.ranks = static_cast<std::int64_t>(schedule->ranks.size());
  return Imported{fold::resolve(std::move(whole), options.merges), counts.remarks(*schedule)};
}

} // namespace rondo::convert
