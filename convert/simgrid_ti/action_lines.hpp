// SPDX-License-Identifier: Apache-2.0
// The lines of one rank: actions with numbers behind them, and between them what it computed.
//
//   lines.put("wait", {source, dest, tag});   // "3 wait 0 3 7"
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace rondo::convert::internal {

class ActionLines {
public:
  explicit ActionLines(std::int64_t rank) : rank_(rank) {}

  /// @param out  what follows is appended to it
  void write_to(std::string& out) { out_ = &out; }
  /// Said in front of the next action.
  void compute(double flops) { flops_ += flops; }
  void line(std::string_view action);
  /// One more number in the line of the last action.
  void argument(std::int64_t value);
  void put(std::string_view action, std::initializer_list<std::int64_t> arguments);

private:
  std::int64_t rank_;
  double flops_ = 0; // since the last line
  std::string* out_ = nullptr;
};

} // namespace rondo::convert::internal
