// SPDX-License-Identifier: Apache-2.0
// One recorded call while it is turned into statements: the ranks that make it, where they stand in
// its communicator, and the values of each of its words.
#pragma once

#include "generate/lower/arguments/values.hpp"
#include "generate/lower/objects.hpp"
#include "generate/lower/places.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::generate::internal {

struct CallContext {
  const trace::MergedCall* merged = nullptr;
  const trace::Function* function = nullptr;
  std::vector<std::int64_t> ranks;
  Domain domain;
  EnclosingLoops place;
  std::vector<std::vector<Sequence>> words; // by word and rank

  /// nullptr for words behind the first of a status.
  const trace::Field* field_of(int word) const;
  /// Only the executions in which the word has that value, as a truth; the loops around say nothing
  /// about them.
  CallContext only(int word, std::int64_t value) const;
};

class CallContexts {
public:
  /// All must outlive the object.
  CallContexts(const trace::Trace& trace, WordValues& words, Places& places, ValueForms& forms,
               Objects& objects)
      : trace_(trace), words_(words), places_(places), forms_(forms), objects_(objects) {}

  /// @param symbol  of the merged program
  /// @param at      where it stands, if the values of that place alone are meant
  CallContext of(std::size_t symbol, const EnclosingLoops& place, const TermPlace* at = nullptr);

private:
  void set_domain(CallContext& context);

  const trace::Trace& trace_;
  WordValues& words_;
  Places& places_;
  ValueForms& forms_;
  Objects& objects_;
};

} // namespace rondo::generate::internal
