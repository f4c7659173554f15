// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/values.hpp"

namespace rondo::generate::internal {

using trace::Word;

std::int64_t Sequence::at(std::size_t execution) const {
  if (is_constant()) return constant;
  const std::int64_t value = execution < values->size() ? (*values)[execution] : 0;
  return trace::is_special(value) ? value : trace::wrapping_sum(value, base);
}

std::vector<Sequence> mapped(const std::vector<Sequence>& sequences,
                             const std::function<std::int64_t(std::int64_t)>& change) {
  using Values = std::shared_ptr<const std::vector<std::int64_t>>;
  std::map<std::pair<Values, std::int64_t>, Values> known; // ranks share most of them
  std::vector<Sequence> result;
  for (const Sequence& s : sequences) {
    if (s.is_constant()) {
      const bool is_said = s.constant != trace::kNothing;
      result.push_back({is_said ? change(s.constant) : s.constant, nullptr, 0});
      continue;
    }
    Values& values = known[{s.values, s.base}];
    if (!values) {
      std::vector<std::int64_t> all;
      for (std::size_t i = 0; i < s.values->size(); ++i) all.push_back(change(s.at(i)));
      values = std::make_shared<const std::vector<std::int64_t>>(std::move(all));
    }
    result.push_back({0, values, 0});
  }
  return result;
}

std::int64_t largest(const std::vector<Sequence>& sequences) {
  std::int64_t most = 0;
  for (const Sequence& s : sequences) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!trace::is_special(s.at(i))) most = std::max(most, s.at(i));
    }
  }
  return most;
}

WordValues::WordValues(const trace::Trace& trace, const trace::MergedProgram& program)
    : program_(program) {
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank) positions_.emplace_back(trace, rank);
  by_rank_.by_rank = std::make_shared<const trace::RankTable>(program.table);
}

Sequence WordValues::sequence(const Word& word, std::int64_t rank,
                              const trace::Positions::Position& position) {
  const auto value_of = [&](std::int64_t function) {
    return trace::value_of_word(by_rank_, {Word::Form::kByRank, function}, rank, position);
  };
  switch (word.form) {
  case Word::Form::kColumn:
    return {0, expanded(word.value), 0};
  case Word::Form::kRelativeColumn:
    return {0, expanded(word.value), position.rank};
  case Word::Form::kColumnByRank:
    return {0, expanded(value_of(word.value)), 0};
  case Word::Form::kRelativeColumnByRank:
    return {0, expanded(value_of(word.value)), position.rank};
  case Word::Form::kFunctionColumn: {
    auto values = std::make_shared<std::vector<std::int64_t>>(*expanded(word.value));
    std::map<std::int64_t, std::int64_t> known;
    for (std::int64_t& value : *values) {
      const auto [found, is_new] = known.try_emplace(value);
      if (is_new) found->second = value_of(value);
      value = found->second;
    }
    return {0, std::move(values), 0};
  }
  default:
    return {trace::value_of_word(by_rank_, word, rank, position), nullptr, 0};
  }
}

std::shared_ptr<const std::vector<std::int64_t>> WordValues::expanded(std::int64_t column) {
  auto& values = expanded_[column];
  if (values) return values;
  std::vector<std::int64_t> all;
  trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(column)]);
  while (const auto value = reader.next()) all.push_back(*value);
  values = std::make_shared<const std::vector<std::int64_t>>(std::move(all));
  return values;
}

} // namespace rondo::generate::internal
