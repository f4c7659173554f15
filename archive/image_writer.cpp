// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/program_codec.hpp"
#include "archive/rondo_generated.h"

#include <algorithm>

namespace rondo::archive {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Bytes = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;

// Bytes that a builder takes at once: tables that nothing is known of, and an object's definition.
constexpr std::size_t kSmall = std::size_t{1} << 14;
constexpr std::size_t kObject = 96;

Bytes bytes(Builder& out, const Packer& packed) {
  return out.CreateVector(reinterpret_cast<const std::uint8_t*>(packed.bytes().data()),
                          packed.bytes().size());
}

Bytes packed_ranges(Builder& out, const std::vector<trace::RankRange>& ranges) {
  if (ranges.empty()) return 0;
  Packer packed;
  pack(packed, ranges);
  return bytes(out, packed);
}

Bytes packed_set(Builder& out, const trace::RankSet& set) {
  if (set.empty()) return 0;
  Packer packed;
  pack(packed, set);
  return bytes(out, packed);
}

// One vector of tables from one of rows.
template <class Table, class Row, class Make>
auto tables(Builder& out, const std::vector<Row>& rows, Make make) {
  std::vector<flatbuffers::Offset<Table>> offsets;
  offsets.reserve(rows.size());
  for (const Row& row : rows) offsets.push_back(make(row));
  return out.CreateVector(offsets);
}

Bytes packed_callers(Builder& out, const std::vector<trace::CallSite>& sites) {
  const bool has_stacks = std::any_of(sites.begin(), sites.end(),
                                      [](const trace::CallSite& site) { return site.caller != 0; });
  if (!has_stacks) return 0;
  Packer packed;
  for (const trace::CallSite& site : sites) packed.put(site.caller);
  return bytes(out, packed);
}

void pack_fact(Packer& packed, const std::vector<trace::RankFacts>& ranks,
               std::uint64_t trace::RankFacts::*fact) {
  trace::RankSequence values;
  for (const trace::RankFacts& facts : ranks) values.push(static_cast<std::int64_t>(facts.*fact));
  pack(packed, values);
}

Bytes packed_facts(Builder& out, const Image& image) {
  Packer packed;
  trace::RankSequence ids;
  std::int64_t last = 0;
  for (const std::int64_t id : image.rank_ids) {
    ids.push(id - last);
    last = id;
  }
  pack(packed, ids);
  for (const auto fact : kFacts) pack_fact(packed, image.trace.ranks, fact);
  return bytes(out, packed);
}

Bytes packed_usage(Builder& out, const std::vector<trace::RankFacts>& ranks) {
  const bool is_known = std::any_of(ranks.begin(), ranks.end(), [](const trace::RankFacts& facts) {
    return std::any_of(std::begin(kUsage), std::end(kUsage),
                       [&](auto fact) { return facts.*fact != 0; });
  });
  if (!is_known) return 0;
  Packer packed;
  for (const auto fact : kUsage) pack_fact(packed, ranks, fact);
  return bytes(out, packed);
}

Bytes packed_affinities(Builder& out, const std::vector<trace::Affinity>& affinities) {
  if (affinities.empty()) return 0;
  Packer packed;
  for (const trace::Affinity& affinity : affinities) {
    pack(packed, affinity.ranks);
    pack(packed, affinity.processors);
    packed.put(static_cast<std::uint64_t>(affinity.usable));
    packed.put(affinity.computation_is_cpu_time ? 1 : 0);
  }
  return bytes(out, packed);
}

Bytes packed_open_calls(Builder& out, const Image& image) {
  Packer packed;
  for (std::size_t i = 0; i < image.trace.ranks.size(); ++i) {
    const trace::RankEnding& ending = image.trace.ranks[i].ending;
    if (ending.kind == trace::Ending::kFinalized || ending.words.empty()) continue;
    packed.put(static_cast<std::uint64_t>(image.rank_ids[i]));
    pack_words(packed, ending.words);
  }
  return packed.bytes().empty() ? 0 : bytes(out, packed);
}

Bytes packed_endings(Builder& out, const Image& image) {
  Packer packed;
  for (std::size_t i = 0; i < image.trace.ranks.size(); ++i) {
    const trace::RankEnding& ending = image.trace.ranks[i].ending;
    if (ending.kind == trace::Ending::kFinalized) continue;
    packed.put(static_cast<std::uint64_t>(image.rank_ids[i]));
    packed.put(static_cast<std::uint64_t>(ending.kind));
    packed.put_signed(ending.detail);
    packed.put(ending.function);
    packed.put(ending.site);
    packed.put(ending.in_call_ns);
  }
  return packed.bytes().empty() ? 0 : bytes(out, packed);
}

std::int64_t field_of(std::int64_t value) { return value == trace::kNothing ? kNoNumber : value; }

std::string finished(Builder& out) {
  return {reinterpret_cast<const char*>(out.GetBufferPointer()), out.GetSize()};
}

} // namespace

std::string encode_program_section(const Image& image) {
  const trace::Trace& trace = image.trace;
  std::vector<Packer> packed_programs(trace.programs.size());
  std::size_t size = kObject * (trace.comms.size() + trace.groups.size() + trace.datatypes.size());
  for (std::size_t i = 0; i < packed_programs.size(); ++i) {
    pack(packed_programs[i], *trace.programs[i]);
    size += packed_programs[i].bytes().size();
  }
  Builder out(kSmall + size);
  const auto run =
      fb::CreateRun(out, out.CreateString(trace.run.command), out.CreateString(trace.run.mpi),
                    out.CreateString(trace.run.recorder), out.CreateString(trace.run.notes),
                    trace.run.ranks, trace.run.start_unix_ns, trace.run.complete,
                    trace.run.thread_level, out.CreateString(trace.run.choice));
  const auto hosts = tables<fb::Host>(out, trace.hosts, [&](const trace::Host& host) {
    return fb::CreateHost(out, out.CreateString(host.name), packed_set(out, host.ranks));
  });
  const auto comms = tables<fb::Comm>(out, trace.comms, [&](const trace::CommDefinition& comm) {
    return fb::CreateComm(out, comm.slot, packed_ranges(out, comm.members),
                          packed_ranges(out, comm.remote), packed_set(out, comm.holders),
                          field_of(comm.origin.parent), field_of(comm.origin.tag),
                          comm.origin.ordinal);
  });
  const auto groups =
      tables<fb::Group>(out, trace.groups, [&](const trace::GroupDefinition& group) {
        return fb::CreateGroup(out, group.slot, packed_ranges(out, group.members),
                               packed_set(out, group.holders));
      });
  const auto datatypes =
      tables<fb::Datatype>(out, trace.datatypes, [&](const trace::DatatypeDefinition& type) {
        return fb::CreateDatatype(out, type.slot, out.CreateString(type.name), type.size_bytes,
                                  type.extent_bytes, packed_set(out, type.holders));
      });
  std::vector<std::string> modules;
  std::vector<std::string> build_ids;
  for (const trace::Module& module : trace.modules) {
    modules.push_back(module.path);
    build_ids.push_back(module.build_id);
  }
  Packer sites;
  for (const trace::CallSite& site : trace.sites) {
    const auto known = std::find(modules.begin(), modules.end(), site.module);
    sites.put(static_cast<std::uint64_t>(known - modules.begin()));
    sites.put(site.offset);
    if (known == modules.end()) modules.push_back(site.module);
  }
  const Bytes callers = packed_callers(out, trace.sites);
  const auto programs = tables<fb::Program>(out, packed_programs, [&](const Packer& packed) {
    return fb::CreateProgram(out, bytes(out, packed));
  });
  const auto module_names = out.CreateVectorOfStrings(modules);
  const auto build_id_texts = out.CreateVectorOfStrings(build_ids);
  const Bytes site_bytes = bytes(out, sites);
  const Bytes facts = packed_facts(out, image);
  const Bytes endings = packed_endings(out, image);
  const Bytes usage = packed_usage(out, trace.ranks);
  const Bytes affinities = packed_affinities(out, trace.affinities);
  const Bytes open_calls = packed_open_calls(out, image);
  out.Finish(fb::CreateTrace(out, run, hosts, comms, groups, datatypes, module_names, site_bytes,
                             facts, programs, endings, build_id_texts, callers, usage, affinities,
                             open_calls));
  return finished(out);
}

std::string encode_times_section(const std::vector<const std::vector<trace::PlaceTimes>*>& times) {
  std::vector<std::pair<Packer, Packer>> packed(times.size()); // times, and which are shared
  std::size_t size = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    pack_times(packed[i].first, *times[i]);
    pack_shared(packed[i].second, *times[i]);
    size += packed[i].first.bytes().size() + packed[i].second.bytes().size();
  }
  Builder out(kSmall + size);
  const auto classes = tables<fb::ClassTimes>(out, packed, [&](const auto& of_class) {
    const Bytes place_bytes = bytes(out, of_class.first);
    const Packer& shared = of_class.second;
    return fb::CreateClassTimes(out, place_bytes,
                                shared.bytes().empty() ? Bytes() : bytes(out, shared));
  });
  out.Finish(fb::CreateTimes(out, classes));
  return finished(out);
}

} // namespace rondo::archive
