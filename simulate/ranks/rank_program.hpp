// SPDX-License-Identifier: Apache-2.0
// Plays one rank's calls in virtual time: one after the other, each by the part that knows its
// kind, and the computation between them.
#pragma once

#include "simulate/ranks/rank_activity.hpp"
#include "simulate/ranks/rank_collectives.hpp"
#include "simulate/ranks/rank_requests.hpp"
#include "simulate/ranks/rank_transfers.hpp"
#include "simulate/ranks/rank_wildcards.hpp"
#include "simulate/ranks/rank_windows.hpp"

#include <cstdint>
#include <string>

namespace rondo::simulate::internal {

/// Plays one rank's calls, or those of one of its threads.
class RankProgram : public RankActivity {
public:
  /// @param source  must outlive the object
  RankProgram(Stage& stage, CallSource& source, std::int64_t rank);
  /// A rank that others start. @param start_s  when, in virtual time
  RankProgram(Stage& stage, CallSource& source, std::int64_t rank, double start_s);
  /// A further thread of the rank that `first` plays.
  RankProgram(Stage& stage, CallSource& source, const RankProgram& first);

  /// The call that is being played, as text.
  std::string call_text() const { return source_.text(); }
  /// Ends it where it is, if it has not ended.
  void stop();
  /// Whether receives are posted whose messages nobody knows yet.
  bool has_unknown() const { return wildcards_.has_posted(); }
  /// A receive that the program has posted and MPI has not got: so many such are before it. Its
  /// message is known now. @param envelope  in ranks of the communicator
  void take_held(std::int64_t held_before, Envelope envelope) {
    wildcards_.take_held(held_before, envelope);
  }
  /// MPI has got those of the first calls.
  void give_up_held(std::uint64_t calls) { wildcards_.give_up_held(calls); }
  /// Where its time went, if it plays a further thread.
  const RankPrediction& beside() const { return beside_; }
  /// Whether nothing that it began is under way.
  bool is_quiet() const;
  /// So many calls, which took so long, were made besides.
  void passed(std::uint64_t calls, double seconds) {
    calls_ += calls;
    clock_ += seconds;
  }

protected:
  Work next_work() override;
  void completed(const Request& request, double before) override;

private:
  void end();
  void begin_call();
  void dispatch(const trace::CallView& call);
  void end_call();
  void compute();
  void spend_inside();
  bool sends_only() const;
  bool adds_to_graph() const {
    return transport_.graph() != nullptr && stage_.options.graph_has_calls;
  }
  RunGraph::Spot spot() const { return {rank_, call_name(), actor_}; }

  bool is_in_call_ = false;
  double behind_s_ = 0; // what the call takes besides, at its end
  RankWildcards wildcards_{*this};
  RankTransfers transfers_{*this, wildcards_};
  RankCollectives collectives_{*this};
  RankRequests requests_{*this, wildcards_, transfers_, collectives_};
  RankWindows windows_{*this, collectives_};
};

} // namespace rondo::simulate::internal
