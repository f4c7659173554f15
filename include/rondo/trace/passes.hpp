// SPDX-License-Identifier: Apache-2.0
// Passes of loops that come again exactly. Who goes through a rank's calls and comes back to the
// state that it was in some passes ago, counts aside, will do so for as long as the same calls
// come: these are counted and not played. So the cost is that of a few passes of each loop, however
// often it goes round.
#pragma once

#include "rondo/trace/call_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace rondo::trace {

/// Who follows a rank's calls.
class PassFollower {
public:
  PassFollower() = default;
  PassFollower(const PassFollower&) = delete;
  PassFollower& operator=(const PassFollower&) = delete;
  virtual ~PassFollower() = default;

  /// Differs most probably where the state does, counts aside.
  virtual std::uint64_t fingerprint() const { return 0; }
  /// Remembers the state that it is in now.
  virtual void begin_period() = 0;
  /// How often the calls since then may come again, each time with the same effect: 0 unless the
  /// state is the one that is remembered, counts aside.
  virtual std::uint64_t most_repeats() = 0;
  /// They have come so often again.
  virtual void repeat(std::uint64_t times) = 0;
  /// How much it takes to remember the state, in calls followed.
  virtual std::uint64_t effort() const { return 1; }
};

/// The symbols of a nest, for who needs no words of the calls.
class SymbolReader {
public:
  /// The nest must outlive the object.
  explicit SymbolReader(const Nest& nest) : nest_(nest) {}
  std::optional<std::uint32_t> next() { return nest_.next(); }

  // As CallReader has them:
  void stop_at_iterations(std::uint64_t least, std::uint64_t most, bool moves_inward = false) {
    nest_.stop_at_iterations(least, most, moves_inward);
  }
  bool is_at_iteration() const { return nest_.is_at_iteration(); }
  std::uint64_t iterations_left() const { return nest_.iterations_left(); }
  std::uint64_t stopped_loop() const { return nest_.stopped_loop(); }
  std::vector<std::uint64_t> taken() const;
  std::uint64_t repeats(std::span<const std::uint64_t> values, std::uint64_t most) const;
  void skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> values,
                       std::uint64_t times) {
    nest_.skip_iterations(iterations, values, times);
  }

private:
  NestReader nest_;
};

/// How many values of each column were read between two places, as the readers' taken() has them.
std::vector<std::uint64_t> read_since(const std::vector<std::uint64_t>& now,
                                      const std::vector<std::uint64_t>& before);

/// Reader is CallReader or SymbolReader.
template <class Reader> class PassesOf {
public:
  static constexpr std::size_t kMostPeriod = 64; // passes

  /// Both must outlive the object. The reader stands at its first call.
  PassesOf(Reader& reader, PassFollower& follower);

  /// The next call that is to be followed, as the reader has it; nothing at the end.
  auto next() {
    for (;;) {
      const auto call = reader_.next();
      if (!call && reader_.is_at_iteration()) {
        look();
        continue;
      }
      played_ += call ? 1 : 0;
      return call;
    }
  }
  /// Calls that next() gave.
  std::uint64_t played() const { return played_; }
  /// Calls that it left out.
  std::uint64_t left_out() const { return left_out_; }

private:
  struct Stop {
    std::uint64_t fingerprint = 0;
    std::uint64_t left = 0; // iterations
    std::uint64_t played = 0;
    std::vector<std::uint64_t> taken; // values, of each column
  };

  void look();
  void begin_loop();
  bool is_worth_it() const;
  void find_period();
  void end_period();
  void give_up_period();

  Reader& reader_;
  PassFollower& follower_;
  std::uint64_t played_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t loop_ = 0; // that is stopped in
  std::uint64_t played_before_ = 0; // at its last stop
  std::uint64_t calls_of_pass_ = 0; // the last one
  std::deque<Stop> stops_; // the last ones in it
  std::size_t least_period_ = 1;
  std::size_t period_ = 0; // passes; 0: none is under way
  std::size_t passes_left_ = 0; // to its end
  Stop begin_; // of it
  std::vector<std::uint64_t> values_; // that it reads of each column
  std::uint64_t alike_ = 0; // periods from there on
  int tries_ = 0;
  std::size_t in_vain_ = 0; // periods that were none
};

using PassReader = PassesOf<CallReader>;
using SymbolPasses = PassesOf<SymbolReader>;

} // namespace rondo::trace
