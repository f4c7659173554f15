// SPDX-License-Identifier: Apache-2.0
#include "patterns/class_streams.hpp"

#include "patterns/nest_reading.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace rondo::patterns::internal {
namespace {

using trace::Act;
using trace::CallMeaning;

// Words that say what a call's event is and on which channel it stands.
std::vector<int> words_of(const trace::Function& function, const Envelope& envelope) {
  const CallMeaning& means = trace::meaning_of(function);
  std::vector<int> words = EventMaker::words_of(function, envelope);
  words.insert(words.end(), {means.dest, means.send_count, means.send_type, means.send_tag,
                             means.source, means.receive_tag});
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::erase(words, CallMeaning::kNoWord);
  return words;
}

// Whether an execution of the call is like any other, whatever came before.
bool is_plain(const trace::Call& call, const Envelope& envelope) {
  const trace::Function& function = *trace::find_function(call.function);
  const CallMeaning& means = trace::meaning_of(function);
  const StreamAct act = stream_act_of(function);
  if (changes_meaning(act) || act == StreamAct::kStart || means.is_started_later) return false;
  if (means.act == Act::kMatchedProbe || means.act == Act::kCancel || means.act == Act::kOneSided)
    return false;
  if (act == StreamAct::kNothing || call.error != 0) return true;
  const std::vector<int> words = words_of(function, envelope);
  return std::none_of(words.begin(), words.end(), [&](int word) {
    return trace::is_column(call.words[static_cast<std::size_t>(word)]);
  });
}

bool is_plain(const trace::Trace& trace, const Envelope& envelope) {
  return std::all_of(trace.classes.begin(), trace.classes.end(), [&](const trace::RankClass& c) {
    return c.thread == 0 &&
           std::all_of(c.program->calls.begin(), c.program->calls.end(),
                       [&](const trace::Call& call) { return is_plain(call, envelope); });
  });
}

class ClassReader {
public:
  ClassReader(const trace::Trace& trace, const trace::RankClass& rank_class,
              const PatternOptions& options, const trace::Communicators& comms, EventTable& events,
              ClassStreams& result)
      : trace_(trace), class_(rank_class), options_(options), comms_(comms), events_(events),
        result_(result), places_(places_of(trace, rank_class)) {
    for (const trace::Call& call : rank_class.program->calls) {
      const trace::Function& function = *trace::find_function(call.function);
      words_of_.push_back(words_of(function, events.envelope()));
    }
    symbols_.resize(words_of_.size());
  }

  // Whether all is known.
  bool run() {
    for (const std::int64_t rank : class_.ranks.ranks()) {
      if (rank < 0 || rank >= trace_.run.ranks) return false;
      if (examples_.empty() && !read(rank)) return false;
      if (!take_in(rank)) return false;
    }
    return true;
  }

private:
  // The first of the ranks that are alike. What makes ranks alike: which of their events are equal,
  // and how much they move.
  using Likeness = std::vector<std::uint64_t>;
  struct Example {
    StreamPatterns stream;
    std::size_t layout = 0;
  };

  bool read(std::int64_t rank) {
    CollapsedStream stream;
    stream.track();
    EventMaker maker(trace_, *class_.program, rank, comms_, events_);
    NestTrail trail;
    if (!read_nest(trace_, class_, rank, maker, events_.envelope(), stream, &trail)) return false;
    if (examples_.empty()) note_events(trail.symbols);
    Example example;
    example.stream = {rank,
                      class_.thread,
                      stream.items(),
                      stream.length(),
                      patterns_of(stream, options_.least_length),
                      {},
                      completions(trail.completing, stream.items()),
                      places_of(class_, places_, stream.items()),
                      sites_of(class_, stream.items())};
    example.layout = result_.layouts.size();
    result_.layouts.push_back(
        {std::move(trail.symbols), stream.item_of_positions(), stream.long_passes()});
    examples_.push_back(std::move(example));
    return sequence_of(result_.layouts.back(), events_of_class_).has_value();
  }

  // In the order in which they are executed first, so that they are numbered as when all is read.
  void note_events(const std::vector<std::uint32_t>& symbols) {
    std::vector<bool> is_known(class_.program->calls.size());
    for (const std::uint32_t symbol : symbols) {
      if (is_known[symbol]) continue;
      is_known[symbol] = true;
      const trace::Call& call = class_.program->calls[symbol];
      if (call.error == 0 && is_event(*trace::find_function(call.function)))
        events_of_class_.push_back(symbol);
    }
  }

  bool take_in(std::int64_t rank) {
    EventMaker maker(trace_, *class_.program, rank, comms_, events_);
    const trace::Positions positions(trace_, rank);
    Likeness likeness;
    std::unordered_map<Symbol, std::size_t> first_equal;
    const std::size_t first_call = result_.calls.size();
    for (std::size_t i = 0; i < events_of_class_.size(); ++i) {
      const std::uint32_t symbol = events_of_class_[i];
      const trace::Call& call = class_.program->calls[symbol];
      const trace::Function& function = *trace::find_function(call.function);
      read_words(call, function, symbol, rank, positions);
      const StreamEvent event = maker.event(function, words_, symbol);
      symbols_[symbol] = event.symbol;
      likeness.insert(likeness.end(),
                      {first_equal.try_emplace(event.symbol, i).first->second, event.bytes});
      if (!note_sides({trace::meaning_of(function), words_}, rank, symbol)) return false;
    }
    for (std::size_t i = first_call; i < result_.calls.size(); ++i)
      result_.calls[i].stream = result_.streams.size();
    const auto [known, is_new] = example_of_.try_emplace(std::move(likeness), examples_.size());
    if (is_new && example_of_.size() == 1) {
      known->second = 0; // the class's first rank, which has been read
    } else if (is_new && !read(rank)) {
      return false;
    }
    const Example& example = examples_[known->second];
    result_.streams.push_back(example.stream);
    result_.layout_of[static_cast<std::size_t>(rank)] = example.layout;
    give_own_events(result_.streams.back(), rank);
    return true;
  }

  void read_words(const trace::Call& call, const trace::Function& function, std::uint32_t symbol,
                  std::int64_t rank, const trace::Positions& positions) {
    const int comm_word = function.comm_word();
    const auto& position = positions.of(
        comm_word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm_word)].value);
    words_.assign(call.words.size(), trace::kNothing);
    for (const int word : words_of_[symbol]) {
      const auto at = static_cast<std::size_t>(word);
      words_[at] = trace::value_of_word(*class_.program, call.words[at], rank, position);
    }
  }

  void give_own_events(StreamPatterns& stream, std::int64_t rank) const {
    stream.rank = rank;
    for (CollapsedItem& item : stream.items) item.symbol = symbols_[item.source];
    for (ProcessPattern& pattern : stream.patterns) {
      for (std::size_t i = 0; i < pattern.word.size(); ++i)
        pattern.word[i] = stream.items[pattern.places.front().item + i].symbol;
    }
  }

  // As trace::match_messages() has it.
  bool note_sides(const trace::CallView& call, std::int64_t rank, std::uint32_t symbol) {
    const CallMeaning& means = call.means();
    if (means.act == Act::kCollective) {
      const auto& view = comms_.of(rank, call.comm());
      if (view.id == trace::Communicators::kUnknown) return true;
      const std::int64_t own = view.id == trace::Communicators::kSelf ? rank : 0;
      result_.calls.push_back(
          {view.id, own, 0, 0, RankCall::Side::kCollective, rank, 0, symbol, 0, view.all});
      return true;
    }
    if (means.act != Act::kTransfer) return true;
    if (means.sends()) note_send(call, rank, symbol);
    return !means.receives() || note_receive(call, rank, symbol);
  }

  void note_send(const trace::CallView& call, std::int64_t rank, std::uint32_t symbol) {
    if (trace::is_special(call.dest())) return;
    const auto& view = comms_.of(rank, call.comm());
    const std::int64_t peer = view.world_rank(call.dest());
    if (peer < 0) return;
    result_.calls.push_back({view.id, rank, peer, call.send_tag(), RankCall::Side::kSend, rank, 0,
                             symbol, bytes_of(call, rank), 0});
  }

  bool note_receive(const trace::CallView& call, std::int64_t rank, std::uint32_t symbol) {
    if (call.source() == trace::kAnySource || call.receive_tag() == trace::kAnyTag) return false;
    if (trace::is_special(call.source())) return true;
    const auto& view = comms_.of(rank, call.comm());
    const std::int64_t peer = view.world_rank(call.source());
    if (peer < 0) return true;
    result_.calls.push_back(
        {view.id, peer, rank, call.receive_tag(), RankCall::Side::kReceive, rank, 0, symbol, 0, 0});
    return true;
  }

  std::uint64_t bytes_of(const trace::CallView& call, std::int64_t rank) const {
    std::uint64_t size = 0;
    for (const trace::DatatypeDefinition& type : trace_.datatypes) {
      if (type.slot == call.send_type() && type.holders.contains(rank))
        size = static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
    }
    return size * static_cast<std::uint64_t>(std::max<std::int64_t>(call.send_count(), 0));
  }

  const trace::Trace& trace_;
  const trace::RankClass& class_;
  const PatternOptions& options_;
  const trace::Communicators& comms_;
  EventTable& events_;
  ClassStreams& result_;
  std::vector<std::uint32_t> places_;
  std::vector<std::vector<int>> words_of_; // by call
  std::vector<std::uint32_t> events_of_class_; // calls
  std::vector<Example> examples_;
  std::map<Likeness, std::size_t> example_of_;
  std::vector<Symbol> symbols_; // of the rank that is read, by call
  std::vector<std::int64_t> words_; // of the call that is read
};

} // namespace

std::optional<ClassStreams> class_streams(const trace::Trace& trace, const PatternOptions& options,
                                          const trace::Communicators& comms, EventTable& events) {
  if (options.call_by_call || options.ranks || trace.run.ranks <= 0) return std::nullopt;
  if (!is_plain(trace, events.envelope())) return std::nullopt;
  ClassStreams result;
  result.layout_of.resize(static_cast<std::size_t>(trace.run.ranks));
  for (const trace::RankClass& c : trace.classes) {
    if (!ClassReader(trace, c, options, comms, events, result).run()) return std::nullopt;
  }
  return result;
}

} // namespace rondo::patterns::internal
