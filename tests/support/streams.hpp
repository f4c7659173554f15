// SPDX-License-Identifier: Apache-2.0
// Streams of symbols to fold: what programs do, and what no program does but must not hurt.
#pragma once

#include "rondo/trace/nest.hpp"
#include "tests/support/nest_text.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rondo::support {

using Random = std::mt19937_64;

/// A number in [0, limit).
std::uint64_t pick(Random& random, std::uint64_t limit);

struct ProgramOptions {
  std::uint32_t alphabet = 0; // symbols; 0 gives every call a symbol of its own
  int depth = 3;
  bool varying_trips = false; // each entry of a loop takes another count
  bool optional_calls = false;
  bool skipped_loops = false;
  std::size_t max_length = 3000;
};

/// What a random program of nested loops calls.
Stream random_program(Random& random, const ProgramOptions& options);

Stream random_letters(Random& random, std::size_t length, std::uint32_t alphabet);
Stream no_repetition(std::size_t length); // 0 1 2 ...
Stream thue_morse(std::size_t length); // no overlap: a x a x a never occurs
Stream fibonacci_word(std::size_t length);
Stream de_bruijn(std::size_t order); // every word of two letters and so many symbols once
Stream changing_periods(std::size_t length); // a loop whose body grows and shrinks, cut in midst
Stream growing_loops(std::size_t loops); // a b, a a b, a a a b, ...
Stream square_free(std::size_t length); // of three letters: w w never occurs

struct NamedStream {
  std::string name;
  Stream stream;
};
/// All hostile streams, most of them about `length` symbols.
std::vector<NamedStream> hostile_streams(std::size_t length);

/// A random nest of at most `symbols` symbols and what it expands to.
struct NestAndStream {
  trace::Nest nest;
  Stream stream;
};
NestAndStream random_nest(Random& random, std::uint32_t symbols);

} // namespace rondo::support
