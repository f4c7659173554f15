// SPDX-License-Identifier: Apache-2.0
// One rank's calls while the program runs, as the rank says them.
#pragma once

#include "rondo/trace/live_wire.hpp"
#include "simulate/ranks/call_source.hpp"
#include "simulate/transport/transport.hpp"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

/// Communicators by numbers that mean the same on all ranks, as trace::Communicators has them:
/// those with the same members are told apart by what they were made from.
class LiveCommunicators {
public:
  using Members = std::vector<std::int64_t>;
  /// Number of the parent, tag, ordinal: see trace::CommOrigin.
  using Origin = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  std::uint32_t id_of(Members members, Members remote, const Origin& origin);

private:
  std::map<std::tuple<Members, Members, Origin>, std::uint32_t> ids_; // the lower group first
  std::uint32_t next_ = trace::Communicators::kSelf + 1;
};

class LiveCalls : public CallSource {
public:
  /// @param comms  of all ranks; must outlive the object
  LiveCalls(LiveCommunicators& comms, std::int64_t rank, std::int64_t ranks, bool wants_times);

  /// Takes what the rank says. False if that makes no sense.
  bool take(const trace::live::Item& item);
  /// There will be no more calls.
  void end() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }
  bool is_empty() const { return waiting_.empty(); }
  std::uint64_t other_threads() const { return other_threads_; }
  /// Receives from any source that MPI matches while the program is elsewhere, or sends: nobody can
  /// say which message they are to take.
  std::uint64_t unsteered_receives() const { return unsteered_receives_; }
  /// Start and end of calls that are over, and were not taken yet.
  std::vector<std::int64_t> take_times() { return std::exchange(times_, {}); }
  /// The end of the last call, in virtual seconds.
  double end_s() const { return end_s_; }

  Next next() override;
  const trace::CallInstance& call() const override { return call_; }
  double computing_s() override { return computing_s_; }
  void ended(double start, double end) override;
  std::span<const std::int64_t> array(std::int64_t index) const override;
  const trace::Communicators::View& comm(std::int64_t slot) const override;
  std::int64_t rank_in(std::int64_t comm) const override;
  bool is_inter(std::int64_t comm) const override;
  std::optional<std::uint64_t> type_bytes(std::int64_t type) const override;
  std::vector<std::int32_t> group(std::int64_t slot) const override;
  bool knows_envelopes() const override { return false; }
  bool may_cancel() const override { return false; }
  std::optional<Envelope> take_envelope(std::uint64_t) override { return std::nullopt; }
  std::string text() const override;
  std::size_t symbols() const override { return kSymbols; }

private:
  static constexpr std::size_t kSymbols = 256;
  struct Comm {
    trace::Communicators::View view;
    std::int64_t rank = 0;
    bool is_inter = false;
  };
  using Words = std::vector<std::int64_t>;

  bool take_comm(std::span<const std::int64_t> words);
  bool take_call(std::span<const std::int64_t> words);

  LiveCommunicators& comms_;
  std::int64_t rank_;
  bool wants_times_;
  std::unordered_map<std::int64_t, Comm> comm_; // by slot
  Comm unknown_;
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> groups_;
  std::unordered_map<std::int64_t, std::uint64_t> type_bytes_;
  std::vector<Words> arrays_{{}};
  std::vector<std::int64_t> current_{0}; // the rank's number of an array -> index in arrays_
  Fifo<Words> waiting_; // computing_ns, header, site, words
  trace::CallInstance call_;
  double computing_s_ = 0;
  std::vector<std::int64_t> times_;
  double end_s_ = 0;
  std::uint64_t other_threads_ = 0; // calls that were theirs
  std::uint64_t unsteered_receives_ = 0;
  bool has_ended_ = false;
};

} // namespace rondo::simulate::internal
