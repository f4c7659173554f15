// SPDX-License-Identifier: Apache-2.0
// Communication patterns for people: those that are the same in kind and come from the same
// function of the program are one entry, and light ones are counted only.
#pragma once

#include "rondo/patterns/catalogue.hpp"
#include "rondo/patterns/communication_patterns.hpp"
#include "rondo/sites/resolver.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::present {

struct PatternKind {
  std::string name; // what most of its messages are: "halo exchange"
  std::string function; // in which they are sent; empty if that is not known
  patterns::Documentation known; // of the first pattern
  std::vector<std::size_t> patterns; // indices into the found ones, in the order of the chosen
};

struct PatternKinds {
  std::vector<PatternKind> shown; // in the order of their first patterns
  std::size_t left_out = 0; // patterns of none of these kinds, or too light
  std::uint64_t left_out_bytes = 0; // of them, counted in each
  std::uint64_t all_bytes = 0; // of the run's events
};

struct KindOptions {
  std::size_t most = 20; // kinds
  /// If there are more patterns than that, the lightest at the end are left out, as far as they
  /// have less than a hundredth of the bytes together. 0: none are.
  std::size_t most_with_light = 10;
};

/// What a pattern moves: its messages, and what its ranks hand to collectives.
std::uint64_t bytes_of(const patterns::CommunicationPattern& pattern);

/// What a pattern is, in a word or two: the name of the phase that moves most, if it has any.
std::string kind_of(const patterns::CommunicationPattern& pattern,
                    const patterns::Documentation& known);

/// @param chosen   indices into found.patterns
/// @complexity     that of documented() for each pattern that is not light
PatternKinds kinds_of(const trace::Trace& trace, const patterns::CommunicationPatterns& found,
                      const std::vector<std::size_t>& chosen, sites::Resolver& resolver,
                      const KindOptions& options = {});

/// ", 37 % of all bytes"; empty if there are none.
std::string share_text(const PatternKinds& kinds, const patterns::CommunicationPattern& pattern);

/// "     5 more of this kind (pair exchange in swap): number 6 (5.9 MB, 17 %, ranks 6-7); ...", as
/// a line; empty if the kind has one pattern.
std::string others_text(const patterns::CommunicationPatterns& found, const PatternKinds& kinds,
                        const PatternKind& kind);

/// What is not shown, and what to type for it, as a line; empty if all is.
std::string left_out_text(const PatternKinds& kinds);

/// The ranks that take part.
std::string ranks_of(const patterns::CommunicationPatterns& found,
                     const patterns::CommunicationPattern& pattern);

} // namespace rondo::present
