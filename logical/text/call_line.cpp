// SPDX-License-Identifier: Apache-2.0
#include "logical/text/call_line.hpp"

#include "logical/places/names.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace rondo::logical::internal {
namespace {

tl::unexpected<std::string> bad(std::string message) { return tl::unexpected(std::move(message)); }

// A time that human_duration() writes as `text`; it writes 1 µs as "1 µs", but 1.01 µs as "1.0 µs".
std::optional<double> duration_ns(const std::string& text) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr std::array<Unit, 6> kUnits{
      {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}};
  const std::vector<std::string> words = split(text, " ");
  double sum = 0;
  double smallest = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    double value = 0;
    const char* const last = words[i].data() + words[i].size();
    const auto [end, error] = std::from_chars(words[i].data(), last, value);
    const auto* unit = std::find_if(kUnits.begin(), kUnits.end(),
                                    [&](const Unit& u) { return u.name == words[i + 1]; });
    if (error != std::errc{} || end != last || unit == kUnits.end()) return std::nullopt;
    sum += value * unit->ns;
    smallest = unit->ns;
  }
  for (const double ns : {sum, sum + smallest / 100}) {
    if (ns > 0 && human_duration(ns) == text) return ns;
  }
  return std::nullopt;
}

bool is_known_call(const std::string& name) {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names;
    for (const trace::Function& function : trace::all_functions())
      names.insert(short_name(function.name));
    return names;
  }();
  return kNames.contains(name);
}

// "# 1.2 ms before, at x_solve.f:120, 135"; either half may be missing.
tl::expected<void, std::string> note(const std::string& text, CallStatement& call) {
  constexpr std::string_view kBefore = " before";
  constexpr std::string_view kAt = "at ";
  std::string_view rest = std::string_view(text).substr(2);
  const bool has_time = !rest.starts_with(kAt);
  const std::size_t end = has_time ? rest.find(kBefore) : 0;
  if (end == std::string_view::npos)
    return bad("has a remark that is no '# TIME before, at PLACES'");
  if (has_time) {
    const auto ns = duration_ns(std::string(rest.substr(0, end)));
    if (!ns) return bad("has a time that is none: '" + text + "'");
    call.before_ns = *ns;
    rest.remove_prefix(end + kBefore.size());
    if (rest.starts_with(", ")) rest.remove_prefix(2);
  }
  if (rest.starts_with(kAt)) {
    call.places = rest.substr(kAt.size());
    rest = {};
  }
  if (!rest.empty()) return bad("has a remark that is no '# TIME before, at PLACES'");
  return {};
}

} // namespace

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_padded = text.size() > 1 && text.front() == '0';
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && !is_padded;
  return is_number ? std::optional(value) : std::nullopt;
}

tl::expected<CallStatement, std::string> call_of(std::string_view text) {
  CallStatement call;
  std::vector<std::string> parts = split(text, kGap);
  if (parts.size() > 1 && parts.back().starts_with("# ")) {
    if (auto done = note(parts.back(), call); !done) return tl::unexpected(done.error());
    parts.pop_back();
  }
  for (const std::string& part : parts) {
    if (part.empty() || part.front() == ' ') return bad("has more than two blanks in a row");
    if (part.front() == '#') return bad("has a '#' in front of its last words");
  }
  const std::size_t blank = parts[0].find(' ');
  call.name = parts[0].substr(0, blank);
  if (!is_known_call(call.name))
    return bad("'" + call.name + "' is no MPI call; it stands without MPI_ and in lower case");
  if (blank != std::string::npos) call.what = parts[0].substr(blank + 1);
  call.remarks.assign(parts.begin() + 1, parts.end());
  return call;
}

} // namespace rondo::logical::internal
