// SPDX-License-Identifier: Apache-2.0
// Puts the streams of all threads together by time, and writes the three files.
#include "convert/calls/unsaid_calls.hpp"
#include "convert/paraver/names.hpp"
#include "convert/paraver/prv_stream.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <queue>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

struct NamedState {
  int number;
  const char* name;
  const char* colour;
};
// Those that are written, as Extrae names them.
constexpr NamedState kStates[] = {
    {0, "Idle", "{117,195,255}"},
    {1, "Running", "{0,0,255}"},
    {3, "Waiting a message", "{255,0,0}"},
    {4, "Blocking Send", "{255,0,174}"},
    {5, "Synchronization", "{179,0,0}"},
    {6, "Test/Probe", "{0,255,0}"},
    {8, "Wait/WaitAll", "{235,0,0}"},
    {10, "Immediate Send", "{255,0,255}"},
    {11, "Immediate Receive", "{100,100,177}"},
    {12, "I/O", "{172,174,41}"},
    {13, "Group Communication", "{255,144,26}"},
    {15, "Others", "{192,224,0}"},
    {16, "Send Receive", "{66,66,66}"},
    {25, "One-sided op", "{50,90,204}"},
};
constexpr std::array<const char*, kMpiEvents> kTypeNames = {
    "MPI Point-to-point", "MPI Collective Comm", "MPI Other", "MPI One-sided", "MPI I/O"};

// "23/11/2026 at 15:32", as if it was UTC; 01/01/1970 if nobody knows.
std::string paraver_date(std::int64_t unix_ns) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(unix_ns)));
  const auto day = std::chrono::floor<std::chrono::days>(minutes);
  const std::chrono::year_month_day date(day);
  const auto minute = (minutes - day).count();
  char text[64];
  std::snprintf(text, sizeof text, "%02u/%02u/%04d at %02d:%02d", static_cast<unsigned>(date.day()),
                static_cast<unsigned>(date.month()), static_cast<int>(date.year()),
                static_cast<int>(minute / 60), static_cast<int>(minute % 60));
  return text;
}

// How long the trace is: to the end of the last call, and as long as a rank says that it ran.
std::uint64_t duration_of(const trace::Trace& trace, bool& are_reconstructed) {
  std::uint64_t longest = 0;
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      trace::CallReader reader(trace, c, rank);
      PrvClock clock(trace, c, rank);
      are_reconstructed = are_reconstructed || clock.are_reconstructed();
      while (const trace::CallInstance* call = reader.next()) clock.next(call->symbol);
      longest = std::max(longest, clock.end_ns());
    }
  }
  for (const trace::RankFacts& facts : trace.ranks) longest = std::max(longest, facts.span_ns);
  return longest;
}

std::string pcf_of(const PrvRun& run) {
  std::string text = "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
                     "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
                     "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
                     "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n";
  for (const NamedState& state : kStates)
    text += std::to_string(state.number) + "    " + state.name + "\n";
  text += "\n\nSTATES_COLOR\n";
  for (const NamedState& state : kStates)
    text += std::to_string(state.number) + "    " + state.colour + "\n";
  for (const auto& [type, functions] : run.functions) {
    text += "\n\nEVENT_TYPE\n9    " + std::to_string(type) + "    " +
            kTypeNames[static_cast<std::size_t>(type - kFirstMpiEvent)] + "\nVALUES\n";
    for (const auto& [value, name] : functions) text += std::to_string(value) + "   " + name + "\n";
    text += "0   Outside MPI\n";
  }
  constexpr std::array<const char*, 4> kSizes = {"Send Size", "Recv Size", "Root", "Communicator"};
  text += "\n\nEVENT_TYPE\n";
  for (std::size_t i = 0; i < kSizes.size(); ++i)
    text += "1    " + std::to_string(kFirstSizeEvent + static_cast<std::int64_t>(i)) + "    " +
            kSizes[i] + " in MPI Global OP\n";
  return text + "\n\n";
}

std::string head_of(const PrvRun& run, bool are_reconstructed) {
  std::string text = "#Paraver (" + paraver_date(run.trace.run.start_unix_ns) +
                     "):" + std::to_string(run.duration_ns) + "_ns:" + run.places.header() + "\n";
  for (const PrvPlaces::Comm& comm : run.places.comms()) {
    text += "c:1:" + std::to_string(comm.id) + ":" + std::to_string(comm.members.size());
    for (const std::int64_t rank : comm.members) text += ":" + std::to_string(rank + 1);
    text += "\n";
  }
  if (are_reconstructed) text += "# times are reconstructed from means, not measured\n";
  return text;
}

Status write_records(PrvRun& run, PrvQueue& queue) {
  std::vector<std::unique_ptr<PrvStream>> streams;
  for (const trace::RankClass& c : run.trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks())
      streams.push_back(std::make_unique<PrvStream>(run, c, rank));
  }
  using Next = std::pair<std::uint64_t, std::size_t>; // time and stream
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (streams[i]->is_open()) next.emplace(streams[i]->next_ns(), i);
  while (!next.empty()) {
    const std::size_t i = next.top().second;
    next.pop();
    const std::uint64_t until_ns = next.empty() ? ~std::uint64_t{0} : next.top().first;
    do {
      streams[i]->write(queue);
      if (auto written = queue.spill(); !written) return written;
    } while (streams[i]->is_open() && streams[i]->next_ns() < until_ns);
    if (streams[i]->is_open()) next.emplace(streams[i]->next_ns(), i);
  }
  return queue.finish();
}

// Calls that move what no record says.
bool is_unsaid_by_paraver(const trace::Function& function) {
  const trace::Act act = trace::meaning_of(function).act;
  return act == trace::Act::kOneSided || act == trace::Act::kFileAccess ||
         function.role == trace::Role::kNeighbor || function.mode == trace::Mode::kPartitioned;
}

std::vector<std::string> remarks_of_prv(const PrvRun& run, const PrvQueue& queue,
                                        bool are_reconstructed) {
  std::vector<std::string> remarks = run.messages.receives.remarks();
  if (are_reconstructed)
    remarks.push_back("times are reconstructed from means of each place, as the input has no "
                      "stamps (record or convert with --times full)");
  if (run.outside > 0)
    remarks.push_back(std::to_string(run.outside) +
                      " calls are outside of the ranks and times asked for");
  if (queue.lost() > 0)
    remarks.push_back(std::to_string(queue.lost()) +
                      " ends of messages whose other end is not there: left out");
  if (queue.late() > 0)
    remarks.push_back(std::to_string(queue.late()) +
                      " messages stand behind their time, as they came long after they were sent");
  return remarks;
}

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_paraver(const trace::Trace& trace, const std::string& path,
                                               const ParaverOutOptions& options,
                                               Overwrite overwrite) {
  using namespace internal;
  const UnsaidCalls unsaid = unsaid_calls(trace, is_unsaid_by_paraver);
  if (!options.approximates && !unsaid.empty())
    return refuse("a Paraver trace", unsaid,
                  "writes that they were called, and not what they moved");
  const std::string pcf = beside_paraver(path, "pcf");
  const std::string row = beside_paraver(path, "row");
  for (const std::string& beside : {pcf, row})
    if (auto ready = check_output(beside, overwrite); !ready) return propagate(ready);
  auto file = GrowingFile::create(path, overwrite);
  if (!file) return propagate(file);
  PrvRun run(trace, options);
  bool are_reconstructed = false;
  run.duration_ns = duration_of(trace, are_reconstructed);
  file->text() = head_of(run, are_reconstructed);
  PrvQueue queue(*file);
  if (auto written = write_records(run, queue); !written) return propagate(written);
  if (auto written = write_file(pcf, pcf_of(run), overwrite); !written) return propagate(written);
  if (auto written = write_file(row, run.places.row(), overwrite); !written)
    return propagate(written);
  std::vector<std::string> remarks = remarks_of_prv(run, queue, are_reconstructed);
  for (const std::string& name : unsaid)
    remarks.push_back(name + ": only that it was called, not what it moved");
  return remarks;
}

} // namespace rondo::convert
