// SPDX-License-Identifier: Apache-2.0
// What all merged programs of a benchmark have in common while it is made: tables, objects, and
// names that may be given once only.
#pragma once

#include "generate/lower/arguments/values.hpp"
#include "generate/lower/objects.hpp"
#include "generate/lower/queries.hpp"

#include <map>
#include <string>
#include <string_view>

namespace rondo::generate::internal {

struct Shared {
  explicit Shared(Benchmark& of) : benchmark(of), forms(of), objects(of) {}

  /// "step_1", "step_2": a name that nothing else has.
  std::string fresh(const std::string& name) { return name + "_" + std::to_string(++names[name]); }

  /// Counts of more than a few elements have names, so that they can be changed in one place.
  Expression count_name(std::int64_t value, std::string_view function);

  Benchmark& benchmark;
  Queries queries; // which are left out
  ValueForms forms;
  Objects objects;
  std::map<std::string, int> names; // -> how many begin so
  std::map<std::int64_t, std::string> counts; // value -> name
  std::map<std::string, std::int64_t> files; // recorded name -> number of the benchmark's
  std::map<std::string, std::int64_t>
      texts; // that the program gave to phases and objects -> number
};

} // namespace rondo::generate::internal
