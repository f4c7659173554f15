// SPDX-License-Identifier: Apache-2.0
// The tables of a benchmark's objects: which place a recorded slot has, places for MPI's own
// objects that calls take in turn, and one place for objects that came out null.
#pragma once

#include "generate/lower/arguments/values.hpp"
#include "rondo/trace/functions.hpp"

#include <map>
#include <string>

namespace rondo::generate::internal {

/// "comm", "type", ...; empty for what is no object.
std::string table_of(trace::FieldKind kind);

class Objects {
public:
  explicit Objects(Benchmark& benchmark) : benchmark_(benchmark) {}

  /// A slot that a call refers to, before any place is asked for.
  void see(trace::FieldKind kind, std::int64_t slot);
  /// An object as an argument.
  Expression use(ValueForms& forms, const Domain& domain, const std::vector<Sequence>& slots,
                 const EnclosingLoops& place, trace::FieldKind kind);
  /// Where a call puts a new object, or finds the one that it frees.
  Expression slot(ValueForms& forms, const Domain& domain, const std::vector<Sequence>& slots,
                  const EnclosingLoops& place, trace::FieldKind kind);
  /// Place in the table of what a word says: a recorded slot, a preset object, or the one for null.
  std::int64_t place_of(trace::FieldKind kind, std::int64_t word);

private:
  Benchmark& benchmark_;
  std::map<trace::FieldKind, std::int64_t> recorded_; // kind -> slots
};

} // namespace rondo::generate::internal
