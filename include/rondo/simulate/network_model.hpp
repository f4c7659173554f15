// SPDX-License-Identifier: Apache-2.0
// What a message costs on a network without contention: values that stand for a machine.
//
//   auto model = parse_network("latency=5us,bandwidth=1GB/s");
//   if (!model) return propagate(model);
//   model->latency_s;
//
// Two families share one form. In the linear one a message of b bytes arrives latency + b/bandwidth
// after it was sent, and messages never disturb each other. In LogGP a rank's port is busy with
// each message: g from one to the next, and G for each byte but the first.
// With a platform, messages take the time that its shared links give them.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/simulate/platform.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::simulate {

struct NetworkModel {
  enum class Kind : std::uint8_t { kLinear, kLogGP };
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  Kind kind = Kind::kLinear;
  double latency_s = 0; // L
  double overhead_s = 0; // o: of the processor, for each message it sends and each it receives
  double gap_s = 0; // g: between messages of one port; LogGP only
  double byte_s = 0; // G, 1/bandwidth
  std::uint64_t eager_bytes = kNever; // S: larger messages wait for their receiver
  double handshake_s = 0; // one way of the question whether the receiver is there; < 0: that of the
                          // platform's links
  std::optional<Platform> platform{}; // then latency_s and byte_s are 0

  bool has_ports() const { return kind == Kind::kLogGP; }
  /// From a message's first byte to its last, in seconds.
  double bytes_s(std::uint64_t bytes) const {
    const std::uint64_t counted = has_ports() && bytes > 0 ? bytes - 1 : bytes;
    return static_cast<double>(counted) * byte_s;
  }
  /// Bytes per second; infinity if bytes cost nothing.
  double bandwidth() const { return 1 / byte_s; }
  /// From one end to the other; with a platform, of each link. Less than 0: as its file has them.
  double link_latency_s() const { return platform ? platform->latency_s : latency_s; }
  /// Bytes per second, in the same way.
  double link_bandwidth() const { return platform ? platform->bandwidth : bandwidth(); }
  /// With a platform, of each link, whatever its file has. A handshake that took as long as the
  /// latency still does.
  void set_latency(double seconds);
  void set_bandwidth(double bytes_per_second);
  /// "latency=5us,bandwidth=1GB/s": read by parse_network(), with the same values.
  std::string text() const;
  friend bool operator==(const NetworkModel&, const NetworkModel&) = default;
};

/// Seconds: "5us", "0.1 ms", "2e-6s", "0".
/// @error kUsage for anything else
Result<double> parse_seconds(std::string_view text);

/// Bytes per second: "1GB/s", "100Mbps", "12.5 GiB/s", "inf".
/// @error kUsage for anything else
Result<double> parse_bandwidth(std::string_view text);

/// Bytes: "64kB", "4 KiB", "1500".
/// @error kUsage for anything else
Result<std::uint64_t> parse_bytes(std::string_view text);

/// Settings separated by commas, as docs/formats/network.md has them:
/// latency= bandwidth= overhead= rendezvous= handshake=, or L= o= g= G= S= handshake=, or a
/// platform: "torus 8x8x4, 100Gbps, 1us, rendezvous=64kB".
/// @error kUsage, with the setting that is not understood, missing, or there twice
Result<NetworkModel> parse_network(std::string_view text);

/// Settings one a line, with comments (docs/formats/network.md).
/// @param name  of the file, for errors
/// @error kFormat with the line
Result<NetworkModel> parse_network_file(std::string_view text, const std::string& name);

/// A model as a user names it: a platform, settings if there is a '=', else a file.
/// @error as parse_network(), parse_network_file() and read_file()
Result<NetworkModel> open_network(const std::string& settings_or_file);

} // namespace rondo::simulate
