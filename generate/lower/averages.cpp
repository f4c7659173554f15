// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/averages.hpp"

#include "rondo/fold/recast.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::Field;

bool is_displacements(const Field& field) {
  return field.is_array &&
         (field.name == "sdispls" || field.name == "rdispls" || field.name == "displs");
}

bool has_lists_of_counts(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  return means.act == trace::Act::kCollective &&
         (means.has_send_counts || means.has_receive_counts) && !means.has_send_types;
}

// All ranks of a communicator make the same collectives on it in the same order, so whatever goes
// by function and communicator is the same for all that take part in one.
using Key = std::pair<std::uint16_t, std::uint32_t>; // function, communicator

struct Sum {
  std::uint64_t calls = 0;
  std::int64_t blocks[2] = {0, 0}; // that are sent, and received
  std::int64_t elements[2] = {0, 0};
  std::set<std::int64_t> types;

  void add(const Sum& other) {
    calls += other.calls;
    for (const int side : {0, 1}) {
      blocks[side] += other.blocks[side];
      elements[side] += other.elements[side];
    }
    types.insert(other.types.begin(), other.types.end());
  }
  int side() const { return blocks[0] > 0 ? 0 : 1; }
  bool is_one_size() const {
    const bool agree =
        blocks[0] == 0 || blocks[1] == 0 || (blocks[0] == blocks[1] && elements[0] == elements[1]);
    return agree && blocks[side()] > 0 && types.size() == 1 && *types.begin() < 0;
  }
  std::int64_t average() const { return (elements[side()] + blocks[side()] / 2) / blocks[side()]; }
};

struct Group {
  std::map<std::uint32_t, Sum> by_site;
  std::map<std::int64_t, std::uint64_t> orders; // rank -> of its call sites, hashed
  bool joins_groups = false; // of an inter-communicator
  bool has_sites = false; // sums may be told apart by call sites

  void close() {
    std::set<std::uint64_t> different;
    for (const auto& [rank, order] : orders) different.insert(order);
    has_sites = different.size() == 1;
    if (has_sites) return;
    Sum all;
    for (const auto& [site, sum] : by_site) all.add(sum);
    by_site = {{0, all}};
  }
  const Sum& of(std::uint32_t site) const { return by_site.at(has_sites ? site : 0); }
};

class Averaging {
public:
  explicit Averaging(const trace::Trace& trace) : comms_(trace) {
    for (const trace::RankClass& of : trace.classes) {
      for (const std::int64_t rank : of.ranks.ranks()) {
        trace::CallReader reader(trace, of, rank);
        while (const CallInstance* call = reader.next()) {
          if (has_lists_of_counts(*call->function)) see(*call, rank, reader);
        }
      }
    }
    for (auto& [key, group] : groups_) group.close();
  }

  /// The count of each block; nothing if the call keeps its counts.
  std::optional<std::int64_t> count_of(const CallInstance& call, std::int64_t rank) const {
    if (!has_lists_of_counts(*call.function)) return std::nullopt;
    const Group& group = groups_.at(key_of(call, rank));
    const Sum& sum = group.of(call.site);
    return group.joins_groups || !sum.is_one_size() ? std::nullopt : std::optional(sum.average());
  }

  void tell(AveragedCounts& result) const {
    for (const auto& [key, group] : groups_) {
      for (const auto& [site, sum] : group.by_site) {
        if (group.joins_groups || !sum.is_one_size()) {
          result.kept += sum.calls;
          continue;
        }
        const int side = sum.side();
        result.averaged.push_back({std::string(trace::find_function(key.first)->name), sum.calls,
                                   sum.average(), sum.elements[side],
                                   sum.average() * sum.blocks[side]});
      }
    }
  }

private:
  Key key_of(const CallInstance& call, std::int64_t rank) const {
    const std::int64_t slot = call.words[static_cast<std::size_t>(call.function->comm_word())];
    return {call.function->id, comms_.of(rank, slot).id};
  }

  void see(const CallInstance& call, std::int64_t rank, const trace::CallReader& reader) {
    Group& group = groups_[key_of(call, rank)];
    const std::int64_t slot = call.words[static_cast<std::size_t>(call.function->comm_word())];
    const trace::CommDefinition* const comm = reader.positions().of(slot).comm;
    group.joins_groups = group.joins_groups || (comm != nullptr && !comm->remote.empty());
    std::uint64_t& order = group.orders[rank];
    order = (order ^ call.site) * 0x100000001b3ULL + 1;
    Sum& sum = group.by_site[call.site];
    ++sum.calls;
    const trace::CallMeaning& means = trace::meaning_of(*call.function);
    for (const int type : {means.send_type, means.receive_type}) {
      const std::int64_t word = trace::word_or(call.words, type, trace::kNothing);
      if (!trace::is_special(word)) sum.types.insert(word);
    }
    const auto add_counts = [&](int side, int counts) {
      const std::int64_t word = trace::word_or(call.words, counts, trace::kNothing);
      if (trace::is_special(word)) return;
      for (const std::int64_t count : reader.program().arrays[static_cast<std::size_t>(word)]) {
        ++sum.blocks[side];
        sum.elements[side] += count;
      }
    };
    if (means.has_send_counts) add_counts(0, means.send_count);
    if (means.has_receive_counts) add_counts(1, means.receive_count);
  }

  trace::Communicators comms_;
  std::map<Key, Group> groups_;
};

} // namespace

AveragedCounts average_counts(const trace::Trace& trace,
                              const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const Averaging averaging(trace);
  AveragedCounts result;
  averaging.tell(result);
  fold::Recasting recasting;
  recasting.new_rank.resize(static_cast<std::size_t>(trace.run.ranks));
  std::iota(recasting.new_rank.begin(), recasting.new_rank.end(), 0);
  recasting.words = [&](const trace::RankClass&, std::int64_t rank, const CallInstance& call,
                        std::span<std::int64_t> words) {
    const auto count = averaging.count_of(call, rank);
    if (!count) return;
    const trace::CallMeaning& means = trace::meaning_of(*call.function);
    const auto set = [&](int word) { // of the side that has one block
      if (word >= 0 && !trace::is_special(words[static_cast<std::size_t>(word)]))
        words[static_cast<std::size_t>(word)] = *count;
    };
    if (!means.has_send_counts) set(means.send_count);
    if (!means.has_receive_counts) set(means.receive_count);
  };
  recasting.array = [&](const trace::RankClass&, std::int64_t rank, const CallInstance& call,
                        const Field& field, std::span<std::int64_t> values) {
    const auto count = averaging.count_of(call, rank);
    if (!count) return;
    const bool are_counts = field.kind == trace::FieldKind::kInteger && !is_displacements(field);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (are_counts) values[i] = *count;
      if (is_displacements(field)) values[i] = *count * static_cast<std::int64_t>(i);
    }
  };
  result.trace = fold::recast(trace, recasting, {}, progress).trace;
  return result;
}

} // namespace rondo::generate
