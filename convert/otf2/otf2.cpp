// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/otf2.hpp"

#include "convert/calls/read_together.hpp"
#include "convert/otf2/rank_range.hpp"
#include "rondo/base/command_line.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <tbb/task_arena.h>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

// All files of an archive: the anchor and the definitions beside it, events in a folder.
std::uint64_t bytes_of_archive(const std::string& anchor) {
  const fs::path stem = fs::path(anchor).replace_extension();
  std::uint64_t all = 0;
  std::error_code error;
  for (const fs::path& file : {fs::path(anchor), fs::path(stem.string() + ".def")}) {
    const auto size = fs::file_size(file, error);
    all += error ? 0 : size;
  }
  for (const auto& entry : fs::directory_iterator(stem, error)) {
    const auto size = entry.file_size(error);
    all += error ? 0 : size;
  }
  return all;
}

std::string creator_of(OTF2_Reader* reader) {
  char* text = nullptr;
  OTF2_Reader_GetCreator(reader, &text);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return text == nullptr || *text == 0 ? "an unknown tool" : text;
}

class ArchiveReading {
public:
  ArchiveReading(std::string anchor, const ImportOptions& options)
      : anchor_(std::move(anchor)), options_(options), total_(bytes_of_archive(anchor_)),
        budget_(Budget::of_file(total_)) {}

  Result<Imported> read() {
    const auto bytes = map_file(anchor_);
    if (!bytes) return propagate(bytes);
    if (!is_sound_otf2_anchor(bytes->view))
      return broken("the anchor of the archive is cut or damaged", OTF2_SUCCESS);
    auto reader = open_otf2(anchor_);
    if (!reader) return propagate(reader);
    creator_ = creator_of(reader->get());
    auto definitions = read_otf2_definitions(reader->get(), budget_);
    reader->reset();
    if (!definitions) return with_place(definitions.error());
    const auto layout = otf2_layout(*definitions, budget_);
    if (!layout) return with_place(layout.error());
    for (const auto& [ref, location] : definitions->locations) events_ += location.events;
    auto whole = read_together(options_, layout->ranks.size(), [&](const Share& share) {
      return read_share(*definitions, *layout, share);
    });
    if (!whole) return propagate(whole);
    if (!*whole) return Imported{.is_elsewhere = true};
    return finish(*definitions, *layout, std::move(**whole));
  }

private:
  struct Range {
    Otf2Counts counts;
    std::string command;
    std::uint64_t last_tick = 0;
    std::uint64_t events = 0;
    std::uint64_t used = 0;
  };

  tl::unexpected<Error> broken(const std::string& what, OTF2_ErrorCode code) const {
    return tl::unexpected<Error>(Otf2Errors::error(code, what, anchor_));
  }

  tl::unexpected<Error> with_place(Error error) const {
    if (error.code == ErrorCode::kDamaged) return broken(error.message, OTF2_SUCCESS);
    error.place.file = anchor_;
    return tl::unexpected<Error>(std::move(error));
  }

  Result<nlohmann::json> read_share(const Otf2Definitions& definitions, const Otf2Layout& layout,
                                    const Share& share) {
    // Ranges cost a reader each, and wait for the longest one.
    constexpr std::size_t kRangesOfCore = 4;
    const std::size_t ranks = share.end - share.first;
    const std::size_t count = std::min<std::size_t>(
        ranks, kRangesOfCore * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
    Meter meter(options_.progress, total_ / layout.ranks.size() * ranks);
    const double bytes_of_event =
        static_cast<double>(total_) / static_cast<double>(std::max<std::uint64_t>(events_, 1));
    std::vector<Range> ranges(count);
    auto done = for_each_side_by_side(count, [&](std::size_t i) -> Status {
      Range& range = ranges[i];
      Otf2Run run{definitions, layout, options_, range.counts, {}, 0};
      Otf2RankRange reading(anchor_, run, share.first + i * ranks / count,
                            share.first + (i + 1) * ranks / count, bytes_of_event, meter);
      if (auto read = reading.read(share.parts); !read) return read;
      range = {std::move(range.counts), std::move(run.command), run.last_tick, reading.events(),
               reading.used()};
      return {};
    });
    if (!done) return propagate(done);
    Range all;
    for (const Range& range : ranges) add(all, range);
    return nlohmann::json{{"counts", said_counts(all.counts)},
                          {"command", all.command},
                          {"last_tick", all.last_tick},
                          {"events", all.events},
                          {"used", all.used}};
  }

  // In the order of ranks. The run ends with the last event of any.
  static void add(Range& into, const Range& from) {
    add_counts(into.counts, from.counts);
    if (into.command.empty()) into.command = from.command;
    into.last_tick = std::max(into.last_tick, from.last_tick);
    into.events += from.events;
    into.used += from.used;
  }

  Imported finish(const Otf2Definitions& definitions, const Otf2Layout& layout, Whole&& read) {
    Range all;
    all.last_tick = definitions.end_tick();
    for (const nlohmann::json& said : read.said)
      add(all, {heard_counts<Otf2Counts>(said["counts"]), said["command"], said["last_tick"],
                said["events"], said["used"]});
    fold::RecordingPart& whole = read.part;
    set_span(whole, definitions.time_ns(all.last_tick));
    whole.tables.comms = layout.comm_definitions;
    whole.tables.hosts = layout.hosts;
    whole.run.command =
        all.command.empty() ? command_line({fs::path(anchor_).stem().string()}) : all.command;
    whole.run.mpi = "OTF2 trace by " + creator_;
    whole.run.recorder = "rondo " RONDO_VERSION " from an OTF2 archive";
    whole.run.thread_level = -1; // not said
    whole.run.ranks = static_cast<std::int64_t>(layout.ranks.size());
    whole.run.start_unix_ns = definitions.start_unix_ns;
    trace::Trace trace = fold::resolve(std::move(whole), options_.merges);
    name_sites(definitions, trace);
    if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
    std::vector<Remark> remarks = remarks_on(layout, all);
    if (trace.run.ranks > 1) note_untold(all.counts, trace.run.notes, remarks);
    return {std::move(trace), std::move(remarks)};
  }

  // Functions of which no call has a record of its message, as EZTrace has none of MPI_Sendrecv.
  static void note_untold(const Otf2Counts& counts, std::string& notes,
                          std::vector<Remark>& remarks) {
    for (const auto& [name, calls] : counts.silent) {
      if (counts.telling.contains(name)) continue;
      remarks.push_back({calls, "calls of " + name, "none has a record of its message"});
      if (!notes.empty()) notes += "; ";
      notes += "no call of " + name +
               " has a record of its message: where there were some, they are missing";
    }
  }

  static void name_sites(const Otf2Definitions& definitions, trace::Trace& trace) {
    trace.names.resize(trace.sites.size());
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
      const trace::CallSite& site = trace.sites[i];
      if (site.module != CallPaths::kModule || site.offset == 0) continue;
      const auto region = definitions.regions.find(static_cast<OTF2_RegionRef>(site.offset - 1));
      if (region == definitions.regions.end()) continue;
      trace.names[i].function = region->second.name;
      trace.names[i].file = region->second.file;
    }
  }

  static std::vector<Remark> remarks_on(const Otf2Layout& layout, const Range& read) {
    std::vector<Remark> all = read.counts.remarks();
    if (read.events > read.used)
      all.push_back(
          {read.events - read.used, "events that say nothing of MPI's messages and operations",
           "left out: metrics, threads, memory, files and windows that are none of MPI's"});
    if (layout.locations_left_out > 0)
      all.push_back({layout.locations_left_out, "locations that are no thread of a rank",
                     "left out: accelerators, metrics and the like"});
    return all;
  }

  std::string anchor_;
  const ImportOptions& options_;
  std::uint64_t total_;
  Budget budget_;
  Otf2Errors errors_;
  std::string creator_;
  std::uint64_t events_ = 0;
};

} // namespace
} // namespace internal

bool has_otf2() { return true; }

Result<Imported> read_otf2(const std::string& path, const ImportOptions& options) {
  std::error_code error;
  std::string anchor = path;
  if (std::filesystem::is_directory(path, error)) {
    auto found = otf2_anchor_in(path);
    if (!found) return propagate(found);
    if (found->empty())
      return fail(ErrorCode::kFormat, "has no anchor of an OTF2 archive", {path, {}, {}, {}});
    anchor = *found;
  }
  return internal::ArchiveReading(std::move(anchor), options).read();
}

} // namespace rondo::convert
