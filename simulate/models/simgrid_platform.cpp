// SPDX-License-Identifier: Apache-2.0
#include "simulate/models/simgrid_platform.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>
#include <string>

namespace rondo::simulate::internal {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

constexpr double kFlopsPerSecond = 1e9; // of hosts, on which nothing computes
constexpr double kInfinite = 1e18; // bytes per second that are no limit
constexpr auto kDuplex = s4u::Link::SharingPolicy::SPLITDUPLEX;

void start_engine() {
  static const char* arguments[] = {"rondo",
                                    "--log=root.thresh:critical",
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/latency-factor:1",
                                    "--cfg=network/bandwidth-factor:1",
                                    "--cfg=network/weight-S:0",
                                    "--cfg=network/TCP-gamma:0",
                                    "--cfg=network/crosstraffic:0",
                                    "--cfg=surf/precision:1e-12",
                                    "--cfg=maxmin/precision:1e-9",
                                    nullptr};
  int count = static_cast<int>(std::size(arguments)) - 1;
  // SimGrid's engine stays until the process ends; taking it apart is not foreseen.
  static auto* const engine = new s4u::Engine(&count, const_cast<char**>(arguments));
  static_cast<void>(engine);
}

// "node-10" behind "node-9".
bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [&](const std::string& s, std::size_t& at) {
      std::size_t end = at;
      while (end < s.size() && digit(s[end])) ++end;
      const std::string text = s.substr(at, end - at);
      at = end;
      const std::size_t first = std::min(text.find_first_not_of('0'), text.size() - 1);
      return std::pair(text.size() - first, text.substr(first));
    };
    const auto x = number(a, i), y = number(b, j);
    if (x != y) return x < y;
  }
  return a.size() - i < b.size() - j;
}

s4u::Host* make_host(s4u::NetZone* zone, std::uint64_t id) {
  return zone->create_host("host-" + std::to_string(id), kFlopsPerSecond);
}

std::vector<s4u::Host*> make_complete(const Platform& platform, double bandwidth) {
  s4u::NetZone* const zone = s4u::create_full_zone("network");
  std::vector<s4u::Host*> hosts;
  for (std::uint64_t i = 0; i < platform.hosts(); ++i) hosts.push_back(make_host(zone, i));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t j = 0; j < hosts.size(); ++j) {
      if (i == j) continue;
      s4u::Link* const link = zone->create_link(fmt::format("link-{}-{}", i, j), bandwidth);
      link->set_latency(platform.latency_s)->seal();
      zone->add_route(hosts[i]->get_netpoint(), hosts[j]->get_netpoint(), nullptr, nullptr,
                      {s4u::LinkInRoute(link)}, false);
    }
  }
  zone->seal();
  return hosts;
}

std::vector<s4u::Host*> make_crossbar(const Platform& platform, double bandwidth) {
  s4u::NetZone* const zone = s4u::create_star_zone("network");
  std::vector<s4u::Host*> hosts;
  for (std::uint64_t i = 0; i < platform.hosts(); ++i) {
    hosts.push_back(make_host(zone, i));
    auto* const link = zone->create_split_duplex_link("link-" + std::to_string(i), bandwidth);
    link->set_latency(platform.latency_s)->seal();
    zone->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr,
                    {{link, s4u::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();
  return hosts;
}

std::vector<s4u::Host*> make_cluster(const Platform& platform, double bandwidth) {
  s4u::NetZone* const root = s4u::create_full_zone("world");
  std::vector<s4u::Host*> hosts;
  const s4u::ClusterCallbacks callbacks(
      [&hosts](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long) {
        s4u::Host* const host = make_host(zone, hosts.size());
        hosts.push_back(host);
        return std::pair<NetPoint*, NetPoint*>(host->get_netpoint(), nullptr);
      });
  const std::vector<std::uint32_t>& sizes = platform.sizes;
  const double latency = platform.latency_s;
  s4u::NetZone* zone = nullptr;
  if (platform.kind == Platform::Kind::kTorus) {
    zone = s4u::create_torus_zone("network", root, {sizes.begin(), sizes.end()}, callbacks,
                                  bandwidth, latency, kDuplex);
  } else if (platform.kind == Platform::Kind::kFatTree) {
    const s4u::FatTreeParams levels(
        static_cast<unsigned>(sizes.size()), {sizes.begin(), sizes.end()},
        {platform.parents.begin(), platform.parents.end()}, std::vector<unsigned>(sizes.size(), 1));
    zone =
        s4u::create_fatTree_zone("network", root, levels, callbacks, bandwidth, latency, kDuplex);
  } else {
    const s4u::DragonflyParams groups({sizes[0], 1}, {sizes[1], 1}, {sizes[2], 1}, sizes[3]);
    zone =
        s4u::create_dragonfly_zone("network", root, groups, callbacks, bandwidth, latency, kDuplex);
  }
  zone->seal();
  root->seal();
  return hosts;
}

} // namespace

std::vector<s4u::Host*> make_platform(const Platform& platform) {
  start_engine();
  const double bandwidth = std::min(platform.bandwidth, kInfinite);
  switch (platform.kind) {
  case Platform::Kind::kComplete:
    return make_complete(platform, bandwidth);
  case Platform::Kind::kCrossbar:
    return make_crossbar(platform, bandwidth);
  case Platform::Kind::kFile: {
    s4u::Engine::get_instance()->load_platform(platform.file);
    for (s4u::Link* const link : s4u::Engine::get_instance()->get_all_links()) {
      if (bandwidth >= 0) link->set_bandwidth(bandwidth);
      if (platform.latency_s >= 0) link->set_latency(platform.latency_s);
    }
    auto hosts = s4u::Engine::get_instance()->get_all_hosts();
    std::sort(hosts.begin(), hosts.end(), [](const s4u::Host* a, const s4u::Host* b) {
      return comes_before(a->get_name(), b->get_name());
    });
    return hosts;
  }
  default:
    return make_cluster(platform, bandwidth);
  }
}

} // namespace rondo::simulate::internal
