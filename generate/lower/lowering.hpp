// SPDX-License-Identifier: Apache-2.0
// A merged program as statements: loops as loops, guards as conditions on the rank, loops that
// stand in several places as functions.
#pragma once

#include "generate/lower/calls.hpp"
#include "generate/lower/times/computation.hpp"
#include "generate/lower/times/predecessors.hpp"

#include <set>
#include <string>
#include <vector>

namespace rondo::generate::internal {

class Lowering {
public:
  /// @param index   of the merged program in the trace
  Lowering(const trace::Trace& trace, std::size_t index, const BenchmarkOptions& options,
           Shared& shared);

  /// Sees what the program refers to; of all programs, before any of them is added.
  void survey() { calls_.survey(); }
  /// Adds the program to the statements of its thread.
  void run(std::vector<Statement>& into);

private:
  using Ranks = std::vector<std::int64_t>;
  // A loop that is being written.
  struct Open {
    std::size_t loop = 0;
    std::string variable;
    std::int64_t count = 0; // 0 if it varies
    bool starts_it = false; // nothing stands before the term in its body, for the term's ranks
    bool is_choice = false; // goes round once or not at all: it has no variable
  };
  // How often a loop iterates each time that it is entered.
  struct Trips {
    Expression value;
    std::int64_t constant = 0; // if that is always the same, else 0
    bool is_choice = false; // once or not at all: the value says whether it does
  };

  void note_uses(std::uint32_t id, const std::vector<trace::Term>& body);
  const std::set<std::uint32_t>& symbols_of(std::size_t loop);
  const Ranks& ranks_of(trace::Term term);

  std::vector<Statement> body(std::uint32_t id, const std::vector<trace::Term>& terms,
                              const Ranks& universe);
  std::vector<Statement> term(trace::Term term, const TermPlace& at);
  void guarded(std::vector<Statement>& into, std::vector<Statement> statements, const Ranks& ranks,
               const Ranks& universe, Ranks& last);
  Expression condition(const Ranks& inside, const Ranks& universe);
  std::vector<Statement> call_statements(std::size_t symbol, const TermPlace& at);
  Statement loop_statement(std::size_t loop, Trips trips);
  Statement invocation(std::size_t loop, const TermPlace& at);
  Trips trip_count(std::size_t loop, const TermPlace& at, bool may_be_choice);
  std::string next_variable() const;
  bool has_one_trip_count(std::size_t loop) const;
  std::string function_name(std::size_t loop);
  EnclosingLoops place() const;
  bool only_asks(std::size_t loop);
  bool computes(std::size_t loop);
  bool is_single(trace::Term term) const;
  bool tells_places_apart(std::size_t symbol);

  const trace::Trace& trace_;
  const trace::MergedProgram& program_;
  Shared& shared_;
  Benchmark& benchmark_;
  ValueForms& forms_;
  WordValues words_;
  Places places_;
  Calls calls_;
  Computation computation_;
  Predecessors predecessors_;
  std::map<std::uint32_t, std::vector<TermPlace>> uses_; // of terms, in all bodies
  std::map<std::size_t, bool> tells_apart_; // by symbol
  std::map<std::size_t, std::set<std::uint32_t>> symbols_; // of loops
  std::map<std::uint32_t, Ranks> set_ranks_;
  std::map<std::size_t, std::string> functions_; // of loops
  std::vector<Open> open_; // around the term that is being written, within its function
};

} // namespace rondo::generate::internal
