// SPDX-License-Identifier: Apache-2.0
// What a recorder and `rondo record` say to each other about the time, in one datagram each way:
// a question is token and number, an answer the number, then the server's time in ns since 1970.
// All are 64 bits in the byte order of the host, as the ranks of a run have one. The server's
// addresses are in the environment, as "TOKEN:PORT:ADDRESS...", numbers in hexadecimal, addresses
// those of IPv4.
#pragma once

#include <cstdint>

namespace rondo::trace::clock_wire {

constexpr const char* kVariable = "RONDO_CLOCK";

struct Question {
  std::uint64_t token = 0; // of the run: others get no answer
  std::uint64_t number = 0;
};

struct Reply {
  std::uint64_t number = 0;
  std::int64_t unix_ns = 0;
};

} // namespace rondo::trace::clock_wire
