// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/projection_size.hpp"

namespace rondo::trace {
namespace {

std::uint64_t bytes_of(const Column& column);

std::uint64_t bytes_of(const std::vector<Term>& terms) { return terms.size() * sizeof(Term); }

std::uint64_t bytes_of(const Nest& nest) {
  std::uint64_t bytes = sizeof(Nest) + bytes_of(nest.top());
  for (const Loop& loop : nest.loops())
    bytes += sizeof(loop.body) + bytes_of(loop.body) + bytes_of(loop.trip_counts);
  return bytes;
}

std::uint64_t bytes_of(const Column& column) {
  return sizeof(Column) + column.runs().size() * sizeof(Run) +
         (column.values().size() + column.dictionary().size()) * sizeof(std::int64_t) +
         (column.nest() == nullptr ? 0 : bytes_of(*column.nest()));
}

} // namespace

std::uint64_t size_of(const Program& program) {
  std::uint64_t bytes = sizeof(Program) + bytes_of(program.nest);
  for (const Call& call : program.calls) bytes += sizeof(Call) + call.words.size() * sizeof(Word);
  for (const Column& column : program.columns) bytes += bytes_of(column);
  for (const auto& array : program.arrays)
    bytes += sizeof(array) + array.size() * sizeof(std::int64_t);
  for (const std::string& text : program.texts) bytes += sizeof(text) + text.size();
  return bytes / kBytesOfThing + 1;
}

} // namespace rondo::trace
