// SPDX-License-Identifier: Apache-2.0
#include "tests/support/open_archive.hpp"

#include "rondo/archive/archive.hpp"
#include "rondo/trace/call_text.hpp"
#include "tests/support/archive_sections.hpp"

namespace rondo::support {
namespace {

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
  return open_archive(plain_archive({{archive::SectionKind::kProgram, std::string(program)},
                                     {archive::SectionKind::kTimes, std::string(times)}}),
                      calls);
}

} // namespace rondo::support
