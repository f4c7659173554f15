// SPDX-License-Identifier: Apache-2.0
// One rank's calls from a trace.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/resolved_receives.hpp"
#include "simulate/ranks/call_source.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

namespace rondo::simulate::internal {

/// What all ranks of a trace share while they are played.
struct TraceContext {
  /// @param found  may be null
  TraceContext(const trace::Trace& t, std::shared_ptr<const trace::ResolvedReceives> found)
      : trace(t), comms(t),
        receives(found ? std::move(found) : std::make_shared<trace::ResolvedReceives>(t)) {}
  /// From here on calls are played when they were made.
  /// @error kUnsupported if a rank's times are not there
  Status use_recorded_times();
  const trace::Trace& trace;
  std::optional<std::int64_t> first_unix_ns{}; // of all ranks, if recorded times are used
  trace::Communicators comms;
  trace::ClassTimes times{};
  std::shared_ptr<const trace::ResolvedReceives> receives;
};

class TraceCalls : public CallSource {
public:
  /// All must outlive the object.
  TraceCalls(TraceContext& context, const trace::RankClass& rank_class, std::int64_t rank,
             double compute_scale);

  Next next() override;
  const trace::CallInstance& call() const override { return *call_; }
  double computing_s() override;
  std::optional<Interval> recorded() override;
  std::span<const std::int64_t> array(std::int64_t index) const override;
  const trace::Communicators::View& comm(std::int64_t slot) const override {
    return context_.comms.of(rank_, slot);
  }
  std::int64_t rank_in(std::int64_t comm) const override {
    return reader_.positions().of(comm).rank;
  }
  bool is_inter(std::int64_t comm) const override;
  std::optional<std::uint64_t> type_bytes(std::int64_t type) const override;
  std::vector<std::int32_t> group(std::int64_t slot) const override;
  bool knows_envelopes() const override { return true; }
  bool may_cancel() const override { return context_.receives->may_cancel(rank_); }
  std::optional<Envelope> take_envelope(std::uint64_t call) override {
    return envelopes_.take(call);
  }
  std::string text() const override;
  std::size_t symbols() const override { return reader_.program().calls.size(); }

  /// next() says kIteration before further passes of long loops, if what is computed in them comes
  /// again. @return whether it does
  bool stop_at_iterations(std::uint64_t most);
  bool follows_courses() const {
    return computation_.courses() != nullptr && !computation_.courses()->taken().empty();
  }
  const trace::CallReader& reader() const { return reader_; }
  /// At an iteration: how many values have been read of each column, and of each course.
  std::vector<std::uint64_t> taken() const;
  /// At an iteration: how often in a row the next calls come, up to `most`.
  /// @param from    number of the next call
  /// @param values  that they read, as taken() has them
  std::uint64_t repeats(std::uint64_t from, std::uint64_t calls,
                        std::span<const std::uint64_t> values, std::uint64_t most);
  void skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> values,
                       std::uint64_t times);

private:
  TraceContext& context_;
  std::int64_t rank_;
  trace::EnvelopeReader envelopes_;
  double scale_;
  trace::CallReader reader_;
  trace::Computation computation_;
  std::optional<trace::TimeStampReader> stamps_; // if calls are played at recorded times
  std::optional<trace::CallTime> stamp_; // read last
  double origin_s_ = 0;
  const trace::CallInstance* call_ = nullptr;
  std::unordered_map<std::int64_t, std::uint64_t> type_bytes_;
};

} // namespace rondo::simulate::internal
