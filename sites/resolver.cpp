// SPDX-License-Identifier: Apache-2.0
#include "rondo/sites/resolver.hpp"

#include "rondo/base/escape.hpp"
#include "sites/module_file.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/core.h>
#include <map>
#include <numeric>

namespace rondo::sites {
namespace {

constinit std::atomic<Modules> modules_to_open = Modules::kOfNameless;

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string line_text(const SourcePlace& place) {
  return escape::terminal(fmt::format("{}:{}", last_part(place.file), place.line));
}

// A place in the source that another tool has named: the module is "FILE:LINE".
void read_named_place(const std::string& module, SourcePlace& place) {
  const std::size_t colon = module.rfind(':');
  if (colon == std::string::npos) return;
  std::uint64_t line = 0;
  const char* end = module.data() + module.size();
  const auto [rest, error] = std::from_chars(module.data() + colon + 1, end, line);
  if (error != std::errc{} || rest != end || line == 0) return;
  place.file = module.substr(0, colon);
  place.line = line;
  place.module.clear();
}

// Without a line: what the symbols or the module's own addresses say.
std::string address_text(const SourcePlace& place) {
  if (!place.function.empty())
    return escape::terminal(place.function_offset == 0
                                ? place.function // of other tools' traces, which say no more
                                : fmt::format("{}+{:#x}", place.function, place.function_offset));
  if (place.module.empty()) return "";
  return escape::terminal(fmt::format("{}+{:#x}", last_part(place.module), place.offset));
}

// One of several on a call stack: "solve (lu.c:12)".
std::string frame_text(const SourcePlace& place) {
  if (!place.has_line()) return address_text(place);
  const std::string in = place.inlined_in.empty() ? "" : ", inlined in " + place.inlined_in;
  return place.function.empty()
             ? line_text(place)
             : escape::terminal(fmt::format("{} ({}{})", place.function, line_text(place), in));
}

std::pair<std::string_view, std::uint64_t> address_of(const trace::CallSite& site) {
  return {site.module, site.offset};
}

} // namespace

std::string text(const SourcePlace& place) {
  if (!place.has_line()) return address_text(place);
  if (place.function.empty()) return line_text(place);
  return escape::terminal(
      fmt::format("{} at {}{}", place.function, line_text(place),
                  place.inlined_in.empty() ? "" : ", inlined in " + place.inlined_in));
}

// The modules' files, each opened once; nullptr for one that must not be used.
class Resolver::Impl {
public:
  ModuleFile* file(const std::string& path, const trace::Trace& trace, Modules which,
                   std::vector<std::string>& remarks) {
    const auto [known, is_new] = files_.try_emplace(path);
    if (!is_new) return known->second.get();
    if (which == Modules::kNone) {
      remarks.push_back(escape::terminal(path) +
                        " is named by another user's archive, and was not opened: calls in "
                        "it are shown by address; --resolve opens it");
      return nullptr;
    }
    auto file = std::make_unique<ModuleFile>(path);
    const std::string why_not = reason_against(*file, path, trace);
    if (!why_not.empty()) {
      remarks.push_back(escape::terminal(path) + " " + why_not +
                        ": calls in it are shown by address");
      return nullptr;
    }
    return (known->second = std::move(file)).get();
  }

private:
  static std::string reason_against(const ModuleFile& file, const std::string& path,
                                    const trace::Trace& trace) {
    if (!file.is_open()) return "is not here, no regular file, or cannot be read";
    const auto is_it = [&](const trace::Module& module) { return module.path == path; };
    const auto known = std::find_if(trace.modules.begin(), trace.modules.end(), is_it);
    if (known == trace.modules.end()) return ""; // an archive without build-ids
    if (std::find_if(known + 1, trace.modules.end(), is_it) != trace.modules.end())
      return "was not the same file on all ranks";
    return known->build_id == file.build_id()
               ? ""
               : "is not the file that was recorded (its build-id differs)";
  }

  std::map<std::string, std::unique_ptr<ModuleFile>> files_;
};

void allow_modules(Modules which) { modules_to_open = which; }

Resolver::Resolver(const trace::Trace& trace) : Resolver(trace, modules_to_open) {}

Resolver::Resolver(const trace::Trace& trace, Modules which)
    : trace_(&trace), which_(which), places_(trace.sites.size()), impl_(std::make_unique<Impl>()) {}

Resolver::~Resolver() = default;

const SourcePlace& Resolver::place(std::uint32_t site) {
  static const SourcePlace kUnknown;
  if (site >= places_.size()) return kUnknown;
  std::optional<SourcePlace>& known = places_[site];
  if (known) return *known;
  const trace::CallSite& recorded = trace_->sites[site];
  SourcePlace& place = known.emplace();
  place.module = recorded.module;
  place.offset = recorded.offset;
  if (site < trace_->names.size()) static_cast<trace::SiteName&>(place) = trace_->names[site];
  if (!place.is_known()) look_up(site, place);
  return place;
}

void Resolver::look_up(std::uint32_t site, SourcePlace& place) {
  const trace::CallSite& recorded = trace_->sites[site];
  if (recorded.offset == 0) return read_named_place(recorded.module, place); // no return address
  const bool is_enough = !trace_->names.empty() && which_ != Modules::kAll;
  if (recorded.module.empty() || is_enough) return;
  if (ModuleFile* file = impl_->file(recorded.module, *trace_, which_, remarks_))
    file->describe(recorded.offset, place);
}

std::vector<std::uint32_t> Resolver::stack(std::uint32_t site) const {
  std::vector<std::uint32_t> sites;
  while (site < trace_->sites.size()) { // callers stand before: this ends
    sites.push_back(site);
    const std::uint32_t caller = trace_->sites[site].caller;
    if (caller == 0) break;
    site = caller - 1;
  }
  return sites;
}

std::string Resolver::text(std::uint32_t site) {
  const std::vector<std::uint32_t> frames = stack(site);
  if (frames.size() < 2) return sites::text(place(site));
  std::string text;
  for (const std::uint32_t frame : frames) {
    const std::string one = frame_text(place(frame));
    if (!one.empty()) text += (text.empty() ? "" : " < ") + one;
  }
  return text;
}

std::string Resolver::short_text(std::uint32_t site) {
  const std::vector<std::uint32_t> frames = stack(site);
  if (frames.size() < 2) return sites::text(place(site));
  const std::vector<bool> tells = telling_frames(site, frames.size());
  std::string text;
  bool has_name = false;
  bool is_left_out = false;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const SourcePlace& frame = place(frames[i]);
    const std::string one = frame_text(frame);
    if (one.empty()) continue;
    const bool is_first_name = !has_name && !frame.function.empty();
    has_name = has_name || is_first_name;
    if (text.empty() || is_first_name || tells[i]) {
      text += (text.empty() ? "" : " < ") + one;
      is_left_out = false;
    } else if (!is_left_out) {
      text += " < ...";
      is_left_out = true;
    }
  }
  return text;
}

// From the call outwards.
std::size_t Resolver::common_frames(std::uint32_t site, std::uint32_t other) const {
  const std::vector<trace::CallSite>& all = trace_->sites;
  for (std::size_t frames = 0;; ++frames) {
    if (address_of(all[site]) != address_of(all[other])) return frames;
    if (all[site].caller == 0 || all[other].caller == 0) return frames + 1;
    site = all[site].caller - 1;
    other = all[other].caller - 1;
  }
}

// Where the stacks of others that make the call at the same place part from this one.
std::vector<bool> Resolver::telling_frames(std::uint32_t site, std::size_t frames) {
  const auto address = [this](std::uint32_t one) { return address_of(trace_->sites[one]); };
  const auto place = address(site);
  if (by_place_.empty()) {
    by_place_.resize(trace_->sites.size());
    std::iota(by_place_.begin(), by_place_.end(), 0);
    std::ranges::sort(by_place_, {}, address);
  }
  std::vector<bool> tells(frames);
  auto other = std::ranges::lower_bound(by_place_, place, {}, address);
  for (; other != by_place_.end() && address(*other) == place; ++other) {
    const std::size_t common = common_frames(site, *other);
    if (common < frames) tells[common] = true;
  }
  return tells;
}

std::vector<std::string> Resolver::functions(std::uint32_t site) {
  std::vector<std::string> names;
  for (const std::uint32_t frame : stack(site)) {
    const SourcePlace& found = place(frame);
    for (const std::string& name : {found.function, found.inlined_in}) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return names;
}

Naming name_sites(const trace::Trace& trace) {
  Naming naming;
  naming.names = trace.names;
  naming.names.resize(trace.sites.size());
  Resolver resolver(trace, Modules::kAll);
  for (std::uint32_t site = 0; site < trace.sites.size(); ++site) {
    trace::SiteName& name = naming.names[site];
    const bool is_named_elsewhere = trace.sites[site].offset == 0; // by its module
    if (!name.is_known() && !is_named_elsewhere) {
      name = resolver.place(site);
      if (name.is_known()) ++naming.found;
      if (name.line != 0) name.function_offset = 0; // which nobody asks for beside a line
    }
    if (name.is_known()) ++naming.known;
  }
  if (naming.known == 0) naming.names.clear();
  naming.remarks = resolver.remarks();
  return naming;
}

} // namespace rondo::sites
