// SPDX-License-Identifier: Apache-2.0
// One rank's calls in words that mean the same in every trace: objects and requests by the order in
// which the rank got them, what came instead of what a wildcard asked for, communicators by their
// members. Two ranks say the same if these words are equal, one by one.
//
//   Vocabulary vocabulary;                         // shared by all readers that are compared
//   ComparableCalls a(trace, rank_class, rank, vocabulary, options);
//   while (const ComparableCall* call = a.next()) ...
#pragma once

#include "generate/lower/arguments/addresses.hpp"
#include "generate/lower/arrivals.hpp"
#include "generate/lower/completions.hpp"
#include "generate/lower/queries.hpp"
#include "rondo/generate/comparison.hpp"
#include "rondo/trace/trace.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::generate {

/// Numbers for texts and definitions, so that equal ones are equal words.
class Vocabulary {
public:
  std::int64_t of(const std::string& text);
  std::int64_t of(const std::vector<std::int64_t>& values);

private:
  std::unordered_map<std::string, std::int64_t> texts_;
  std::map<std::vector<std::int64_t>, std::int64_t> values_;
};

struct ComparableCall {
  const trace::Function* function = nullptr;
  std::uint16_t error = 0;
  std::vector<std::int64_t> words;
  std::vector<std::uint32_t> starts; // for each field: its first word; and the end of all
  std::uint64_t call = 0; // number of the call in its stream, from 0
  std::int64_t asked_source = trace::kNothing; // of a receive or probe, where words have what came
  std::int64_t asked_tag = trace::kNothing;
  friend bool operator==(const ComparableCall& a, const ComparableCall& b) {
    return a.function == b.function && a.error == b.error && a.words == b.words;
  }
};

class ComparableCalls {
public:
  /// All must outlive the reader; `rank` is one of the class.
  ComparableCalls(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank,
                  Vocabulary& vocabulary, const ComparisonOptions& options);

  /// The next call that counts, valid until the call after; nullptr at the end.
  const ComparableCall* next();

  /// False for a trace that was converted from a format without statuses.
  bool knows_what_came() const { return knows_what_came_; }

  std::uint64_t calls() const { return calls_; } // so far
  std::uint64_t idle_polls() const { return idle_polls_; } // among them
  std::uint64_t queries() const { return queries_; } // among them

private:
  static constexpr std::size_t kKinds = 17;

  void say(const trace::CallInstance& call, const trace::CallMeaning& means);
  void field(const trace::CallInstance& call, const trace::CallMeaning& means,
             const trace::Field& field, int word);
  void value(const trace::Field& field, std::int64_t word);
  void array(const trace::Function& function, const trace::Field& field, std::int64_t word);
  void object(const trace::Field& field, std::int64_t word);
  void completed(const trace::CallInstance& call, const trace::CallMeaning& means);
  std::int64_t definition_of(trace::FieldKind kind, std::int64_t slot);
  std::int64_t text_of(const trace::Field& field, std::int64_t word);

  bool is_left_out(const trace::CallInstance& call);

  const trace::Trace* trace_;
  trace::CallReader reader_;
  Arrivals arrivals_;
  Vocabulary* vocabulary_;
  ComparisonOptions options_;
  bool said_differing_ = false; // what receives got that got different messages
  bool knows_what_came_;
  RequestNumbers numbers_;
  internal::QueriedTypes queried_;
  internal::AddressedTypes addressed_;
  std::array<std::int64_t, kKinds> made_{}; // by kind of object
  std::array<std::unordered_map<std::int64_t, std::int64_t>, kKinds> number_; // slot -> number
  /// Field and text -> place among first uses.
  std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> names_;
  std::unordered_map<std::int64_t, const trace::DatatypeDefinition*> datatypes_; // by slot
  std::vector<Completion> completions_;
  std::vector<std::int64_t> requests_;
  ComparableCall call_;
  std::uint64_t calls_ = 0;
  std::uint64_t idle_polls_ = 0;
  std::uint64_t queries_ = 0;
};

} // namespace rondo::generate
