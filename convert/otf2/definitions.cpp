// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/definitions.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace rondo::convert::internal {
namespace {

// libotf2 calls back for each definition. Names come as references to strings that may stand behind
// what they name, so they are looked up at the end.
struct DefinitionSink {
  Otf2Definitions definitions;
  Budget* budget = nullptr;
  struct RegionRefs {
    OTF2_RegionRef region;
    OTF2_StringRef name, canonical, file;
    std::uint32_t first_line, last_line;
    OTF2_Paradigm paradigm;
  };
  std::vector<RegionRefs> regions;
  std::vector<std::pair<OTF2_CommRef, OTF2_StringRef>> comm_names;
  struct NodeRefs {
    OTF2_SystemTreeNodeRef node;
    OTF2_StringRef name, kind;
  };
  std::vector<NodeRefs> nodes;
  struct Dimension {
    std::int64_t size = 0;
    std::int64_t is_ring = 0;
  };
  std::unordered_map<OTF2_CartDimensionRef, Dimension> dimensions;
  std::vector<std::pair<OTF2_CommRef, std::vector<OTF2_CartDimensionRef>>> grids;
  std::unordered_map<OTF2_IoParadigmRef, OTF2_StringRef> paradigms; // of input and output
  std::unordered_map<OTF2_IoFileRef, OTF2_StringRef> files;
  struct Handle {
    OTF2_IoHandleRef handle;
    OTF2_IoFileRef file;
    OTF2_IoParadigmRef paradigm;
    OTF2_CommRef comm;
  };
  std::vector<Handle> handles;

  OTF2_CallbackCode take(std::uint64_t count, std::uint64_t each) const {
    return budget->take_items(count, each) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
};

DefinitionSink& sink_of(void* data) { return *static_cast<DefinitionSink*>(data); }

OTF2_CallbackCode take_clock(void* data, uint64_t ticks_per_second, uint64_t offset,
                             uint64_t length, uint64_t unix_ns) {
  Otf2Definitions& all = sink_of(data).definitions;
  all.ticks_per_second = ticks_per_second;
  all.first_tick = offset;
  all.ticks = length;
  const bool is_known = unix_ns != OTF2_UNDEFINED_TIMESTAMP && unix_ns >> 63 == 0;
  all.start_unix_ns = is_known ? static_cast<std::int64_t>(unix_ns) : 0;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_string(void* data, OTF2_StringRef self, const char* text) {
  DefinitionSink& sink = sink_of(data);
  std::string copy(text == nullptr ? "" : text);
  const auto code = sink.take(1, 64 + copy.size());
  sink.definitions.strings[self] = std::move(copy);
  return code;
}

OTF2_CallbackCode take_node(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                            OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
  DefinitionSink& sink = sink_of(data);
  sink.definitions.nodes[self] = {{}, {}, parent};
  sink.nodes.push_back({self, name, kind});
  return sink.take(1, 192);
}

OTF2_CallbackCode take_process(void* data, OTF2_LocationGroupRef self, OTF2_StringRef,
                               OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                               OTF2_LocationGroupRef) {
  sink_of(data).definitions.processes[self] = {type, node};
  return sink_of(data).take(1, 96);
}

OTF2_CallbackCode take_location(void* data, OTF2_LocationRef self, OTF2_StringRef,
                                OTF2_LocationType type, uint64_t events,
                                OTF2_LocationGroupRef group) {
  sink_of(data).definitions.locations[self] = {self, type, group, events};
  return sink_of(data).take(1, 128);
}

OTF2_CallbackCode take_region(void* data, OTF2_RegionRef self, OTF2_StringRef name,
                              OTF2_StringRef canonical, OTF2_StringRef, OTF2_RegionRole,
                              OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef file,
                              uint32_t first_line, uint32_t last_line) {
  DefinitionSink& sink = sink_of(data);
  sink.definitions.regions[self];
  sink.regions.push_back({self, name, canonical, file, first_line, last_line, paradigm});
  return sink.take(1, 768);
}

OTF2_CallbackCode take_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                             OTF2_Paradigm paradigm, OTF2_GroupFlag, uint32_t count,
                             const uint64_t* members) {
  DefinitionSink& sink = sink_of(data);
  const auto code = sink.take(std::uint64_t{count} + 1, 32);
  if (code == OTF2_CALLBACK_SUCCESS)
    sink.definitions.groups[self] = {type, paradigm, {members, members + count}};
  return code;
}

OTF2_CallbackCode take_comm(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                            OTF2_CommRef parent, OTF2_CommFlag) {
  DefinitionSink& sink = sink_of(data);
  sink.definitions.comms[self] = {{}, group, OTF2_UNDEFINED_GROUP, parent};
  sink.comm_names.emplace_back(self, name);
  return sink.take(1, 128);
}

OTF2_CallbackCode take_inter_comm(void* data, OTF2_CommRef self, OTF2_StringRef name,
                                  OTF2_GroupRef group, OTF2_GroupRef remote, OTF2_CommRef parent,
                                  OTF2_CommFlag) {
  DefinitionSink& sink = sink_of(data);
  sink.definitions.comms[self] = {{}, group, remote, parent};
  sink.comm_names.emplace_back(self, name);
  return sink.take(1, 128);
}

OTF2_CallbackCode take_context(void* data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                               OTF2_SourceCodeLocationRef, OTF2_CallingContextRef) {
  sink_of(data).definitions.contexts[self] = region;
  return sink_of(data).take(1, 64);
}

OTF2_CallbackCode take_dimension(void* data, OTF2_CartDimensionRef self, OTF2_StringRef,
                                 uint32_t size, OTF2_CartPeriodicity periodicity) {
  const bool is_ring = periodicity == OTF2_CART_PERIODIC_TRUE;
  sink_of(data).dimensions[self] = {size, is_ring ? 1 : 0};
  return sink_of(data).take(1, 64);
}

OTF2_CallbackCode take_topology(void* data, OTF2_CartTopologyRef, OTF2_StringRef, OTF2_CommRef comm,
                                uint8_t count, const OTF2_CartDimensionRef* dimensions) {
  sink_of(data).grids.emplace_back(comm, std::vector(dimensions, dimensions + count));
  return sink_of(data).take(std::uint64_t{count} + 1, 64);
}

OTF2_CallbackCode take_window(void* data, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef comm,
                              OTF2_RmaWinFlag) {
  sink_of(data).definitions.windows[self] = comm;
  return sink_of(data).take(1, 64);
}

OTF2_CallbackCode take_paradigm(void* data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                OTF2_StringRef, OTF2_IoParadigmClass, OTF2_IoParadigmFlag, uint8_t,
                                const OTF2_IoParadigmProperty*, const OTF2_Type*,
                                const OTF2_AttributeValue*) {
  sink_of(data).paradigms[self] = identification;
  return sink_of(data).take(1, 64);
}

OTF2_CallbackCode take_file(void* data, OTF2_IoFileRef self, OTF2_StringRef name,
                            OTF2_SystemTreeNodeRef) {
  sink_of(data).files[self] = name;
  return sink_of(data).take(1, 64);
}

OTF2_CallbackCode take_handle(void* data, OTF2_IoHandleRef self, OTF2_StringRef,
                              OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag,
                              OTF2_CommRef comm, OTF2_IoHandleRef) {
  sink_of(data).handles.push_back({self, file, paradigm, comm});
  return sink_of(data).take(1, 192);
}

void put_files_together(DefinitionSink& sink) {
  Otf2Definitions& all = sink.definitions;
  const auto text_of = [&](const auto& refs, auto ref) {
    const auto found = refs.find(ref);
    return found == refs.end() ? std::string() : all.text(found->second);
  };
  for (const DefinitionSink::Handle& one : sink.handles) {
    const bool is_of_mpi = text_of(sink.paradigms, one.paradigm).starts_with("MPI");
    all.files[one.handle] = {text_of(sink.files, one.file), one.comm, is_of_mpi};
  }
}

// The first of a communicator's: tools have grids of machines on those of all ranks, too.
void put_grids_together(DefinitionSink& sink) {
  for (const auto& [comm, dimensions] : sink.grids) {
    Otf2Grid grid;
    for (const OTF2_CartDimensionRef ref : dimensions) {
      grid.dims.push_back(sink.dimensions[ref].size);
      grid.periods.push_back(sink.dimensions[ref].is_ring);
    }
    sink.definitions.grids.emplace(comm, std::move(grid));
  }
}

bool begins_or_ends_mpi(const NamedCall& call) {
  if (call.form.function == nullptr) return false;
  const trace::Act act = trace::meaning_of(*call.form.function).act;
  return act == trace::Act::kInit || act == trace::Act::kFinalize;
}

void name_definitions(DefinitionSink& sink) {
  Otf2Definitions& all = sink.definitions;
  const bool tells_apart =
      std::any_of(sink.regions.begin(), sink.regions.end(),
                  [](const auto& refs) { return refs.paradigm == OTF2_PARADIGM_MPI; });
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::uint32_t>,
           OTF2_RegionRef>
      first;
  for (const auto& refs : sink.regions) {
    Otf2Region& region = all.regions[refs.region];
    region.name = all.text(refs.name);
    region.file = all.text(refs.file);
    region.first = first
                       .try_emplace({region.name, all.text(refs.canonical), region.file,
                                     refs.first_line, refs.last_line},
                                    refs.region)
                       .first->second;
    region.call = call_of_name(region.name, Objects::kNamed);
    if (!region.is_mpi()) region.call = call_of_name(all.text(refs.canonical), Objects::kNamed);
    // Programs have functions of their own with such names, where the archive tells them apart.
    const bool is_own = tells_apart && refs.paradigm != OTF2_PARADIGM_MPI;
    if (is_own && region.call.form.function == nullptr) region.call = {};
    all.has_ends = all.has_ends || begins_or_ends_mpi(region.call);
  }
  for (const auto& [comm, name] : sink.comm_names) all.comms[comm].name = all.text(name);
  for (const auto& refs : sink.nodes) {
    all.nodes[refs.node].name = all.text(refs.name);
    all.nodes[refs.node].kind = all.text(refs.kind);
  }
}

using CallbacksOwner =
    std::unique_ptr<OTF2_GlobalDefReaderCallbacks, decltype(&OTF2_GlobalDefReaderCallbacks_Delete)>;

CallbacksOwner definition_callbacks() {
  CallbacksOwner owner(OTF2_GlobalDefReaderCallbacks_New(), &OTF2_GlobalDefReaderCallbacks_Delete);
  auto* const all = owner.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(all, &take_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(all, &take_string);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(all, &take_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(all, &take_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all, &take_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(all, &take_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(all, &take_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(all, &take_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(all, &take_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(all, &take_context);
  OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(all, &take_dimension);
  OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(all, &take_topology);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(all, &take_window);
  OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(all, &take_paradigm);
  OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(all, &take_file);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(all, &take_handle);
  return owner;
}

} // namespace

bool Otf2Definitions::has_mpi_regions() const {
  return std::any_of(regions.begin(), regions.end(),
                     [](const auto& region) { return region.second.is_mpi(); });
}

std::uint64_t Otf2Definitions::time_ns(std::uint64_t tick) const {
  constexpr std::uint64_t kSecond_ns = 1'000'000'000;
  constexpr std::uint64_t kMost_s = 9'000'000'000; // 285 years
  if (tick <= first_tick) return 0;
  const std::uint64_t unit = std::max<std::uint64_t>(ticks_per_second, 1);
  const std::uint64_t seconds = (tick - first_tick) / unit;
  const std::uint64_t rest = (tick - first_tick) % unit;
  if (seconds >= kMost_s) return kMost_s * kSecond_ns;
  const bool fits = rest <= ~std::uint64_t{0} / kSecond_ns;
  const std::uint64_t rest_ns = fits ? rest * kSecond_ns / unit : rest / (unit / kSecond_ns);
  return seconds * kSecond_ns + rest_ns;
}

std::string Otf2Definitions::host_of(OTF2_LocationGroupRef process) const {
  const auto found = processes.find(process);
  if (found == processes.end()) return "";
  OTF2_SystemTreeNodeRef at = found->second.node;
  std::string nearest;
  for (int steps = 0; steps < 64; ++steps) { // a hostile tree may be a ring
    const auto node = nodes.find(at);
    if (node == nodes.end()) break;
    if (node->second.kind == "node" || node->second.kind == "host") return node->second.name;
    if (nearest.empty()) nearest = node->second.name;
    at = node->second.parent;
  }
  return nearest;
}

Result<Otf2Definitions> read_otf2_definitions(OTF2_Reader* reader, Budget& budget) {
  DefinitionSink sink;
  sink.budget = &budget;
  OTF2_GlobalDefReader* const global = OTF2_Reader_GetGlobalDefReader(reader);
  if (global == nullptr)
    return fail(ErrorCode::kDamaged, "the definitions beside the anchor (.def) cannot be read");
  const CallbacksOwner callbacks = definition_callbacks();
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks.get(), &sink);
  std::uint64_t count = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count);
  if (budget.is_spent()) return tl::unexpected<Error>(budget.error(""));
  if (code != OTF2_SUCCESS) {
    return fail(ErrorCode::kDamaged,
                "the definitions (.def) cannot be read behind number " + std::to_string(count));
  }
  OTF2_Reader_CloseGlobalDefReader(reader, global);
  name_definitions(sink);
  put_grids_together(sink);
  put_files_together(sink);
  return std::move(sink.definitions);
}

} // namespace rondo::convert::internal
