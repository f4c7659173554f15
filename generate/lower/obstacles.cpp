// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/addresses.hpp"
#include "generate/lower/completions.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/generate/replay.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::Field;
using trace::FieldKind;

// Processes that a replay does not start, and memory at addresses that it does not have.
bool is_beyond_replay(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  const bool is_attach = means.act == trace::Act::kAttach;
  const bool is_of_session =
      function.role == trace::Role::kSession || function.word_of("session") >= 0 ||
      (means.act == trace::Act::kMakeComm && means.comm == trace::CallMeaning::kNoWord);
  return function.role == trace::Role::kProcess || means.act == trace::Act::kAbort || is_attach ||
         is_of_session;
}

// Messages from MPI_BOTTOM: where things are relative to each other is known if their datatype says
// it by addresses.
constexpr std::string_view kRecordedAddresses =
    " with MPI_BOTTOM, whose addresses were those of another process";
constexpr std::string_view kUnknownAddresses =
    " with MPI_BOTTOM, and a datatype that no recorded call made of addresses";
constexpr std::string_view kOtherThreads = "calls of threads other than the first";
constexpr std::string_view kAttachedMemory =
    " on a window of MPI_Win_create_dynamic, whose addresses were those of another process";

// Traces of other tools may not say from whom a receive got what, or of whom an operation is.
bool has_unknown_partner(const CallInstance& call) {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const auto is_unknown = [&](int index) {
    return trace::word_or(call.words, index, 0) == trace::kNothing;
  };
  if (means.act == trace::Act::kTransfer && (is_unknown(means.dest) || is_unknown(means.source)))
    return true;
  const bool meets = means.act == trace::Act::kTransfer || means.act == trace::Act::kCollective;
  return meets && is_unknown(means.comm);
}

// Windows that were made without memory; programs make some that they never use.
class DynamicWindows {
public:
  void next(const CallInstance& call) {
    const trace::CallView view(trace::meaning_of(*call.function), call.words);
    if (view.means().act != trace::Act::kMakeWindow) return;
    const std::int64_t win = view.window();
    if (call.function->word_of("size") < 0) {
      slots_.insert(win);
    } else {
      slots_.erase(win);
    }
  }

  /// Whether the call reads or writes what has been attached to one.
  bool is_accessed(const CallInstance& call) const {
    const trace::CallView view(trace::meaning_of(*call.function), call.words);
    return view.means().act == trace::Act::kOneSided && slots_.contains(view.window());
  }

private:
  std::set<std::int64_t> slots_;
};

class Inspection {
public:
  explicit Inspection(const trace::Trace& trace) : trace_(trace) {
    for (const trace::RankClass& of : trace.classes) has_threads_ = has_threads_ || of.thread > 0;
  }

  /// One after the other, the first thread of each rank before its others.
  void stream(const trace::RankClass& of, std::int64_t rank) {
    trace::CallReader reader(trace_, of, rank);
    for (auto& made : made_) made.clear();
    addressed_ = {};
    dynamic_ = {};
    first_thread_ = of.thread == 0 || !has_threads_ ? nullptr : &made_by_first_[rank];
    while (const CallInstance* call = reader.next()) {
      if (of.thread > 0) ++counts_[std::string(kOtherThreads)];
      const std::string why = obstacle(reader.program(), *call);
      if (!why.empty()) ++counts_[why];
      addressed_.next(reader.program(), *call);
      dynamic_.next(*call);
    }
    if (of.thread == 0 && has_threads_) made_by_first_[rank] = made_;
  }

  std::vector<ReplayObstacle> result() const {
    std::vector<ReplayObstacle> all;
    if (!trace_.run.complete)
      all.push_back({"the trace is incomplete: not every rank came to MPI_Finalize", 0});
    for (const auto& [what, calls] : counts_)
      all.push_back({what, calls, what.ends_with(kRecordedAddresses) || what == kOtherThreads});
    sort_stably(all.begin(), all.end(),
                [](const ReplayObstacle& a, const ReplayObstacle& b) { return a.calls > b.calls; });
    return all;
  }

private:
  std::string obstacle(const trace::Program& program, const CallInstance& call) {
    const auto name = [&] { return std::string(call.function->name); };
    if (is_beyond_replay(*call.function)) return name();
    if (has_unknown_partner(call))
      return name() + " whose peer or communicator the trace does not say";
    if (dynamic_.is_accessed(call)) return name() + std::string(kAttachedMemory);
    if (call.error != 0)
      return name() + " that failed with " + std::string(trace::error_class_name(call.error));
    if (is_idle_poll(call)) return ""; // asks for something else anyway
    int word = 0;
    std::string why;
    is_bottom_ = false;
    for (const Field& field : call.function->fields) {
      const std::int64_t w = word_at(call, word);
      word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
      if (field.kind == FieldKind::kStatus) continue;
      is_bottom_ = field.kind == FieldKind::kBuffer ? w == trace::kBottom : is_bottom_;
      if (is_bottom_ && field.kind == FieldKind::kDatatype && why.empty())
        why = name() + std::string(has_addresses(program, field, w) ? kRecordedAddresses
                                                                    : kUnknownAddresses);
      if (!field.is_array) {
        if (why.empty()) why = obstacle(call, field, w);
        continue;
      }
      for (const std::int64_t element : elements_of(program, w)) {
        if (why.empty()) why = obstacle(call, field, element);
      }
    }
    return why;
  }

  std::string obstacle(const CallInstance& call, const Field& field, std::int64_t word) {
    const auto name = [&] { return std::string(call.function->name); };
    if (field.kind == FieldKind::kRequest) {
      const bool is_own = trace::is_special(word) ? word != trace::kUnrecorded : word >= 0;
      return is_own ? "" : name() + " of a request that no recorded call of this thread made";
    }
    const bool is_object = field.kind >= FieldKind::kComm && field.kind <= FieldKind::kSession;
    if (!is_object || trace::is_special(word) || word < 0) return "";
    auto& made = made_[static_cast<std::size_t>(field.kind)];
    if (field.is_outcome) made.insert(word);
    const bool is_known = made.contains(word) ||
                          (first_thread_ != nullptr &&
                           (*first_thread_)[static_cast<std::size_t>(field.kind)].contains(word));
    return is_known ? "" : name() + " with an object that no recorded call made";
  }

  bool has_addresses(const trace::Program& program, const Field& field, std::int64_t word) const {
    const auto is_addressed = [&](std::int64_t type) { return addressed_.contains(type); };
    return field.is_array ? std::ranges::all_of(elements_of(program, word), is_addressed)
                          : is_addressed(word);
  }

  const trace::Trace& trace_;
  internal::AddressedTypes addressed_;
  DynamicWindows dynamic_;
  bool is_bottom_ = false; // the buffer before
  std::map<std::string, std::uint64_t> counts_;
  using Made = std::array<std::set<std::int64_t>, 32>; // slots, by kind
  Made made_;
  bool has_threads_ = false;
  std::map<std::int64_t, Made> made_by_first_; // threads, by rank, where there are others
  const Made* first_thread_ = nullptr; // of the rank, while another one is inspected
};

} // namespace

std::vector<ReplayObstacle>
replay_obstacles(const trace::Trace& trace,
                 const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Inspection inspection(trace);
  std::uint64_t all = 0;
  std::uint64_t done = 0;
  for (const trace::RankClass& of : trace.classes)
    all += static_cast<std::uint64_t>(of.ranks.size());
  for (const bool is_first : {true, false}) {
    for (const trace::RankClass& of : trace.classes) {
      if ((of.thread == 0) != is_first) continue;
      for (const std::int64_t rank : of.ranks.ranks()) {
        inspection.stream(of, rank);
        if (progress) progress(++done, all);
      }
    }
  }
  return inspection.result();
}

} // namespace rondo::generate
