// SPDX-License-Identifier: Apache-2.0
// Documented communication patterns, written down as programs of one rank each.
//
//   for (const DocumentedPattern& p : documented_patterns())
//     const Trace trace = recorded(p.ranks.front(), [&](Caller& s) { Player player(s, ...); ... });
#pragma once

#include "tests/support/recorded.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rondo::support {

/// What a rank calls, with ranks by their places in the pattern.
class Player {
public:
  /// @param number   the rank that has each place
  /// @param noise    calls that have nothing to do with the pattern stand between the others
  Player(Caller& caller, const std::vector<std::int64_t>& number, bool noise);

  void send(std::int64_t to, std::int64_t bytes = 64);
  void receive(std::int64_t from, std::int64_t bytes = 64);
  void exchange(std::int64_t to, std::int64_t from, std::int64_t bytes = 64);
  void start_send(std::int64_t to, std::int64_t bytes = 64);
  void start_receive(std::int64_t from, std::int64_t bytes = 64);
  void wait();
  void collective();

  std::int64_t me = 0;
  std::int64_t ranks = 0;

private:
  void envelope(const char* function, const char* peer, std::int64_t place, std::int64_t bytes);
  void disturb();

  Caller& caller_;
  const std::vector<std::int64_t>& number_;
  bool noise_;
  int calls_ = 0;
};

struct DocumentedPattern {
  std::string name; // in the catalogue
  std::string how;
  std::vector<std::int64_t> ranks; // numbers of ranks to try
  std::function<void(Player&)> play; // once
};

std::vector<DocumentedPattern> documented_patterns();

} // namespace rondo::support
