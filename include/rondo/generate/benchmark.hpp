// SPDX-License-Identifier: Apache-2.0
// The intermediate form of a generated benchmark: what any language needs to write it down. A
// program of all ranks with loops, conditions on the rank, computation as a time, and MPI calls
// whose arguments are expressions. docs/formats/benchmark.md describes it.
//
//   auto benchmark = benchmark_of(trace, options);
//   if (!benchmark) return propagate(benchmark);
//   for (const auto& [file, text] : write_c(*benchmark, how)) use(file, text); // writers.hpp
//
// Objects stand in tables by kind ("comm", "type", "group", "op", "win", "file", "message") and
// are named by their place. Requests stand in a ring in the order they were made; one is named by
// its age.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/generate/expression.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rondo::generate {

/// A number that the program's text calls by name.
struct Constant {
  std::string name;
  std::int64_t value = 0;
  std::string comment;
};

/// Values by rank, iteration or both; rows above each other.
struct Table {
  std::string name;
  std::string type = "int"; // C's
  std::vector<std::int64_t> dimensions; // the last one varies fastest
  std::vector<std::int64_t> values;
  std::vector<double> seconds; // in place of values, of type double
  std::map<std::int64_t, std::string> names; // of values that are MPI's constants
  std::vector<std::int64_t> lengths; // of rows that zeros fill up; empty if all are as long
};

/// Equal steps: first, first + step, ..., `count` values.
struct Progression {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t count = 1;
};

/// Values that a program takes one after the other; call("next", {series}) gives the next one.
struct Series {
  std::string name;
  std::vector<std::vector<Progression>> rows; // each without end: the last value stays
  std::vector<std::int64_t> row_of_rank;
  std::map<std::int64_t, std::string> names;
};

/// A share of a place's computations, for times drawn from what was recorded.
struct Histogram {
  std::string name;
  std::vector<std::pair<double, std::uint64_t>> bins; // seconds, count
};

/// Times that a place's computations had one after the other; call("recorded", {course}) gives the
/// next one. A rank goes through one row, each time multiplied with its factor.
struct Course {
  struct Row {
    std::vector<double> seconds;
    std::int64_t stride = 1; // one block of trace::TimeCourse::kBlock passes in so many is there
    std::int64_t passes = 0; // of the recorded run
    std::vector<std::pair<std::int64_t, double>> apart{}; // passes that no block has, ascending
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::string name;
  std::vector<Row> rows;
  std::vector<std::int64_t> row_of_rank;
  std::vector<double> factor_of_rank;
  bool is_exact = false; // to the nanosecond, and whole
};

struct Argument {
  std::string name; // as in MPI's C binding
  Expression value;
  friend bool operator==(const Argument&, const Argument&) = default;
};

struct Statement {
  enum class Kind : std::uint8_t {
    kCall, // MPI's function `name` with `arguments`
    kLoop, // `name` from 0 below `value`: body
    kIf, // `value`: body, else otherwise
    kCompute, // for `value` seconds
    kInvoke, // the function `name`, with an argument for each of its parameters
  };
  Kind kind = Kind::kCall;
  std::string name;
  std::vector<Argument> arguments{};
  Expression value{};
  std::vector<Statement> body{};
  std::vector<Statement> otherwise{};
  std::string comment{};
  std::vector<std::uint32_t> sites{}; // of a call: where the recorded program made it, ascending
  std::int64_t full = 0; // of a skeleton: iterations of the loop that the recorded program made
  bool is_part = false; // the loop of a function that is called with fewer iterations
  /// Whether both do the same, wherever the recorded program had them.
  friend bool operator==(const Statement& a, const Statement& b);
};

struct Parameter {
  std::string name;
  std::string type = "int"; // C's
};

struct Function {
  std::string name;
  std::string comment;
  bool has_iterations = false; // takes the trip count "iterations" as its argument
  std::vector<Parameter> parameters; // if it does not
  std::vector<Statement> body;
};

/// A thread beside the one that calls MPI_Init. It has requests and objects of its own; objects
/// that the first one made are in tables whose names begin with "first_". What it does comes in
/// phases: "let_threads" (first, last, n) in main lets these threads do their first n,
/// "await_threads" waits for that, and "next_phase" stands between them.
struct Thread {
  std::uint32_t number = 1;
  std::string function; // without parameters
};

/// A datatype, operation or communicator of MPI's that stands in a table of objects, for calls that
/// use several in turn.
struct Preset {
  std::string table;
  std::int64_t place = 0;
  std::string name; // MPI's
};

/// A file that has to be there before the program reads it.
struct ScratchFile {
  std::string name;
  std::int64_t bytes = 0; // 0: it need not exist
};

struct Benchmark {
  std::string title;
  std::int64_t ranks = 0;
  std::vector<std::string> notes; // what was kept and how, a sentence each
  std::vector<Constant> constants;
  std::vector<Table> tables;
  std::vector<Series> series;
  std::vector<Histogram> histograms;
  std::vector<Course> courses;
  std::map<std::string, std::int64_t> objects; // kind -> length of its table
  std::vector<Preset> presets;
  std::vector<ScratchFile> files;
  std::int64_t requests = 0; // length of the ring of nonblocking requests, a power of two
  std::int64_t persistent = 0; // persistent requests at a time, at most
  std::int64_t longest_list = 0; // of requests or datatypes in one call
  std::int64_t buffer_bytes = 0; // the largest message, sent or received
  std::int64_t attached_bytes = 0; // for MPI_Buffer_attach
  std::int64_t address_bytes = 0; // for datatypes of addresses
  std::vector<Function> functions; // each calls only those before it
  std::vector<Thread> threads; // by number, from 1
  std::vector<Statement> main;
  bool is_skeleton = false; // loops were shortened
  double recorded_seconds = 0; // from MPI_Init to MPI_Finalize
  double computed_seconds = 0; // of all ranks, by what stands here, with all passes of loops
};

enum class Times : std::uint8_t {
  kCourse, // as they came, where they vary by what matters; else of each rank, where ranks differ
  kMean, // of all ranks that do the same
  kRank, // of each rank, where ranks differ
  kHistogram, // drawn
  kFull, // every one, of traces that have the times of every call
  kNone, // no computation
};

struct BenchmarkOptions {
  Times times = Times::kCourse;
  /// Words for a call site of the recorded program, as a comment; nothing is said without it.
  std::function<std::string(std::uint32_t site)> site{};
  /// The recorded program's functions on the stack of a call site, the one that made the call
  /// first: functions are called like them; without it they have numbers.
  std::function<std::vector<std::string>(std::uint32_t site)> functions{};
};

/// @param trace  complete, with every call of every rank; wildcards stand as they are
/// @error        kUnsupported with the list of the calls that can't be generated
/// @complexity   O(size of the program * ranks + values of its columns)
/// @source       [benchmarkgeneration, sec. 3]
Result<Benchmark> benchmark_of(const trace::Trace& trace, const BenchmarkOptions& options = {});

} // namespace rondo::generate
