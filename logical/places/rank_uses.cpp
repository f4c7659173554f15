// SPDX-License-Identifier: Apache-2.0
#include "logical/places/rank_uses.hpp"

#include "logical/places/comm_ranks.hpp"
#include "logical/places/peer_topologies.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/places/rank_values.hpp"
#include "rondo/base/mixed.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::CallInstance;
using trace::Field;

using rondo::mixed;

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return mixed(hash, text.size());
}

// Sites are numbered as ranks were merged, so they stand for where they are; in which folder the
// program lies does not matter.
std::vector<std::uint64_t> site_hashes(const trace::Trace& trace) {
  std::vector<std::uint64_t> hashes;
  for (const trace::CallSite& site : trace.sites) {
    const std::uint64_t caller = site.caller == 0 ? 0 : hashes[site.caller - 1];
    const std::string_view module = site.module;
    const std::string_view name = module.substr(module.rfind('/') + 1);
    hashes.push_back(mixed(mixed(caller, name), site.offset));
  }
  return hashes;
}

class UseOfRank final : private trace::PassFollower {
public:
  UseOfRank(const trace::Trace& trace, const std::vector<std::uint64_t>& sites, std::int64_t rank,
            bool has_fingerprint)
      : trace_(trace), sites_(sites), rank_(rank), has_fingerprint_(has_fingerprint),
        positions_(trace, rank) {
    place_of_.emplace(rank, 0);
  }

  void add(const trace::RankClass& c) {
    mix(c.thread);
    trace::CallReader reader(trace_, c, rank_);
    if (has_fingerprint_) { // of all calls in their order
      while (const CallInstance* call = reader.next()) add(*call, reader.program());
      return;
    }
    trace::PassReader passes(reader, *this);
    while (const CallInstance* call = passes.next()) add(*call, reader.program());
  }

  RankUse take() {
    lead_with_heavy_receivers();
    return std::move(use_);
  }

private:
  void begin_period() override {
    kept_sent_to_ = sent_to_;
    kept_calls_as_root_ = use_.calls_as_root;
    kept_partners_ = use_.partners.size();
  }
  std::uint64_t most_repeats() override { // whom it has met, it has met
    const bool is_as_kept =
        use_.partners.size() == kept_partners_ && sent_to_.size() == kept_sent_to_.size();
    return is_as_kept ? ~std::uint64_t{0} : 0;
  }
  void repeat(std::uint64_t times) override {
    for (auto& [rank, messages] : sent_to_) messages += times * (messages - kept_sent_to_.at(rank));
    use_.calls_as_root += times * (use_.calls_as_root - kept_calls_as_root_);
  }
  std::uint64_t effort() const override { return 1 + sent_to_.size(); }

  // A stray message to a neighbour says nothing about which way the program runs.
  void lead_with_heavy_receivers() {
    constexpr std::uint64_t kLight = 4; // times less often than the one sent to most
    std::uint64_t most = 0;
    for (const auto& [rank, messages] : sent_to_) most = std::max(most, messages);
    std::stable_partition(use_.receivers.begin(), use_.receivers.end(),
                          [&](std::int64_t rank) { return sent_to_.at(rank) * kLight >= most; });
  }

  void mix(std::uint64_t value) { use_.fingerprint = mixed(use_.fingerprint, value); }

  void add(const CallInstance& call, const trace::Program& program) {
    mix(call.function->id);
    mix(call.error);
    mix(call.site < sites_.size() ? sites_[call.site] : call.site);
    const int comm_word = call.function->comm_word();
    const std::int64_t comm =
        comm_word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm_word)];
    const trace::CallMeaning& means = trace::meaning_of(*call.function);
    const int dest = means.act == trace::Act::kOneSided ? means.target : means.dest;
    std::size_t word = 0;
    for (const Field& field : call.function->fields) {
      const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
      add_field(field, call.words[word], {comm, static_cast<int>(word) == dest}, program);
      for (std::size_t i = 1; is_status && i < 3; ++i)
        mix(static_cast<std::uint64_t>(call.words[word + i]));
      word += is_status ? 3 : 1;
    }
  }

  struct OfCall {
    std::int64_t comm;
    bool is_sent_to;
  };

  void add_field(const Field& field, std::int64_t value, OfCall of, const trace::Program& program) {
    using Kind = trace::FieldKind;
    const auto index = static_cast<std::size_t>(value);
    if (trace::is_special(value)) {
      mix(static_cast<std::uint64_t>(value));
    } else if (field.is_array) {
      std::vector<std::int64_t> values = program.arrays[index];
      for_each_rank_in_array(field, values, [&](std::int64_t& rank) {
        if (!trace::is_special(rank)) rank = place_of(of.comm, rank + rank_, false);
      });
      for (const std::int64_t element : values) mix(static_cast<std::uint64_t>(element));
      mix(values.size());
    } else if (field.kind == Kind::kText) {
      use_.fingerprint = mixed(use_.fingerprint, program.texts[index]);
    } else if (field.kind == Kind::kRank || field.kind == Kind::kStatus) {
      mix(static_cast<std::uint64_t>(place_of(of.comm, value, of.is_sent_to)));
    } else if (field.kind == Kind::kRoot && of.comm == trace::kWorldSlot) {
      mix(value == rank_ ? 1 : 0);
      use_.calls_as_root += value == rank_ ? 1 : 0;
    } else {
      mix(static_cast<std::uint64_t>(value));
    }
  }

  // 0 for the rank itself, else 1 + the place among the partners.
  std::int64_t place_of(std::int64_t comm, std::int64_t peer, bool is_sent_to) {
    const auto rank = world_rank(positions_, rank_, comm, peer);
    if (!rank) return -1 - peer;
    const auto [known, is_new] =
        place_of_.try_emplace(*rank, static_cast<std::int64_t>(use_.partners.size()) + 1);
    if (is_new) use_.partners.push_back(*rank);
    if (is_sent_to && *rank != rank_ && sent_to_[*rank]++ == 0) use_.receivers.push_back(*rank);
    return known->second;
  }

  const trace::Trace& trace_;
  const std::vector<std::uint64_t>& sites_;
  std::int64_t rank_;
  bool has_fingerprint_;
  trace::Positions positions_;
  std::map<std::int64_t, std::int64_t> place_of_;
  std::map<std::int64_t, std::uint64_t> sent_to_; // -> messages
  RankUse use_;
  // At the beginning of what may be a period:
  std::map<std::int64_t, std::uint64_t> kept_sent_to_;
  std::uint64_t kept_calls_as_root_ = 0;
  std::size_t kept_partners_ = 0;
};

// Ranks of a class that do the same and name other ranks: the use of one is that of the other with
// other partners.
class LikeUses {
public:
  LikeUses(const trace::Trace& trace, const RankValues& values, bool has_fingerprints)
      : trace_(trace), values_(values), has_fingerprints_(has_fingerprints) {}

  /// What a rank names, to be asked about and then to be known.
  struct Mark {
    std::int64_t value = 0;
    bool is_rank = false; // of MPI_COMM_WORLD
  };
  std::vector<Mark> marks_of(std::int64_t rank) const {
    const trace::Positions positions(trace_, rank);
    std::vector<Mark> marks{{rank, true}}; // itself first: it is nobody else's counterpart
    values_.each(rank, positions, [&](const RankValues::Value& value) {
      const bool is_root =
          value.kind == RankValues::Value::Kind::kRoot && value.comm == trace::kWorldSlot;
      if (value.kind == RankValues::Value::Kind::kPeer) {
        if (const auto world = world_rank(positions, rank, value.comm, value.value)) {
          marks.push_back({*world, true});
          return;
        }
      }
      if (value.is_own_number && !has_fingerprints_) return;
      marks.push_back({is_root ? std::int64_t{value.value == rank} : value.value, false});
    });
    return marks;
  }

  std::optional<RankUse> find(const std::vector<Mark>& marks) const {
    for (const Known& known : known_) {
      if (auto use = use_of(marks, known)) return use;
    }
    return std::nullopt;
  }

  void add(std::vector<Mark>&& marks, const RankUse& use) {
    constexpr std::size_t kMostKinds = 64; // the places of a grid in up to three dimensions, twice
    if (known_.size() < kMostKinds) known_.push_back({std::move(marks), use});
  }

private:
  struct Known {
    std::vector<Mark> marks;
    RankUse use;
  };

  static std::optional<RankUse> use_of(const std::vector<Mark>& marks, const Known& known) {
    if (marks.size() != known.marks.size()) return std::nullopt;
    std::unordered_map<std::int64_t, std::int64_t> counterpart;
    std::unordered_map<std::int64_t, std::int64_t> back;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const Mark& mark = marks[i];
      const Mark& other = known.marks[i];
      const bool is_alike =
          mark.is_rank == other.is_rank &&
          (mark.is_rank
               ? counterpart.emplace(other.value, mark.value).first->second == mark.value &&
                     back.emplace(mark.value, other.value).first->second == other.value
               : mark.value == other.value);
      if (!is_alike) return std::nullopt;
    }
    RankUse result = known.use;
    for (std::int64_t& partner : result.partners) partner = counterpart.at(partner);
    for (std::int64_t& receiver : result.receivers) receiver = counterpart.at(receiver);
    return result;
  }

  const trace::Trace& trace_;
  const RankValues& values_;
  bool has_fingerprints_;
  std::vector<Known> known_;
};

class Numbering {
public:
  explicit Numbering(const std::vector<RankUse>& uses)
      : uses_(uses), number_(uses.size(), -1), colours_(uses.size()) {
    for (std::size_t rank = 0; rank < uses.size(); ++rank) colours_[rank] = uses[rank].fingerprint;
    refine();
  }

  std::vector<std::int64_t> run() {
    while (met_.size() < uses_.size()) walk_on();
    return number_;
  }

private:
  using Code = std::vector<std::uint64_t>;

  // What is around a rank becomes part of its colour, as long as that tells more ranks apart. A
  // chain needs a round for each rank of its half: on very many ranks not all are made, which
  // leaves fewer colours, the same ones for any numbering.
  void refine() {
    constexpr std::size_t kMostRefined = std::size_t{1} << 25; // ranks of all rounds
    std::size_t before = 0;
    std::size_t refined = 0;
    for (std::size_t different = count_colours(); different > before && refined < kMostRefined;) {
      refined += colours_.size();
      std::vector<std::uint64_t> next(colours_.size());
      for (std::size_t rank = 0; rank < next.size(); ++rank) {
        next[rank] = mixed(0, colours_[rank]);
        for (const std::int64_t to : uses_[rank].partners)
          next[rank] = mixed(next[rank], colours_[static_cast<std::size_t>(to)]);
      }
      colours_ = std::move(next);
      before = std::exchange(different, count_colours());
    }
  }

  std::size_t count_colours() const {
    std::vector<std::uint64_t> sorted = colours_;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }

  // The ranks not met yet that have the rarest colour.
  std::vector<std::size_t> starts() const {
    std::map<std::uint64_t, std::vector<std::size_t>> by_colour;
    for (std::size_t rank = 0; rank < uses_.size(); ++rank) {
      if (number_[rank] < 0) by_colour[colours_[rank]].push_back(rank);
    }
    const auto rarest =
        std::min_element(by_colour.begin(), by_colour.end(), [](const auto& a, const auto& b) {
          return a.second.size() < b.second.size();
        });
    return rarest->second;
  }

  void walk_on() {
    const std::size_t first = met_.size();
    std::size_t best = uses_.size();
    Code best_code;
    for (const std::size_t start : starts()) {
      if (best < uses_.size() && steps_ > kMostSteps) break;
      Code code = walk_from(start);
      if (best == uses_.size() || code < best_code) {
        best = start;
        best_code = std::move(code);
      }
      forget(first);
    }
    walk_from(best);
  }

  void forget(std::size_t first) {
    for (std::size_t i = first; i < met_.size(); ++i) number_[met_[i]] = -1;
    met_.resize(first);
  }

  void meet(std::size_t rank) {
    number_[rank] = static_cast<std::int64_t>(met_.size());
    met_.push_back(rank);
  }

  Code walk_from(std::size_t start) {
    Code code;
    std::size_t at = met_.size();
    meet(start);
    for (; at < met_.size(); ++at) {
      const std::size_t rank = met_[at];
      code.push_back(colours_[rank]);
      for (const std::int64_t to : uses_[rank].partners) {
        const auto next = static_cast<std::size_t>(to);
        if (number_[next] < 0) meet(next);
        code.push_back(static_cast<std::uint64_t>(number_[next]));
      }
      steps_ += uses_[rank].partners.size() + 1;
    }
    return code;
  }

  static constexpr std::uint64_t kMostSteps = 100'000'000;

  const std::vector<RankUse>& uses_;
  std::vector<std::int64_t> number_; // -1 not met yet
  std::vector<std::uint64_t> colours_;
  std::vector<std::size_t> met_; // by number
  std::uint64_t steps_ = 0;
};

} // namespace

std::vector<RankUse> uses_of(const trace::Trace& trace, bool has_fingerprints) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  std::vector<std::vector<const trace::RankClass*>> streams(ranks);
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks())
      streams[static_cast<std::size_t>(rank)].push_back(&c);
  }
  const std::vector<std::uint64_t> sites = site_hashes(trace);
  std::vector<RankUse> uses(ranks);
  std::vector<bool> is_known(ranks, false);
  const auto play = [&](std::size_t rank) {
    std::sort(streams[rank].begin(), streams[rank].end(),
              [](const auto* a, const auto* b) { return a->thread < b->thread; });
    UseOfRank use(trace, sites, static_cast<std::int64_t>(rank), has_fingerprints);
    for (const trace::RankClass* c : streams[rank]) use.add(*c);
    uses[rank] = use.take();
    is_known[rank] = true;
  };
  for (const trace::RankClass& c : trace.classes) {
    const RankValues values(c, true);
    if (!values.is_complete() || c.ranks.size() < 2) continue;
    LikeUses like(trace, values, has_fingerprints);
    for (const std::int64_t rank : c.ranks.ranks()) {
      const auto at = static_cast<std::size_t>(rank);
      if (streams[at].size() > 1) continue;
      std::vector<LikeUses::Mark> marks = like.marks_of(rank);
      if (auto use = like.find(marks)) {
        uses[at] = std::move(*use);
        is_known[at] = true;
      } else {
        play(at);
        like.add(std::move(marks), uses[at]);
      }
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!is_known[rank]) play(rank);
  }
  return uses;
}

std::vector<std::int64_t> numbers_by_use(const std::vector<RankUse>& uses) {
  return Numbering(uses).run();
}

} // namespace rondo::logical::internal
