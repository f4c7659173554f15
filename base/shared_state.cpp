// SPDX-License-Identifier: Apache-2.0
#include "base/shared_state.hpp"

namespace rondo::internal {
namespace {

constinit SharedState own_state;
constinit SharedState* state = &own_state;

} // namespace

SharedState& shared_state() { return *state; }
void share_state(SharedState& other) { state = &other; }

} // namespace rondo::internal
