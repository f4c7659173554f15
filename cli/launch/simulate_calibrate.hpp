// SPDX-License-Identifier: Apache-2.0
// rondo simulate --calibrate: a network model of the machine at hand.
#pragma once

#include <string>
#include <vector>

namespace rondo::cli {

struct CalibrateOptions {
  std::vector<std::string> command; // a launcher of 2 ranks
  std::string output; // empty: the model's text to stdout
  std::string mpi; // keyword, if the launcher does not say
  bool force = false;
  bool json = false;
};

/// @return exit status
int calibrate(const CalibrateOptions& options);

} // namespace rondo::cli
