// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/trace_words.hpp"

#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <limits>

namespace rondo::matrix::internal {

using trace::Word;

RunReader::RunReader(const trace::Column& column) : column_(&column) {
  if (column.kind() != trace::Column::Kind::kRuns) values_.emplace(column);
  load();
}

void RunReader::load() {
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

WordReader::WordReader(const trace::Program& program, const trace::Call& call,
                       const std::vector<int>& wanted)
    : words_(call.words.size(), Word{Word::Form::kConstant, trace::kNothing}) {
  for (const int index : wanted) {
    const auto i = static_cast<std::size_t>(index);
    if (index < 0 || i >= call.words.size()) continue;
    const Word& word = call.words[i];
    const auto column = static_cast<std::size_t>(word.value);
    if (!trace::is_column(word)) {
      words_[i] = word;
    } else if (column < program.columns.size()) {
      varying_.push_back({i, word, RunReader(program.columns[column])});
    }
  }
  set();
}

std::uint64_t WordReader::left() const {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  for (const Varying& varying : varying_) left = std::min(left, varying.reader.left());
  return left;
}

void WordReader::skip(std::uint64_t count) {
  for (Varying& varying : varying_) varying.reader.skip(count);
  set();
}

void WordReader::set() {
  for (const Varying& varying : varying_)
    words_[varying.index] = trace::word_at(varying.word, varying.reader.value());
}

std::size_t Choices::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.place ^ reinterpret_cast<std::uintptr_t>(key.maker);
  for (const Word& word : key.words) {
    hash = (hash ^ static_cast<std::uint64_t>(word.value)) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29)) + static_cast<std::uint64_t>(word.form);
  }
  return hash;
}

std::size_t Choices::find_or_add(std::vector<TalliedCall>& calls, const std::vector<Word>& words,
                                 std::uint32_t place,
                                 const std::shared_ptr<const TopologyMaker>& maker) {
  const auto [known, is_new] = index_.emplace(Key{words, place, maker.get()}, calls.size());
  if (is_new) calls.push_back({function_, words, 0, place, maker});
  return known->second;
}

} // namespace rondo::matrix::internal
