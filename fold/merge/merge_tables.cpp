// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/merge_tables.hpp"

#include "rondo/base/mixed.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>

namespace rondo::fold {
namespace {

class TableHash {
public:
  TableHash& of(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t value : values) add(static_cast<std::uint64_t>(value));
    return *this;
  }
  TableHash& of(const std::string& text) {
    add(std::hash<std::string>()(text));
    return *this;
  }
  TableHash& of(const std::vector<trace::RankRange>& ranges) {
    add(ranges.size());
    for (const trace::RankRange& range : ranges) of({range.start, range.stride, range.count});
    return *this;
  }
  std::uint64_t value() const { return hash_; }

private:
  void add(std::uint64_t value) { hash_ = mixed(hash_, value); }
  std::uint64_t hash_ = 0;
};

} // namespace

void MergedTables::add(trace::Trace&& from) {
  hosts_.add(
      into_.hosts, std::move(from.hosts),
      [](const trace::Host& row) { return TableHash().of(row.name).value(); },
      [](const trace::Host& a, const trace::Host& b) { return a.name == b.name; },
      &trace::Host::ranks);
  affinities_.add(
      into_.affinities, std::move(from.affinities),
      [](const trace::Affinity& row) { return TableHash().of({row.usable}).value(); },
      [](const trace::Affinity& a, const trace::Affinity& b) {
        return a.processors == b.processors && a.usable == b.usable &&
               a.computation_is_cpu_time == b.computation_is_cpu_time;
      },
      &trace::Affinity::ranks);
  comms_.add(
      into_.comms, std::move(from.comms),
      [](const trace::CommDefinition& row) {
        return TableHash()
            .of({row.slot, row.origin.parent, row.origin.tag, row.origin.ordinal})
            .of(row.members)
            .value();
      },
      [](const trace::CommDefinition& a, const trace::CommDefinition& b) {
        return a.slot == b.slot && a.members == b.members && a.remote == b.remote &&
               a.origin == b.origin;
      },
      &trace::CommDefinition::holders);
  groups_.add(
      into_.groups, std::move(from.groups),
      [](const trace::GroupDefinition& row) {
        return TableHash().of({row.slot}).of(row.members).value();
      },
      [](const trace::GroupDefinition& a, const trace::GroupDefinition& b) {
        return a.slot == b.slot && a.members == b.members;
      },
      &trace::GroupDefinition::holders);
  datatypes_.add(
      into_.datatypes, std::move(from.datatypes),
      [](const trace::DatatypeDefinition& row) {
        return TableHash().of({row.slot, row.size_bytes, row.extent_bytes}).of(row.name).value();
      },
      [](const trace::DatatypeDefinition& a, const trace::DatatypeDefinition& b) {
        return a.slot == b.slot && a.name == b.name && a.size_bytes == b.size_bytes &&
               a.extent_bytes == b.extent_bytes;
      },
      &trace::DatatypeDefinition::holders);
  for (trace::Module& module : from.modules) {
    if (std::find(into_.modules.begin(), into_.modules.end(), module) == into_.modules.end())
      into_.modules.push_back(std::move(module));
  }
}

} // namespace rondo::fold
