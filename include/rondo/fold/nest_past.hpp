// SPDX-License-Identifier: Apache-2.0
// What was pushed into a nest's builder, and what the builder was like some symbols ago: where
// symbols are renamed afterwards, it is pushed anew from where the first of them came.
#pragma once

#include "rondo/fold/nest_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::fold {

class NestPast {
public:
  /// @param keeps_builders  false: all is pushed anew each time
  explicit NestPast(bool keeps_builders = true) : keeps_(keeps_builders) {}

  /// After each symbol that was pushed.
  void note(std::uint32_t symbol, const NestBuilder& builder) {
    if (symbols_.size() + 1 != builder.size()) return; // rename() will start over
    symbols_.push_back(symbol);
    if (symbols_.size() >= next_kept_) keep(builder);
  }

  /// From now on the builder is as if it had got renamed[s] for each symbol s. What was pushed
  /// without note() costs a way through all of it.
  /// @param use   gets each symbol that has another name now, in the order of the sequence
  /// @complexity  O(symbols) steps that do nothing but compare, and push() from the last builder
  ///              that was kept before the first symbol that is renamed
  template <class Use>
  void rename(NestBuilder& builder, const std::vector<std::uint32_t>& renamed, Use use) {
    const bool starts_over = symbols_.size() != builder.size();
    if (starts_over) read(builder);
    std::size_t first = 0;
    while (first < symbols_.size() && renamed[symbols_[first]] == symbols_[first]) ++first;
    if (first == symbols_.size() && !starts_over) return;
    for (std::size_t i = go_back(builder, first); i < symbols_.size(); ++i) {
      const std::uint32_t before = symbols_[i];
      if (renamed[before] != before) use(before);
      symbols_[i] = renamed[before];
      builder.push(symbols_[i]);
      ++pushed_again_;
      if (i + 1 >= next_kept_) keep(builder);
    }
  }

  std::uint64_t pushed_again() const { return pushed_again_; }

private:
  struct Kept {
    NestBuilder builder;
    std::size_t next = 0; // after so many symbols, another one is kept
  };

  void keep(const NestBuilder& builder);
  void read(NestBuilder& builder);
  std::size_t go_back(NestBuilder& builder, std::size_t most);

  bool keeps_;
  std::vector<std::uint32_t> symbols_;
  std::vector<Kept> kept_; // the shortest first
  std::size_t next_kept_ = 0; // symbols
  std::uint64_t pushed_again_ = 0;
};

} // namespace rondo::fold
