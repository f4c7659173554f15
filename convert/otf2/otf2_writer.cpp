// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_errors.hpp"
#include "convert/otf2/otf2_writing.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/trace/mpi_names.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

OTF2_FlushType flush_buffers(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp time_of_flush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

struct WrittenLocation {
  OTF2_LocationRef ref = 0;
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
};

class DefinitionWriting {
public:
  DefinitionWriting(const Otf2Export& run, OTF2_GlobalDefWriter* writer)
      : run_(run), writer_(writer) {}

  void write(const std::vector<WrittenLocation>& locations) {
    text(""); // number 0 is for what has no name
    constexpr std::uint64_t kTicks = 1'000'000'000;
    const std::int64_t start = run_.trace.run.start_unix_ns;
    OTF2_GlobalDefWriter_WriteClockProperties(writer_, kTicks, 0, run_.last_ns + 1,
                                              start > 0 ? static_cast<std::uint64_t>(start)
                                                        : OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    write_places(locations);
    std::map<OTF2_RegionRef, std::string> regions; // readers want them in order
    for (const auto& [name, ref] : run_.regions) regions[ref] = name;
    const OTF2_StringRef file = text("MPI");
    for (const auto& [ref, name] : regions) {
      const OTF2_StringRef named = text(name);
      OTF2_GlobalDefWriter_WriteRegion(writer_, ref, named, named, 0, OTF2_REGION_ROLE_FUNCTION,
                                       OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, file, 0, 0);
    }
    write_comms(locations);
    write_windows();
    write_files();
  }

private:
  OTF2_StringRef text(const std::string& words) {
    const auto [found, is_new] =
        texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) OTF2_GlobalDefWriter_WriteString(writer_, found->second, words.c_str());
    return found->second;
  }

  // A machine, its hosts, a process for each rank, a location for each thread.
  void write_places(const std::vector<WrittenLocation>& locations) {
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text("machine"), text("machine"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_SystemTreeNodeRef next = 1;
    std::map<std::int64_t, OTF2_SystemTreeNodeRef> host_of;
    for (const trace::Host& host : run_.trace.hosts) {
      OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, next, text(host.name), text("node"), 0);
      for (const std::int64_t rank : host.ranks.ranks()) host_of[rank] = next;
      ++next;
    }
    for (std::int64_t rank = 0; rank < run_.trace.run.ranks; ++rank) {
      const auto host = host_of.find(rank);
      OTF2_GlobalDefWriter_WriteLocationGroup(
          writer_, static_cast<OTF2_LocationGroupRef>(rank),
          text("MPI Rank " + std::to_string(rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
          host == host_of.end() ? 0 : host->second, OTF2_UNDEFINED_LOCATION_GROUP);
    }
    for (const WrittenLocation& location : locations) {
      const std::string name =
          location.thread == 0 ? "Master thread" : "Thread " + std::to_string(location.thread);
      OTF2_GlobalDefWriter_WriteLocation(writer_, location.ref, text(name),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                         static_cast<OTF2_LocationGroupRef>(location.rank));
    }
  }

  OTF2_GroupRef group(OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    OTF2_GlobalDefWriter_WriteGroup(writer_, groups_, 0, type, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(members.size()), members.data());
    return groups_++;
  }

  static std::vector<std::uint64_t> members_of(const std::vector<trace::RankRange>& ranges) {
    std::vector<std::uint64_t> members;
    for (const std::int64_t rank : trace::sequence_of(ranges))
      members.push_back(static_cast<std::uint64_t>(rank));
    return members;
  }

  void write_comms(const std::vector<WrittenLocation>& locations) {
    std::vector<std::uint64_t> all;
    for (const WrittenLocation& location : locations) {
      if (location.thread == 0) all.push_back(location.ref);
    }
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
    for (const auto* members : run_.objects.groups()) group(OTF2_GROUP_TYPE_COMM_GROUP, *members);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    OTF2_GlobalDefWriter_WriteComm(
        writer_, trace::Communicators::kWorld, text(std::string(mpi::COMM_WORLD)),
        group(OTF2_GROUP_TYPE_COMM_GROUP, all), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(
        writer_, trace::Communicators::kSelf, text(std::string(mpi::COMM_SELF)),
        group(OTF2_GROUP_TYPE_COMM_SELF, {}), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    std::map<std::uint32_t, const trace::CommDefinition*> others; // readers want them in order
    for (const trace::CommDefinition& comm : run_.trace.comms) {
      for (const std::int64_t rank : comm.holders.ranks()) {
        const std::uint32_t id = run_.comms.of(rank, comm.slot).id;
        if (id > trace::Communicators::kSelf && id < run_.comms.size()) others.emplace(id, &comm);
      }
    }
    for (const auto& [id, comm] : others) write_comm(id, *comm);
    for (const auto& [id, comm] : others) write_grid(id);
  }

  OTF2_CommRef parent_of(OTF2_CommRef comm) const {
    const auto made = run_.made.find(comm);
    const bool is_said = made != run_.made.end() && made->second.parent != OTF2_UNDEFINED_COMM;
    return is_said ? made->second.parent : OTF2_CommRef{trace::Communicators::kWorld};
  }

  // Ranks stand in the grid row by row, as MPI has it.
  void write_grid(OTF2_CommRef comm) {
    const auto made = run_.made.find(comm);
    if (made == run_.made.end() || made->second.dims.empty()) return;
    const auto& [parent, dims, periods] = made->second;
    const auto most = static_cast<std::uint64_t>(run_.trace.run.ranks);
    std::uint64_t cells = 1;
    std::vector<std::uint64_t> sizes;
    std::vector<OTF2_CartDimensionRef> refs;
    for (std::size_t i = 0; i < dims.size() && i < periods.size() && i < 255; ++i) {
      sizes.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(dims[i], 1)));
      cells = sizes.back() > most ? most + 1 : std::min(cells * sizes.back(), most + 1);
      OTF2_GlobalDefWriter_WriteCartDimension(
          writer_, dimensions_, 0, static_cast<std::uint32_t>(sizes.back()),
          periods[i] != 0 ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE);
      refs.push_back(dimensions_++);
    }
    const auto count = static_cast<std::uint8_t>(refs.size());
    OTF2_GlobalDefWriter_WriteCartTopology(writer_, grids_, 0, comm, count, refs.data());
    std::vector<std::uint32_t> place(count);
    for (std::uint64_t rank = 0; cells <= most && rank < cells; ++rank) {
      std::uint64_t left = rank;
      for (std::size_t i = count; i-- > 0; left /= sizes[i])
        place[i] = static_cast<std::uint32_t>(left % sizes[i]);
      OTF2_GlobalDefWriter_WriteCartCoordinate(writer_, grids_, static_cast<std::uint32_t>(rank),
                                               count, place.data());
    }
    ++grids_;
  }

  void write_comm(std::uint32_t id, const trace::CommDefinition& comm) {
    const OTF2_StringRef name = text("Comm " + std::to_string(id));
    const OTF2_GroupRef local = group(OTF2_GROUP_TYPE_COMM_GROUP, members_of(comm.members));
    const OTF2_CommFlag flag =
        run_.made.contains(id) ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    if (comm.remote.empty()) {
      OTF2_GlobalDefWriter_WriteComm(writer_, id, name, local, parent_of(id), flag);
      return;
    }
    const OTF2_GroupRef remote = group(OTF2_GROUP_TYPE_COMM_GROUP, members_of(comm.remote));
    OTF2_GlobalDefWriter_WriteInterComm(writer_, id, name, local, remote, parent_of(id), flag);
  }

  void write_windows() {
    OTF2_RmaWinRef next = 0;
    for (const OTF2_CommRef comm : run_.objects.windows()) {
      OTF2_GlobalDefWriter_WriteRmaWin(writer_, next, text("Window " + std::to_string(next)), comm,
                                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
      ++next;
    }
  }

  void write_files() {
    if (run_.objects.files().empty()) return;
    constexpr OTF2_IoParadigmRef kParadigm = 0;
    const OTF2_StringRef paradigm = text("MPI-IO");
    OTF2_GlobalDefWriter_WriteIoParadigm(writer_, kParadigm, paradigm, paradigm,
                                         OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                         OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr);
    std::map<OTF2_IoFileRef, std::string> names; // readers want them in order
    for (const auto& [name, ref] : run_.objects.names()) names[ref] = name;
    for (const auto& [ref, name] : names)
      OTF2_GlobalDefWriter_WriteIoRegularFile(writer_, ref, text(name), 0);
    OTF2_IoHandleRef next = 0;
    for (const Otf2Objects::File& file : run_.objects.files()) {
      OTF2_GlobalDefWriter_WriteIoHandle(writer_, next++, text(names[file.file]), file.file,
                                         kParadigm, OTF2_IO_HANDLE_FLAG_NONE, file.comm,
                                         OTF2_UNDEFINED_IO_HANDLE);
    }
  }

  const Otf2Export& run_;
  OTF2_GlobalDefWriter* writer_;
  std::map<std::string, OTF2_StringRef> texts_;
  OTF2_GroupRef groups_ = 0;
  OTF2_CartDimensionRef dimensions_ = 0;
  OTF2_CartTopologyRef grids_ = 0;
};

// Only what an archive of that name consists of may go.
Status make_room(const fs::path& stem, Overwrite overwrite) {
  std::error_code error;
  const fs::path anchor = stem.string() + ".otf2";
  const fs::path definitions = stem.string() + ".def";
  const bool is_there =
      fs::exists(anchor, error) || fs::exists(definitions, error) || fs::exists(stem, error);
  if (!is_there) return {};
  if (overwrite == Overwrite::kRefuse) {
    return fail(ErrorCode::kExists,
                "exists already, or a part of it; name another output or add --force",
                {anchor.string(), {}, {}, {}});
  }
  for (const auto& entry : fs::directory_iterator(stem, error)) {
    const fs::path kind = entry.path().extension();
    if (kind != ".evt" && kind != ".def")
      return fail(ErrorCode::kExists, "has files in it that are no trace; name another output",
                  {stem.string(), {}, {}, {}});
  }
  fs::remove(anchor, error);
  fs::remove(definitions, error);
  fs::remove_all(stem, error);
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

std::vector<std::string> remarks_of_writing(const Otf2Export& run) {
  std::vector<std::string> remarks = run.receives.remarks();
  if (run.reconstructed > 0)
    remarks.push_back(
        "times are reconstructed from means of each place, as the input has no stamps "
        "(record or convert with --times full)");
  if (run.outside > 0)
    remarks.push_back(std::to_string(run.outside) + " calls are outside of the times asked for");
  for (const auto& [name, times] : run.unsaid)
    remarks.push_back(name + ": " + std::to_string(times) +
                      " calls whose messages are not written, only that they were called");
  return remarks;
}

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_otf2(const trace::Trace& trace, const std::string& path,
                                            const Otf2OutOptions& options, Overwrite overwrite) {
  using namespace internal;
  const fs::path target = fs::absolute(path);
  const fs::path stem = target.parent_path() / target.stem();
  if (auto room = make_room(stem, overwrite); !room) return propagate(room);
  const Otf2Errors errors;
  const auto broken = [&](const std::string& what) {
    Error error = errors.error(OTF2_SUCCESS, what, path);
    error.code = ErrorCode::kIo;
    return tl::unexpected<Error>(std::move(error));
  };
  constexpr std::uint64_t kChunk = 1 << 20;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(target.parent_path().c_str(), target.stem().c_str(), OTF2_FILEMODE_WRITE,
                        kChunk, 4 * kChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return broken("the archive cannot be made");
  static const OTF2_FlushCallbacks kFlush = {flush_buffers, time_of_flush};
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_SetCreator(archive, "rondo " RONDO_VERSION);
  OTF2_Archive_OpenEvtFiles(archive);
  Otf2Export run(trace, options);
  std::vector<WrittenLocation> locations = locations_of(trace);
  for (WrittenLocation& location : locations) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location.ref);
    if (writer == nullptr) return broken("the events of a location cannot be written");
    const trace::RankClass* const calls = trace.class_of(location.rank, location.thread);
    const bool is_wanted = !options.ranks || options.ranks->contains(location.rank);
    if (calls != nullptr && is_wanted) Otf2Events(run, *calls, location.rank, writer).write();
    OTF2_EvtWriter_GetNumberOfEvents(writer, &location.events);
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  write_local_definitions(archive, locations);
  if (run.reconstructed > 0)
    OTF2_Archive_SetDescription(archive, "times are reconstructed from means, not measured");
  DefinitionWriting(run, OTF2_Archive_GetGlobalDefWriter(archive)).write(locations);
  if (OTF2_Archive_Close(archive) != OTF2_SUCCESS) return broken("the archive cannot be written");
  return remarks_of_writing(run);
}

} // namespace rondo::convert
