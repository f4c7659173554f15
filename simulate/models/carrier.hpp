// SPDX-License-Identifier: Apache-2.0
// Whoever knows how long messages take that get into each other's way. A Transport with a carrier
// hands its messages over and learns of their arrival when virtual time has come there.
#pragma once

#include "rondo/simulate/platform.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rondo::simulate::internal {

struct Request;

/// A message on its way.
struct Shipment {
  bool is_there = false;
  double arrival = 0; // of its last byte
  Request* receive = nullptr; // that waits for it
  Request* send = nullptr; // over at the arrival, too: of a rendezvous, or of MPI_Rput and its like
  std::vector<Request*> probes;
};

class Carrier {
public:
  Carrier() = default;
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// A message leaves at `start`, which is not before what run() has come to.
  virtual void carry(double start, std::int64_t from, std::int64_t to, std::uint64_t bytes,
                     Shipment* shipment) = 0;
  /// Of ranks there can be no more.
  virtual std::int64_t hosts() const = 0;
  /// Of an empty way from rank to rank.
  virtual double latency_s(std::int64_t from, std::int64_t to) = 0;
  /// Lets virtual time pass until nothing is under way. `delivered` may have more carried.
  /// @error kUnsupported: ranks that cannot reach each other, or what the engine said
  virtual Status run(const std::function<void(Shipment&, double)>& delivered) = 0;
  /// While run() runs: calls `work` when virtual time has come to `time`, before it goes on. Time
  /// stands still until that returns.
  virtual void call_at(double time, std::function<void()> work) = 0;
  virtual double now_s() const = 0;
  /// Messages that were given to carry() and have not been delivered.
  virtual std::size_t under_way() const = 0;
  /// Messages that should have left before what run() had come to, and left then.
  virtual std::uint64_t late() const = 0;
};

/// Loads SimGrid, which then is there in processes that are forked, too.
/// @error kUnsupported: built without SimGrid, or its module is missing or does not load
Status simgrid_is_there(const Platform& platform);

/// SimGrid with this platform, rank i on host i. A process can have one.
/// @error kUsage: too few hosts; kFormat: a file that SimGrid cannot read, with its words;
///        kUnsupported: as simgrid_is_there(), or the second one
/// @source [casanova2014]
Result<std::unique_ptr<Carrier>> simgrid_carrier(const Platform& platform, std::int64_t ranks);

} // namespace rondo::simulate::internal
