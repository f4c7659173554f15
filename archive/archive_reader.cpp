// SPDX-License-Identifier: Apache-2.0
#include "archive/class_costs.hpp"
#include "archive/image.hpp"
#include "archive/layout.hpp"
#include "archive/program_codec.hpp"
#include "archive/sections.hpp"
#include "rondo/archive/archive.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace rondo::archive {
namespace {

struct Entry {
  std::uint16_t kind = 0;
  std::uint16_t codec = 0;
  std::uint64_t raw_size = 0;
  std::uint64_t stored_size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t offset = 0;
};

std::uint64_t get_little_endian(std::string_view bytes, std::size_t offset, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[offset + static_cast<std::size_t>(i)])}
             << (8 * i);
  }
  return value;
}

constexpr std::uint64_t kMaxRawSize = std::uint64_t{1} << 31; // what FlatBuffers can address

class HeadReader {
public:
  HeadReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), budget_(Budget::of_file(bytes.size())) {}

  /// For all that is made of the file.
  Budget& budget() const { return budget_; }

  Result<std::vector<Entry>> entries() const {
    if (bytes_.substr(0, kMagic.size()) != kMagic) {
      const bool is_cut =
          bytes_.size() < kMagic.size() && kMagic.substr(0, bytes_.size()) == bytes_;
      return is_cut ? cut(bytes_.size())
                    : fail(ErrorCode::kFormat,
                           "is no .rondo archive; record one with 'rondo record' or make one "
                           "with 'rondo convert'",
                           {file_, {}, {}, {}});
    }
    if (bytes_.size() < kHeadSize) return cut(bytes_.size());
    const auto version = static_cast<std::uint32_t>(get_little_endian(bytes_, 8, 4));
    if (version < kFirstVersion) {
      return fail(ErrorCode::kUnsupported,
                  "has format version " + std::to_string(version) +
                      ", which only an unreleased Rondo wrote; record the run again",
                  {file_, {}, {}, {}});
    }
    if (version > kVersion) {
      return fail(ErrorCode::kNewerVersion,
                  "has format version " + std::to_string(version) + ", this Rondo reads up to " +
                      std::to_string(kVersion) + "; read it with a newer Rondo",
                  {file_, {}, {}, {}});
    }
    const std::uint64_t count = get_little_endian(bytes_, 12, 4);
    const std::uint64_t head = kHeadSize + count * kEntrySize;
    if (count > kMaxSections) return damaged("the number of sections is impossible", 12);
    if (bytes_.size() < head + 8) return cut(bytes_.size());
    if (XXH3_64bits(bytes_.data(), head) != get_little_endian(bytes_, head, 8)) {
      return damaged("the head does not agree with its checksum", head);
    }
    return read_entries(count, head + 8);
  }

  /// Or too costly, if that is why it was not read.
  tl::unexpected<Error> damaged(const std::string& what, std::uint64_t offset) const {
    if (budget_.is_spent()) return tl::unexpected<Error>(budget_.error(file_));
    return fail(ErrorCode::kDamaged,
                "is damaged: " + what + "; get the file again from where it was written",
                {file_, {}, offset, {}});
  }

private:
  Result<std::vector<Entry>> read_entries(std::uint64_t count, std::uint64_t offset) const {
    std::vector<Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = kHeadSize + i * kEntrySize;
      entries[i] = {static_cast<std::uint16_t>(get_little_endian(bytes_, at, 2)),
                    static_cast<std::uint16_t>(get_little_endian(bytes_, at + 2, 2)),
                    get_little_endian(bytes_, at + 8, 8),
                    get_little_endian(bytes_, at + 16, 8),
                    get_little_endian(bytes_, at + 24, 8),
                    offset};
      if (entries[i].stored_size > bytes_.size() - offset) return cut(bytes_.size());
      offset += entries[i].stored_size;
    }
    if (offset != bytes_.size()) return damaged("bytes follow the last section", offset);
    return entries;
  }

  tl::unexpected<Error> cut(std::uint64_t offset) const {
    return fail(ErrorCode::kDamaged, "is cut short; copy the file again or record the run again",
                {file_, {}, offset, {}});
  }

  std::string_view bytes_;
  std::string file_;
  mutable Budget budget_;
};

Result<std::string_view> stored_bytes(const HeadReader& head, std::string_view bytes,
                                      const Entry& entry) {
  const std::string_view stored = bytes.substr(entry.offset, entry.stored_size);
  if (XXH3_64bits(stored.data(), stored.size()) == entry.checksum) return stored;
  return head.damaged("a section does not agree with its checksum", entry.offset);
}

Result<std::string> raw_bytes(const HeadReader& head, std::string_view bytes, const Entry& entry) {
  const auto checked = stored_bytes(head, bytes, entry);
  if (!checked) return propagate(checked);
  const std::string_view stored = *checked;
  if (entry.codec == static_cast<std::uint16_t>(Codec::kNone)) return std::string(stored);
  // The packed bytes know their size, too: a made up one asks for no memory.
  const bool known = entry.codec == static_cast<std::uint16_t>(Codec::kZstd) &&
                     entry.raw_size <= kMaxRawSize &&
                     ZSTD_getFrameContentSize(stored.data(), stored.size()) == entry.raw_size &&
                     head.budget().take_bytes(entry.raw_size);
  std::string raw(known ? entry.raw_size : 0, '\0');
  if (!known ||
      ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size()) != raw.size()) {
    return head.damaged("a section cannot be decompressed", entry.offset);
  }
  return raw;
}

// Processes outside MPI_COMM_WORLD, which have no rank in it.
constexpr std::int64_t kMaxOutside = 1 << 20;

// World ranks in any order, -1 for processes outside.
bool is_sequence_within(const std::vector<trace::RankRange>& sequence, std::int64_t ranks) {
  std::int64_t size = 0;
  for (const trace::RankRange& range : sequence) {
    size += range.count;
    const std::int64_t last = range.start + (range.count - 1) * range.stride;
    if (std::min(range.start, last) < -1 || std::max(range.start, last) >= ranks ||
        size > ranks + kMaxOutside) {
      return false;
    }
  }
  return true;
}

} // namespace

bool are_tables_consistent(const trace::Trace& trace, std::int64_t ranks) {
  const auto all = [](const auto& rows, auto condition) {
    return std::all_of(rows.begin(), rows.end(), condition);
  };
  return all(trace.hosts,
             [&](const trace::Host& host) { return is_set_within(host.ranks, ranks); }) &&
         all(trace.affinities,
             [&](const trace::Affinity& affinity) {
               return is_set_within(affinity.ranks, ranks);
             }) &&
         all(trace.comms,
             [&](const trace::CommDefinition& comm) {
               return is_sequence_within(comm.members, ranks) &&
                      is_sequence_within(comm.remote, ranks) && is_set_within(comm.holders, ranks);
             }) &&
         all(trace.groups,
             [&](const trace::GroupDefinition& group) {
               return is_sequence_within(group.members, ranks) &&
                      is_set_within(group.holders, ranks);
             }) &&
         all(trace.datatypes, [&](const trace::DatatypeDefinition& type) {
           return is_set_within(type.holders, ranks);
         });
}

namespace {

Status check(const HeadReader& head, const Image& image, std::uint64_t offset) {
  const trace::Trace& trace = image.trace;
  if (trace.run.ranks != static_cast<std::int64_t>(trace.ranks.size())) {
    return head.damaged("ranks are missing", offset);
  }
  for (std::size_t i = 0; i < image.rank_ids.size(); ++i) {
    if (image.rank_ids[i] != static_cast<std::int64_t>(i))
      return head.damaged("ranks are out of order", offset);
  }
  if (!are_tables_consistent(trace, trace.run.ranks))
    return head.damaged("a table names ranks that there are not", offset);
  for (const auto& program : trace.programs) {
    if (!is_consistent(*program, trace.sites.size(), trace.run.ranks))
      return head.damaged("a program contradicts itself", offset);
  }
  return {};
}

// Cuts the programs into those of ranks that do the same.
Status make_classes(const HeadReader& head, trace::Trace& trace, std::uint64_t offset) {
  std::map<std::uint32_t, std::vector<bool>> has_program; // by thread, then rank
  for (std::size_t i = 0; i < trace.programs.size(); ++i) {
    const auto& program = trace.programs[i];
    std::vector<bool>& is_taken = has_program[program->thread];
    if (is_taken.empty() &&
        !head.budget().take_items(static_cast<std::uint64_t>(trace.run.ranks), 1))
      return head.damaged("", offset);
    is_taken.resize(static_cast<std::size_t>(trace.run.ranks), false);
    for (const std::int64_t rank : program->ranks().ranks()) {
      if (is_taken[static_cast<std::size_t>(rank)])
        return head.damaged("a rank has two programs", offset);
      is_taken[static_cast<std::size_t>(rank)] = true;
    }
    auto classes = classes_within(head.budget(), *program);
    if (classes.empty()) return head.damaged("a program has no ranks", offset);
    for (trace::ProjectedClass& c : classes) {
      if (!is_expandable(c.projection.program))
        return head.damaged("a program contradicts itself", offset);
      trace.classes.push_back({std::move(c.ranks), program->thread,
                               std::make_shared<trace::Program>(std::move(c.projection.program)), i,
                               std::move(c.projection.calls)});
    }
  }
  trace::sort_classes(trace);
  return {};
}

// Which times there are the programs of the classes let expect.
Status read_times(const HeadReader& head, std::string_view bytes, const Entry& entry,
                  trace::Trace& trace) {
  const auto raw = raw_bytes(head, bytes, entry);
  if (!raw) return propagate(raw);
  auto times = decode_times_section(*raw, &head.budget(), trace.classes);
  if (!times) return head.damaged("the times section is not well-formed", entry.offset);
  if (times->empty()) return {};
  if (times->size() != trace.classes.size())
    return head.damaged("times do not fit the programs", entry.offset);
  for (std::size_t i = 0; i < times->size(); ++i) {
    trace::RankClass& c = trace.classes[i];
    if (!are_times_consistent((*times)[i], c.program->calls.size(), c.ranks.size()))
      return head.damaged("times do not fit the programs", entry.offset);
    auto program = std::make_shared<trace::Program>(*c.program);
    program->times = std::move((*times)[i]);
    c.program = std::move(program);
  }
  return {};
}

} // namespace

namespace {

std::string name_of(SectionKind kind) {
  switch (kind) {
  case SectionKind::kProgram:
    return "program";
  case SectionKind::kTimes:
    return "times";
  case SectionKind::kStamps:
    return "full_times";
  case SectionKind::kNames:
    return "names";
  }
  return "of_a_later_version";
}

// They may be large: not copied as a whole.
Status read_stamps(const HeadReader& head, std::string_view bytes, const Entry& entry,
                   const std::shared_ptr<const void>& owner, trace::Trace& trace) {
  const auto stored = stored_bytes(head, bytes, entry);
  if (!stored) return propagate(stored);
  const bool is_plain = entry.codec == static_cast<std::uint16_t>(Codec::kNone);
  if (is_plain && decode_stamps_section(*stored, owner, trace.stamps, &head.budget())) return {};
  return head.damaged("the section of full times is not well-formed", entry.offset);
}

Status read_names(const HeadReader& head, std::string_view bytes, const Entry& entry,
                  trace::Trace& trace) {
  const auto raw = raw_bytes(head, bytes, entry);
  if (!raw) return propagate(raw);
  auto names = decode_names_section(*raw, trace.sites.size(), &head.budget());
  if (!names) return head.damaged("the section of names is not well-formed", entry.offset);
  trace.names = std::move(*names);
  return {};
}

void set_gains(trace::Trace& trace) {
  for (trace::TimeStamps& stamps : trace.stamps)
    stamps.gain_ppt = trace.ranks[static_cast<std::size_t>(stamps.rank)].clock->gain_ppt;
}

// Whether all time stamps are of calls that there are.
bool have_calls(const trace::Trace& trace) {
  std::unordered_map<const trace::RankClass*, std::uint64_t> known; // calls of a rank
  return are_stamps_consistent(
      trace.stamps, [&](std::int64_t rank, std::uint32_t thread) -> std::optional<std::uint64_t> {
        const trace::RankClass* c = trace.class_of(rank, thread);
        if (c == nullptr) return std::nullopt;
        const auto [found, is_new] = known.try_emplace(c, 0);
        if (is_new) {
          for (const std::uint64_t n : c->program->nest.occurrences(c->program->calls.size()))
            found->second += n;
        }
        return found->second;
      });
}

} // namespace

Result<std::vector<SectionSize>> section_sizes(std::string_view bytes, const std::string& file) {
  const auto entries = HeadReader(bytes, file).entries();
  if (!entries) return propagate(entries);
  std::vector<SectionSize> sizes;
  for (const Entry& entry : *entries) {
    sizes.push_back(
        {name_of(static_cast<SectionKind>(entry.kind)), entry.stored_size, entry.raw_size});
  }
  return sizes;
}

Result<std::vector<SectionSize>> content_sizes(std::string_view bytes, const std::string& file) {
  const HeadReader head(bytes, file);
  const auto entries = head.entries();
  if (!entries) return propagate(entries);
  std::vector<SectionSize> sizes;
  for (const Entry& entry : *entries) {
    const auto kind = static_cast<SectionKind>(entry.kind);
    if (kind != SectionKind::kProgram) {
      sizes.push_back({name_of(kind), entry.stored_size, entry.raw_size});
      continue;
    }
    const auto raw = raw_bytes(head, bytes, entry);
    if (!raw) return propagate(raw);
    const ProgramSection parts = split_program_section(*raw);
    const double programs = static_cast<double>(stored_size(parts.programs));
    const double share = programs / (programs + static_cast<double>(stored_size(parts.tables)) + 1);
    const auto stored = static_cast<std::uint64_t>(share * static_cast<double>(entry.stored_size));
    sizes.push_back({"programs", stored, parts.packed_programs});
    sizes.push_back({"tables", entry.stored_size - stored, entry.raw_size - parts.programs.size()});
  }
  return sizes;
}

Result<trace::Trace> decode(std::string_view bytes, const std::string& file,
                            const std::shared_ptr<const void>& owner) {
  const HeadReader head(bytes, file);
  const auto entries = head.entries();
  if (!entries) return propagate(entries);
  Image image;
  const Entry* times = nullptr;
  bool has_program = false;
  for (const Entry& entry : *entries) {
    if (entry.kind == static_cast<std::uint16_t>(SectionKind::kTimes)) times = &entry;
    if (entry.kind == static_cast<std::uint16_t>(SectionKind::kStamps) && has_program) {
      if (auto done = read_stamps(head, bytes, entry, owner, image.trace); !done)
        return propagate(done);
      continue;
    }
    if (entry.kind == static_cast<std::uint16_t>(SectionKind::kNames) && has_program) {
      if (auto done = read_names(head, bytes, entry, image.trace); !done) return propagate(done);
      continue;
    }
    if (entry.kind != static_cast<std::uint16_t>(SectionKind::kProgram))
      continue; // times, which need it, or of a later version, and it said that it may be skipped
    const auto raw = raw_bytes(head, bytes, entry);
    if (!raw) return propagate(raw);
    auto read = decode_program_section(*raw, &head.budget());
    if (!read) return head.damaged("the program section is not well-formed", entry.offset);
    image = std::move(*read);
    has_program = true;
  }
  if (!has_program) return head.damaged("there is no program section", 0);
  const std::uint64_t offset = entries->front().offset;
  if (auto sound = check(head, image, offset); !sound) return propagate(sound);
  if (auto made = make_classes(head, image.trace, offset); !made) return propagate(made);
  if (times != nullptr) {
    if (auto read = read_times(head, bytes, *times, image.trace); !read) return propagate(read);
  }
  if (!have_calls(image.trace))
    return head.damaged("there are times of calls that there are not", offset);
  set_gains(image.trace);
  return std::move(image.trace);
}

Result<trace::Trace> read(const std::string& path) {
  const auto bytes = map_file(path);
  if (!bytes) return propagate(bytes);
  return decode(bytes->view, path, bytes->owner);
}

} // namespace rondo::archive
