// SPDX-License-Identifier: Apache-2.0
// rondo_replay_<mpi>: plays an archive as an MPI program; started by `rondo replay` on every rank.
//
//   rondo_replay_openmpi FILE SCRATCH mean|rank|histogram|full|none spin|sleep SCALE
//   resolved|wildcards
#include "generate/lower/arrivals.hpp"
#include "generate/replay/input_files.hpp"
#include "generate/replay/pace.hpp"
#include "generate/replay/player.hpp"
#include "rondo/archive/archive.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>

namespace {

using namespace rondo;
using trace::CallInstance;

struct Options {
  std::string file;
  std::string scratch;
  generate::PaceOptions pace;
  bool wildcards = false;
};

Options options_of(char** argv) {
  Options options{argv[1], argv[2], {}, std::strcmp(argv[6], "wildcards") == 0};
  const std::string times = argv[3];
  options.pace.times = times == "rank"        ? generate::ReplayTimes::kRank
                       : times == "histogram" ? generate::ReplayTimes::kHistogram
                       : times == "full"      ? generate::ReplayTimes::kFull
                       : times == "none"      ? generate::ReplayTimes::kNone
                       : times == "mean"      ? generate::ReplayTimes::kMean
                                              : generate::ReplayTimes::kCourse;
  options.pace.compute =
      std::strcmp(argv[4], "sleep") == 0 ? generate::Compute::kSleep : generate::Compute::kSpin;
  options.pace.scale = std::strtod(argv[5], nullptr);
  return options;
}

// Before MPI_Init only launchers know; those that do not say make rank 0 of all.
std::int64_t launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* text = std::getenv(name)) return std::strtoll(text, nullptr, 10);
  }
  return 0;
}

#if defined(OPEN_MPI)
constexpr const char* kMpis[] = {"Open MPI", "MPICH", "mpirun.openmpi"};
constexpr const char* kOthersSizes[] = {"PMI_SIZE", "MPI_LOCALNRANKS"}; // of hydra
#else
constexpr const char* kMpis[] = {"MPICH", "Open MPI", "mpiexec.mpich"};
constexpr const char* kOthersSizes[] = {"OMPI_COMM_WORLD_SIZE"};
#endif

// Why there are not as many ranks as the trace has. A launcher of the other MPI starts processes
// that know nothing of each other.
std::string why_not_all(std::int64_t ranks, std::int64_t started) {
  std::int64_t launched = 0;
  for (const char* name : kOthersSizes) {
    if (const char* text = std::getenv(name))
      launched = std::max<std::int64_t>(launched, std::strtoll(text, nullptr, 10));
  }
  const std::string wanted = "the trace has " + std::to_string(ranks) + " ranks";
  if (started == 1 && launched > 1)
    return wanted + ", but " + std::to_string(launched) +
           " processes were started by a launcher of " + kMpis[1] + ", and this replay uses " +
           kMpis[0] + ", in which each of them is alone; start it with a launcher of " + kMpis[0] +
           " (" + kMpis[2] + ")";
  return wanted + ", but " + std::to_string(started) + " were started; start as many (-n " +
         std::to_string(ranks) + ")";
}

// Launchers end all ranks as soon as one has failed: the one that says why goes first.
int fail(std::int64_t rank, const std::string& message) {
  if (rank == 0) {
    std::fprintf(stderr, "rondo replay: %s\n", message.c_str());
  } else {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return 2;
}

std::string functions_that_are_missing(const trace::Trace& trace) {
  std::set<std::string> missing;
  for (const trace::RankClass& of : trace.classes) {
    for (const trace::Call& call : of.program->calls) {
      const trace::Function& function = *trace::find_function(call.function);
      if (!generate::Player::has(function)) missing.emplace(function.name);
    }
  }
  std::string text;
  for (const std::string& name : missing) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void begin(const CallInstance& first) {
  const int required = first.function->word_of("required");
  if (required < 0) {
    MPI_Init(nullptr, nullptr);
    return;
  }
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr,
                  generate::value_of_thread_level(generate::word_at(first, required)), &provided);
}

void resolve(CallInstance& call, const generate::Arrival& came) {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  std::int64_t& source = call.words[static_cast<std::size_t>(means.source)];
  std::int64_t& tag = call.words[static_cast<std::size_t>(means.receive_tag)];
  if (came.state != generate::Arrival::State::kOne) return;
  if (source == trace::kAnySource) source = came.source;
  if (tag == trace::kAnyTag) tag = came.tag;
}

bool ranks_share_processors() {
  MPI_Comm node = MPI_COMM_NULL;
  int on_node = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &on_node);
  PMPI_Comm_free(&node);
  return on_node > static_cast<int>(std::thread::hardware_concurrency());
}

int play(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank,
         const Options& options) {
  trace::CallReader reader(trace, of, rank);
  generate::Arrivals arrivals(trace, of, rank);
  generate::Player player(reader, options.scratch);
  generate::PaceOptions how = options.pace;
  how.shares_processors = ranks_share_processors();
  generate::Pace pace(trace, of, rank, how);
  if (rank == 0) {
    const std::string problem = generate::make_input_files(
        trace, [&](const std::string& name) { return player.file_of(name); });
    if (!problem.empty()) {
      fail(rank, problem);
      PMPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  PMPI_Barrier(MPI_COMM_WORLD); // files are there; all begin together
  CallInstance changed;
  const CallInstance* const init = reader.next();
  arrivals.next(*init);
  pace.begin(init->symbol);
  while (const CallInstance* call = reader.next()) {
    const auto came = arrivals.next(*call);
    if (trace::meaning_of(*call->function).act == trace::Act::kFinalize) player.finish();
    const bool asks = generate::asks_for_any(*call, trace::meaning_of(*call->function));
    if (asks && !came.empty() && !options.wildcards) {
      changed = *call;
      resolve(changed, came.front());
      call = &changed;
    }
    pace.before(call->symbol);
    if (trace::meaning_of(*call->function).act == trace::Act::kFinalize) {
      MPI_Finalize();
      return 0;
    }
    if (!player.play(*call)) PMPI_Abort(MPI_COMM_WORLD, 2);
    pace.after();
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7) return fail(0, "this program is started by 'rondo replay'");
  const Options options = options_of(argv);
  const std::int64_t launched = launched_rank();
  const auto trace = archive::read(options.file);
  if (!trace) return fail(launched, trace.error().text());
  if (const std::string missing = functions_that_are_missing(*trace); !missing.empty())
    return fail(launched, "this MPI cannot play " + missing);
  const trace::RankClass* guessed = trace->class_of(launched);
  if (guessed == nullptr) guessed = &trace->classes.front();
  trace::CallReader reader(*trace, *guessed, guessed->ranks.front());
  const CallInstance* first = reader.next();
  if (first == nullptr || trace::meaning_of(*first->function).act != trace::Act::kInit)
    return fail(launched, "the trace does not begin with MPI_Init");
  begin(*first);
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != trace->run.ranks) {
    const int status = fail(size == 1 ? launched : rank, why_not_all(trace->run.ranks, size));
    PMPI_Finalize();
    return status;
  }
  return play(*trace, *trace->class_of(rank), rank, options);
}
