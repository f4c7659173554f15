// SPDX-License-Identifier: Apache-2.0
// Datatypes by where in the source they are made, so that a type for each message, of which each is
// freed behind it, does not keep calls apart.
//
//   TypesBySource types(TypesBySource::Keeps::kApart);
//   recasting.words = [&](auto&, auto rank, auto& call, auto words) {
//     types.change(rank, call, words);
//   };
//   recasting.array = [&](auto&, auto rank, auto& call, auto& field, auto all) {
//     types.change(rank, call, field, all);
//   };
//   trace::Trace folded = recast(trace, recasting).trace;
//   folded.datatypes = types.definitions(trace);
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace rondo::fold {

class TypesBySource {
public:
  enum class Keeps : std::uint8_t {
    kNothing, // all that are made at one place are one
    kApart, // of those that are there at a time, each has a slot of its own: the calls do the same
  };
  explicit TypesBySource(Keeps keeps) : keeps_(keeps) {}

  /// Changes the slots of datatypes in an array of the call, before those in its words; each rank's
  /// calls in their order.
  void change(std::int64_t rank, const trace::CallInstance& call, const trace::Field& field,
              std::span<std::int64_t> values);
  void change(std::int64_t rank, const trace::CallInstance& call, std::span<std::int64_t> words);
  /// In place of those of the trace; sizes are the largest of a slot.
  std::vector<trace::DatatypeDefinition> definitions(const trace::Trace& trace) const;

private:
  using OfRank = std::pair<std::int64_t, std::int64_t>; // rank, slot in the trace
  struct Source { // what has a slot
    std::int64_t site = 0;
    std::int64_t number = 0; // among those that are there at a time
    auto operator<=>(const Source&) const = default;
  };

  std::int64_t made(const OfRank& type, std::int64_t site);
  std::int64_t used(const OfRank& type);
  void freed(const OfRank& type);

  Keeps keeps_;
  std::map<Source, std::int64_t> slots_;
  std::map<OfRank, Source> source_; // of those that are there
  std::map<OfRank, std::set<std::int64_t>> taken_; // numbers, by rank and site
  std::map<std::int64_t, std::set<std::int64_t>> were_; // slot -> those in the trace
};

/// Whether every call says where in the source it stands, as folding by the flow of control wants
/// it.
bool knows_sites(const trace::Trace& trace);

} // namespace rondo::fold
