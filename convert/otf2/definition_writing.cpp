// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/definition_writing.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace rondo::convert::internal {
namespace {

class DefinitionWriting {
public:
  DefinitionWriting(const Otf2Export& run, const Otf2Findings& found, OTF2_GlobalDefWriter* writer)
      : run_(run), found_(found), writer_(writer) {}

  void write(const std::vector<WrittenLocation>& locations) {
    text(""); // number 0 is for what has no name
    constexpr std::uint64_t kTicks = 1'000'000'000;
    const std::int64_t start = run_.trace.run.start_unix_ns;
    OTF2_GlobalDefWriter_WriteClockProperties(writer_, kTicks, 0, found_.last_ns + 1,
                                              start > 0 ? static_cast<std::uint64_t>(start)
                                                        : OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    write_places(locations);
    const OTF2_StringRef file = text("MPI");
    for (std::size_t ref = 0; ref < run_.regions.size(); ++ref) {
      const OTF2_StringRef named = text(run_.regions[ref]);
      OTF2_GlobalDefWriter_WriteRegion(writer_, static_cast<OTF2_RegionRef>(ref), named, named, 0,
                                       OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                       OTF2_REGION_FLAG_NONE, file, 0, 0);
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
    const auto made = found_.made.find(comm);
    const bool is_said = made != found_.made.end() && made->second.parent != OTF2_UNDEFINED_COMM;
    return is_said ? made->second.parent : OTF2_CommRef{trace::Communicators::kWorld};
  }

  // Ranks stand in the grid row by row, as MPI has it.
  void write_grid(OTF2_CommRef comm) {
    const auto made = found_.made.find(comm);
    if (made == found_.made.end() || made->second.dims.empty()) return;
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
        found_.made.contains(id) ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
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
  const Otf2Findings& found_;
  OTF2_GlobalDefWriter* writer_;
  std::map<std::string, OTF2_StringRef> texts_;
  OTF2_GroupRef groups_ = 0;
  OTF2_CartDimensionRef dimensions_ = 0;
  OTF2_CartTopologyRef grids_ = 0;
};

} // namespace

void write_otf2_definitions(const Otf2Export& run, const Otf2Findings& found,
                            const std::vector<WrittenLocation>& locations,
                            OTF2_GlobalDefWriter* writer) {
  DefinitionWriting(run, found, writer).write(locations);
}

} // namespace rondo::convert::internal
