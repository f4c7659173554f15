// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/rank_actions.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "rondo/base/unfinished_files.hpp"
#include "rondo/convert/simgrid_ti.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <memory>

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using internal::Export;
using internal::RankActions;
using trace::Trace;

constexpr const char* kList = "trace.list";
constexpr std::size_t kPiece = 1 << 20; // bytes kept before they are written

tl::unexpected<Error> io_error(const fs::path& place, const std::string& what) {
  return fail(ErrorCode::kIo, what, {place.string(), {}, {}, {}});
}

// What no action says, and what tags there are: known before anything is written.
Status look_through(const Trace& trace, Export& run) {
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread != 0) run.refused["calls: are in a second thread"].times += c.ranks.size();
  }
  std::string unused;
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank) {
    const trace::RankClass* c = trace.class_of(rank);
    if (c == nullptr) {
      ++run.refused["ranks: the trace has nothing of some"].times;
      continue;
    }
    RankActions actions(run, *c, rank);
    while (actions.next(unused)) unused.clear();
  }
  run.spread_tags();
  if (run.refused.empty()) return {};
  std::string list;
  for (const auto& [why, refusal] : run.refused) {
    list += fmt::format("\n  {} ({} times)", why, refusal.times);
    if (!refusal.lowered_as.empty())
      list += fmt::format("; with --approximate {}", refusal.lowered_as);
  }
  return fail(ErrorCode::kUnsupported,
              "these calls have no action in a time-independent trace of SimGrid's:" + list +
                  "\nrondo simulate --network plays them with SimGrid as engine");
}

Status write_rank(Export& run, std::int64_t rank, const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  if (!file) return io_error(path, std::string("cannot be written: ") + std::strerror(errno));
  RankActions actions(run, *run.trace.class_of(rank), rank);
  std::string text;
  bool goes_on = true;
  while (goes_on) {
    goes_on = actions.next(text);
    if (goes_on && text.size() < kPiece) continue;
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
      return io_error(path, std::string("cannot be written: ") + std::strerror(errno));
    text.clear();
  }
  if (std::fflush(file.get()) != 0)
    return io_error(path, std::string("cannot be written: ") + std::strerror(errno));
  return {};
}

// Only a folder with nothing but a trace in it may go.
Status check_target(const fs::path& folder, Overwrite overwrite) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return {};
  if (overwrite == Overwrite::kRefuse) {
    return fail(ErrorCode::kExists, "exists already; name another output or add --force",
                {folder.string(), {}, {}, {}});
  }
  if (!fs::is_directory(folder, error))
    return fail(ErrorCode::kExists, "is no folder; name another one",
                {folder.string(), {}, {}, {}});
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == kList || internal::rank_of_name(name)) continue;
    return fail(ErrorCode::kExists,
                "has files in it that are no trace ('" + name + "'); name another folder",
                {folder.string(), {}, {}, {}});
  }
  if (error) return io_error(folder, "cannot be read: " + error.message());
  return {};
}

Status write_files(Export& run, const fs::path& folder, const fs::path& final_folder) {
  std::string list;
  for (std::int64_t rank = 0; rank < run.trace.run.ranks; ++rank) {
    const std::string name = fmt::format("rank-{}.txt", rank);
    if (auto written = write_rank(run, rank, folder / name); !written) return written;
    list += (final_folder / name).string() + "\n";
  }
  return write_file((folder / kList).string(), list, Overwrite::kReplace);
}

std::vector<std::string> remarks_of(const Export& run) {
  std::vector<std::string> remarks = run.receives.remarks();
  for (const auto& [what, times] : run.lowered)
    remarks.push_back(fmt::format("approximated: {} ({} times)", what, times));
  for (const auto& [what, times] : run.left_out)
    remarks.push_back(fmt::format("{}: {}, which cost nothing in a replay", what, times));
  if (run.tags.is_of_several_communicators())
    remarks.push_back("messages are on several communicators, which actions do not have: their "
                      "tags are moved, so that none is of two");
  return remarks;
}

} // namespace

Result<SimgridTiWritten> write_simgrid_ti(const Trace& trace, const std::string& folder,
                                          const SimgridTiWriting& options, Overwrite overwrite) {
  if (!(options.flops_per_second > 0) || !std::isfinite(options.flops_per_second))
    return fail(ErrorCode::kUsage, "the computing speed must be a number above 0 flop/s");
  const fs::path target = fs::absolute(folder).lexically_normal();
  const fs::path place = target.has_filename() ? target : target.parent_path(); // "lu.ti/"
  if (auto free = check_target(place, overwrite); !free) return propagate(free);
  Export run(trace, options.flops_per_second, options.approximates);
  if (auto seen = look_through(trace, run); !seen) return propagate(seen);
  SimgridTiWritten written{remarks_of(run)};

  const auto folder_made = new_folder_beside(place.string());
  if (!folder_made) return propagate(folder_made);
  const fs::path made = *folder_made;
  std::error_code error;
  const auto guard = unfinished_file(made.string());
  Status done = write_files(run, made, place);
  if (done) {
    if (overwrite == Overwrite::kReplace) fs::remove_all(place, error);
    fs::rename(made, place, error);
    if (error) done = io_error(place, "cannot be written: " + error.message());
  }
  if (!done) {
    fs::remove_all(made, error);
    return propagate(done);
  }
  return written;
}

} // namespace rondo::convert
