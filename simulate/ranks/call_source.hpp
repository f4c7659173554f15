// SPDX-License-Identifier: Apache-2.0
// Where one rank's calls come from, with what they name: a recorded trace, or the program while it
// runs.
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::simulate::internal {

using trace::Envelope;

inline constexpr double kSecondsPerNs = 1e-9;

class CallSource {
public:
  enum class Next : std::uint8_t { kCall, kLater, kIteration, kEnd };

  virtual ~CallSource() = default;
  /// Takes the next call, if it has come.
  virtual Next next() = 0;
  /// The call taken last.
  virtual const trace::CallInstance& call() const = 0;
  /// What the rank computed before it, in seconds, as it counts: scaled.
  virtual double computing_s() = 0;
  /// How long other threads of its rank kept it waiting before, in seconds.
  /// @param clock  at the end of the call before
  virtual double held_up_s(double /*clock*/) { return 0; }
  /// When it was made, in seconds of the run, where calls are played at those times.
  struct Interval {
    double from_s = 0;
    double to_s = 0;
  };
  virtual std::optional<Interval> recorded() { return std::nullopt; }
  /// It is over. @param start,end  in virtual seconds
  virtual void ended(double /*start*/, double /*end*/) {}

  // What the words of calls stand for.
  virtual std::span<const std::int64_t> array(std::int64_t index) const = 0;
  virtual const trace::Communicators::View& comm(std::int64_t slot) const = 0;
  virtual std::int64_t rank_in(std::int64_t comm) const = 0;
  virtual bool is_inter(std::int64_t comm) const = 0;
  virtual std::optional<std::uint64_t> type_bytes(std::int64_t type) const = 0;
  virtual std::vector<std::int32_t> group(std::int64_t slot) const = 0; // world ranks

  /// Whether it is known from the start whom receives with wildcards hear from; else the calls that
  /// complete them say so.
  virtual bool knows_envelopes() const = 0;
  /// Whether the receives of this rank must be looked up: MPI_Cancel may have taken them back.
  virtual bool may_cancel() const = 0;
  /// Takes the envelope of the next receive that this call posts; nothing if it never got a
  /// message. Only if knows_envelopes().
  virtual std::optional<Envelope> take_envelope(std::uint64_t call) = 0;
  /// The call as a line of text, for errors.
  virtual std::string text() const = 0;
  /// Symbols of calls are below this; calls of one symbol are likely to have the same peer.
  virtual std::size_t symbols() const = 0;
};

} // namespace rondo::simulate::internal
