// SPDX-License-Identifier: Apache-2.0
// check_stamps FILE: whether full times agree with the histograms; says what does not, status 1.
#include "rondo/archive/archive.hpp"
#include "tests/support/stamp_sums.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  const auto trace = rondo::archive::read(argc > 1 ? argv[1] : "");
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().text().c_str());
    return 2;
  }
  auto remarks = rondo::support::disagreements(*trace);
  for (const auto& rank : trace->ranks) {
    if (rank.calls > 0 && rank.sums.functions.empty())
      remarks.emplace_back("a rank has no exact sums of its functions' times");
  }
  for (const std::string& remark : remarks) std::puts(remark.c_str());
  return remarks.empty() ? 0 : 1;
}
