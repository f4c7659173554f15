// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/each_rank.hpp"
#include "convert/otf2/definition_writing.hpp"
#include "convert/otf2/otf2_errors.hpp"
#include "convert/otf2/otf2_writing.hpp"
#include "rondo/base/unfinished_files.hpp"
#include "rondo/convert/otf2.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <otf2/OTF2_Pthread_Locks.h>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

// Where a file could not be written, libotf2 frees its buffer again at the next attempt.
OTF2_FlushType flush_buffers(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return Otf2Errors::are_of_files() ? OTF2_NO_FLUSH : OTF2_FLUSH;
}

// Memory of a writer's buffer. By itself libotf2 takes up to 128 MB of each before it writes them.
struct ChunksOfBuffer {
  static constexpr std::size_t kMost = 2;
  std::vector<std::unique_ptr<char[]>> chunks;
  std::size_t used = 0;
};

// Nothing where it shall write first what it has.
void* take_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, std::uint64_t bytes) {
  if (*of_buffer == nullptr) *of_buffer = new ChunksOfBuffer;
  auto& buffer = *static_cast<ChunksOfBuffer*>(*of_buffer);
  if (buffer.used == ChunksOfBuffer::kMost) return nullptr;
  if (buffer.used == buffer.chunks.size())
    buffer.chunks.push_back(std::make_unique_for_overwrite<char[]>(bytes));
  return buffer.chunks[buffer.used++].get();
}

void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, bool is_final) {
  auto* const buffer = static_cast<ChunksOfBuffer*>(*of_buffer);
  if (buffer == nullptr) return;
  buffer->used = 0;
  if (!is_final) return;
  delete buffer;
  *of_buffer = nullptr;
}

// The files of the archive, each in its place: the anchor, definitions and the folder of events.
std::array<fs::path, 3> files_of(const fs::path& stem) {
  return {stem.string() + ".otf2", stem.string() + ".def", stem};
}

// Only what an archive of that name consists of may go.
Status check_room(const fs::path& stem, Overwrite overwrite) {
  std::error_code error;
  const auto files = files_of(stem);
  const auto is_there = [&](const fs::path& file) { return fs::exists(file, error); };
  if (std::none_of(files.begin(), files.end(), is_there)) return {};
  if (overwrite == Overwrite::kRefuse) {
    return fail(ErrorCode::kExists,
                "exists already, or a part of it; name another output or add --force",
                {files.front().string(), {}, {}, {}});
  }
  for (const auto& entry : fs::directory_iterator(stem, error)) {
    const fs::path kind = entry.path().extension();
    if (kind != ".evt" && kind != ".def")
      return fail(ErrorCode::kExists, "has files in it that are no trace; name another output",
                  {stem.string(), {}, {}, {}});
  }
  return {};
}

// The anchor is the last: whoever sees it finds the rest.
Status put_in_place(const fs::path& made, const fs::path& stem) {
  std::error_code error;
  const auto from = files_of(made / stem.filename());
  const auto into = files_of(stem);
  for (const fs::path& file : into) fs::remove_all(file, error);
  for (std::size_t i = from.size(); i-- > 0;) {
    fs::rename(from[i], into[i], error);
    if (error)
      return fail(ErrorCode::kIo, "cannot be written: " + error.message(),
                  {into[i].string(), {}, {}, {}});
  }
  return {};
}

std::vector<WrittenLocation> locations_of(const trace::Trace& trace) {
  std::vector<WrittenLocation> all;
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank)
    all.push_back({static_cast<OTF2_LocationRef>(rank), rank, 0, 0});
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread == 0) continue;
    for (const std::int64_t rank : c.ranks.ranks()) all.push_back({all.size(), rank, c.thread, 0});
  }
  return all;
}

// There are none, but readers look for their files.
void write_local_definitions(OTF2_Archive* archive, const std::vector<WrittenLocation>& locations) {
  OTF2_Archive_OpenDefFiles(archive);
  for (const WrittenLocation& location : locations) {
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive, location.ref);
    if (writer != nullptr) OTF2_Archive_CloseDefWriter(archive, writer);
  }
  OTF2_Archive_CloseDefFiles(archive);
}

std::vector<std::string> remarks_of_writing(const Otf2Export& run, const Otf2Findings& found) {
  std::vector<std::string> remarks = run.receives.remarks();
  if (found.reconstructed > 0)
    remarks.push_back(
        "times are reconstructed from means of each place, as the input has no stamps "
        "(record or convert with --times full)");
  if (found.outside > 0)
    remarks.push_back(std::to_string(found.outside) + " calls are outside of the times asked for");
  for (const auto& [name, times] : found.unsaid)
    remarks.push_back(name + ": " + std::to_string(times) +
                      " calls whose messages are not written, only that they were called");
  return remarks;
}

// A location after the other, side by side. What they find is put together in their order, so that
// it does not depend on how many cores there are.
Result<Otf2Findings> write_locations(OTF2_Archive* archive, Otf2Export& run,
                                     std::vector<WrittenLocation>& locations) {
  std::vector<Otf2Findings> found(locations.size());
  std::mutex mutex; // libotf2's list of writers
  const auto write = [&](std::size_t i) -> Status {
    Otf2Errors::forget();
    const auto broken = [] {
      Error error =
          Otf2Errors::error(OTF2_SUCCESS, "the events of a location cannot be written", "");
      error.code = ErrorCode::kIo;
      return tl::unexpected<Error>(std::move(error));
    };
    WrittenLocation& location = locations[i];
    OTF2_EvtWriter* writer = nullptr;
    {
      const std::lock_guard lock(mutex);
      writer = OTF2_Archive_GetEvtWriter(archive, location.ref);
    }
    if (writer == nullptr) return broken();
    const trace::RankClass* const calls = run.trace.class_of(location.rank, location.thread);
    const bool is_wanted = !run.options.ranks || run.options.ranks->contains(location.rank);
    if (calls != nullptr && is_wanted)
      found[i] = Otf2Events(run, *calls, location.rank, writer).write();
    location.events = found[i].events;
    if (Otf2Errors::are_of_files()) return broken();
    const std::lock_guard lock(mutex);
    if (OTF2_Archive_CloseEvtWriter(archive, writer) != OTF2_SUCCESS) return broken();
    return {};
  };
  if (run.has_objects) { // numbered as they are met
    for (std::size_t i = 0; i < locations.size(); ++i)
      if (auto written = write(i); !written) return propagate(written);
  } else if (auto written = for_each_side_by_side(locations.size(), write); !written) {
    return propagate(written);
  }
  Otf2Findings all;
  for (const Otf2Findings& one : found) all.add(one);
  return all;
}

Result<Otf2Findings> write_events(OTF2_Archive* archive, Otf2Export& run) {
  // Without a second one: no record says that Rondo, and not the program, wrote its buffers.
  static const OTF2_FlushCallbacks kFlush = {flush_buffers, nullptr};
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  static const OTF2_MemoryCallbacks kMemory = {take_chunk, free_chunks};
  OTF2_Archive_SetMemoryCallbacks(archive, &kMemory, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Pthread_Archive_SetLockingCallbacks(archive, nullptr);
  OTF2_Archive_SetCreator(archive, "rondo " RONDO_VERSION);
  OTF2_Archive_OpenEvtFiles(archive);
  std::vector<WrittenLocation> locations = locations_of(run.trace);
  auto found = write_locations(archive, run, locations);
  if (!found) return found;
  OTF2_Archive_CloseEvtFiles(archive);
  write_local_definitions(archive, locations);
  if (found->reconstructed > 0)
    OTF2_Archive_SetDescription(archive, "times are reconstructed from means, not measured");
  write_otf2_definitions(run, *found, locations, OTF2_Archive_GetGlobalDefWriter(archive));
  return found;
}

// What is lost, unless that is wanted.
Status check_said(const Otf2Findings& found, const Otf2OutOptions& options) {
  if (options.approximates || found.unsaid.empty()) return {};
  std::string list;
  for (const auto& [name, times] : found.unsaid)
    list += "\n  " + name + " (" + std::to_string(times) + " times)";
  return fail(ErrorCode::kUnsupported,
              "these calls move what no record of OTF2 can say:" + list +
                  "\nwith --approximate they are written without their messages");
}

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_otf2(const trace::Trace& trace, const std::string& path,
                                            const Otf2OutOptions& options, Overwrite overwrite) {
  using namespace internal;
  const fs::path target = fs::absolute(path);
  const fs::path stem = target.parent_path() / target.stem();
  if (auto room = check_room(stem, overwrite); !room) return propagate(room);
  std::error_code unmade;
  fs::create_directories(stem.parent_path(), unmade); // what fails here does so below
  const auto folder = new_folder_beside(stem.string());
  if (!folder) return propagate(folder);
  const fs::path made = *folder;
  const auto guards = std::array{unfinished_file((made / stem.filename()).string()),
                                 unfinished_file(made.string())};
  const Otf2Errors errors;
  const auto give_up = [&](Error error) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    if (error.place.file.empty() && error.code == ErrorCode::kIo) error.place.file = path;
    return tl::unexpected<Error>(std::move(error));
  };
  const auto broken = [&](const std::string& what) {
    Error error = errors.error(OTF2_SUCCESS, what, path);
    error.code = ErrorCode::kIo;
    return give_up(std::move(error));
  };
  constexpr std::uint64_t kChunk = 1 << 20;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(made.c_str(), stem.filename().c_str(), OTF2_FILEMODE_WRITE, kChunk,
                        4 * kChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return broken("the archive cannot be made");
  Otf2Export run(trace, options);
  const auto found = write_events(archive, run);
  if (!found)
    return give_up(found.error()); // libotf2 does not survive closing what it cannot write
  if (Otf2Errors::are_of_files() || OTF2_Archive_Close(archive) != OTF2_SUCCESS)
    return broken("the archive cannot be written");
  if (auto said = check_said(*found, options); !said) return give_up(said.error());
  if (auto there = put_in_place(made, stem); !there) return give_up(there.error());
  std::error_code ignored;
  fs::remove_all(made, ignored);
  return remarks_of_writing(run, *found);
}

} // namespace rondo::convert
