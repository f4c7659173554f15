// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/network_model.hpp"

#include "rondo/base/files.hpp"
#include "simulate/models/quantity.hpp"

#include <cmath>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::simulate {
namespace {

using internal::trimmed;

constexpr std::string_view kLinearKeys = "latency, bandwidth, overhead, rendezvous and handshake";
constexpr std::string_view kPlatformKeys = "overhead, rendezvous and handshake";
constexpr std::string_view kLogGPKeys = "L, o, g, G, S and handshake";

tl::unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::kUsage, std::move(message));
}

// What was given, as far as an error needs it.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

bool is_linear_key(std::string_view key) {
  return key == "latency" || key == "bandwidth" || key == "overhead" || key == "rendezvous";
}
bool is_loggp_key(std::string_view key) {
  return key == "L" || key == "o" || key == "g" || key == "G" || key == "S";
}

// Settings as they were given, each once.
class Settings {
public:
  Status add(std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      return bad(fmt::format("'{}' is no setting; write NAME=VALUE", shown(item)));
    const std::string key(trimmed(item.substr(0, equals)));
    if (!is_linear_key(key) && !is_loggp_key(key) && key != "handshake") {
      return bad(fmt::format("a network has no '{}'; there are {}, or for LogGP {}", shown(key),
                             kLinearKeys, kLogGPKeys));
    }
    const std::string value(trimmed(item.substr(equals + 1)));
    if (!values_.emplace(key, value).second) return bad(fmt::format("{}= is given twice", key));
    return {};
  }

  Result<NetworkModel> model() const {
    bool is_linear = false;
    bool is_loggp = false;
    for (const auto& [key, value] : values_) {
      is_linear = is_linear || is_linear_key(key);
      is_loggp = is_loggp || is_loggp_key(key);
    }
    if (is_linear && is_loggp)
      return bad("latency= and bandwidth= do not go with LogGP's L= and G=; use one or the other");
    NetworkModel model;
    model.kind = is_loggp ? NetworkModel::Kind::kLogGP : NetworkModel::Kind::kLinear;
    const Status read = is_loggp ? read_loggp(model) : read_linear(model);
    if (!read) return propagate(read);
    model.handshake_s = model.latency_s;
    if (auto set = seconds("handshake", model.handshake_s, false); !set) return propagate(set);
    return model;
  }

  /// Of a platform, whose links have the rest.
  Status read_platform(NetworkModel& model) const {
    for (const auto& [key, value] : values_) {
      if (key != "overhead" && key != "rendezvous" && key != "handshake")
        return bad(fmt::format("a platform has no '{}'; there are {}", shown(key), kPlatformKeys));
    }
    model.handshake_s = -1;
    if (auto set = seconds("overhead", model.overhead_s, false); !set) return set;
    if (auto set = seconds("handshake", model.handshake_s, false); !set) return set;
    return bytes("rendezvous", model.eager_bytes);
  }

private:
  Status read_linear(NetworkModel& model) const {
    if (auto set = seconds("latency", model.latency_s, true); !set) return set;
    if (auto set = seconds("overhead", model.overhead_s, false); !set) return set;
    const auto bandwidth = values_.find("bandwidth");
    if (bandwidth == values_.end()) return bad("bandwidth= is missing; 'inf' is a value too");
    const auto value = parse_bandwidth(bandwidth->second);
    if (!value) return propagate(value);
    model.byte_s = 1 / *value;
    return bytes("rendezvous", model.eager_bytes);
  }

  Status read_loggp(NetworkModel& model) const {
    if (auto set = seconds("L", model.latency_s, true); !set) return set;
    if (auto set = seconds("o", model.overhead_s, false); !set) return set;
    if (auto set = seconds("g", model.gap_s, false); !set) return set;
    if (auto set = seconds("G", model.byte_s, true); !set) return set;
    return bytes("S", model.eager_bytes);
  }

  Status seconds(const std::string& key, double& out, bool is_needed) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      if (is_needed) return bad(fmt::format("{}= is missing; it may be 0", key));
      return {};
    }
    const auto value = parse_seconds(found->second);
    if (!value) return fail(ErrorCode::kUsage, fmt::format("{}=: {}", key, value.error().message));
    out = *value;
    return {};
  }

  Status bytes(const std::string& key, std::uint64_t& out) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return {};
    if (found->second == "inf") return {};
    const auto value = internal::parse_bytes(found->second);
    if (!value) return fail(ErrorCode::kUsage, fmt::format("{}=: {}", key, value.error().message));
    out = *value;
    return {};
  }

  std::map<std::string, std::string> values_;
};

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t comma = text.find(',');
    items.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

// "torus 8x8x4, 100Gbps, 1us, rendezvous=64kB"
Result<NetworkModel> parse_platform(std::string_view text) {
  const auto items = items_of(text);
  auto platform = parse_topology(items.front());
  if (!platform) return propagate(platform);
  bool has_bandwidth = false;
  bool has_latency = false;
  Settings settings;
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].find('=') != std::string_view::npos) {
      if (auto added = settings.add(items[i]); !added) return propagate(added);
      continue;
    }
    const auto bandwidth = parse_bandwidth(items[i]);
    const auto latency = parse_seconds(items[i]);
    if (bandwidth && !has_bandwidth) {
      platform->bandwidth = *bandwidth;
      has_bandwidth = true;
    } else if (latency && !has_latency) {
      platform->latency_s = *latency;
      has_latency = true;
    } else {
      return bad(fmt::format("'{}' in '{}' is neither the bandwidth nor the latency of the links",
                             shown(items[i]), shown(text)));
    }
  }
  const bool is_file = platform->kind == Platform::Kind::kFile;
  if (!is_file && (!has_bandwidth || !has_latency)) {
    return bad(fmt::format("'{}' needs the bandwidth and the latency of its links: '{}, 100Gbps, "
                           "1us'",
                           shown(text), shown(items.front())));
  }
  NetworkModel model;
  if (auto read = settings.read_platform(model); !read) return propagate(read);
  model.platform = std::move(*platform);
  return model;
}

} // namespace

void NetworkModel::set_latency(double seconds) {
  if (platform) {
    platform->latency_s = seconds;
    return; // the handshake is that of the links, or was given
  }
  if (handshake_s == latency_s) handshake_s = seconds;
  latency_s = seconds;
}

void NetworkModel::set_bandwidth(double bytes_per_second) {
  if (platform)
    platform->bandwidth = bytes_per_second;
  else
    byte_s = 1 / bytes_per_second;
}

std::string NetworkModel::text() const {
  const auto time = [](double s) { return s == 0 ? std::string("0") : fmt::format("{}s", s); };
  if (platform) {
    std::string line = platform->text();
    if (overhead_s > 0) line += ", overhead=" + time(overhead_s);
    if (eager_bytes != kNever) line += fmt::format(", rendezvous={}B", eager_bytes);
    if (handshake_s >= 0) line += ", handshake=" + time(handshake_s);
    return line;
  }
  std::string out = has_ports() ? fmt::format("L={},o={},g={},G={}", time(latency_s),
                                              time(overhead_s), time(gap_s), time(byte_s))
                                : fmt::format("latency={},bandwidth=", time(latency_s));
  if (!has_ports()) {
    out += byte_s == 0 ? "inf" : fmt::format("{:.15g}B/s", bandwidth());
    if (overhead_s > 0) out += ",overhead=" + time(overhead_s);
  }
  if (eager_bytes != kNever)
    out += fmt::format(",{}={}B", has_ports() ? "S" : "rendezvous", eager_bytes);
  if (handshake_s != latency_s) out += ",handshake=" + time(handshake_s);
  return out;
}

Result<NetworkModel> parse_network(std::string_view text) {
  if (names_platform(text)) return parse_platform(text);
  Settings settings;
  for (const std::string_view item : items_of(text)) {
    if (auto added = settings.add(item); !added) return propagate(added);
  }
  return settings.model();
}

Result<NetworkModel> parse_network_file(std::string_view text, const std::string& name) {
  Settings settings;
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (auto added = settings.add(line); !added)
      return fail(ErrorCode::kFormat, added.error().message, {name, {}, {}, number});
  }
  auto model = settings.model();
  if (!model) return fail(ErrorCode::kFormat, model.error().message, {name, {}, {}, {}});
  return model;
}

Result<NetworkModel> open_network(const std::string& settings_or_file) {
  const bool is_settings =
      names_platform(settings_or_file) || settings_or_file.find('=') != std::string::npos;
  if (is_settings) return parse_network(settings_or_file);
  const auto text = read_file(settings_or_file);
  if (!text) {
    Error error = text.error();
    error.message += "; a network is a file, or settings such as latency=5us,bandwidth=1GB/s";
    return tl::unexpected<Error>(std::move(error));
  }
  return parse_network_file(*text, settings_or_file);
}

} // namespace rondo::simulate
