// SPDX-License-Identifier: Apache-2.0
#include "tests/support/open_archive.hpp"

#include "archive/layout.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/trace/call_text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::support {
namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

void put_entry(std::string& out, archive::SectionKind kind, std::string_view bytes) {
  put(out, static_cast<std::uint64_t>(kind), 2);
  put(out, static_cast<std::uint64_t>(archive::Codec::kNone), 2);
  put(out, 0, 4);
  put(out, bytes.size(), 8);
  put(out, bytes.size(), 8);
  put(out, XXH3_64bits(bytes.data(), bytes.size()), 8);
}

void look_at(const trace::Trace& trace, const trace::RankClass& rank_class, std::uint64_t calls) {
  const trace::Program& program = *rank_class.program;
  std::uint64_t seen = program.nest.occurrences(program.calls.size()).size();
  std::int64_t ranks = 0;
  for (const std::int64_t rank : rank_class.ranks.ranks()) {
    if (++ranks > 4) break;
    trace::CallReader reader(trace, rank_class, rank);
    trace::CallLineWriter writer(trace, reader);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const trace::CallInstance* call = reader.next();
      if (call == nullptr) break;
      seen += writer.line(*call).size();
    }
  }
  [[maybe_unused]] volatile std::uint64_t sink = seen; // so that nothing is left out
}

} // namespace

bool open_archive(std::string_view bytes, std::uint64_t calls) {
  const auto trace = archive::decode(bytes);
  if (!trace) return false;
  for (const trace::RankClass& rank_class : trace->classes) look_at(*trace, rank_class, calls);
  return true;
}

bool open_sections(std::string_view program, std::string_view times, std::uint64_t calls) {
  std::string file(archive::kMagic);
  put(file, archive::kVersion, 4);
  put(file, 2, 4);
  put_entry(file, archive::SectionKind::kProgram, program);
  put_entry(file, archive::SectionKind::kTimes, times);
  put(file, XXH3_64bits(file.data(), file.size()), 8);
  file += program;
  file += times;
  return open_archive(file, calls);
}

} // namespace rondo::support
