// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/process_patterns.hpp"

#include "patterns/event_reader.hpp"
#include "patterns/masters.hpp"
#include "patterns/nest_reading.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/patterns/repeats.hpp"
#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace rondo::patterns {
namespace {

using internal::EventMaker;
using internal::found_nothing;
using internal::stream_act_of;
using internal::StreamAct;
using trace::Program;
using trace::Term;

/// Plays a rank's nest into a stream. Loops whose passes are all alike are left to the stream; the
/// others are passed through one by one.
class NestPlayer {
public:
  static constexpr int kDeepest = 256; // deeper nests are read call by call

  NestPlayer(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank,
             EventMaker& maker, const Envelope& envelope, CollapsedStream& stream,
             internal::NestTrail* trail = nullptr)
      : program_(trace::program_of(trace, rank_class, rank)), positions_(trace, rank), rank_(rank),
        maker_(&maker), stream_(&stream), trail_(trail) {
    for (std::uint32_t symbol = 0; symbol < program_.calls.size(); ++symbol)
      players_.push_back(player_of(symbol, envelope));
    const auto& loops = program_.nest.loops();
    for (const trace::Loop& loop : loops) trip_counts_.emplace_back(loop.trip_counts);
    is_uniform_.assign(loops.size(), -1);
    depth_.assign(loops.size(), -1);
  }

  bool is_too_deep() {
    int deepest = 0;
    for (const Term term : program_.nest.top()) deepest = std::max(deepest, depth_of(term));
    return deepest > kDeepest;
  }

  void run() { play(program_.nest.top()); }

private:
  struct Varying {
    std::size_t word;
    trace::ColumnReader values;
    std::int64_t base;
  };
  struct Player {
    const trace::Function* function = nullptr; // null: means nothing
    StreamAct act = StreamAct::kNothing;
    std::vector<std::int64_t> words;
    std::vector<Varying> varying;
    std::optional<StreamEvent> event; // once it is known, if it is always the same
  };

  Player player_of(std::uint32_t symbol, const Envelope& envelope) {
    const trace::Call& call = program_.calls[symbol];
    const trace::Function& function = *trace::find_function(call.function);
    Player player;
    const StreamAct act = stream_act_of(function);
    if (act == StreamAct::kNothing || call.error != 0) return player;
    player.function = &function;
    player.act = act;
    player.words.assign(call.words.size(), trace::kNothing);
    const int comm_word = function.comm_word();
    const auto& position = positions_.of(
        comm_word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm_word)].value);
    for (const int index : EventMaker::words_of(function, envelope)) {
      const auto at = static_cast<std::size_t>(index);
      const trace::Word& word = call.words[at];
      const bool is_relative = word.form == trace::Word::Form::kRelativeColumn;
      if (is_relative || word.form == trace::Word::Form::kColumn) {
        player.varying.push_back(
            {at, trace::ColumnReader(program_.columns[static_cast<std::size_t>(word.value)]),
             is_relative ? position.rank : 0});
      } else {
        player.words[at] = trace::value_of_word(program_, word, rank_, position);
      }
    }
    const bool is_known = player.varying.empty();
    return is_known && found_nothing(function, player.words) ? Player() : player;
  }

  int depth_of(Term term) {
    if (!term.is_loop()) return 0;
    int& depth = depth_[term.index()];
    if (depth >= 0) return depth;
    depth = kDeepest + 1; // while it is looked at: nests that are too deep stop here
    int deepest = 0;
    if (++open_ <= kDeepest) {
      for (const Term inner : program_.nest.loops()[term.index()].body)
        deepest = std::max(deepest, depth_of(inner));
    } else {
      deepest = kDeepest;
    }
    --open_;
    return depth_[term.index()] = deepest + 1;
  }

  // Whether each pass through the loop's body is like the others.
  bool is_uniform(std::uint32_t loop) {
    if (is_uniform_[loop] >= 0) return is_uniform_[loop] == 1;
    bool result = true;
    for (const Term term : program_.nest.loops()[loop].body) {
      if (term.is_loop()) {
        const auto& counts = program_.nest.loops()[term.index()].trip_counts;
        result = result && counts.constant() && is_uniform(term.index());
      } else {
        const Player& player = players_[term.index()];
        result = result && player.varying.empty() && !internal::changes_meaning(player.act);
      }
    }
    is_uniform_[loop] = result ? 1 : 0;
    return result;
  }

  void play(const std::vector<Term>& terms) {
    for (const Term term : terms) {
      if (!term.is_loop()) {
        play(players_[term.index()], term.index());
        continue;
      }
      const trace::Loop& loop = program_.nest.loops()[term.index()];
      const auto constant = loop.trip_counts.constant();
      const std::int64_t count =
          constant ? *constant : trip_counts_[term.index()].next().value_or(0);
      if (is_uniform(term.index())) {
        stream_->repeat(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)),
                        [&] { play(loop.body); });
      } else {
        for (std::int64_t i = 0; i < count; ++i) play(loop.body);
      }
    }
  }

  void play(Player& player, std::uint32_t symbol) {
    if (trail_ != nullptr) {
      trail_->symbols.push_back(symbol);
      const trace::Function& function = *trace::find_function(program_.calls[symbol].function);
      if (function.role == trace::Role::kComplete) trail_->completing.push_back(stream_->length());
    }
    if (player.function == nullptr) return stream_->skip(maker_->inside_ns(symbol));
    if (player.event) {
      player.event->phase = maker_->phase();
      return stream_->push(*player.event);
    }
    for (Varying& varying : player.varying) {
      const std::int64_t value = varying.values.next().value_or(0);
      player.words[varying.word] =
          trace::is_special(value) ? value : trace::wrapping_sum(varying.base, value);
    }
    if (found_nothing(*player.function, player.words))
      return stream_->skip(maker_->inside_ns(symbol));
    if (!is_event(*player.function)) {
      maker_->note(*player.function, player.words);
      return stream_->skip(maker_->inside_ns(symbol));
    }
    const StreamEvent event = maker_->event(*player.function, player.words, symbol);
    stream_->push(event);
    const bool is_on_window = trace::meaning_of(*player.function).act == trace::Act::kOneSided;
    const bool is_fixed =
        player.act == StreamAct::kEvent && !is_on_window && player.varying.empty();
    if (is_fixed) player.event = event;
  }

  Program program_;
  trace::Positions positions_;
  std::int64_t rank_;
  EventMaker* maker_;
  CollapsedStream* stream_;
  internal::NestTrail* trail_; // null: is not kept
  std::vector<Player> players_; // by symbol
  std::vector<trace::ColumnReader> trip_counts_;
  std::vector<int> is_uniform_; // by loop: -1 not known yet
  std::vector<int> depth_;
  int open_ = 0;
};

/// Sources by calls that come one after the other.
class KnownSources {
public:
  KnownSources(const WildcardSources* sources, std::int64_t rank, std::uint32_t thread) {
    if (sources == nullptr) return;
    if (const auto found = sources->of.find({rank, thread}); found != sources->of.end())
      sources_ = &found->second;
  }

  std::int64_t of(std::uint64_t call) {
    if (sources_ == nullptr) return trace::kAnySource;
    while (next_ < sources_->size() && (*sources_)[next_].first < call) ++next_;
    const bool is_known = next_ < sources_->size() && (*sources_)[next_].first == call;
    return is_known ? (*sources_)[next_].second : trace::kAnySource;
  }

private:
  const std::vector<std::pair<std::uint64_t, std::int64_t>>* sources_ = nullptr;
  std::size_t next_ = 0;
};

// Whether a call makes the same event each time, wherever it stands.
bool is_fixed(const trace::Call& call) {
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
  const bool is_from_any =
      means.source >= 0 &&
      call.words[static_cast<std::size_t>(means.source)].value == trace::kAnySource;
  return (means.act == trace::Act::kTransfer || means.act == trace::Act::kCollective) &&
         !is_from_any && std::none_of(call.words.begin(), call.words.end(), trace::is_column);
}

// @param completing   gets the calls that complete requests, if it is there
void read_calls(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank,
                EventMaker& maker, CollapsedStream& stream, const WildcardSources* sources,
                std::vector<std::uint64_t>* completing) {
  trace::CallReader reader(trace, rank_class, rank);
  KnownSources known(sources, rank, rank_class.thread);
  std::vector<std::optional<StreamEvent>> fixed(rank_class.program->calls.size()); // by symbol
  while (const trace::CallInstance* call = reader.next()) {
    std::optional<StreamEvent>& same = fixed[call->symbol];
    if (same && call->error == 0) {
      same->phase = maker.phase();
      stream.push(*same);
    } else if (call->error == 0 && is_event(*call->function) &&
               !found_nothing(*call->function, call->words)) {
      const StreamEvent event =
          maker.event(*call->function, call->words, call->symbol, known.of(stream.length()));
      stream.push(event);
      if (is_fixed(rank_class.program->calls[call->symbol])) same = event;
    } else {
      const bool completes = call->function->role == trace::Role::kComplete;
      if (completing != nullptr && completes) completing->push_back(stream.length());
      if (call->error == 0) maker.note(*call->function, call->words);
      stream.skip(maker.inside_ns(call->symbol));
    }
  }
}

void add_places(ProcessPattern& pattern, const std::vector<CollapsedItem>& items,
                const std::vector<std::size_t>& starts) {
  std::size_t free_from = 0;
  for (const std::size_t start : starts) {
    if (start < free_from) continue;
    free_from = start + pattern.word.size();
    PatternPlace place{start, items[start].executions, items[start].first, items[start].last};
    for (std::size_t i = start; i < free_from; ++i) {
      place.executions = std::min(place.executions, items[i].executions);
      pattern.bytes += items[i].bytes;
      pattern.inside_ns += items[i].inside_ns;
      pattern.calls += items[i].executions;
    }
    pattern.executions += place.executions;
    pattern.places.push_back(place);
  }
}

} // namespace

namespace internal {

bool read_nest(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank,
               EventMaker& maker, const Envelope& envelope, CollapsedStream& stream,
               NestTrail* trail) {
  NestPlayer player(trace, rank_class, rank, maker, envelope, stream, trail);
  if (player.is_too_deep()) return false;
  player.run();
  return true;
}

// After which items, when they are met first, calls complete requests.
std::vector<bool> completions(const std::vector<std::uint64_t>& completing,
                              const std::vector<CollapsedItem>& items) {
  std::vector<bool> behind(items.size());
  std::size_t item = 0;
  for (const std::uint64_t call : completing) {
    while (item + 1 < items.size() && items[item + 1].first <= call) ++item;
    if (item < items.size() && items[item].first < call) behind[item] = true;
  }
  return behind;
}

// Where the calls of a merged program stand in it, from 1: the order in which they come first.
std::vector<std::uint32_t> places_of(const trace::MergedProgram& program) {
  std::vector<std::uint32_t> places(program.calls.size());
  std::vector<bool> is_seen(program.loops.size());
  std::uint32_t next = 0;
  std::vector<Term> open(program.top.rbegin(), program.top.rend());
  while (!open.empty()) {
    const Term term = open.back();
    open.pop_back();
    if (!term.is_loop()) {
      if (std::uint32_t& place = places[term.index()]; place == 0) place = ++next;
    } else if (!is_seen[term.index()]) {
      is_seen[term.index()] = true;
      const auto& body = program.loops[term.index()].body;
      open.insert(open.end(), body.rbegin(), body.rend());
    }
  }
  return places;
}

// By call of the program of all ranks; empty if there is none.
std::vector<std::uint32_t> places_of(const trace::Trace& trace,
                                     const trace::RankClass& rank_class) {
  if (rank_class.merged >= trace.programs.size()) return {};
  return places_of(*trace.programs[rank_class.merged]);
}

std::vector<std::uint32_t> places_of(const trace::RankClass& rank_class,
                                     const std::vector<std::uint32_t>& places,
                                     const std::vector<CollapsedItem>& items) {
  std::vector<std::uint32_t> result(items.size());
  if (places.empty()) return result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].source < rank_class.calls.size())
      result[i] = places[rank_class.calls[items[i].source]];
  }
  return result;
}

std::vector<std::uint32_t> sites_of(const trace::RankClass& rank_class,
                                    const std::vector<CollapsedItem>& items) {
  std::vector<std::uint32_t> sites;
  for (const CollapsedItem& item : items)
    sites.push_back(rank_class.program->calls[item.source].site);
  return sites;
}

} // namespace internal

namespace {

void add_masters(WildcardSources& sources, const internal::MasterFinder& masters) {
  for (const auto& [rank, is_master] : masters.found()) {
    auto others = is_master ? masters.workers_of_master(rank) : masters.workers_of(rank);
    if (others.empty()) continue;
    (is_master ? sources.workers : sources.senders).emplace(rank, std::move(others));
  }
}

} // namespace

WildcardSources open_senders(const trace::Trace& trace) {
  WildcardSources sources;
  sources.are_open = true;
  internal::MasterFinder masters(trace);
  if (masters.has_none()) return sources;
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& m) { masters.note(m); };
  trace::match_messages(trace, visitor);
  add_masters(sources, masters);
  return sources;
}

WildcardSources wildcard_sources(const trace::Trace& trace) {
  // By stream and symbol, whether it may be a receive from anywhere.
  std::map<std::pair<std::int64_t, std::uint32_t>, std::shared_ptr<std::vector<bool>>> may_be_any;
  bool has_any = false;
  for (const trace::RankClass& c : trace.classes) {
    auto is_any = std::make_shared<std::vector<bool>>();
    for (const trace::Call& call : c.program->calls) {
      const int source = trace::meaning_of(*trace::find_function(call.function)).source;
      const bool may_be =
          source >= 0 && (trace::is_column(call.words[static_cast<std::size_t>(source)]) ||
                          call.words[static_cast<std::size_t>(source)].value == trace::kAnySource);
      is_any->push_back(may_be);
      has_any = has_any || may_be;
    }
    for (const std::int64_t rank : c.ranks.ranks()) may_be_any[{rank, c.thread}] = is_any;
  }
  WildcardSources sources;
  internal::MasterFinder masters(trace);
  if (!has_any && masters.has_none()) return sources;
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& m) {
    masters.note(m);
    const auto stream = may_be_any.find({m.receive.rank, m.receive.thread});
    if (stream == may_be_any.end() || m.receive.symbol >= stream->second->size()) return;
    if ((*stream->second)[m.receive.symbol])
      sources.of[stream->first].emplace_back(m.receive.call, m.send.rank);
  };
  trace::match_messages(trace, visitor);
  for (auto& [stream, calls] : sources.of) std::sort(calls.begin(), calls.end());
  add_masters(sources, masters);
  return sources;
}

CollapsedStream collapsed_stream(const trace::Trace& trace, const trace::RankClass& rank_class,
                                 std::int64_t rank, const trace::Communicators& comms,
                                 EventTable& events, bool call_by_call, bool track,
                                 const WildcardSources* sources,
                                 std::vector<std::uint64_t>* completing) {
  CollapsedStream stream;
  if (track) stream.track();
  EventMaker maker(trace, *rank_class.program, rank, comms, events);
  if (sources != nullptr && sources->are_open) maker.leaves_senders_open();
  if (sources != nullptr && sources->workers.contains(rank))
    maker.is_master_of(sources->workers.at(rank));
  if (sources != nullptr && sources->senders.contains(rank))
    maker.takes_first_from(sources->senders.at(rank));
  if (!call_by_call && !track &&
      internal::read_nest(trace, rank_class, rank, maker, events.envelope(), stream, nullptr))
    return stream;
  read_calls(trace, rank_class, rank, maker, stream, sources, completing);
  return stream;
}

std::vector<ProcessPattern> patterns_of(const CollapsedStream& stream, std::size_t least_length) {
  const auto& items = stream.items();
  Word text;
  for (const CollapsedItem& item : items) text.push_back(item.symbol);
  std::map<Word, std::uint64_t> tandems;
  for (TandemRepeat& tandem : stream.tandem_repeats()) {
    if (tandem.word.size() >= least_length) tandems.emplace(std::move(tandem.word), tandem.times);
  }
  std::vector<ProcessPattern> result; // in the order of their first places, longer ones first
  for (const Repeat& repeat : repeats_of(text, {least_length})) {
    ProcessPattern pattern;
    pattern.word = repeat.word(text);
    pattern.is_maximal = true;
    pattern.is_supermaximal = repeat.is_supermaximal;
    if (const auto tandem = tandems.extract(pattern.word)) pattern.tandem = tandem.mapped();
    add_places(pattern, items, repeat.starts);
    result.push_back(std::move(pattern));
  }
  for (const auto& [word, times] : tandems) {
    ProcessPattern pattern;
    pattern.word = word;
    pattern.tandem = times;
    add_places(pattern, items, occurrences_of(word, text));
    if (!pattern.places.empty()) result.push_back(std::move(pattern));
  }
  // Loops that are not passed the same way each time share events with what follows them.
  for (ProcessPattern& pattern : result)
    pattern.executions = std::max(pattern.executions, pattern.tandem + pattern.places.size());
  const auto comes_before = [](const ProcessPattern& a, const ProcessPattern& b) {
    return std::tuple{a.places.front().item, b.word.size()} <
           std::tuple{b.places.front().item, a.word.size()};
  };
  if (!std::is_sorted(result.begin(), result.end(), comes_before))
    sort_stably(result.begin(), result.end(), comes_before);
  return result;
}

ProcessPatterns process_patterns(const trace::Trace& trace, const PatternOptions& options) {
  ProcessPatterns result{EventTable(options.envelope), {}};
  const trace::Communicators comms(trace);
  result.events.name_communicators(trace, comms);
  const WildcardSources open = options.sources == nullptr ? open_senders(trace) : WildcardSources{};
  const WildcardSources* const sources = options.sources == nullptr ? &open : options.sources;
  for (const trace::RankClass& c : trace.classes) {
    const auto places =
        options.track ? internal::places_of(trace, c) : std::vector<std::uint32_t>{};
    for (const std::int64_t rank : c.ranks.ranks()) {
      if (options.ranks && !options.ranks->contains(rank)) continue;
      std::vector<std::uint64_t> completing;
      const CollapsedStream stream =
          collapsed_stream(trace, c, rank, comms, result.events, options.call_by_call,
                           options.track, sources, options.track ? &completing : nullptr);
      result.streams.push_back(
          {rank, c.thread, stream.items(), stream.length(),
           patterns_of(stream, options.least_length), stream.item_of_positions(),
           options.track ? internal::completions(completing, stream.items()) : std::vector<bool>{},
           options.track ? internal::places_of(c, places, stream.items())
                         : std::vector<std::uint32_t>{},
           options.track ? internal::sites_of(c, stream.items()) : std::vector<std::uint32_t>{}});
    }
  }
  sort_stably(result.streams.begin(), result.streams.end(),
              [](const StreamPatterns& a, const StreamPatterns& b) {
                return std::tuple{a.rank, a.thread} < std::tuple{b.rank, b.thread};
              });
  return result;
}

} // namespace rondo::patterns
