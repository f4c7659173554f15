// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_sums.hpp"

#include <algorithm>

namespace rondo::trace {
namespace {

template <class Entries, class Key, class KeyOf>
auto lower_bound_of(Entries& entries, const Key& key, KeyOf key_of) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [&](const auto& entry, const Key& k) { return key_of(entry) < k; });
}

constexpr auto kId = [](const TimeSums::Function& entry) { return entry.id; };
constexpr auto kName = [](const TimeSums::Phase& entry) { return std::string_view(entry.name); };

template <class Entries> bool add_up_to(const Entries& entries, const TimeSum& all) {
  TimeSum sum;
  for (const auto& entry : entries) sum += entry.time;
  return !entries.empty() && sum == all;
}

} // namespace

const TimeSum* TimeSums::of_function(std::uint16_t id) const {
  const auto found = lower_bound_of(functions, id, kId);
  return found != functions.end() && found->id == id ? &found->time : nullptr;
}

const TimeSum* TimeSums::of_phase(std::string_view name) const {
  const auto found = lower_bound_of(phases, name, kName);
  return found != phases.end() && found->name == name ? &found->time : nullptr;
}

void TimeSums::add_function(std::uint16_t id, const TimeSum& time) {
  auto at = lower_bound_of(functions, id, kId);
  if (at == functions.end() || at->id != id) at = functions.insert(at, {id, {}});
  at->time += time;
}

void TimeSums::add_phase(std::string_view name, const TimeSum& time) {
  auto at = lower_bound_of(phases, name, kName);
  if (at == phases.end() || at->name != name) at = phases.insert(at, {std::string(name), {}});
  at->time += time;
}

bool TimeSums::functions_add_up_to(const TimeSum& all) const { return add_up_to(functions, all); }

bool TimeSums::phases_add_up_to(const TimeSum& all) const { return add_up_to(phases, all); }

} // namespace rondo::trace
