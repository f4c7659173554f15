// SPDX-License-Identifier: Apache-2.0
// Where calls stand in the source: call sites (module, offset) as function, file and line. The
// names that are stored in the trace come first. Else they are looked up in the debug information
// of the files that the program ran; in their symbols if there is none.
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
struct SourcePlace : trace::SiteName {
  std::string module;
  std::uint64_t offset = 0; // of the return address in the module

  bool has_line() const { return line != 0; }
};

/// "solve at lu.f90:231", "exchange at halo.cpp:52, inlined in main", "solve+0x12" or
/// "lu+0x1234"; empty if nothing at all is known.
std::string text(const SourcePlace& place);

/// Which files that traces name resolvers open.
enum class Modules : std::uint8_t {
  kNone, // calls that have no name in the trace are shown by address
  kOfNameless, // for traces that have no names at all: others say all that there was to know
  kAll, // for each site without a name
};

/// One setting for the process, kOfNameless at first: a program that reads archives of people whom
/// it does not trust sets kNone.
void allow_modules(Modules which);

/// Names for all sites of a trace, its own and those found now, whatever allow_modules said last.
struct Naming {
  std::vector<trace::SiteName> names; // for Trace::names; empty if nothing is known of any site
  std::size_t known = 0; // sites with a name
  std::size_t found = 0; // of them, what the trace did not have
  std::vector<std::string> remarks; // a sentence for each module that could not be used
};
/// @complexity   opens each module once, reads its debug information as far as sites need it
Naming name_sites(const trace::Trace& trace);

class Resolver {
public:
  explicit Resolver(const trace::Trace& trace); // which outlives the resolver
  Resolver(const trace::Trace& trace, Modules which);
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
  /// text() with those callers that tell the site from others that make the call at the same place,
  /// and the first function that has a name: "solve (lu.c:12) < ... < step (lu.c:40) < ...".
  /// @complexity   O(n log n) of n sites for the first time, then linear in the sites of that place
  std::string short_text(std::uint32_t site);
  /// Names of the functions on the stack, the one that makes the call first.
  std::vector<std::string> functions(std::uint32_t site);

  /// A sentence for each module that could not be used for sites asked for so far.
  const std::vector<std::string>& remarks() const { return remarks_; }

private:
  class Impl;
  void look_up(std::uint32_t site, SourcePlace& place);
  std::size_t common_frames(std::uint32_t site, std::uint32_t other) const;
  std::vector<bool> telling_frames(std::uint32_t site, std::size_t frames);

  const trace::Trace* trace_;
  Modules which_;
  std::vector<std::optional<SourcePlace>> places_; // by site
  std::vector<std::uint32_t> by_place_; // sites in the order of modules and offsets, once asked for
  std::vector<std::string> remarks_;
  std::unique_ptr<Impl> impl_;
};

} // namespace rondo::sites
