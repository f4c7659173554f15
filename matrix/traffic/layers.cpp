// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/layers.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/matrix/program_places.hpp"
#include "rondo/trace/call_meaning.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/place_walk.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tbb/parallel_for.h>
#include <tuple>
#include <utility>

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

// The layers of one merged program.
class LayerCollector {
public:
  using Classes = std::vector<const trace::RankClass*>;

  LayerCollector(const trace::Trace& trace, const internal::DistGraphs& graphs,
                 const PeerOf& peer_of, CollectiveCounting collectives)
      : trace_(trace), graphs_(graphs), peer_of_(peer_of), collectives_(collectives) {}

  LayeredTraffic run(std::size_t program, const Classes& classes) {
    internal::PlaceTree tree(*trace_.programs[program]);
    for (const trace::RankClass* c : classes) add_class(*c, tree);
    for (Layer& layer : result_.layers) {
      if (internal::is_one_sided(*layer.function)) join_pairs(layer.entries);
    }
    std::vector<std::uint32_t> numbers;
    result_.places.push_back(tree.in_program_order(numbers));
    put_in_order(result_.layers, numbers);
    put_in_order(result_.collectives, numbers);
    return std::move(result_);
  }

private:
  using Key = std::tuple<std::uint32_t, const trace::CommDefinition*, std::uint16_t>;

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

  template <class T>
  static void put_in_order(std::vector<T>& layers, const std::vector<std::uint32_t>& numbers) {
    for (T& layer : layers) layer.place = numbers[layer.place];
    sort_stably(layers.begin(), layers.end(),
                [](const T& a, const T& b) { return a.place < b.place; });
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
    const auto [layer, is_new] =
        layer_of_.emplace(Key{call.place, comm, call.function->id}, result_.layers.size());
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
    const Key key{call.place, comm, call.function->id};
    const auto [layer, is_new] = collective_of_.emplace(key, result_.collectives.size());
    if (is_new)
      result_.collectives.push_back({c.merged, call.place, call.function, site, comm, 0, 0});
    result_.collectives[layer->second].calls += made.calls;
    result_.collectives[layer->second].bytes += made.calls * made.bytes_each;
  }

  const trace::Trace& trace_;
  const internal::DistGraphs& graphs_;
  const PeerOf& peer_of_;
  CollectiveCounting collectives_;
  LayeredTraffic result_;
  std::map<Key, std::size_t> layer_of_;
  std::map<Key, std::size_t> collective_of_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t>
      entry_of_; // of one rank's calls
};

// Terms from which programs are worth another thread.
constexpr std::size_t kWorthThreads = 1 << 14;

bool is_worth_threads(const trace::Trace& trace) {
  std::size_t terms = 0;
  for (const trace::RankClass& c : trace.classes) terms += c.program->nest.terms();
  return trace.programs.size() > 1 && terms >= kWorthThreads;
}

template <class T> void append(std::vector<T>& to, std::vector<T>&& more) {
  to.insert(to.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

std::vector<std::uint32_t> places_of_sites(const trace::Trace& trace) {
  std::vector<std::uint32_t> result;
  std::map<std::pair<std::string_view, std::uint64_t>, std::uint32_t> first_at;
  for (const trace::CallSite& site : trace.sites) {
    const auto number = static_cast<std::uint32_t>(result.size());
    const std::pair<std::string_view, std::uint64_t> place{site.module, site.offset};
    result.push_back(first_at.emplace(place, number).first->second);
  }
  return result;
}

} // namespace

LayeredTraffic layers_of(const trace::Trace& trace, const PeerOf& peer_of,
                         CollectiveCounting collectives) {
  const internal::DistGraphs graphs(trace);
  std::vector<LayerCollector::Classes> classes(trace.programs.size());
  for (const trace::RankClass& c : trace.classes) classes[c.merged].push_back(&c);
  std::vector<LayeredTraffic> of_programs(trace.programs.size());
  const auto collect = [&](std::size_t program) {
    LayerCollector collector(trace, graphs, peer_of, collectives);
    of_programs[program] = collector.run(program, classes[program]);
  };
  if (!peer_of && is_worth_threads(trace)) { // a caller's words are asked for by one thread
    tbb::parallel_for(std::size_t{0}, of_programs.size(), collect);
  } else {
    for (std::size_t program = 0; program < of_programs.size(); ++program) collect(program);
  }
  LayeredTraffic result;
  for (LayeredTraffic& own : of_programs) {
    append(result.places, std::move(own.places));
    append(result.layers, std::move(own.layers));
    append(result.collectives, std::move(own.collectives));
    result.loss += own.loss;
  }
  result.place_of_site = places_of_sites(trace);
  return result;
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
