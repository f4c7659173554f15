// SPDX-License-Identifier: Apache-2.0
#include "archive/courses_codec.hpp"
#include "archive/image.hpp"
#include "archive/modelled_courses.hpp"
#include "archive/modelled_program.hpp"
#include "archive/modelled_times.hpp"
#include "archive/program_codec.hpp"
#include "archive/rondo_generated.h"
#include "archive/times_columns.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace rondo::archive {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Bytes = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;

// Bytes that a builder takes at once: tables that nothing is known of, and an object's definition.
constexpr std::size_t kSmall = std::size_t{1} << 14;
constexpr std::size_t kObject = 96;

// From so many bytes on programs are coded by what is likely in them; small ones share what little
// they have with the tables beside them.
// Very large ones would take a second to read and to write, and repeat themselves over distances
// at which zstd is as good.
constexpr std::size_t kLargePrograms = 1024;
constexpr std::size_t kVeryLargePrograms = std::size_t{128} << 10;

// From so many on times are kept as short as they can be told; few take few bytes as they are.
constexpr std::size_t kManyPlaces = 128;

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

Bytes bytes_of(Builder& out, const std::string& packed) {
  if (packed.empty()) return Bytes();
  return out.CreateVector(reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size());
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

template <class ValueOf>
void pack_column(Packer& packed, const std::vector<trace::RankFacts>& ranks, ValueOf value_of) {
  trace::RankSequence values;
  for (const trace::RankFacts& facts : ranks)
    values.push(static_cast<std::int64_t>(value_of(facts)));
  pack(packed, values);
}

void pack_fact(Packer& packed, const std::vector<trace::RankFacts>& ranks, RankFact fact) {
  pack_column(packed, ranks, [fact](const trace::RankFacts& facts) { return facts.*fact; });
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

// Facts that came later than the first ones, if anything is known of them.
template <std::size_t n>
Bytes packed_later(Builder& out, const std::vector<trace::RankFacts>& ranks,
                   const RankFact (&wanted)[n]) {
  const bool is_known = std::any_of(ranks.begin(), ranks.end(), [&](const trace::RankFacts& facts) {
    return std::any_of(std::begin(wanted), std::end(wanted),
                       [&](auto fact) { return facts.*fact != 0; });
  });
  if (!is_known) return 0;
  Packer packed;
  for (const auto fact : wanted) pack_fact(packed, ranks, fact);
  return bytes(out, packed);
}

Bytes packed_clocks(Builder& out, const std::vector<trace::RankFacts>& ranks) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [](const auto& facts) { return *facts.clock == trace::RankClock(); }))
    return 0;
  Packer packed;
  for (const auto part : kClock)
    pack_column(packed, ranks, [part](const auto& facts) { return (*facts.clock).*part; });
  for (const auto part : kClockNumbers)
    pack_column(packed, ranks, [part](const auto& facts) { return (*facts.clock).*part; });
  return bytes(out, packed);
}

// Columns over all ranks, as ranks mostly call the same functions.
template <class Key, class Entries, class PutKey, class Find>
void pack_sums(Packer& packed, const std::vector<trace::RankFacts>& ranks, Entries entries,
               PutKey put_key, Find find) {
  std::set<Key> keys;
  for (const trace::RankFacts& facts : ranks) entries(facts.sums, keys);
  packed.put(keys.size());
  for (const Key& key : keys) {
    put_key(key);
    for (const auto part : {&trace::TimeSum::computation_ns, &trace::TimeSum::inside_ns}) {
      pack_column(packed, ranks, [&](const trace::RankFacts& facts) {
        const trace::TimeSum* sum = find(facts.sums, key);
        return sum == nullptr ? 0 : sum->*part;
      });
    }
  }
}

Bytes packed_sums(Builder& out, const std::vector<trace::RankFacts>& ranks) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [](const trace::RankFacts& facts) { return facts.sums.empty(); }))
    return 0;
  using trace::TimeSums;
  Packer packed;
  pack_sums<std::uint16_t>(
      packed, ranks,
      [](const TimeSums& sums, auto& keys) {
        for (const TimeSums::Function& function : sums.functions) keys.insert(function.id);
      },
      [&](std::uint16_t id) { packed.put(id); },
      [](const TimeSums& sums, std::uint16_t id) { return sums.of_function(id); });
  pack_sums<std::string_view>(
      packed, ranks,
      [](const TimeSums& sums, auto& keys) {
        for (const TimeSums::Phase& phase : sums.phases) keys.insert(phase.name);
      },
      [&](std::string_view name) { packed.put_text(name); },
      [](const TimeSums& sums, std::string_view name) { return sums.of_phase(name); });
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
    const trace::RankEnding& ending = *image.trace.ranks[i].ending;
    if (ending.kind == trace::Ending::kFinalized || ending.words.empty()) continue;
    packed.put(static_cast<std::uint64_t>(image.rank_ids[i]));
    pack_words(packed, ending.words);
  }
  return packed.bytes().empty() ? 0 : bytes(out, packed);
}

Bytes packed_endings(Builder& out, const Image& image) {
  Packer packed;
  for (std::size_t i = 0; i < image.trace.ranks.size(); ++i) {
    const trace::RankEnding& ending = *image.trace.ranks[i].ending;
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

struct PackedProgram {
  Packer bytes; // the thread's number first
  std::size_t head = 0; // bytes of that
  std::uint32_t last_thread = 0;
  std::vector<std::int64_t> other_threads{}; // which do the same
};

// Programs in a row that differ in nothing but the thread, which rises, are one: thousands of
// threads often do the same. Readers find them in the same order.
std::vector<PackedProgram>
packed(const std::vector<std::shared_ptr<const trace::MergedProgram>>& programs) {
  std::vector<PackedProgram> rows;
  for (const auto& program : programs) {
    Packer thread;
    thread.put(program->thread);
    PackedProgram row{{}, thread.bytes().size(), program->thread};
    pack(row.bytes, *program);
    const bool is_same =
        !rows.empty() && rows.back().last_thread < program->thread &&
        rows.back().bytes.bytes().substr(rows.back().head) == row.bytes.bytes().substr(row.head);
    if (!is_same) {
      rows.push_back(std::move(row));
    } else {
      rows.back().other_threads.push_back(program->thread);
      rows.back().last_thread = program->thread;
    }
  }
  return rows;
}

// Nothing if they are small, or very large.
std::string modelled_if_worth_it(const std::vector<PackedProgram>& programs) {
  std::vector<std::string_view> packed;
  std::size_t size = 0;
  for (const PackedProgram& program : programs) {
    packed.push_back(program.bytes.bytes());
    size += packed.back().size();
  }
  const bool is_so = size >= kLargePrograms && size < kVeryLargePrograms;
  return is_so ? pack_modelled_programs(packed) : std::string();
}

std::string finished(Builder& out) {
  return {reinterpret_cast<const char*>(out.GetBufferPointer()), out.GetSize()};
}

auto packed_run(Builder& out, const trace::RunFacts& run) {
  return fb::CreateRun(out, out.CreateString(run.command), out.CreateString(run.mpi),
                       out.CreateString(run.recorder), out.CreateString(run.notes), run.ranks,
                       run.start_unix_ns, run.complete, run.thread_level,
                       out.CreateString(run.choice));
}

auto packed_comms(Builder& out, const trace::Trace& trace) {
  return tables<fb::Comm>(out, trace.comms, [&](const trace::CommDefinition& comm) {
    return fb::CreateComm(out, comm.slot, packed_ranges(out, comm.members),
                          packed_ranges(out, comm.remote), packed_set(out, comm.holders),
                          field_of(comm.origin.parent), field_of(comm.origin.tag),
                          comm.origin.ordinal);
  });
}

auto packed_groups(Builder& out, const trace::Trace& trace) {
  return tables<fb::Group>(out, trace.groups, [&](const trace::GroupDefinition& group) {
    return fb::CreateGroup(out, group.slot, packed_ranges(out, group.members),
                           packed_set(out, group.holders));
  });
}

auto packed_datatypes(Builder& out, const trace::Trace& trace) {
  return tables<fb::Datatype>(out, trace.datatypes, [&](const trace::DatatypeDefinition& type) {
    return fb::CreateDatatype(out, type.slot, out.CreateString(type.name), type.size_bytes,
                              type.extent_bytes, packed_set(out, type.holders));
  });
}

struct PackedSites {
  explicit PackedSites(const trace::Trace& trace) {
    for (const trace::Module& module : trace.modules) {
      modules.push_back(module.path);
      build_ids.push_back(module.build_id);
    }
    for (const trace::CallSite& site : trace.sites) {
      const auto known = std::find(modules.begin(), modules.end(), site.module);
      sites.put(static_cast<std::uint64_t>(known - modules.begin()));
      sites.put(site.offset);
      if (known == modules.end()) modules.push_back(site.module);
    }
  }

  std::vector<std::string> modules;
  std::vector<std::string> build_ids;
  Packer sites;
};

// Whatever stands first here stands first in the bytes, which stay the same from version to
// version.
std::string program_section(const Image& image, const std::vector<PackedProgram>& packed_programs,
                            const std::string& modelled) {
  const trace::Trace& trace = image.trace;
  std::size_t size = kObject * (trace.comms.size() + trace.groups.size() + trace.datatypes.size());
  for (const PackedProgram& program : packed_programs) size += program.bytes.bytes().size();
  Builder out(kSmall + size);
  const auto run = packed_run(out, trace.run);
  const auto hosts = tables<fb::Host>(out, trace.hosts, [&](const trace::Host& host) {
    return fb::CreateHost(out, out.CreateString(host.name), packed_set(out, host.ranks));
  });
  const auto comms = packed_comms(out, trace);
  const auto groups = packed_groups(out, trace);
  const auto datatypes = packed_datatypes(out, trace);
  const PackedSites packed_sites(trace);
  const Bytes callers = packed_callers(out, trace.sites);
  const auto programs = tables<fb::Program>(out, packed_programs, [&](const PackedProgram& packed) {
    const Bytes program = modelled.empty() ? bytes(out, packed.bytes) : Bytes();
    return fb::CreateProgram(out, program,
                             packed_set(out, trace::RankSet::of(packed.other_threads)));
  });
  const Bytes modelled_programs = bytes_of(out, modelled);
  const auto module_names = out.CreateVectorOfStrings(packed_sites.modules);
  const auto build_id_texts = out.CreateVectorOfStrings(packed_sites.build_ids);
  const Bytes site_bytes = bytes(out, packed_sites.sites);
  const Bytes facts = packed_facts(out, image);
  const Bytes endings = packed_endings(out, image);
  const Bytes usage = packed_later(out, trace.ranks, kUsage);
  const Bytes affinities = packed_affinities(out, trace.affinities);
  const Bytes open_calls = packed_open_calls(out, image);
  const Bytes costs = packed_later(out, trace.ranks, kCosts);
  const Bytes clocks = packed_clocks(out, trace.ranks);
  const Bytes sums = packed_sums(out, trace.ranks);
  out.Finish(fb::CreateTrace(out, run, hosts, comms, groups, datatypes, module_names, site_bytes,
                             facts, programs, endings, build_id_texts, callers, usage, affinities,
                             open_calls, costs, clocks, sums, modelled_programs));
  return finished(out);
}

} // namespace

std::string encode_program_section(const Image& image) {
  const std::vector<PackedProgram> programs = packed(image.trace.programs);
  return program_section(image, programs, modelled_if_worth_it(programs));
}

std::string encode_plain_program_section(const Image& image) {
  return program_section(image, packed(image.trace.programs), "");
}

namespace {

using TimesOfAll = std::vector<const std::vector<trace::PlaceTimes>*>;

// The fields of a section, each empty for none.
struct TimesFields {
  std::string columns;
  std::string courses;
  std::string peaks;
  std::string modelled_courses;
  std::string foretold;
};

std::string times_section(const TimesOfAll& times, const TimesFields& fields) {
  std::vector<Packer> shared(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) pack_shared(shared[i], *times[i]);
  Builder out(kSmall + fields.columns.size() + fields.foretold.size());
  const auto classes = tables<fb::ClassTimes>(out, shared, [&](const Packer& of_class) {
    return fb::CreateClassTimes(out, Bytes(),
                                of_class.bytes().empty() ? Bytes() : bytes(out, of_class));
  });
  const Bytes columns = bytes_of(out, fields.columns);
  const Bytes courses = bytes_of(out, fields.courses);
  const Bytes peaks = bytes_of(out, fields.peaks);
  const Bytes modelled_courses = bytes_of(out, fields.modelled_courses);
  const Bytes foretold = bytes_of(out, fields.foretold);
  out.Finish(
      fb::CreateTimes(out, classes, columns, courses, peaks, Bytes(), modelled_courses, foretold));
  return finished(out);
}

} // namespace

std::string encode_times_section(const TimesOfAll& times) {
  TimesFields fields;
  fields.columns = pack_times_in_columns(times);
  fields.courses = pack_courses(times);
  fields.peaks = pack_peaks(times);
  return times_section(times, fields);
}

std::string encode_short_times_section(const std::vector<trace::RankClass>& classes) {
  TimesOfAll times;
  std::size_t places = 0;
  bool are_calls_known = true; // as a reader will know them
  for (const trace::RankClass& c : classes) {
    times.push_back(&c.program->times);
    places += c.program->times.size();
    are_calls_known = are_calls_known && c.calls.size() == c.program->calls.size();
  }
  TimesFields fields;
  if (places < kManyPlaces || !are_calls_known) {
    fields.columns = pack_times_in_columns(times);
  } else {
    fields.foretold = pack_foretold_times(classes);
  }
  fields.modelled_courses = pack_modelled_courses(times);
  return times_section(times, fields);
}

std::vector<std::size_t> borders_in_times(std::string_view section) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(section.data());
  flatbuffers::Verifier verifier(bytes, section.size());
  if (!verifier.VerifyBuffer<fb::Times>(nullptr)) return {};
  const auto* times = flatbuffers::GetRoot<fb::Times>(bytes);
  std::vector<std::size_t> borders;
  if (const auto* columns = times->columns(); columns != nullptr) {
    const auto at = static_cast<std::size_t>(columns->data() - bytes);
    for (const std::size_t border : borders_of_columns(section.substr(at, columns->size())))
      borders.push_back(at + border);
  }
  if (const auto* courses = times->courses(); courses != nullptr) {
    const auto at = static_cast<std::size_t>(courses->data() - bytes);
    borders.insert(borders.end(), {at, at + courses->size()});
  }
  std::ranges::sort(borders);
  return borders;
}

} // namespace rondo::archive
