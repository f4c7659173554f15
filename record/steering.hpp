// SPDX-License-Identifier: Apache-2.0
// Which calls are recorded: not those that the user left out, and none while the program has paused
// recording. Calls that are not recorded go through the wrappers all the same, quietly, so that the
// objects and requests which they make are known later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::record {

class Steering {
public:
  /// Takes RONDO_ONLY and RONDO_SKIP; names that are unknown are said on stderr if `speaks`, and
  /// all is recorded then.
  Steering(const std::string& only, const std::string& skip, bool speaks);

  bool records(std::uint16_t function) const { return !paused_ && wanted_[function] != 0; }
  bool records_all() const { return !paused_ && choice_.empty(); }
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  const std::string& choice() const { return choice_; } // as trace::RunFacts has it

private:
  bool paused_ = false;
  std::vector<char> wanted_; // by function id; bits would have to be looked for
  std::string choice_;
};

} // namespace rondo::record
