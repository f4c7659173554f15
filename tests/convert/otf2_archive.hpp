// SPDX-License-Identifier: Apache-2.0
// Words for tests of OTF2: a small archive, written with libotf2 as a tool would.
#pragma once

#include "tests/convert/ti_folder.hpp"

#include <functional>
#include <map>
#include <otf2/otf2.h>
#include <string>
#include <vector>

namespace rondo::convert {

constexpr OTF2_CommRef kOtf2World = 0;
constexpr OTF2_CommRef kOtf2Self = 1;
constexpr OTF2_CommRef kOtf2Reversed = 2; // all ranks from the last to the first

/// What one thread does: 10 ticks, which are 10 ns, for each event.
class Otf2Script {
public:
  using Write = std::function<void(OTF2_EvtWriter*, OTF2_TimeStamp)>;

  Otf2Script& event(Write write) {
    events_.push_back(std::move(write));
    return *this;
  }
  Otf2Script& enter(const std::string& region);
  Otf2Script& leave(const std::string& region);
  /// A region with one record in it.
  Otf2Script& call(const std::string& region, Write inside = nullptr) {
    enter(region);
    if (inside) event(std::move(inside));
    return leave(region);
  }
  const std::vector<Write>& events() const { return events_; }
  static std::vector<std::string>& regions(); // by reference

private:
  static OTF2_RegionRef region(const std::string& name);
  std::vector<Write> events_;
};

inline std::vector<std::string>& Otf2Script::regions() {
  static std::vector<std::string> all;
  return all;
}

inline OTF2_RegionRef Otf2Script::region(const std::string& name) {
  auto& all = regions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == name) return static_cast<OTF2_RegionRef>(i);
  }
  all.push_back(name);
  return static_cast<OTF2_RegionRef>(all.size() - 1);
}

inline Otf2Script& Otf2Script::enter(const std::string& name) {
  const OTF2_RegionRef ref = region(name);
  return event([ref](auto* to, auto at) { OTF2_EvtWriter_Enter(to, nullptr, at, ref); });
}

inline Otf2Script& Otf2Script::leave(const std::string& name) {
  const OTF2_RegionRef ref = region(name);
  return event([ref](auto* to, auto at) { OTF2_EvtWriter_Leave(to, nullptr, at, ref); });
}

// Records.
inline Otf2Script::Write otf2_send(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes,
                                   OTF2_CommRef comm = kOtf2World) {
  return [=](auto* w, auto at) { OTF2_EvtWriter_MpiSend(w, nullptr, at, to, comm, tag, bytes); };
}
inline Otf2Script::Write otf2_receive(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes,
                                      OTF2_CommRef comm = kOtf2World) {
  return [=](auto* w, auto at) { OTF2_EvtWriter_MpiRecv(w, nullptr, at, from, comm, tag, bytes); };
}
inline Otf2Script::Write otf2_isend(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes,
                                    std::uint64_t request) {
  return [=](auto* w, auto at) {
    OTF2_EvtWriter_MpiIsend(w, nullptr, at, to, kOtf2World, tag, bytes, request);
  };
}
inline Otf2Script::Write otf2_isend_done(std::uint64_t request) {
  return [=](auto* w, auto at) { OTF2_EvtWriter_MpiIsendComplete(w, nullptr, at, request); };
}
inline Otf2Script::Write otf2_irecv(std::uint64_t request) {
  return [=](auto* w, auto at) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, at, request); };
}
inline Otf2Script::Write otf2_irecv_done(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes,
                                         std::uint64_t request) {
  return [=](auto* w, auto at) {
    OTF2_EvtWriter_MpiIrecv(w, nullptr, at, from, kOtf2World, tag, bytes, request);
  };
}
inline Otf2Script::Write otf2_tested(std::uint64_t request) {
  return [=](auto* w, auto at) { OTF2_EvtWriter_MpiRequestTest(w, nullptr, at, request); };
}
inline Otf2Script::Write otf2_collective(OTF2_CollectiveOp op, std::uint32_t root,
                                         std::uint64_t sent, std::uint64_t received,
                                         OTF2_CommRef comm = kOtf2World) {
  return [=](auto* w, auto at) {
    OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, at, op, comm, root, sent, received);
  };
}

struct Otf2ArchiveOptions {
  bool has_mpi = true; // else no group and no communicator of MPI
  std::vector<std::uint32_t> grid{}; // of kOtf2Reversed, whose last dimension is a ring
  std::string name = "traces";
  std::map<std::size_t, Otf2Script> second_threads{}; // by rank
};

namespace otf2_internal {

inline OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
inline OTF2_TimeStamp no_time(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

inline void write_events(OTF2_Archive* archive, OTF2_LocationRef location,
                         const Otf2Script& script) {
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location);
  OTF2_TimeStamp at = 1000;
  for (const auto& write : script.events()) write(writer, at += 10);
  OTF2_Archive_CloseEvtWriter(archive, writer);
}

inline void write_definitions(OTF2_GlobalDefWriter* to, const std::vector<Otf2Script>& ranks,
                              const Otf2ArchiveOptions& options) {
  OTF2_StringRef next = 1;
  const auto text = [&](const std::string& words) {
    OTF2_GlobalDefWriter_WriteString(to, next, words.c_str());
    return next++;
  };
  OTF2_GlobalDefWriter_WriteString(to, 0, "");
  OTF2_GlobalDefWriter_WriteClockProperties(to, 1'000'000'000, 1000, 5000, 77);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, text("n1"), text("node"),
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  const auto& regions = Otf2Script::regions();
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const OTF2_StringRef name = text(regions[i]);
    OTF2_GlobalDefWriter_WriteRegion(to, static_cast<OTF2_RegionRef>(i), name, name, 0,
                                     OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
  }
  std::vector<std::uint64_t> members;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto group = static_cast<OTF2_LocationGroupRef>(i);
    OTF2_GlobalDefWriter_WriteLocationGroup(to, group, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(to, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       ranks[i].events().size(), group);
    members.push_back(i);
  }
  for (const auto& [rank, script] : options.second_threads)
    OTF2_GlobalDefWriter_WriteLocation(to, 100 + rank, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       script.events().size(),
                                       static_cast<OTF2_LocationGroupRef>(rank));
  if (!options.has_mpi) return;
  const auto group = [&](OTF2_GroupRef ref, OTF2_GroupType type,
                         const std::vector<std::uint64_t>& of) {
    OTF2_GlobalDefWriter_WriteGroup(to, ref, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(of.size()), of.data());
  };
  group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
  group(1, OTF2_GROUP_TYPE_COMM_GROUP, members);
  group(2, OTF2_GROUP_TYPE_COMM_SELF, {});
  group(3, OTF2_GROUP_TYPE_COMM_GROUP, {members.rbegin(), members.rend()});
  const auto comm = [&](OTF2_CommRef ref, const std::string& name, OTF2_GroupRef of) {
    OTF2_GlobalDefWriter_WriteComm(to, ref, text(name), of, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  };
  comm(kOtf2World, "MPI_COMM_WORLD", 1);
  comm(kOtf2Self, "MPI_COMM_SELF", 2);
  OTF2_GlobalDefWriter_WriteComm(to, kOtf2Reversed, 0, 3, kOtf2World, OTF2_COMM_FLAG_NONE);
  std::vector<OTF2_CartDimensionRef> dimensions;
  for (std::size_t i = 0; i < options.grid.size(); ++i) {
    dimensions.push_back(static_cast<OTF2_CartDimensionRef>(i));
    OTF2_GlobalDefWriter_WriteCartDimension(
        to, dimensions.back(), 0, options.grid[i],
        i + 1 == options.grid.size() ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE);
  }
  if (!dimensions.empty())
    OTF2_GlobalDefWriter_WriteCartTopology(
        to, 0, 0, kOtf2Reversed, static_cast<std::uint8_t>(dimensions.size()), dimensions.data());
}

} // namespace otf2_internal

/// The anchor of the archive that is written into `folder`.
inline std::string write_otf2(const TiFolder& folder, const std::vector<Otf2Script>& ranks,
                              const Otf2ArchiveOptions& options = {}) {
  using namespace otf2_internal;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(folder.path().c_str(), options.name.c_str(), OTF2_FILEMODE_WRITE, 1 << 20,
                        4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  static const OTF2_FlushCallbacks kFlush = {flush_always, no_time};
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_SetCreator(archive, "a test");
  OTF2_Archive_OpenEvtFiles(archive);
  for (std::size_t i = 0; i < ranks.size(); ++i) write_events(archive, i, ranks[i]);
  for (const auto& [rank, script] : options.second_threads)
    write_events(archive, 100 + rank, script);
  OTF2_Archive_CloseEvtFiles(archive);
  write_definitions(OTF2_Archive_GetGlobalDefWriter(archive), ranks, options);
  OTF2_Archive_Close(archive);
  return folder.path(options.name + ".otf2");
}

} // namespace rondo::convert
