// SPDX-License-Identifier: Apache-2.0
// Datatypes whose displacements are addresses of the process, for messages from MPI_BOTTOM. An
// address is another one in every run; what stays is where things are relative to each other.
#pragma once

#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace rondo::generate::internal {

/// Displacements from here on are addresses: those of position-independent programs are far above,
/// true displacements below. In place of an address stands this and a place in memory.
constexpr std::int64_t kFirstAddress = std::int64_t{1} << 40;

/// Whether the field has displacements that may be addresses.
bool may_have_addresses(const trace::Function& function, const trace::Field& field);
bool has_addresses(const std::vector<std::int64_t>& displacements);
/// Displacements with places for addresses: as far apart as these, but never farther than 64 KiB,
/// as the ways from data to heap to stack are other ones in every run.
/// @complexity  O(n log n)
std::vector<std::int64_t> placed(std::vector<std::int64_t> displacements);

/// The datatypes of one stream that have addresses in them. It has to be told of each call, in
/// order.
class AddressedTypes {
public:
  void next(const trace::Program& program, const trace::CallInstance& call);
  bool contains(std::int64_t slot) const { return slots_.contains(slot); }

private:
  std::unordered_set<std::int64_t> slots_;
};

} // namespace rondo::generate::internal
