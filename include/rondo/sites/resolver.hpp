// SPDX-License-Identifier: Apache-2.0
// Where calls stand in the source: call sites (module, offset) as function, file and line, from the
// debug information of the files that the program ran; from their symbols if there is none.
//
//   sites::Resolver resolver(trace);
//   resolver.text(call.site);          // "solve at lu.f90:231"
//   warn(file, resolver.remarks());    // "app has changed since it was recorded: ..."
//
// A file that is not the one which ran (another build-id) names nothing: a wrong line is worse than
// none. Files are opened when a site of theirs is asked for.
//
// Thread rule: one thread at a time.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::sites {

/// What is known of one call site. Empty or 0 means unknown.
struct SourcePlace {
  std::string function; // as the source has it, without parameters; the innermost inlined one
  std::string inlined_in; // the function whose code it became part of, if it was inlined
  std::string file; // as the compiler was told
  std::uint64_t line = 0; // of the call
  std::uint64_t function_offset = 0; // of the return address from the function's start
  std::string module;
  std::uint64_t offset = 0; // of the return address in the module

  bool has_line() const { return line != 0; }
};

/// "solve at lu.f90:231", "exchange at halo.cpp:52, inlined in main", "solve+0x12" or
/// "lu+0x1234"; empty if nothing at all is known.
std::string text(const SourcePlace& place);

/// Whether resolvers open the files that traces name; they do unless told otherwise. One setting
/// for the process: a program that reads archives of people it does not trust takes it away, and
/// calls are then shown by address.
void allow_modules(bool are_allowed);

class Resolver {
public:
  explicit Resolver(const trace::Trace& trace); // which outlives the resolver
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// The site with this index. The reference holds as long as the resolver.
  /// @complexity   O(1) but for the first time
  const SourcePlace& place(std::uint32_t site);
  /// The sites on the call stack, the call's own first, as far as they were recorded.
  std::vector<std::uint32_t> stack(std::uint32_t site) const;
  /// The stack as text: "solve (lu.c:12) < main (lu.c:40)"; as text(place) if it is one site.
  std::string text(std::uint32_t site);

  /// A sentence for each module that could not be used for sites asked for so far.
  const std::vector<std::string>& remarks() const { return remarks_; }

private:
  class Impl;
  const trace::Trace* trace_;
  std::vector<std::optional<SourcePlace>> places_; // by site
  std::vector<std::string> remarks_;
  std::unique_ptr<Impl> impl_;
};

} // namespace rondo::sites
