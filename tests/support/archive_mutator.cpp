// SPDX-License-Identifier: Apache-2.0
#include "tests/support/archive_mutator.hpp"

#include "archive/packed.hpp"
#include "archive/rondo_generated.h"
#include "tests/support/archive_sections.hpp"

#include <cstring>

namespace rondo::support {
namespace {

namespace fb = archive::fb;
using archive::RawSection;
using archive::SectionKind;
using Numbers = std::vector<std::uint64_t>;

class Choice {
public:
  explicit Choice(std::mt19937_64& random) : random_(random) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  bool once_in(std::size_t times) { return below(times) == 0; }

  /// Numbers at which lengths, shifts and sums go wrong, and small ones, which name things.
  std::uint64_t number() {
    if (once_in(2)) return below(24);
    const std::uint64_t power = std::uint64_t{1} << below(64);
    return power + below(3) - 1;
  }

private:
  std::mt19937_64& random_;
};

// What packed fields are made of. Floats and texts among the numbers are taken for some, too.
Numbers numbers_in(std::string_view bytes) {
  Numbers numbers;
  archive::Unpacker in(bytes);
  while (in.ok() && !in.at_end()) numbers.push_back(in.get());
  return numbers;
}

std::string packed(const Numbers& numbers) {
  archive::Packer out;
  for (const std::uint64_t number : numbers) out.put(number);
  return std::move(out).bytes();
}

void change_a_number(Numbers& numbers, std::size_t at, Choice& choice) {
  switch (choice.below(4)) {
  case 0:
    numbers[at] = choice.number();
    break;
  case 1:
    numbers[at] += choice.below(9) - 4;
    break;
  case 2:
    numbers[at] = numbers[choice.below(numbers.size())];
    break;
  default:
    numbers[at] ^= std::uint64_t{1} << choice.below(8);
  }
}

std::string with_changed_numbers(std::string_view bytes, Choice& choice) {
  Numbers numbers = numbers_in(bytes);
  if (numbers.empty()) return packed({choice.number()});
  const std::size_t at = choice.below(numbers.size());
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(at);
  switch (choice.below(12)) {
  case 0:
    numbers.erase(place);
    break;
  case 1:
    numbers.insert(place, choice.number());
    break;
  case 2: { // a stretch comes twice
    const std::size_t length = 1 + choice.below(std::min<std::size_t>(numbers.size() - at, 8));
    const Numbers stretch(place, place + static_cast<std::ptrdiff_t>(length));
    numbers.insert(place, stretch.begin(), stretch.end());
    break;
  }
  case 3:
    numbers.resize(at);
    break;
  default: // what keeps the rest in its place gets furthest
    change_a_number(numbers, at, choice);
  }
  return packed(numbers);
}

std::string with_changed_bytes(std::string bytes, Choice& choice) {
  if (bytes.empty()) return bytes;
  char& byte = bytes[choice.below(bytes.size())];
  byte = static_cast<char>(choice.once_in(2) ? choice.below(256) : byte ^ (1 << choice.below(8)));
  return bytes;
}

// Places in a sound FlatBuffer that can be changed without breaking it: offsets of packed fields,
// and numbers.
class Places {
public:
  explicit Places(const std::string& section) : start_(section.data()) {}

  template <class Table>
  void add_fields(const Table* table, std::initializer_list<flatbuffers::voffset_t> fields) {
    for (const auto field : fields) add(table, field, fields_);
  }
  template <class Table>
  void add_numbers(const Table* table, std::initializer_list<flatbuffers::voffset_t> fields) {
    for (const auto field : fields) add(table, field, numbers_);
  }
  const std::vector<std::size_t>& fields() const { return fields_; }
  const std::vector<std::size_t>& numbers() const { return numbers_; }

private:
  template <class Table>
  void add(const Table* table, flatbuffers::voffset_t field, std::vector<std::size_t>& places) {
    const auto* address = reinterpret_cast<const flatbuffers::Table*>(table)->GetAddressOf(field);
    if (address != nullptr)
      places.push_back(static_cast<std::size_t>(reinterpret_cast<const char*>(address) - start_));
  }

  const char* start_;
  std::vector<std::size_t> fields_;
  std::vector<std::size_t> numbers_;
};

template <class Rows, class Visit> void for_each_row(const Rows* rows, Visit visit) {
  if (rows == nullptr) return;
  for (const auto* row : *rows) visit(row);
}

void add_places_of_program(const fb::Trace& trace, Places& places) {
  using T = fb::Trace;
  places.add_fields(&trace,
                    {T::VT_SITES, T::VT_RANK_FACTS, T::VT_ENDINGS, T::VT_CALLERS, T::VT_USAGE,
                     T::VT_AFFINITIES, T::VT_OPEN_CALLS, T::VT_MODELLED_PROGRAMS});
  for (int weight = 0; weight < 4; ++weight) // most code reads programs
    for_each_row(trace.programs(), [&](const fb::Program* program) {
      places.add_fields(program, {fb::Program::VT_BYTES, fb::Program::VT_THREADS});
    });
  for_each_row(trace.hosts(),
               [&](const fb::Host* host) { places.add_fields(host, {fb::Host::VT_RANKS}); });
  for_each_row(trace.comms(), [&](const fb::Comm* comm) {
    using C = fb::Comm;
    places.add_fields(comm, {C::VT_MEMBERS, C::VT_REMOTE, C::VT_HOLDERS});
    places.add_numbers(comm, {C::VT_SLOT, C::VT_PARENT, C::VT_TAG, C::VT_ORDINAL});
  });
  for_each_row(trace.groups(), [&](const fb::Group* group) {
    places.add_fields(group, {fb::Group::VT_MEMBERS, fb::Group::VT_HOLDERS});
    places.add_numbers(group, {fb::Group::VT_SLOT});
  });
  for_each_row(trace.datatypes(), [&](const fb::Datatype* type) {
    using D = fb::Datatype;
    places.add_fields(type, {D::VT_HOLDERS});
    places.add_numbers(type, {D::VT_SLOT, D::VT_SIZE_BYTES, D::VT_EXTENT_BYTES});
  });
  if (trace.run() != nullptr)
    places.add_numbers(trace.run(), {fb::Run::VT_RANKS, fb::Run::VT_START_UNIX_NS});
}

void add_places_of_times(const fb::Times& times, Places& places) {
  for_each_row(times.classes(), [&](const fb::ClassTimes* row) {
    places.add_fields(row, {fb::ClassTimes::VT_PLACES, fb::ClassTimes::VT_SHARED});
  });
}

flatbuffers::uoffset_t offset_at(const std::string& section, std::size_t at) {
  return flatbuffers::ReadScalar<flatbuffers::uoffset_t>(section.data() + at);
}

std::string_view field_at(const std::string& section, std::size_t place) {
  const std::size_t vector = place + offset_at(section, place);
  return std::string_view(section).substr(vector + sizeof(flatbuffers::uoffset_t),
                                          offset_at(section, vector));
}

// The new field stands behind everything else, the old one is forgotten.
void replace_field(std::string& section, std::size_t place, const std::string& field) {
  using flatbuffers::uoffset_t;
  section.resize((section.size() + 7) / 8 * 8, '\0');
  const std::size_t vector = section.size();
  section.resize(vector + sizeof(uoffset_t));
  flatbuffers::WriteScalar(section.data() + vector, static_cast<uoffset_t>(field.size()));
  flatbuffers::WriteScalar(section.data() + place, static_cast<uoffset_t>(vector - place));
  section += field;
}

void change_tables(std::string& section, const Places& places, Choice& choice) {
  const std::size_t fields = places.fields().size();
  const std::size_t all = fields + places.numbers().size();
  if (all == 0) return;
  const std::size_t chosen = choice.below(all);
  if (chosen < fields) {
    const std::size_t place = places.fields()[chosen];
    replace_field(section, place, with_changed_numbers(field_at(section, place), choice));
    return;
  }
  flatbuffers::WriteScalar(section.data() + places.numbers()[chosen - fields],
                           static_cast<std::int64_t>(choice.number()));
}

template <class Table> const Table* sound(const std::string& section) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(section.data()),
                                 section.size());
  return verifier.VerifyBuffer<Table>(nullptr) ? flatbuffers::GetRoot<Table>(section.data())
                                               : nullptr;
}

void change(RawSection& section, Choice& choice) {
  Places places(section.bytes);
  if (section.kind == SectionKind::kProgram) {
    if (const auto* trace = sound<fb::Trace>(section.bytes)) add_places_of_program(*trace, places);
  } else if (section.kind == SectionKind::kTimes) {
    if (const auto* times = sound<fb::Times>(section.bytes)) add_places_of_times(*times, places);
  } else if (!choice.once_in(8)) { // no FlatBuffers: numbers and texts
    section.bytes = with_changed_numbers(section.bytes, choice);
    return;
  }
  if (places.fields().empty() || choice.once_in(16)) {
    section.bytes = with_changed_bytes(std::move(section.bytes), choice);
  } else {
    change_tables(section.bytes, places, choice);
  }
}

void change_order(std::vector<RawSection>& sections, Choice& choice) {
  const std::size_t at = choice.below(sections.size());
  switch (choice.below(3)) {
  case 0:
    sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(at));
    break;
  case 1:
    sections.push_back(sections[at]);
    break;
  default:
    std::swap(sections[at], sections[choice.below(sections.size())]);
  }
}

} // namespace

std::string mutated_archive(std::string_view file, std::mt19937_64& random) {
  std::vector<RawSection> sections = sections_of(file);
  if (sections.empty()) return {};
  Choice choice(random);
  for (std::size_t changes = 1 + choice.below(4); changes > 0 && !sections.empty(); --changes) {
    if (choice.once_in(64)) {
      change_order(sections, choice);
    } else {
      // The program is most of what there is to read.
      change(sections[choice.once_in(2) ? 0 : choice.below(sections.size())], choice);
    }
  }
  return plain_archive(sections);
}

} // namespace rondo::support
