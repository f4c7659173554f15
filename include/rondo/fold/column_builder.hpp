// SPDX-License-Identifier: Apache-2.0
// Collects a column value by value in little memory: runs of equal values first; once these are
// many, a loop nest over differences; once that does not shrink either, the values themselves. The
// last value can be taken back once, which folding needs to reopen a loop.
#pragma once

#include "rondo/trace/column.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rondo::fold {

class NestBuilder;

class ColumnBuilder {
public:
  ColumnBuilder();
  ColumnBuilder(const ColumnBuilder& other);
  ColumnBuilder(ColumnBuilder&&) noexcept;
  ColumnBuilder& operator=(const ColumnBuilder& other);
  ColumnBuilder& operator=(ColumnBuilder&&) noexcept;
  ~ColumnBuilder();

  /// Appends a value. @complexity O(1) amortised; about 5 ns in regular sequences
  void push(std::int64_t value);

  /// Takes back the value pushed last. At most one in a row, and not from an empty column.
  std::int64_t take_back();

  /// The value pushed last; 0 for an empty column.
  std::int64_t last() const { return staged_; }
  /// Memory in use, estimated, in bytes.
  std::size_t memory() const;
  bool empty() const { return !has_staged_ && size_ == 0; }

  trace::Column finish();

private:
  void append(std::int64_t value); // past the staging place
  void append_run(std::int64_t value);
  void append_difference(std::int64_t value);
  void start_differences();
  void start_values();

  std::int64_t staged_ = 0; // the last value, not yet in the sequence
  bool has_staged_ = false;
  trace::Column::Kind kind_ = trace::Column::Kind::kRuns;
  std::uint64_t size_ = 0; // values appended
  std::int64_t sum_ = 0; // of them, modulo 2^64
  std::vector<trace::Run> runs_;
  std::int64_t first_ = 0;
  std::int64_t previous_ = 0;
  std::vector<std::int64_t> dictionary_;
  std::unordered_map<std::int64_t, std::uint32_t> symbols_;
  std::unique_ptr<NestBuilder> nest_;
  std::vector<std::int64_t> values_;
};

} // namespace rondo::fold
