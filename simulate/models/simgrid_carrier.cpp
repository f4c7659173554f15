// SPDX-License-Identifier: Apache-2.0
// SimGrid as the engine: every message is an activity of its own between two hosts, started by a
// timer; there are no actors. Model CM02, all correction factors 1: a message alone on its way
// takes the sum of the links' latencies, and its bytes at the smallest bandwidth; links are shared
// by max-min fairness.
#include "simulate/models/simgrid_module.hpp"
#include "simulate/models/simgrid_platform.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace rondo::simulate::internal {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

class SimgridCarrier : public Carrier {
public:
  SimgridCarrier(std::vector<s4u::Host*> hosts, bool has_own_links)
      : hosts_(std::move(hosts)), has_own_links_(has_own_links) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { ended(activity); });
  }

  void carry(double start, std::int64_t from, std::int64_t to, std::uint64_t bytes,
             Shipment* shipment) override {
    s4u::Host* const source = hosts_[static_cast<std::size_t>(from)];
    s4u::Host* const dest = hosts_[static_cast<std::size_t>(to)];
    const double now = now_s();
    if (start < now - kSameMoment_s) ++late_;
    ++given_;
    Timer::set(std::max(start, now),
               [this, source, dest, bytes, shipment] { begin(source, dest, bytes, shipment); });
  }

  std::int64_t hosts() const override { return static_cast<std::int64_t>(hosts_.size()); }
  double latency_s(std::int64_t from, std::int64_t to) override {
    return way(hosts_[static_cast<std::size_t>(from)], hosts_[static_cast<std::size_t>(to)])
        .latency;
  }

  Status run(const std::function<void(Shipment&, double)>& delivered) override {
    delivered_ = &delivered;
    try {
      s4u::Engine::get_instance()->run();
    } catch (const std::exception& error) {
      return fail(ErrorCode::kUnsupported, fmt::format("SimGrid: {}", error.what()));
    }
    if (unreachable_.first.empty()) return {};
    return fail(ErrorCode::kUnsupported,
                fmt::format("the platform has no route from host '{}' to host '{}', which have "
                            "messages for each other; add one",
                            unreachable_.first, unreachable_.second));
  }

  void call_at(double time, std::function<void()> work) override {
    Timer::set(std::max(time, now_s()), [work = std::move(work)] { work(); });
  }
  double now_s() const override { return s4u::Engine::get_clock(); }
  std::size_t under_way() const override { return given_ - delivered_count_; }
  std::uint64_t late() const override { return late_; }

private:
  struct Way {
    bool is_there = false;
    double latency = 0;
  };

  Way way(s4u::Host* from, s4u::Host* to) {
    const auto [found, is_new] = ways_.try_emplace({from, to});
    if (is_new && (from != to || has_own_links_)) {
      std::vector<s4u::Link*> links;
      from->route_to(to, links, &found->second.latency);
      found->second.is_there = !links.empty() || found->second.latency > 0;
    }
    return found->second;
  }

  // Between a host and itself there may be no link: then a message takes no time.
  void begin(s4u::Host* from, s4u::Host* to, std::uint64_t bytes, Shipment* shipment) {
    if (!way(from, to).is_there) {
      if (from != to) unreachable_ = {from->get_name(), to->get_name()};
      return deliver(*shipment, s4u::Engine::get_clock());
    }
    const s4u::CommPtr message = s4u::Comm::sendto_init(from, to);
    message->set_payload_size(bytes);
    under_way_[message.get()] = {message, shipment};
    message->start();
  }

  void ended(const s4u::Activity& activity) {
    const auto found = under_way_.find(&activity);
    if (found == under_way_.end()) return;
    Shipment* const shipment = found->second.second;
    finished_.push_back(std::move(found->second.first)); // it lives until SimGrid has done with it
    if (finished_.size() > kMostFinished) finished_.erase(finished_.begin());
    under_way_.erase(found);
    // Others that end at this moment are told first; what follows from it starts after them.
    const double now = s4u::Engine::get_clock();
    Timer::set(now, [this, shipment, now] { deliver(*shipment, now); });
  }

  void deliver(Shipment& shipment, double now) {
    ++delivered_count_;
    (*delivered_)(shipment, now);
  }

  struct HashPair {
    std::size_t operator()(const std::pair<s4u::Host*, s4u::Host*>& pair) const {
      return std::hash<s4u::Host*>()(pair.first) * 31 + std::hash<s4u::Host*>()(pair.second);
    }
  };
  static constexpr std::size_t kMostFinished = 64;
  static constexpr double kSameMoment_s = 1e-9; // SimGrid's own precision

  std::vector<s4u::Host*> hosts_; // by rank
  std::pair<std::string, std::string> unreachable_; // hosts without a route, if there are any
  bool has_own_links_; // there may be a link from a host to itself
  const std::function<void(Shipment&, double)>* delivered_ = nullptr;
  std::unordered_map<const s4u::Activity*, std::pair<s4u::CommPtr, Shipment*>> under_way_;
  std::vector<s4u::CommPtr> finished_;
  std::size_t given_ = 0;
  std::size_t delivered_count_ = 0;
  std::uint64_t late_ = 0;
  std::unordered_map<std::pair<s4u::Host*, s4u::Host*>, Way, HashPair> ways_;
};

Result<std::unique_ptr<Carrier>> make_carrier(const Platform& platform, std::int64_t ranks) {
  if (s4u::Engine::is_initialized())
    return fail(ErrorCode::kUnsupported, "SimGrid simulates one platform in a process");
  std::error_code missing;
  const bool is_file = platform.kind == Platform::Kind::kFile;
  const ErrorPlace place = {is_file ? platform.file : "", {}, {}, {}};
  if (is_file && !std::filesystem::is_regular_file(platform.file, missing))
    return fail(ErrorCode::kNotFound, "there is no such platform file", place);
  try {
    auto hosts = make_platform(platform);
    if (hosts.size() < static_cast<std::size_t>(ranks)) {
      return fail(ErrorCode::kUsage,
                  fmt::format("'{}' has {} hosts for {} ranks; take a larger one", platform.text(),
                              hosts.size(), ranks));
    }
    return std::make_unique<SimgridCarrier>(std::move(hosts), is_file);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kFormat,
                fmt::format("SimGrid cannot simulate this platform: {}", error.what()), place);
  }
}

} // namespace

void RONDO_SIMGRID_DOOR(const Platform& platform, std::int64_t ranks,
                        Result<std::unique_ptr<Carrier>>& made) {
  made = make_carrier(platform, ranks);
}

} // namespace rondo::simulate::internal
