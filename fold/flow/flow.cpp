// SPDX-License-Identifier: Apache-2.0
#include "fold/flow/flow.hpp"

#include "fold/event_words.hpp"
#include "fold/flow/flow_order.hpp"
#include "fold/flow/flow_steps.hpp"
#include "fold/flow/flow_way.hpp"
#include "fold/polish/polish.hpp"
#include "rondo/fold/column_builder.hpp"
#include "rondo/fold/nest_builder.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Call;
using trace::Term;
using trace::Word;

constexpr std::uint64_t kMostOfAll = std::uint64_t{1} << 28; // of all streams
constexpr std::size_t kMostPlaces = 8000;

// Function, error and site, and what tells the shapes of calls apart.
std::vector<std::int64_t> shape_of(const Call& call) {
  std::vector<std::int64_t> shape{call.function, call.error, call.site};
  for_each_word(*trace::find_function(call.function),
                [&](std::size_t word, const trace::Field& field, int) {
                  if (!field.is_array && is_hard(field.kind))
                    shape.push_back(call.words[word].value);
                });
  return shape;
}

bool is_column(const Word& word) {
  return word.form == Word::Form::kColumn || word.form == Word::Form::kRelativeColumn;
}

// Of items next to each other that come in the same iterations on every rank.
struct Together {
  std::vector<std::uint32_t> items;
  bool is_choice = false; // some rank leaves them out in some iterations only
  bool has_guard = false; // as a loop of its own around them, that goes round once or not at all
};

constexpr std::uint32_t kElsewhere = 0xffffffff; // no place: what is not by flow

// Calls of a rank that are not by flow, between two items of the whole.
struct Elsewhere {
  std::uint32_t position = 0; // of the item behind them
  std::vector<std::uint32_t> symbols{};
};

class FlowFolding {
public:
  FlowFolding(std::span<StreamProgram* const> streams, const std::vector<std::uint64_t>& in_source,
              const std::vector<bool>& at)
      : streams_(streams), in_source_(in_source), at_(at) {}

  std::vector<VaryingLoops> run() {
    if (!find_places() || flow_.next.size() > kMostPlaces || !find_flow()) return {};
    items_ = order_of_flow(flow_);
    item_of_place_.resize(flow_.next.size());
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (items_[i].place != FlowItem::kLoop) item_of_place_[items_[i].place] = i;
    }
    if (!find_ways()) return {};
    while (flatten_one_loop()) {
      presence_.clear();
      elsewhere_.clear();
      if (!find_ways()) return {};
    }
    find_varying_counts();
    for (std::uint32_t i = 0; i < items_.size(); ++i) together_.push_back(together_in(i));
    widen();
    std::vector<VaryingLoops> result;
    for (std::size_t s = 0; s < streams_.size(); ++s) result.push_back(nest(s));
    return result;
  }

private:
  // False if a stream has several calls of one shape.
  bool find_places() {
    std::map<std::vector<std::int64_t>, std::uint32_t> known;
    for (const StreamProgram* stream : streams_) {
      std::vector<std::uint32_t>& places = place_of_.emplace_back();
      std::set<std::uint32_t> own;
      for (const Call& call : stream->program.calls) {
        if (call.site >= at_.size() || !at_[call.site]) {
          places.push_back(kElsewhere);
          continue;
        }
        const auto [found, is_new] =
            known.try_emplace(shape_of(call), static_cast<std::uint32_t>(known.size()));
        places.push_back(found->second);
        if (!own.insert(found->second).second) return false;
        if (is_new)
          flow_.in_source.push_back(call.site < in_source_.size() ? in_source_[call.site] : 0);
      }
    }
    flow_.next.resize(known.size());
    return true;
  }

  // False if there are too many calls.
  bool find_flow() {
    std::uint64_t calls = 0;
    Rows rows(flow_.next.size());
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      trace::NestReader symbols(streams_[s]->program.nest);
      std::optional<std::uint32_t> before;
      rows.begin(number_of_places(s));
      StepCounts steps(flow_.next.size() + 1);
      while (const auto symbol = symbols.next()) {
        if (++calls > kMostOfAll) return false;
        const std::uint32_t place = place_of_[s][*symbol];
        if (place == kElsewhere) continue;
        steps.add(before ? *before + 1 : 0, place);
        rows.add(place);
        before = place;
      }
      rows.end();
      add_steps(steps);
    }
    flow_.repeated = rows.repeated();
    return true;
  }

  void add_steps(const StepCounts& of_stream) {
    auto& steps = flow_.steps.emplace_back();
    of_stream.each([&](std::uint32_t from, std::uint32_t place, std::uint64_t times) {
      (from == 0 ? flow_.first : flow_.next[from - 1]).insert(place);
      steps[{from == 0 ? kElsewhere : from - 1, place}] = times;
    });
  }

  std::size_t number_of_places(std::size_t s) const {
    return static_cast<std::size_t>(
        std::count_if(place_of_[s].begin(), place_of_[s].end(),
                      [](std::uint32_t place) { return place != kElsewhere; }));
  }

  bool find_ways() {
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      Way way(items_);
      trace::NestReader symbols(streams_[s]->program.nest);
      std::vector<Elsewhere>& elsewhere = elsewhere_.emplace_back();
      std::uint32_t stretch = 0; // of the items of the whole
      bool is_elsewhere = false;
      while (const auto symbol = symbols.next()) {
        const std::uint32_t place = place_of_[s][*symbol];
        if (place != kElsewhere) {
          std::uint32_t item = item_of_place_[place];
          if (!way.go_to(item)) return false;
          while (items_[item].loop != 0) item = items_[item].loop;
          const std::uint32_t next = items_[item].position + 1;
          if (is_elsewhere && next == stretch) return false; // it is within a loop
          stretch = next;
        } else {
          if (!is_elsewhere) elsewhere.push_back({stretch, {}});
          elsewhere.back().symbols.push_back(*symbol);
        }
        is_elsewhere = place == kElsewhere;
      }
      presence_.push_back(way.end());
    }
    return true;
  }

  // A loop whose head comes in every 30th round of what is else a loop in it, as output at the
  // beginning of a step does. That both are one loop is seen by what comes in every 50th round of
  // the inner one, however often that is entered.
  bool flatten_one_loop() {
    for (std::uint32_t inner = 1; inner < items_.size(); ++inner) {
      const std::uint32_t outer = items_[inner].loop;
      if (!is_loop(inner) || items_[inner].items.empty() || outer == 0 || items_[outer].loop != 0)
        continue;
      if (!has_steps_across(inner) && !goes_round_once_but_one_time(inner)) continue;
      splice(inner, outer);
      return true;
    }
    return false;
  }

  // Whether something comes in every k-th round of a loop, on all ranks that have it, while the
  // loop goes round for another number of rounds each time.
  bool has_steps_across(std::uint32_t loop) const {
    return std::any_of(items_[loop].items.begin(), items_[loop].items.end(), [&](auto item) {
      bool comes = false;
      const bool is_across =
          std::all_of(presence_.begin(), presence_.end(), [&](const auto& presence) {
            if (!presence[item].came) return true;
            comes = true;
            const std::uint64_t step = presence[item].step();
            const auto& counts = presence[loop].counts;
            return step > 2 && std::any_of(counts.begin(), counts.end(), [&](const auto& run) {
                     return static_cast<std::uint64_t>(run.value) % step != 0;
                   });
          });
      return comes && is_across;
    });
  }

  // Whether a loop is none, but for rounds in which what stands in front of it does not come:
  // for (i = 0; i < 6; i++) { if (i < 4) exchange; pass token on; }
  bool goes_round_once_but_one_time(std::uint32_t loop) const {
    return std::all_of(presence_.begin(), presence_.end(), [&](const auto& presence) {
      std::uint64_t once = 0;
      for (const trace::Run& run : presence[loop].counts) once += run.value == 1 ? run.count : 0;
      return !presence[loop].came || (once > 1 && once + 1 == presence[loop].rounds);
    });
  }

  // What is in a loop comes to be in the one around it.
  void splice(std::uint32_t inner, std::uint32_t outer) {
    std::vector<std::uint32_t>& around = items_[outer].items;
    const std::vector<std::uint32_t> items = std::exchange(items_[inner].items, {});
    const auto at = around.erase(around.begin() + items_[inner].position);
    around.insert(at, items.begin(), items.end());
    for (std::uint32_t i = 0; i < around.size(); ++i) {
      items_[around[i]].loop = outer;
      items_[around[i]].position = i;
    }
  }

  bool is_loop(std::uint32_t item) const { return items_[item].place == FlowItem::kLoop; }

  void find_varying_counts() {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      bool varies = false;
      for (const auto& presence : presence_) {
        const auto& counts = presence[i].counts;
        const std::int64_t usual = most(counts);
        varies = varies || std::any_of(counts.begin(), counts.end(), [&](const trace::Run& run) {
                   return run.value != 0 && run.value != usual;
                 });
      }
      varies_.push_back(varies);
    }
  }

  static std::int64_t most(const std::vector<trace::Run>& counts) {
    std::int64_t most = 0;
    for (const trace::Run& run : counts) most = std::max(most, run.value);
    return most;
  }

  std::vector<Together> together_in(std::uint32_t loop) const {
    std::vector<Together> result;
    for (const std::uint32_t item : items_[loop].items) {
      const bool is_choice = std::any_of(presence_.begin(), presence_.end(), [&](const auto& of) {
        return of[item].came && of[item].was_left_out;
      });
      const bool goes_on = is_choice && !result.empty() && result.back().is_choice &&
                           come_together(result.back().items.back(), item);
      if (!goes_on) result.push_back({{}, is_choice});
      result.back().items.push_back(item);
    }
    for (Together& of : result) {
      const bool is_one_loop = of.items.size() == 1 && is_loop(of.items.front());
      of.has_guard = of.is_choice && (!is_one_loop || comes_whole_in_steps(of.items.front()));
    }
    return result;
  }

  bool come_together(std::uint32_t a, std::uint32_t b) const {
    return std::all_of(presence_.begin(), presence_.end(),
                       [&](const auto& of) { return of[a].hash == of[b].hash; });
  }

  // Whether a loop goes round equally often in every k-th round of the one around it, and not at
  // all in others: an `if` with a loop in it, as where rank 0 gathers what others send.
  bool comes_whole_in_steps(std::uint32_t loop) const {
    return !varies_[loop] && std::all_of(presence_.begin(), presence_.end(), [&](const auto& of) {
      return !of[loop].came || of[loop].step() > 0;
    });
  }

  // A word is a column of all streams that have the call, or of none.
  void widen() {
    std::vector<std::vector<bool>> columns(flow_.next.size());
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      const auto& calls = streams_[s]->program.calls;
      for (std::size_t symbol = 0; symbol < calls.size(); ++symbol) {
        if (place_of_[s][symbol] == kElsewhere) continue;
        auto& of = columns[place_of_[s][symbol]];
        of.resize(std::max(of.size(), calls[symbol].words.size()), false);
        for (std::size_t word = 0; word < calls[symbol].words.size(); ++word) {
          if (is_column(calls[symbol].words[word])) of[word] = true;
        }
      }
    }
    for (std::size_t s = 0; s < streams_.size(); ++s) widen(s, columns);
  }

  void widen(std::size_t s, const std::vector<std::vector<bool>>& columns) const {
    trace::Program& program = streams_[s]->program;
    const auto executions = program.nest.occurrences(program.calls.size());
    std::vector<PeerHypotheses> left;
    std::size_t next = 0;
    const auto make_column = [&](Word& word, Word::Form form, std::int64_t value,
                                 std::uint64_t count) {
      word = {form, static_cast<std::int64_t>(program.columns.size())};
      program.columns.push_back(trace::Column::from_runs({{value, count}}));
    };
    const auto is_wide = [&](std::size_t symbol, std::size_t word) {
      const std::uint32_t place = place_of_[s][symbol];
      return place != kElsewhere && columns[place][word];
    };
    for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol) {
      Call& call = program.calls[symbol];
      const Call before = call;
      for_each_open_peer(before, [&](std::size_t word, bool is_root) {
        const PeerHypotheses& peer = streams_[s]->peers[next++];
        if (!is_wide(symbol, word)) {
          left.push_back(peer);
        } else {
          make_column(call.words[word], is_root ? Word::Form::kColumn : Word::Form::kRelativeColumn,
                      is_root ? peer.constant : peer.relative, executions[symbol]);
        }
      });
      const trace::Function& function = *trace::find_function(call.function);
      for (std::size_t word = 0; word < call.words.size(); ++word) {
        if (!is_wide(symbol, word) || is_column(call.words[word])) continue;
        const bool is_distance = is_peer_word(function, word) && !is_root_word(function, word);
        make_column(call.words[word],
                    is_distance ? Word::Form::kRelativeColumn : Word::Form::kColumn,
                    call.words[word].value, executions[symbol]);
      }
    }
    streams_[s]->peers = std::move(left);
  }

  // Replaces the nest of a stream.
  VaryingLoops nest(std::size_t s) {
    std::vector<std::uint32_t> symbol_of(flow_.next.size());
    for (std::uint32_t i = 0; i < place_of_[s].size(); ++i) {
      if (place_of_[s][i] != kElsewhere) symbol_of[place_of_[s][i]] = i;
    }
    std::vector<trace::Loop> loops;
    VaryingLoops varying;
    std::vector<Term> top = body(s, 0, symbol_of, loops, varying);
    streams_[s]->program.nest = trace::Nest(std::move(loops), std::move(top));
    return varying;
  }

  std::vector<Term> body(std::size_t s, std::uint32_t loop,
                         const std::vector<std::uint32_t>& symbol_of,
                         std::vector<trace::Loop>& loops, VaryingLoops& varying) const {
    const auto add_loop = [&](std::vector<Term> of, std::vector<trace::Run> counts, bool varies) {
      ColumnBuilder column;
      for (const trace::Run& run : counts) {
        for (std::uint64_t i = 0; i < run.count; ++i) column.push(run.value);
      }
      loops.push_back({std::move(of), column.finish(Polishing::kNone)});
      varying.push_back(varies);
      return Term::loop(static_cast<std::uint32_t>(loops.size() - 1));
    };
    std::vector<Term> result;
    std::uint32_t position = 0;
    for (const Together& together : together_[loop]) {
      if (loop == 0) add_elsewhere(s, position++, result, loops, varying);
      const Presence& presence = presence_[s][together.items.front()];
      if (!presence.came) continue;
      std::vector<Term> own;
      for (const std::uint32_t item : together.items) {
        if (!is_loop(item)) {
          own.push_back(Term::symbol(symbol_of[items_[item].place]));
          continue;
        }
        std::vector<trace::Run> counts = presence_[s][item].counts;
        if (together.has_guard)
          std::erase_if(counts, [](const trace::Run& run) { return run.value == 0; });
        own.push_back(add_loop(body(s, item, symbol_of, loops, varying), std::move(counts),
                               varies_[item] || (together.is_choice && !together.has_guard)));
      }
      if (together.has_guard) {
        std::vector<trace::Run> counts = presence.counts;
        for (trace::Run& run : counts) run.value = run.value > 0 ? 1 : 0;
        own = {add_loop(std::move(own), std::move(counts), true)};
      }
      result.insert(result.end(), own.begin(), own.end());
    }
    if (loop == 0) add_elsewhere(s, position, result, loops, varying);
    return result;
  }

  // What is not by flow, in front of an item of the whole, folded by what repeats.
  void add_elsewhere(std::size_t s, std::uint32_t position, std::vector<Term>& to,
                     std::vector<trace::Loop>& loops, VaryingLoops& varying) const {
    for (const Elsewhere& elsewhere : elsewhere_[s]) {
      if (elsewhere.position != position) continue;
      NestBuilder builder;
      for (const std::uint32_t symbol : elsewhere.symbols) builder.push(symbol);
      const trace::Nest nest = polish(builder.finish());
      const auto first = static_cast<std::uint32_t>(loops.size());
      const auto renumbered = [&](std::vector<Term> terms) {
        for (Term& term : terms) {
          if (term.is_loop()) term = Term::loop(first + term.index());
        }
        return terms;
      };
      for (const trace::Loop& of : nest.loops())
        loops.push_back({renumbered(of.body), of.trip_counts});
      varying.resize(loops.size(), false);
      const std::vector<Term> top = renumbered(nest.top());
      to.insert(to.end(), top.begin(), top.end());
    }
  }

  std::span<StreamProgram* const> streams_;
  const std::vector<std::uint64_t>& in_source_;
  const std::vector<bool>& at_; // by site
  std::vector<std::vector<std::uint32_t>> place_of_; // by stream and symbol
  std::vector<std::vector<Elsewhere>> elsewhere_; // by stream
  Flow flow_;
  std::vector<FlowItem> items_;
  std::vector<std::uint32_t> item_of_place_;
  std::vector<std::vector<Presence>> presence_; // by stream and item
  std::vector<bool> varies_; // by item: how often a loop goes round where it is entered
  std::vector<std::vector<Together>> together_; // by loop
};

} // namespace

std::vector<VaryingLoops> fold_by_flow(std::span<StreamProgram* const> streams,
                                       const std::vector<std::uint64_t>& in_source,
                                       const std::vector<bool>& at) {
  return FlowFolding(streams, in_source, at).run();
}

} // namespace rondo::fold
