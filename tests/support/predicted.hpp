// SPDX-License-Identifier: Apache-2.0
// Words for tests of predicted times: the two kinds of models, what a message takes in them, and
// ranks that compute, receive, and call collectives.
#pragma once

#include "rondo/simulate/simulate.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rondo::support {

inline constexpr double kLatency = 5e-6;
inline constexpr double kBandwidth = 1e9;

inline constexpr double kMs = 1e-3;
inline constexpr std::uint64_t kMsInNs = 1'000'000;
inline constexpr double kOfCodes = 0.03; // ranks' means are kept in steps of 4 %

inline simulate::NetworkModel linear(std::uint64_t eager_bytes = simulate::NetworkModel::kNever) {
  simulate::NetworkModel model;
  model.latency_s = model.handshake_s = kLatency;
  model.byte_s = 1 / kBandwidth;
  model.eager_bytes = eager_bytes;
  return model;
}

inline simulate::NetworkModel loggp() {
  simulate::NetworkModel model;
  model.kind = simulate::NetworkModel::Kind::kLogGP;
  model.latency_s = model.handshake_s = 5e-6;
  model.overhead_s = 1e-6;
  model.gap_s = 3e-6;
  model.byte_s = 1e-9;
  return model;
}

inline simulate::Prediction predicted(const trace::Trace& trace,
                                      const simulate::NetworkModel& model,
                                      const simulate::SimulateOptions& options = {}) {
  auto result = simulate::simulate(trace, model, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text());
  return result ? *result : simulate::Prediction{};
}

inline void expect_seconds(double found, double wanted) {
  EXPECT_NEAR(found, wanted, 1e-9 * wanted);
}

inline void receive(Caller& s, std::int64_t source, std::int64_t count) {
  s.call(
      "MPI_Recv",
      {{"count", count}, {"datatype", kDouble}, {"source", source}, {"tag", 0}, {"comm", kWorld}});
}

// A call that computes for so long before it, and costs nothing itself.
inline void compute(Caller& s, std::uint64_t ns) {
  const trace::Function& function = *trace::find_function("MPI_Pcontrol");
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), 0);
  event[0] = fold::header_word(function.id, 0);
  s.builder.record(event.data(), event.size(), ns, 0);
}

inline constexpr std::int64_t kCount = 1000;
inline constexpr std::uint64_t kBytes = 8000;

// From the call that sends it to the end of the one that receives it.
inline double message(const simulate::NetworkModel& model, std::uint64_t bytes) {
  const bool is_loggp = model.kind == simulate::NetworkModel::Kind::kLogGP;
  const std::uint64_t behind = is_loggp && bytes > 0 ? bytes - 1 : bytes;
  return 2 * model.overhead_s + model.latency_s + static_cast<double>(behind) * model.byte_s;
}

inline void block_of_all(Caller& s, std::string_view name) {
  s.call(name, {{"sendbuf", 0}, {"count", kCount}, {"datatype", kDouble}, {"comm", kWorld}});
}

inline void gather_all(Caller& s, std::string_view name, std::int64_t count) {
  s.call(name, {{"sendbuf", 0},
                {"sendcount", count},
                {"sendtype", kDouble},
                {"recvcount", count},
                {"recvtype", kDouble},
                {"comm", kWorld}});
}

inline void rooted(Caller& s, std::string_view name, std::int64_t root) {
  s.call(name, {{"sendbuf", 0},
                {"sendcount", kCount},
                {"sendtype", kDouble},
                {"recvcount", kCount},
                {"recvtype", kDouble},
                {"root", root},
                {"comm", kWorld}});
}

} // namespace rondo::support
