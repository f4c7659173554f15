// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/otf2.hpp"

#include "convert/otf2/events.hpp"
#include "convert/otf2/otf2_errors.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

using ReaderOwner = std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)>;

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

std::string text_of_library(char* text) {
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return text == nullptr ? "" : text;
}

class ArchiveReading {
public:
  ArchiveReading(std::string anchor, const ImportOptions& options)
      : anchor_(std::move(anchor)), options_(options), total_(bytes_of_archive(anchor_)),
        budget_(Budget::of_file(total_)), reader_(nullptr, &OTF2_Reader_Close) {}

  Result<Imported> read() {
    const auto bytes = map_file(anchor_);
    if (!bytes) return propagate(bytes);
    if (!is_sound_otf2_anchor(bytes->view))
      return broken("the anchor of the archive is cut or damaged", OTF2_SUCCESS);
    reader_.reset(OTF2_Reader_Open(anchor_.c_str()));
    if (!reader_) return broken("the anchor of the archive cannot be read", OTF2_SUCCESS);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get());
    auto definitions = read_otf2_definitions(reader_.get(), budget_);
    if (!definitions) return with_place(definitions.error());
    const auto layout = otf2_layout(*definitions, budget_);
    if (!layout) return with_place(layout.error());
    for (const auto& [ref, location] : definitions->locations) events_ += location.events;
    Otf2Run run{*definitions, *layout, options_, counts_, {}, 0};
    auto parts = read_ranks(run);
    if (!parts) return propagate(parts);
    return finish(run, std::move(*parts));
  }

private:
  tl::unexpected<Error> broken(const std::string& what, OTF2_ErrorCode code) const {
    return tl::unexpected<Error>(errors_.error(code, what, anchor_));
  }

  tl::unexpected<Error> with_place(Error error) const {
    if (error.code == ErrorCode::kDamaged) return broken(error.message, OTF2_SUCCESS);
    error.place.file = anchor_;
    return tl::unexpected<Error>(std::move(error));
  }

  // Maps of numbers and offsets of clocks, which libotf2 keeps for the events.
  void read_local_definitions(const Otf2Layout& layout) {
    if (OTF2_Reader_OpenDefFiles(reader_.get()) != OTF2_SUCCESS) return;
    for (const Otf2Rank& rank : layout.ranks) {
      for (const OTF2_LocationRef location : rank.threads) {
        OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_.get(), location);
        if (local == nullptr) continue;
        std::uint64_t count = 0;
        OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), local, &count);
        OTF2_Reader_CloseDefReader(reader_.get(), local);
      }
    }
    OTF2_Reader_CloseDefFiles(reader_.get());
  }

  Result<std::vector<fold::Part>> read_ranks(Otf2Run& run) {
    for (const Otf2Rank& rank : run.layout.ranks) {
      for (const OTF2_LocationRef location : rank.threads)
        OTF2_Reader_SelectLocation(reader_.get(), location);
    }
    read_local_definitions(run.layout);
    const OTF2_ErrorCode opened = OTF2_Reader_OpenEvtFiles(reader_.get());
    if (opened != OTF2_SUCCESS) return broken("the events of the archive cannot be read", opened);
    std::vector<fold::Part> parts;
    for (std::size_t rank = 0; rank < run.layout.ranks.size(); ++rank) {
      auto part = read_rank(run, rank);
      if (!part) return propagate(part);
      parts.push_back(std::move(*part));
    }
    OTF2_Reader_CloseEvtFiles(reader_.get());
    return parts;
  }

  Result<fold::Part> read_rank(Otf2Run& run, std::size_t rank) {
    CallPaths paths;
    std::vector<std::unique_ptr<Otf2Stream>> streams;
    const Otf2Rank& who = run.layout.ranks[rank];
    for (std::size_t i = 0; i < std::max<std::size_t>(who.threads.size(), 1); ++i) {
      auto stream = std::make_unique<Otf2Stream>(run, rank, static_cast<std::uint32_t>(i), paths);
      if (i < who.threads.size()) {
        if (auto done = read_location(run, rank, who.threads[i], *stream); !done)
          return propagate(done);
      }
      if (i == 0 || stream->has_calls()) streams.push_back(std::move(stream));
    }
    std::vector<trace::CallSite> sites = paths.take();
    fold::Part part = streams.front()->finish(sites);
    for (std::size_t i = 1; i < streams.size(); ++i) add_thread(part, streams[i]->finish(sites));
    return part;
  }

  std::string event_file(OTF2_LocationRef location) const {
    return fs::path(anchor_).replace_extension().string() + "/" + std::to_string(location) + ".evt";
  }

  Status read_location(Otf2Run& run, std::size_t rank, OTF2_LocationRef location,
                       Otf2Stream& stream) {
    const auto defined = run.definitions.locations.find(location);
    const std::uint64_t events =
        defined == run.definitions.locations.end() ? 0 : defined->second.events;
    if (events == 0) return {}; // its file need not be there
    OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_.get(), location);
    if (reader == nullptr) {
      Error error =
          errors_.error(OTF2_SUCCESS, "the events of a rank cannot be read", event_file(location));
      error.place.rank = static_cast<std::int64_t>(rank);
      return tl::unexpected<Error>(std::move(error));
    }
    OTF2_EvtReader_ApplyMappingTables(reader, true);
    OTF2_EvtReader_ApplyClockOffsets(reader, true);
    Otf2EventSink sink{&run, &stream, 0};
    const Otf2EventCallbacks callbacks = otf2_event_callbacks();
    OTF2_Reader_RegisterEvtCallbacks(reader_.get(), reader, callbacks.get(), &sink);
    auto done = read_events(reader, rank, location);
    OTF2_Reader_CloseEvtReader(reader_.get(), reader);
    used_ += sink.used;
    return done;
  }

  Status read_events(OTF2_EvtReader* reader, std::size_t rank, OTF2_LocationRef location) {
    constexpr std::uint64_t kEventsBetween = 1 << 18; // reports of progress
    std::uint64_t read_here = 0;
    for (;;) {
      std::uint64_t count = 0;
      const OTF2_ErrorCode code =
          OTF2_Reader_ReadLocalEvents(reader_.get(), reader, kEventsBetween, &count);
      read_ += count;
      read_here += count;
      if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK) {
        Error error = errors_.error(
            code, "the events end in the middle, behind number " + std::to_string(read_here),
            event_file(location));
        error.place.rank = static_cast<std::int64_t>(rank);
        return tl::unexpected<Error>(std::move(error));
      }
      if (count < kEventsBetween) return {}; // a further call would be an error
      if (options_.progress) report();
    }
  }

  // In bytes, as other readers say it.
  void report() const {
    const double share = static_cast<double>(read_) / static_cast<double>(std::max(events_, read_));
    options_.progress(static_cast<std::uint64_t>(share * static_cast<double>(total_)), total_);
  }

  Imported finish(const Otf2Run& run, std::vector<fold::Part>&& parts) {
    const auto ranks = static_cast<std::int64_t>(parts.size());
    parts.front().tables.comms = run.layout.comm_definitions;
    parts.front().tables.hosts = run.layout.hosts;
    fold::Part whole = merge_parts(parts, options_.merges);
    whole.run.command = run.command.empty() ? fs::path(anchor_).stem().string() : run.command;
    whole.run.mpi = "OTF2 trace by " + text_of_creator();
    whole.run.recorder = "rondo " RONDO_VERSION;
    whole.run.thread_level = -1; // not said
    whole.run.ranks = ranks;
    whole.run.start_unix_ns = run.definitions.start_unix_ns;
    trace::Trace trace = fold::resolve(std::move(whole), options_.merges);
    name_sites(run.definitions, trace);
    if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
    return {std::move(trace), remarks(run.layout)};
  }

  std::string text_of_creator() const {
    char* creator = nullptr;
    OTF2_Reader_GetCreator(reader_.get(), &creator);
    const std::string text = text_of_library(creator);
    return text.empty() ? "an unknown tool" : text;
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

  std::vector<Remark> remarks(const Otf2Layout& layout) const {
    std::vector<Remark> all = counts_.remarks();
    if (read_ > used_)
      all.push_back({read_ - used_, "events that say nothing of MPI's messages and operations",
                     "left out: metrics, threads, memory, files, one-sided operations"});
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
  ReaderOwner reader_;
  Otf2Counts counts_;
  std::uint64_t events_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t used_ = 0;
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
