// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/layers.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/matrix/program_places.hpp"
#include "rondo/trace/call_meaning.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/place_walk.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace rondo::matrix {
namespace {

using internal::TalliedCall;

// Counts the executions at the places of a class's program, all of whose ranks do the same.
internal::Tally tally_of(const trace::MergedProgram& merged, const trace::Projection& projection,
                         internal::PlaceTree& tree) {
  internal::PlaceWalk walk(merged, projection, tree);
  return internal::placed_tally_of(
      projection.program,
      [](const trace::Function& function) { return !internal::is_file_access(function); }, walk);
}

class LayerCollector {
public:
  LayerCollector(const trace::Trace& trace, const PeerOf& peer_of, CollectiveCounting collectives)
      : trace_(trace), peer_of_(peer_of), collectives_(collectives) {}

  LayeredTraffic run() {
    std::vector<internal::PlaceTree> trees;
    for (const auto& program : trace_.programs) trees.emplace_back(*program);
    for (const trace::RankClass& c : trace_.classes) add_class(c, trees[c.merged]);
    for (Layer& layer : result_.layers) {
      if (internal::is_one_sided(*layer.function)) join_pairs(layer.entries);
    }
    std::vector<std::vector<std::uint32_t>> numbers(trees.size());
    for (std::size_t i = 0; i < trees.size(); ++i)
      result_.places.push_back(trees[i].in_program_order(numbers[i]));
    put_in_order(result_.layers, numbers);
    put_in_order(result_.collectives, numbers);
    add_places_of_sites();
    return std::move(result_);
  }

private:
  using Key = std::tuple<std::size_t, std::uint32_t, const trace::CommDefinition*, std::uint16_t>;

  // Both ranks of a pair may have moved data the same way, by a put and a get.
  static void join_pairs(std::vector<MatrixEntry>& entries) {
    std::map<std::pair<std::int64_t, std::int64_t>, MatrixEntry> joined;
    for (const MatrixEntry& entry : entries) {
      MatrixEntry& sum = joined[{entry.source, entry.destination}];
      sum = {entry.source, entry.destination, sum.messages + entry.messages,
             sum.bytes + entry.bytes};
    }
    entries.clear();
    for (const auto& [pair, entry] : joined) entries.push_back(entry);
  }

  void add_places_of_sites() {
    std::map<std::pair<std::string_view, std::uint64_t>, std::uint32_t> first_at;
    for (const trace::CallSite& site : trace_.sites) {
      const auto number = static_cast<std::uint32_t>(result_.place_of_site.size());
      const std::pair<std::string_view, std::uint64_t> place{site.module, site.offset};
      result_.place_of_site.push_back(first_at.emplace(place, number).first->second);
    }
  }

  template <class T>
  static void put_in_order(std::vector<T>& layers,
                           const std::vector<std::vector<std::uint32_t>>& numbers) {
    for (T& layer : layers) layer.place = numbers[layer.program][layer.place];
    sort_stably(layers.begin(), layers.end(), [](const T& a, const T& b) {
      return std::pair{a.program, a.place} < std::pair{b.program, b.place};
    });
  }

  void add_class(const trace::RankClass& c, internal::PlaceTree& tree) {
    const trace::MergedProgram& merged = *trace_.programs[c.merged];
    const std::vector<std::int64_t> ranks = c.ranks.ranks();
    if (ranks.empty()) return;
    const trace::Projection projection = trace::project(merged, c.program->by_rank, ranks.front());
    const internal::Tally tally = tally_of(merged, projection, tree);
    for (const std::int64_t rank : ranks) {
      result_.loss.unknown_requests += tally.unknown_starts;
      const internal::RankTraffic traffic(trace_, projection.program, rank, graphs_, peer_of_);
      entry_of_.clear();
      for (const TalliedCall& call : tally.calls) {
        if (call.executions == 0) continue;
        const Made made = made_by(tree, merged, call.place);
        if (internal::is_collective(*call.function)) {
          const auto sent = traffic.collective_messages_of(call, collectives_, result_.loss);
          for (const MessagesSent& message : sent) add_messages(c, call, made, traffic, message);
          if (sent.empty()) add_collectives(c, call, made.site, traffic);
        } else {
          add_messages(c, call, made, traffic);
        }
      }
    }
  }

  // What the call at a place says that is the same each time.
  struct Made {
    std::uint32_t site = 0;
    std::optional<std::int64_t> tag{};
  };

  static Made made_by(const internal::PlaceTree& tree, const trace::MergedProgram& merged,
                      std::uint32_t place) {
    const auto what = tree.what(place);
    if (!what || what->is_loop()) return {};
    const trace::Call& call = merged.calls[what->index()].call;
    const int word = trace::meaning_of(*trace::find_function(call.function)).send_tag;
    if (word < 0) return {call.site, std::nullopt};
    const trace::Word& tag = call.words[static_cast<std::size_t>(word)];
    if (tag.form != trace::Word::Form::kConstant) return {call.site, std::nullopt};
    return {call.site, tag.value};
  }

  void add_messages(const trace::RankClass& c, const TalliedCall& call, const Made& made,
                    const internal::RankTraffic& traffic) {
    if (internal::is_one_sided(*call.function)) {
      for (const MessagesSent& sent : traffic.one_sided_messages_of(call, result_.loss))
        add_messages(c, call, made, traffic, sent);
    } else if (const auto sent = traffic.messages_of(call, result_.loss)) {
      add_messages(c, call, made, traffic, *sent);
    }
  }

  void add_messages(const trace::RankClass& c, const TalliedCall& call, const Made& made,
                    const internal::RankTraffic& traffic, const MessagesSent& sent) {
    const auto* comm = traffic.comm_of(call);
    const auto [layer, is_new] = layer_of_.emplace(
        Key{c.merged, call.place, comm, call.function->id}, result_.layers.size());
    if (is_new)
      result_.layers.push_back(
          {c.merged, call.place, call.function, made.site, comm, {}, made.tag});
    auto& entries = result_.layers[layer->second].entries;
    const auto [entry, is_first] =
        entry_of_.emplace(std::tuple{layer->second, sent.source, sent.destination}, entries.size());
    if (is_first) entries.push_back({sent.source, sent.destination, 0, 0});
    entries[entry->second].messages += sent.messages;
    entries[entry->second].bytes += sent.messages * sent.bytes_each;
  }

  void add_collectives(const trace::RankClass& c, const TalliedCall& call, std::uint32_t site,
                       const internal::RankTraffic& traffic) {
    const CollectiveCalls made = traffic.collectives_of(call, result_.loss);
    const auto* comm = traffic.comm_of(call);
    const Key key{c.merged, call.place, comm, call.function->id};
    const auto [layer, is_new] = collective_of_.emplace(key, result_.collectives.size());
    if (is_new)
      result_.collectives.push_back({c.merged, call.place, call.function, site, comm, 0, 0});
    result_.collectives[layer->second].calls += made.calls;
    result_.collectives[layer->second].bytes += made.calls * made.bytes_each;
  }

  const trace::Trace& trace_;
  const PeerOf& peer_of_;
  CollectiveCounting collectives_;
  const internal::DistGraphs graphs_{trace_};
  LayeredTraffic result_;
  std::map<Key, std::size_t> layer_of_;
  std::map<Key, std::size_t> collective_of_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t>
      entry_of_; // of one rank's calls
};

} // namespace

LayeredTraffic layers_of(const trace::Trace& trace, const PeerOf& peer_of,
                         CollectiveCounting collectives) {
  return LayerCollector(trace, peer_of, collectives).run();
}

// Which words a call has does not matter here, so loops are gone through call by call nowhere.
std::vector<std::vector<ProgramPlace>> program_places_of(const trace::Trace& trace) {
  std::vector<internal::PlaceTree> trees;
  for (const auto& program : trace.programs) trees.emplace_back(*program);
  for (const trace::RankClass& c : trace.classes) {
    if (c.ranks.empty()) continue;
    const trace::MergedProgram& merged = *trace.programs[c.merged];
    const trace::Projection projection =
        trace::project(merged, c.program->by_rank, c.ranks.front());
    internal::PlaceWalk(merged, projection, trees[c.merged])
        .run([](std::uint32_t, std::uint32_t, std::uint64_t) {});
  }
  std::vector<std::vector<ProgramPlace>> result;
  std::vector<std::uint32_t> numbers;
  for (const internal::PlaceTree& tree : trees) result.push_back(tree.in_program_order(numbers));
  return result;
}

} // namespace rondo::matrix
