// SPDX-License-Identifier: Apache-2.0
// What sections say of themselves, without reading what is in them.
#include "archive/image.hpp"
#include "archive/modelled_program.hpp"
#include "archive/rondo_generated.h"
#include "rondo/archive/archive.hpp"
#include "rondo/base/sort_stably.hpp"

namespace rondo::archive {
namespace {

using PackedField = flatbuffers::Vector<std::uint8_t>;

std::string_view bytes_of(const PackedField* field) {
  if (field == nullptr) return {};
  return {reinterpret_cast<const char*>(field->data()), field->size()};
}

// Nothing if the bytes are no such section.
const fb::Trace* program_section_in(std::string_view bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return fb::VerifyTraceBuffer(verifier) ? fb::GetTrace(bytes.data()) : nullptr;
}

template <class Visit> void for_each_program(const fb::Trace& in, Visit visit) {
  if (in.programs() == nullptr) return;
  for (const fb::Program* program : *in.programs()) visit(*program);
}

} // namespace

std::uint32_t version_of_programs(std::string_view program_section) {
  std::uint32_t version = kVersionOfFewThreads;
  const fb::Trace* in = program_section_in(program_section);
  if (in == nullptr) return version;
  if (in->modelled_programs() != nullptr) return kVersion;
  for_each_program(*in, [&](const fb::Program& program) {
    if (program.threads() != nullptr) version = kVersionOfFewPlaces;
  });
  return version;
}

std::uint32_t version_of_times(std::string_view times_section) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(times_section.data()),
                                 times_section.size());
  if (!verifier.VerifyBuffer<fb::Times>(nullptr)) return kVersionOfFewThreads;
  const auto* times = flatbuffers::GetRoot<fb::Times>(times_section.data());
  if (times->foretold() != nullptr) return kVersion;
  return times->modelled() != nullptr ? kVersionOfPlacesThemselves : kVersionOfFewThreads;
}

ProgramSection split_program_section(std::string_view bytes) {
  ProgramSection parts;
  const fb::Trace* in = program_section_in(bytes);
  if (in == nullptr) return parts;
  std::vector<std::string_view> programs;
  for_each_program(*in, [&](const fb::Program& program) {
    programs.push_back(bytes_of(program.bytes()));
    parts.programs += programs.back();
  });
  parts.packed_programs = parts.programs.size();
  if (in->modelled_programs() != nullptr) {
    programs.push_back(bytes_of(in->modelled_programs()));
    parts.programs += programs.back();
    parts.packed_programs += packed_size_of(programs.back());
  }
  sort_stably(programs.begin(), programs.end(),
              [](std::string_view a, std::string_view b) { return a.data() < b.data(); });
  const char* at = bytes.data();
  for (const std::string_view program : programs) {
    if (program.data() < at) continue; // missing, or one vector of two programs
    parts.tables.append(at, program.data());
    at = program.data() + program.size();
  }
  parts.tables.append(at, bytes.data() + bytes.size());
  return parts;
}

} // namespace rondo::archive
