// SPDX-License-Identifier: Apache-2.0
// A pattern that somebody looks for, as a small text (docs/formats/pattern.md):
//
//   ranks 0-2:
//     isend +1 (24 B)
//     irecv -1
//   every rank:
//     allreduce
//
// Peers may be written as steps from the rank; then an event whose peer does not exist is left out
// on that rank, as programs do at borders.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/patterns/events.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::patterns {

struct GivenPeer {
  enum class Kind : std::uint8_t { kNone, kRank, kStep, kStepAround, kAny };
  Kind kind = Kind::kNone;
  std::int64_t value = 0; // of kStepAround: modulo the number of ranks
  friend bool operator==(const GivenPeer&, const GivenPeer&) = default;
};

struct GivenEvent {
  std::uint16_t function = 0;
  std::uint16_t made_by = 0; // of MPI_Start: what made the request
  GivenPeer destination;
  GivenPeer source;
  GivenPeer root;
  std::optional<std::int64_t> bytes;
  std::optional<std::int64_t> tag;
  std::string comm; // its name (trace::CommunicatorNames); empty: MPI_COMM_WORLD
};

struct GivenSection {
  std::optional<std::vector<std::int64_t>> ranks; // unset: every rank without a section of its own
  std::vector<GivenEvent> events;
};

/// Communicators::View::id of a communicator of this name on the rank in question.
using CommOf = std::function<std::uint32_t(const std::string& name)>;

struct GivenPattern {
  std::string name;
  std::vector<GivenSection> sections;
  Envelope envelope; // what the events say; all that can say it do

  /// The events of one rank; nothing if the pattern does not say what this rank does.
  /// @param comm_of   asked for names of communicators that are not MPI_COMM_WORLD
  std::optional<std::vector<Event>> events_of(std::int64_t rank, std::int64_t ranks,
                                              const CommOf& comm_of = {}) const;
  /// The first communicator of an event that the trace does not have; empty if there is none.
  std::string unknown_comm(const trace::CommunicatorNames& names) const;
};

/// @error  kFormat with the line, for what is no event or says less of its envelope than others;
///         Budget::error() for lists of more ranks than a file of this size may name
Result<GivenPattern> parse_pattern(std::string_view text, const std::string& file);

} // namespace rondo::patterns
