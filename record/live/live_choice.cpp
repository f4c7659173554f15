// SPDX-License-Identifier: Apache-2.0
// Receives with wildcards of a live run that asks the timekeeper which message they are to take
// (rondo simulate --order virtual).
#include "record/live/live_link.hpp"
#include "record/process/clock.hpp"
#include "record/process/no_cancel.hpp"
#include "record/process/signals.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/functions.hpp"

#include <cstdio>
#include <mpi.h>
#include <unistd.h>
#include <utility>

namespace rondo::record {

namespace live = trace::live;

namespace {

constexpr std::uint64_t kLongestWay_ns = 10'000'000'000; // of a message that was sent
constexpr int kAtOnce = 1000; // questions before the processor is left to others

// Whether it does within a while.
bool has_come(int source, int tag, MPI_Comm comm) {
  const NoCancel here;
  const std::uint64_t began_ns = monotonic_ns();
  for (int i = 0; monotonic_ns() - began_ns < kLongestWay_ns; ++i) {
    int flag = 0;
    if (PMPI_Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (flag != 0) return true;
    if (on_thread.waiting_signal != 0) return false;
    if (i > kAtOnce) ::usleep(100);
  }
  return false;
}

} // namespace

std::vector<std::int64_t> LiveLink::envelope(const std::int64_t* event, std::size_t size) const {
  const trace::Function* function =
      trace::find_function(static_cast<std::uint16_t>(event[0] & 0xffff));
  if (function == nullptr ||
      (function->role != trace::Role::kRecv && function->role != trace::Role::kProbe))
    return {};
  std::vector<std::int64_t> words;
  for (const char* name : {"comm", "source", "tag"}) {
    const int word = function->word_of(name);
    if (word < 0 || fold::kEventHead + static_cast<std::size_t>(word) >= size) return {};
    words.push_back(event[fold::kEventHead + static_cast<std::size_t>(word)]);
  }
  return words;
}

void LiveLink::say_returned(std::uint32_t thread) {
  if (socket_ < 0) return;
  outbox_.put(live::ItemKind::kReturned, {thread});
  send_all();
}

void LiveLink::say_given_up(std::int64_t receives) {
  outbox_.put(live::ItemKind::kGivenUp, {receives});
}

LiveLink::Answer LiveLink::ask_which(std::int64_t tests, const std::vector<Question>& questions) {
  if (!orders_receives_ || socket_ < 0) return {};
  std::vector<std::int64_t> words;
  for (const Question& each : questions)
    words.insert(words.end(), {each.held_before, each.comm, each.source, each.tag});
  const auto computing_ns = static_cast<std::int64_t>(of(0).computing_ns);
  outbox_.put(live::ItemKind::kWhich, {tests, computing_ns}, words);
  wait_for_answer(0);
  const auto answer = std::exchange(chosen_, {});
  if (answer.size() == 1) return {Answer::Kind::kNotYet, 0, 0, 0};
  if (answer.size() != 3 || static_cast<std::size_t>(answer[0]) >= questions.size()) return {};
  return {Answer::Kind::kMessage, static_cast<std::size_t>(answer[0]), static_cast<int>(answer[1]),
          static_cast<int>(answer[2])};
}

// The model may know a message that there is none of any more: what was received with an error, or
// MPI refused to send. A receive of it would never end.
bool LiveLink::comes(int source, int tag, MPI_Comm comm) {
  if (has_come(source, tag, comm)) return true;
  std::fprintf(stderr,
               "rondo: rank %lld: the message from rank %d with tag %d that is the first in "
               "virtual time does not come: MPI chooses\n",
               static_cast<long long>(rank_), source, tag);
  orders_receives_ = false;
  return false;
}

void LiveLink::choose(std::uint16_t function, const std::int64_t* event, MPI_Comm comm, int& source,
                      int& tag) {
  if (!orders_receives_ || socket_ < 0 || source == MPI_PROC_NULL) return;
  const auto words = envelope(event, fold::kEventHead + trace::find_function(function)->words());
  if (words.empty() || trace::is_special(words.front())) return;
  late_.before(function, {words[0], words[1], words[2]});
  const Answer answer = ask_which(0, {{-1, words[0], words[1], words[2]}});
  if (answer.kind != Answer::Kind::kMessage || !comes(answer.source, answer.tag, comm)) return;
  source = answer.source;
  tag = answer.tag;
}

} // namespace rondo::record
