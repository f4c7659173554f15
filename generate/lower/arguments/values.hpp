// SPDX-License-Identifier: Apache-2.0
// What a word of a merged program is on each rank and in each iteration, and the shortest
// expression for it: a formula in the rank and the loops around it, a table, or, where no loop
// explains it, a series that is gone through.
#pragma once

#include "rondo/generate/benchmark.hpp"
#include "rondo/generate/expression.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/rank_formulas.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rondo::generate::internal {

/// A word's values on one rank, in the order of the executions.
struct Sequence {
  std::int64_t constant = 0; // the value, if there are no others
  std::shared_ptr<const std::vector<std::int64_t>> values{}; // special ones stand for themselves
  std::int64_t base = 0; // added to those of `values` that are not special

  bool is_constant() const { return values == nullptr; }
  /// Values there are; a constant is one.
  std::size_t size() const { return is_constant() ? 1 : values->size(); }
  std::int64_t at(std::size_t execution) const;
};

/// The sequences with each value changed, but those of ranks on which it says nothing.
std::vector<Sequence> mapped(const std::vector<Sequence>& sequences,
                             const std::function<std::int64_t(std::int64_t)>& change);

/// The largest value that is not special; 0 if there is none above.
std::int64_t largest(const std::vector<Sequence>& sequences);

/// The words of one merged program, by rank.
class WordValues {
public:
  WordValues(const trace::Trace& trace, const trace::MergedProgram& program);

  Sequence sequence(const trace::Word& word, std::int64_t rank,
                    const trace::Positions::Position& position);
  const trace::Positions& positions(std::int64_t rank) const {
    return positions_[static_cast<std::size_t>(rank)];
  }
  const trace::MergedProgram& program() const { return program_; }
  /// Values of an array, as the trace has them.
  const std::vector<std::int64_t>& array(std::int64_t index) const {
    return program_.arrays[static_cast<std::size_t>(index)];
  }

private:
  std::shared_ptr<const std::vector<std::int64_t>> expanded(std::int64_t column);

  const trace::MergedProgram& program_;
  std::vector<trace::Positions> positions_;
  trace::Program by_rank_; // has the functions
  std::map<std::int64_t, std::shared_ptr<const std::vector<std::int64_t>>> expanded_;
};

/// The loops around a place, outermost first.
struct EnclosingLoops {
  struct Around {
    std::string variable;
    std::int64_t count = 0; // iterations each time, on every rank; 0 if it varies
  };
  std::vector<Around> loops; // none if the words of the place are those of other places too
};

struct ValueKind {
  std::string hint; // of what tables are called
  std::string type = "int"; // C's
  bool is_number = true; // may be computed from the rank
  Leaf leaf; // how a constant is written
  std::function<std::string(std::int64_t)>
      constant_name; // of values that are MPI's constants; "" else
};

/// Writes values down; what takes tables goes into the benchmark.
class ValueForms {
public:
  explicit ValueForms(Benchmark& benchmark) : benchmark_(benchmark) {}

  /// @param values   one for each rank of the domain
  Expression expression(const Domain& domain, const std::vector<Sequence>& values,
                        const EnclosingLoops& place, const ValueKind& kind);
  /// A table of rows of their own, of one length, filled up with zeros.
  std::string add_rows(const std::vector<std::vector<std::int64_t>>& rows, const ValueKind& kind);
  /// Times by rank.
  Expression times(const Domain& domain, const std::vector<double>& by_rank);

private:
  struct Block; // what repeats

  static std::vector<Block> blocks_of(const std::vector<Sequence>& values,
                                      const EnclosingLoops& place, std::size_t used);
  static void drop_if_unused(std::vector<Block>& blocks, std::size_t d);

  Expression by_rank(const Domain& domain, const std::vector<std::int64_t>& values,
                     const ValueKind& kind);
  Expression by_iteration(const Domain& domain, const std::vector<Block>& blocks,
                          const EnclosingLoops& place, const ValueKind& kind);
  Expression series(const Domain& domain, const std::vector<Sequence>& values,
                    const ValueKind& kind);
  Expression in_table(const Block& block, const EnclosingLoops& place, const ValueKind& kind);
  std::string fresh(const std::string& hint) {
    return hint + "_" + std::to_string(++numbers_[hint]);
  }
  std::string add_table(Table table, const ValueKind& kind);

  Benchmark& benchmark_;
  std::map<std::string, int> numbers_;
};

} // namespace rondo::generate::internal
