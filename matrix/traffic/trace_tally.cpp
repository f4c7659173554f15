// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/trace_tally.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/current_topologies.hpp"
#include "matrix/traffic/place_walk.hpp"
#include "matrix/traffic/trace_words.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

namespace rondo::matrix::internal {
namespace {

using trace::Call;
using trace::Function;
using trace::Program;

// The calls that say at once what they send, symbol by symbol.
class DirectTally {
public:
  DirectTally(const Program& program, const IsWanted& wanted, bool with_tags,
              const CurrentTopologies& topologies, Tally& tally)
      : topologies_(&topologies), tally_(&tally) {
    for (const Call& call : program.calls) {
      const Function* function = trace::find_function(call.function);
      const bool counts = function != nullptr && call.error == 0 && !is_started_later(*function) &&
                          has_traffic(*function) && wanted(*function);
      if (!counts) {
        players_.push_back(nullptr);
        continue;
      }
      players_.push_back(std::make_unique<Player>(
          WordReader(program, call, traffic_words_of(*function, with_tags)), *function,
          topologies.comm_word_of(*function)));
    }
  }

  bool varies(std::size_t symbol) const {
    return players_[symbol] && players_[symbol]->reader.varies();
  }

  // Whom it speaks to depends on what was executed before.
  bool is_ordered(std::size_t symbol) const {
    return players_[symbol] && players_[symbol]->comm_word >= 0;
  }

  void play(std::size_t symbol, std::uint32_t place, std::uint64_t executions) {
    Player* player = players_[symbol].get();
    if (player == nullptr) return;
    while (executions > 0) {
      const std::uint64_t equal = std::min(executions, player->reader.left());
      const auto& words = player->reader.words();
      const std::size_t entry = player->choices.find_or_add(
          tally_->calls, words, place, topologies_->of(words, player->comm_word));
      tally_->calls[entry].executions += equal;
      executions -= equal;
      player->reader.skip(equal);
    }
  }

private:
  struct Player {
    Player(WordReader words, const Function& function, int comm)
        : reader(std::move(words)), choices(function), comm_word(comm) {}
    WordReader reader;
    Choices choices;
    int comm_word; // see CurrentTopologies
  };

  const CurrentTopologies* topologies_;
  Tally* tally_;
  std::vector<std::unique_ptr<Player>> players_; // by symbol; null: does not count
};

// Plays the calls that make, start and free persistent requests, in the order of the program.
class PersistentTally {
public:
  PersistentTally(const Program& program, const IsWanted& wanted, bool with_tags,
                  const CurrentTopologies& topologies, Tally& tally)
      : program_(&program), wanted_(&wanted), with_tags_(with_tags), topologies_(&topologies),
        tally_(&tally) {
    for (const Call& call : program.calls) players_.push_back(player_of(call));
  }

  bool has_work() const {
    return std::any_of(players_.begin(), players_.end(),
                       [](const auto& player) { return player && player->act == Act::kStart; });
  }

  bool is_ordered(std::size_t symbol) const { return players_[symbol] != nullptr; }
  // Whom it will speak to depends on what was executed before.
  bool is_neighborhood(std::size_t symbol) const {
    return players_[symbol] && players_[symbol]->comm_word >= 0;
  }

  void play(std::size_t symbol, std::uint32_t place, std::uint64_t executions) {
    Player* player = players_[symbol].get();
    if (player == nullptr) return;
    for (; executions > 0; --executions) play_once(*player, place);
  }

private:
  static constexpr std::size_t kFree = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kNotCounted = kFree - 1;
  enum class Act : std::uint8_t { kMake, kStart, kRelease };

  struct Player {
    Player(Act a, bool counted, const Function& f, WordReader r, int request, bool array, int comm)
        : act(a), is_counted(counted), request_word(static_cast<std::size_t>(request)),
          is_array(array), reader(std::move(r)), choices(f), comm_word(comm) {}
    Act act;
    bool is_counted;
    std::size_t request_word;
    bool is_array;
    WordReader reader;
    Choices choices;
    int comm_word; // see CurrentTopologies
  };

  std::unique_ptr<Player> player_of(const Call& call) const {
    const Function* function = trace::find_function(call.function);
    if (function == nullptr || call.error != 0) return nullptr;
    if (function->makes_request && is_started_later(*function)) {
      const bool counted = has_traffic(*function) && (*wanted_)(*function);
      auto words = counted ? traffic_words_of(*function, with_tags_) : std::vector<int>{};
      return std::make_unique<Player>(Act::kMake, counted, *function,
                                      WordReader(*program_, call, words), 0, false,
                                      counted ? topologies_->comm_word_of(*function) : -1);
    }
    const trace::CallMeaning& means = trace::meaning_of(*function);
    const bool starts = means.act == trace::Act::kStart;
    if (!starts && means.act != trace::Act::kFreeRequest) return nullptr;
    const bool is_array = means.requests >= 0;
    const int word = is_array ? means.requests : means.request;
    return std::make_unique<Player>(starts ? Act::kStart : Act::kRelease, false, *function,
                                    WordReader(*program_, call, {word}), word, is_array, -1);
  }

  void play_once(Player& player, std::uint32_t place) {
    if (player.act == Act::kMake) {
      make(player, place);
    } else if (player.is_array) {
      const auto index = static_cast<std::size_t>(request_of(player));
      if (index < program_->arrays.size()) {
        for (const std::int64_t request : program_->arrays[index]) start(request, place);
      }
    } else if (player.act == Act::kStart) {
      start(request_of(player), place);
    } else {
      release(request_of(player));
    }
    player.reader.skip(1);
  }

  static std::int64_t request_of(const Player& player) {
    return player.reader.words()[player.request_word].value;
  }

  // A request's slot is the lowest free one, as the recorder has it.
  void make(Player& player, std::uint32_t place) {
    const auto slot = std::find(slots_.begin(), slots_.end(), kFree);
    const auto& words = player.reader.words();
    const std::size_t made =
        player.is_counted ? player.choices.find_or_add(tally_->calls, words, place,
                                                       topologies_->of(words, player.comm_word))
                          : kNotCounted;
    if (slot == slots_.end()) {
      slots_.push_back(made);
    } else {
      *slot = made;
    }
  }

  std::size_t* slot_of(std::int64_t request) {
    if (trace::is_foreign(request) || !trace::is_persistent(request)) return nullptr;
    const std::uint64_t slot = trace::age_or_slot(request);
    return slot < slots_.size() && slots_[slot] != kFree ? &slots_[slot] : nullptr;
  }

  void start(std::int64_t request, std::uint32_t place) {
    const std::size_t* slot = slot_of(request);
    if (slot == nullptr) {
      ++tally_->unknown_starts;
    } else if (*slot != kNotCounted) {
      ++tally_->calls[started(*slot, place)].executions;
    }
  }

  // The entry of a request for the place where it is started.
  std::size_t started(std::size_t made, std::uint32_t place) {
    if (tally_->calls[made].place == place) return made;
    const auto [known, is_new] = started_.emplace(std::pair{made, place}, tally_->calls.size());
    if (is_new) {
      TalliedCall call = tally_->calls[made];
      call.executions = 0;
      call.place = place;
      tally_->calls.push_back(std::move(call));
    }
    return known->second;
  }

  void release(std::int64_t request) {
    if (std::size_t* slot = slot_of(request)) *slot = kFree;
  }

  const Program* program_;
  const IsWanted* wanted_;
  bool with_tags_;
  const CurrentTopologies* topologies_;
  Tally* tally_;
  std::vector<std::unique_ptr<Player>> players_; // by symbol; null: does not matter
  std::vector<std::size_t> slots_; // index into tally_->calls, kFree or kNotCounted
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> started_;
};

// All of it for one program.
class Tallying {
public:
  Tallying(const Program& program, const IsWanted& wanted, bool with_tags)
      : topologies_(program), direct_(program, wanted, with_tags, topologies_, tally_),
        persistent_(program, wanted, with_tags, topologies_, tally_),
        has_requests_(persistent_.has_work()) {
    for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol)
      has_neighbors_ = has_neighbors_ || is_neighborhood(symbol);
  }

  bool varies(std::size_t symbol) const { return direct_.varies(symbol); }

  // Together with all others that are: what one call makes another one starts, or speaks on.
  bool is_ordered(std::size_t symbol) const {
    return (has_requests_ && persistent_.is_ordered(symbol)) ||
           (has_neighbors_ && (topologies_.is_maker(symbol) || direct_.is_ordered(symbol)));
  }
  bool has_order() const { return has_requests_ || has_neighbors_; }

  void play(std::size_t symbol, std::uint32_t place, std::uint64_t executions) {
    if (has_neighbors_) topologies_.play(symbol, executions);
    direct_.play(symbol, place, executions);
    if (has_requests_) persistent_.play(symbol, place, executions);
  }

  Tally take() { return std::move(tally_); }

private:
  bool is_neighborhood(std::size_t symbol) const {
    return direct_.is_ordered(symbol) || (has_requests_ && persistent_.is_neighborhood(symbol));
  }

  Tally tally_;
  CurrentTopologies topologies_;
  DirectTally direct_;
  PersistentTally persistent_;
  bool has_requests_;
  bool has_neighbors_ = false; // whom they speak to depends on the order
};

} // namespace

Tally tally_of(const Program& program, const IsWanted& wanted, bool with_tags) {
  Tallying tallying(program, wanted, with_tags);
  const std::vector<std::uint64_t> executions = program.nest.occurrences(program.calls.size());
  for (std::size_t symbol = 0; symbol < executions.size(); ++symbol) {
    if (!tallying.is_ordered(symbol))
      tallying.play(symbol, static_cast<std::uint32_t>(symbol), executions[symbol]);
  }
  if (!tallying.has_order()) return tallying.take();
  trace::NestReader nest(program.nest);
  while (const auto symbol = nest.next()) {
    if (tallying.is_ordered(*symbol)) tallying.play(*symbol, *symbol, 1);
  }
  return tallying.take();
}

Tally placed_tally_of(const Program& program, const IsWanted& wanted, PlaceWalk& walk) {
  Tallying tallying(program, wanted, false);
  for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol) {
    if (tallying.varies(symbol)) walk.keep_order(static_cast<std::uint32_t>(symbol), symbol + 1);
    if (tallying.is_ordered(symbol)) walk.keep_order(static_cast<std::uint32_t>(symbol), 0);
  }
  walk.run([&](std::uint32_t symbol, std::uint32_t place, std::uint64_t times) {
    tallying.play(symbol, place, times);
  });
  return tallying.take();
}

} // namespace rondo::matrix::internal
