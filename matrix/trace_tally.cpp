// SPDX-License-Identifier: Apache-2.0
#include "matrix/trace_tally.hpp"

#include "matrix/trace_layout.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>

namespace rondo::matrix::internal {
namespace {

using trace::Call;
using trace::Column;
using trace::Function;
using trace::Program;
using trace::Word;

// A column as runs of equal values. Behind its end it gives zeros, as trace::CallReader does.
class RunReader {
public:
  explicit RunReader(const Column& column) : column_(&column) {
    if (column.kind() != Column::Kind::kRuns) values_.emplace(column);
    load();
  }
  std::int64_t value() const { return value_; }
  std::uint64_t left() const { return left_; }
  /// @param count  at most left()
  void skip(std::uint64_t count) {
    left_ -= count;
    if (left_ == 0) load();
  }

private:
  void load() {
    value_ = 0;
    left_ = std::numeric_limits<std::uint64_t>::max();
    if (values_) {
      if (const auto next = values_->next()) {
        value_ = *next;
        left_ = 1;
      }
      return;
    }
    while (next_run_ < column_->runs().size()) {
      const trace::Run& run = column_->runs()[next_run_++];
      if (run.count == 0) continue;
      value_ = run.value;
      left_ = run.count;
      return;
    }
  }

  const Column* column_;
  std::optional<trace::ColumnReader> values_;
  std::size_t next_run_ = 0;
  std::int64_t value_ = 0;
  std::uint64_t left_ = 0;
};

// The words of one call that matter, execution after execution.
class WordReader {
public:
  WordReader(const Program& program, const Call& call, const std::vector<int>& wanted)
      : words_(call.words.size(), Word{Word::Form::kConstant, trace::kNothing}) {
    for (const int index : wanted) {
      const auto i = static_cast<std::size_t>(index);
      if (index < 0 || i >= call.words.size()) continue;
      const Word& word = call.words[i];
      const bool varies = word.form == Word::Form::kColumn ||
                          word.form == Word::Form::kRelativeColumn ||
                          word.form == Word::Form::kFunctionColumn;
      const auto column = static_cast<std::size_t>(word.value);
      if (!varies) {
        words_[i] = word;
      } else if (column < program.columns.size()) {
        varying_.push_back({i, word.form, RunReader(program.columns[column])});
      }
    }
    set();
  }

  const std::vector<Word>& words() const { return words_; }

  /// Executions, from the next one on, that have these words.
  std::uint64_t left() const {
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    for (const Varying& varying : varying_) left = std::min(left, varying.reader.left());
    return left;
  }
  void skip(std::uint64_t count) {
    for (Varying& varying : varying_) varying.reader.skip(count);
    set();
  }

private:
  struct Varying {
    std::size_t word;
    Word::Form form;
    RunReader reader;
  };

  void set() {
    for (const Varying& varying : varying_) {
      const std::int64_t value = varying.reader.value();
      Word::Form form = Word::Form::kConstant; // of this value
      if (varying.form == Word::Form::kFunctionColumn) form = Word::Form::kByRank;
      if (varying.form == Word::Form::kRelativeColumn && !trace::is_special(value))
        form = Word::Form::kRelative;
      words_[varying.word] = {form, value};
    }
  }

  std::vector<Word> words_;
  std::vector<Varying> varying_;
};

struct WordsHash {
  std::size_t operator()(const std::vector<Word>& words) const {
    std::uint64_t hash = 0;
    for (const Word& word : words) {
      hash = (hash ^ static_cast<std::uint64_t>(word.value)) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ (hash >> 29)) + static_cast<std::uint64_t>(word.form);
    }
    return hash;
  }
};

// The choices of words of one call.
class Choices {
public:
  explicit Choices(const Function& function) : function_(&function) {}

  /// Index in `calls` of the entry with these words.
  std::size_t find_or_add(std::vector<TalliedCall>& calls, const std::vector<Word>& words) {
    const auto [known, is_new] = index_.emplace(words, calls.size());
    if (is_new) calls.push_back({function_, words, 0});
    return known->second;
  }

private:
  const Function* function_;
  std::unordered_map<std::vector<Word>, std::size_t, WordsHash> index_;
};

std::vector<int> layout_words(const Function& function) {
  const auto words = layout_of(function).words();
  return {words.begin(), words.end()};
}

void count_call(Tally& tally, const Program& program, const Call& call, const Function& function,
                std::uint64_t executions) {
  WordReader reader(program, call, layout_words(function));
  Choices choices(function);
  while (executions > 0) {
    const std::uint64_t equal = std::min(executions, reader.left());
    tally.calls[choices.find_or_add(tally.calls, reader.words())].executions += equal;
    executions -= equal;
    reader.skip(equal);
  }
}

// Plays the calls that make, start and free persistent requests, in the order of the program.
class PersistentTally {
public:
  PersistentTally(const Program& program, const std::function<bool(const Function&)>& wanted,
                  Tally& tally)
      : program_(&program), wanted_(&wanted), tally_(&tally) {
    for (const Call& call : program.calls) players_.push_back(player_of(call));
  }

  bool has_work() const {
    return std::any_of(players_.begin(), players_.end(),
                       [](const auto& player) { return player && player->act == Act::kStart; });
  }

  void run() {
    trace::NestReader nest(program_->nest);
    while (const auto symbol = nest.next()) {
      if (Player* player = players_[*symbol].get()) play(*player);
    }
  }

private:
  static constexpr std::size_t kFree = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kNotCounted = kFree - 1;
  enum class Act : std::uint8_t { kMake, kStart, kRelease };

  struct Player {
    Player(Act a, bool counted, const Function& f, WordReader r, int request, bool array)
        : act(a), is_counted(counted), request_word(static_cast<std::size_t>(request)),
          is_array(array), reader(std::move(r)), choices(f) {}
    Act act;
    bool is_counted;
    std::size_t request_word;
    bool is_array;
    WordReader reader;
    Choices choices;
  };

  std::unique_ptr<Player> player_of(const Call& call) const {
    static const Function* const kStart = trace::find_function("MPI_Start");
    static const Function* const kStartall = trace::find_function("MPI_Startall");
    static const Function* const kRequestFree = trace::find_function("MPI_Request_free");
    const Function* function = trace::find_function(call.function);
    if (function == nullptr || call.error != 0) return nullptr;
    if (function->makes_request && is_started_later(*function)) {
      const bool counted =
          (is_send(*function) || is_collective(*function)) && (*wanted_)(*function);
      auto words = counted ? layout_words(*function) : std::vector<int>{};
      return std::make_unique<Player>(Act::kMake, counted, *function,
                                      WordReader(*program_, call, words), 0, false);
    }
    if (function != kStart && function != kStartall && function != kRequestFree) return nullptr;
    const bool is_array = function == kStartall;
    const int word = function->word_of(is_array ? "array_of_requests" : "request");
    return std::make_unique<Player>(function == kRequestFree ? Act::kRelease : Act::kStart, false,
                                    *function, WordReader(*program_, call, {word}), word, is_array);
  }

  void play(Player& player) {
    if (player.act == Act::kMake) {
      make(player);
    } else if (player.is_array) {
      const auto index = static_cast<std::size_t>(request_of(player));
      if (index < program_->arrays.size()) {
        for (const std::int64_t request : program_->arrays[index]) start(request);
      }
    } else if (player.act == Act::kStart) {
      start(request_of(player));
    } else {
      release(request_of(player));
    }
    player.reader.skip(1);
  }

  static std::int64_t request_of(const Player& player) {
    return player.reader.words()[player.request_word].value;
  }

  // A request's slot is the lowest free one, as the recorder has it.
  void make(Player& player) {
    const auto slot = std::find(slots_.begin(), slots_.end(), kFree);
    const std::size_t made = player.is_counted
                                 ? player.choices.find_or_add(tally_->calls, player.reader.words())
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

  void start(std::int64_t request) {
    const std::size_t* slot = slot_of(request);
    if (slot == nullptr) {
      ++tally_->unknown_starts;
    } else if (*slot != kNotCounted) {
      ++tally_->calls[*slot].executions;
    }
  }

  void release(std::int64_t request) {
    if (std::size_t* slot = slot_of(request)) *slot = kFree;
  }

  const Program* program_;
  const std::function<bool(const Function&)>* wanted_;
  Tally* tally_;
  std::vector<std::unique_ptr<Player>> players_; // by symbol; null: does not matter
  std::vector<std::size_t> slots_; // index into tally_->calls, kFree or kNotCounted
};

} // namespace

Tally tally_of(const Program& program, const std::function<bool(const Function&)>& wanted) {
  Tally tally;
  const std::vector<std::uint64_t> executions = program.nest.occurrences(program.calls.size());
  for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol) {
    const Call& call = program.calls[symbol];
    const Function* function = trace::find_function(call.function);
    if (function == nullptr || call.error != 0 || is_started_later(*function)) continue;
    if (!(is_send(*function) || is_collective(*function)) || !wanted(*function)) continue;
    count_call(tally, program, call, *function, executions[symbol]);
  }
  PersistentTally persistent(program, wanted, tally);
  if (persistent.has_work()) persistent.run();
  return tally;
}

} // namespace rondo::matrix::internal
