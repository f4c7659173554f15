// SPDX-License-Identifier: Apache-2.0
// Where in a program efficiency is lost: its time by marked phase, communicator, MPI function, or
// function of the program.
//
//   PartNumbers numbers(trace, PartsBy::kPhase);
//   for (const PartFactors& part : parts_of(trace, factors_of(trace), numbers).parts)
//     use(part.name, part.parallel, part.lost);
//
// A call and the computation before it are in one part, so that each moment of a run is in exactly
// one: computation and time inside MPI add up to those of the run, rank by rank, in ns.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/efficiency/factors.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/persistent_slots.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::efficiency {

enum class PartsBy : std::uint8_t {
  kPhase, // the innermost that is marked (rondo_phase.h)
  kCommunicator, // of calls that complete requests: theirs
  kFunction, // MPI's
  kProcedure, // the program's function that makes the call
};

/// "phase", "communicator", "function" or "procedure".
/// @error kUsage
Result<PartsBy> parse_parts_by(std::string_view name);

/// The program's function that a call site stands in; empty: not known.
using ProcedureOfSite = std::function<std::string(std::uint32_t site)>;

/// Gives each part a number, as it is met.
class PartNumbers {
public:
  /// @param procedure  for PartsBy::kProcedure; the trace must outlive the object
  PartNumbers(const trace::Trace& trace, PartsBy by, ProcedureOfSite procedure = {});

  PartsBy by() const { return by_; }
  const std::vector<std::string>& names() const { return names_; }
  std::uint32_t of_name(const std::string& name);
  /// Outside of all phases.
  std::uint32_t outside();
  std::uint32_t of_function(const trace::Function& function);
  std::uint32_t of_site(std::uint32_t site);
  std::uint32_t of_comm(std::int64_t slot);

private:
  PartsBy by_;
  ProcedureOfSite procedure_;
  std::optional<trace::CommunicatorNames> comms_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::optional<std::uint32_t> outside_;
  std::vector<std::optional<std::uint32_t>> of_function_; // by id
  std::unordered_map<std::int64_t, std::uint32_t> of_comm_; // by slot
  std::unordered_map<std::uint32_t, std::uint32_t> of_site_;
};

/// Follows the calls of one stream.
class PartTracker {
public:
  /// All must outlive the object.
  PartTracker(PartNumbers& numbers, const trace::Program& program)
      : numbers_(&numbers), program_(&program) {}
  /// The part of the stream's next call, and of the computation before it.
  /// @complexity O(1); O(requests) of the call by communicator
  std::uint32_t next(const trace::CallInstance& call);

private:
  std::uint32_t phase(const trace::CallInstance& call);
  std::uint32_t communicator(const trace::CallInstance& call);
  std::uint32_t of_requests(const trace::CallInstance& call);
  std::optional<std::uint32_t> of_request(std::int64_t reference);

  PartNumbers* numbers_;
  const trace::Program* program_;
  std::vector<std::uint32_t> phases_; // that are open
  std::vector<std::uint32_t> requests_; // the parts of those made last, by number
  std::uint64_t made_ = 0;
  trace::PersistentSlots<std::uint32_t> slots_;
  std::unordered_map<std::int64_t, std::uint32_t> windows_;
};

struct PartTime { // of one rank
  std::uint64_t useful_ns = 0;
  std::uint64_t inside_ns = 0; // without start-up
};

/// Its factors are those of a program that does nothing but this part.
struct PartFactors {
  std::string name; // empty: outside of all phases, or a function that is not known
  std::vector<PartTime> by_rank{};
  double runtime_s = 0; // of the rank that spends most in it
  double useful_mean_s = 0;
  double useful_max_s = 0;
  std::int64_t slowest_rank = 0; // has useful_max_s
  double parallel = 1; // load_balance * communication
  double load_balance = 1;
  double communication = 1;
  std::optional<double> ideal_runtime_s{}; // on the network that takes no time
  double serialisation = 1;
  double transfer = 1; // nothing is known of it where Parts::has_no_inside
  double share = 0; // of all ranks' time in the run
  double lost = 0; // of that time: in this part, inside MPI
};

struct Parts {
  std::vector<PartFactors> parts; // by number
  /// Of all ranks' time: after a rank's end, paused, or without a processor. What all parts lose
  /// and this are 1 - the run's parallel efficiency.
  double in_none = 0;
  bool has_no_inside = false; // as Factors has it
};

/// @param numbers  gets those that are met
/// @complexity O(calls) time, O(ranks * parts) memory
/// @source [rosas2014] for the factors
Parts parts_of(const trace::Trace& trace, const Factors& run, PartNumbers& numbers);

/// Fills in serialisation and transfer of each part.
/// @param run      with its own
/// @param by_rank  seconds that each rank spends in each part on the network that takes no time
void add_ideal(Parts& parts, const Factors& run, const std::vector<std::vector<double>>& by_rank);

} // namespace rondo::efficiency
