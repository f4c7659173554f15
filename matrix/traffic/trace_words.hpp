// SPDX-License-Identifier: Apache-2.0
// The words of one call, execution after execution, without looking at equal ones twice.
#pragma once

#include "matrix/traffic/trace_tally.hpp"
#include "rondo/trace/program.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::matrix::internal {

/// A column as runs of equal values. Behind its end it gives zeros, as trace::CallReader does.
class RunReader {
public:
  explicit RunReader(const trace::Column& column);

  std::int64_t value() const { return value_; }
  std::uint64_t left() const { return left_; }
  /// @param count  at most left()
  void skip(std::uint64_t count) {
    left_ -= count;
    if (left_ == 0) load();
  }

private:
  void load();

  const trace::Column* column_;
  std::optional<trace::ColumnReader> values_;
  std::size_t next_run_ = 0;
  std::int64_t value_ = 0;
  std::uint64_t left_ = 0;
};

/// The words of a call that are wanted; all others are kNothing.
class WordReader {
public:
  WordReader(const trace::Program& program, const trace::Call& call,
             const std::vector<int>& wanted);

  const std::vector<trace::Word>& words() const { return words_; }
  bool varies() const { return !varying_.empty(); }

  /// Executions, from the next one on, that have these words.
  std::uint64_t left() const;
  void skip(std::uint64_t count);

private:
  struct Varying {
    std::size_t index;
    trace::Word word;
    RunReader reader;
  };

  void set();

  std::vector<trace::Word> words_;
  std::vector<Varying> varying_;
};

/// The choices of words that one call has had, each at every place.
class Choices {
public:
  explicit Choices(const trace::Function& function) : function_(&function) {}

  /// Index in `calls` of the entry with these words at this place.
  std::size_t find_or_add(std::vector<TalliedCall>& calls, const std::vector<trace::Word>& words,
                          std::uint32_t place,
                          const std::shared_ptr<const TopologyMaker>& maker = {});

private:
  struct Key {
    std::vector<trace::Word> words;
    std::uint32_t place;
    const TopologyMaker* maker;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  const trace::Function* function_;
  std::unordered_map<Key, std::size_t, Hash> index_;
};

} // namespace rondo::matrix::internal
