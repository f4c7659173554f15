// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/calibration.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <gtest/gtest.h>

namespace rondo::simulate {
namespace {

// What a LogGP machine would be measured as, by the formulas of [hoefler2007].
std::string measured_on(const NetworkModel& m) {
  std::string text = fmt::format(
      "eager {}\n", m.eager_bytes == NetworkModel::kNever ? -1 : static_cast<long>(m.eager_bytes));
  const double delay_s = 1e-3;
  for (std::uint64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const bool is_long = bytes > m.eager_bytes;
    const double half =
        m.latency_s + 2 * m.overhead_s + m.bytes_s(bytes) + (is_long ? 2 * m.handshake_s : 0);
    text += fmt::format("round 1 0 {} {:.15g}\n", bytes, 2 * half);
    if (is_long) continue;
    const double gap = std::max(m.overhead_s, m.gap_s + m.bytes_s(bytes));
    text += fmt::format("train 16 0 {} {:.15g}\n", bytes, 2 * half + 15 * gap);
    text += fmt::format("delayed 16 {} {} {:.15g}\n", delay_s, bytes,
                        2 * half + 15 * (delay_s + m.overhead_s));
  }
  return text;
}

TEST(Calibration, FindsTheParametersOfALogGPMachine) {
  for (const char* text :
       {"L=2us,o=0.5us,g=1us,G=0.1ns", "L=1us,o=0.2us,g=3us,G=1ns,S=4096,handshake=2us"}) {
    const NetworkModel machine = *parse_network(text);
    const auto fit = fit_loggp(*parse_measurements(measured_on(machine), "samples"));
    ASSERT_TRUE(fit) << fit.error().text();
    EXPECT_NEAR(fit->model.latency_s, machine.latency_s, 1e-6 * machine.latency_s);
    EXPECT_NEAR(fit->model.overhead_s, machine.overhead_s, 1e-6 * machine.overhead_s);
    EXPECT_NEAR(fit->model.gap_s, machine.gap_s, 1e-6 * machine.gap_s);
    EXPECT_NEAR(fit->model.byte_s, machine.byte_s, 1e-6 * machine.byte_s);
    EXPECT_EQ(fit->model.eager_bytes, machine.eager_bytes);
    if (machine.eager_bytes != NetworkModel::kNever) {
      EXPECT_NEAR(fit->model.handshake_s, machine.handshake_s, 1e-6 * machine.handshake_s);
    }
    EXPECT_LT(fit->most, 1e-6);
    EXPECT_TRUE(fit->remarks.empty());
  }
}

TEST(Calibration, WritesAFileThatReadsAsTheSameModel) {
  const auto fit = fit_loggp(*parse_measurements(
      measured_on(*parse_network("L=2us,o=0.5us,g=1us,G=0.25ns,S=8192,handshake=3us")), "samples"));
  ASSERT_TRUE(fit);
  const auto read = parse_network_file(network_file(*fit, "a test"), "machine.network");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_NEAR(read->latency_s, 2e-6, 1e-11);
  EXPECT_NEAR(read->byte_s, 0.25e-9, 1e-14);
  EXPECT_EQ(read->eager_bytes, 8192u);
  EXPECT_NEAR(read->handshake_s, 3e-6, 1e-11);
}

TEST(Calibration, SaysWhatIsNotAsAModelHasIt) {
  std::string text = measured_on(*parse_network("L=2us,o=0.5us,g=1us,G=0.1ns"));
  text += "round 1 0 3 1\nround 1 0 5 1\nround 1 0 6 1\n"; // a second for three bytes
  const auto fit = fit_loggp(*parse_measurements(text, "samples"));
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->rms, 0.2);
  EXPECT_FALSE(fit->remarks.empty());
}

TEST(Calibration, RefusesWhatIsNoMeasurement) {
  const auto line = parse_measurements("eager 5\nround 1 0 8 zero\n", "samples");
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kFormat);
  EXPECT_EQ(line.error().place.line, 2u);
  const auto few = fit_loggp(*parse_measurements("round 1 0 8 1e-6\n", "samples"));
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, ErrorCode::kFormat);
}

} // namespace
} // namespace rondo::simulate
