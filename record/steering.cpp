// SPDX-License-Identifier: Apache-2.0
#include "record/steering.hpp"

#include "rondo/trace/function_groups.hpp"

#include <cstdio>

namespace rondo::record {

Steering::Steering(const std::string& only, const std::string& skip, bool speaks) {
  auto choice = trace::choose_functions(only, skip);
  if (!choice) {
    if (speaks) {
      std::fprintf(stderr, "rondo: %s; everything is recorded\n", choice.error().message.c_str());
    }
    choice = trace::choose_functions("", "");
  }
  wanted_.assign(choice->wanted.begin(), choice->wanted.end());
  choice_ = std::move(choice->text);
}

} // namespace rondo::record
