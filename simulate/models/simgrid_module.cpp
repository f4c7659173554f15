// SPDX-License-Identifier: Apache-2.0
// Loads SimGrid when a platform is asked for: it and what it needs are most of what the loader
// would have to map and relocate for every command. Once loaded the module stays, as SimGrid does.
#include "simulate/models/simgrid_module.hpp"

#include "base/own_modules.hpp"

namespace rondo::simulate::internal {
namespace {

constexpr rondo::internal::OwnModule kModule{"librondo_simgrid.so",
                                             RONDO_NAME_OF_DOOR(RONDO_SIMGRID_DOOR),
                                             "networks with contention", "SimGrid"};

Result<MakeCarrier*> load() {
  const auto door = rondo::internal::load_module(kModule);
  if (!door) return propagate(door);
  return reinterpret_cast<MakeCarrier*>(*door);
}

const Result<MakeCarrier*>& loaded() {
  static const Result<MakeCarrier*> door = load();
  return door;
}

} // namespace

Status simgrid_is_there(const Platform&) { return loaded() ? Status() : propagate(loaded()); }

Result<std::unique_ptr<Carrier>> simgrid_carrier(const Platform& platform, std::int64_t ranks) {
  if (!loaded()) return propagate(loaded());
  Result<std::unique_ptr<Carrier>> made;
  (*loaded())(platform, ranks, made);
  return made;
}

} // namespace rondo::simulate::internal

namespace rondo::simulate {

Status has_contention() {
  const auto file = rondo::internal::find_module(internal::kModule);
  return file ? Status() : propagate(file);
}

} // namespace rondo::simulate
