// SPDX-License-Identifier: Apache-2.0
// Writes one rank's calls as the actions of a time-independent trace, call by call.
//
//   Export run(trace, flops_per_second);
//   RankActions actions(run, *trace.class_of(rank), rank);
//   while (actions.next(text)) ...
//
// What no action says is counted in Export::refused; then the lines are worth nothing.
#pragma once

#include "convert/simgrid_ti/action_lines.hpp"
#include "convert/simgrid_ti/amounts.hpp"
#include "convert/simgrid_ti/export.hpp"
#include "convert/simgrid_ti/named_requests.hpp"
#include "convert/simgrid_ti/started_operations.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

class RankActions {
public:
  /// All must outlive the object.
  RankActions(Export& run, const trace::RankClass& rank_class, std::int64_t rank);

  /// Appends the lines of the next call, if it has any; false at the end.
  bool next(std::string& out);

private:
  using Words = std::vector<std::int64_t>;

  void call();
  void communicator();
  void probe(const trace::CallView& call);
  void transfer(const trace::Function& function, const Words& words, RequestSlot* slot);
  std::optional<RequestKey> receive_key(const trace::CallView& call);
  std::optional<RequestKey> send_key(const trace::CallView& call);
  std::int64_t tag_on(std::int64_t comm, std::int64_t tag);
  void post(std::string_view action, std::int64_t peer, const RequestKey& key, Amount amount);
  void collective();
  // One that no action says: as its messages.
  void lower_collective(const trace::Function& function, const Words& words, RequestSlot* slot);
  void play(const std::vector<StartedOperations::Operation>& operations);
  void play(const StartedOperations::Operation& operation);

  void start(std::int64_t reference);
  RequestKeys* keys_of(std::int64_t reference);
  void complete();
  void complete_one(std::int64_t reference);
  void complete_all(std::span<const std::int64_t> references);
  void wait(const RequestKey& key);
  void free_request(std::int64_t reference);

  void refuse(std::string_view why) { run_.refuse(*call_->function, why); }
  bool lowers(std::string_view why, std::string_view as) {
    return run_.lowers(*call_->function, why, as);
  }
  Amount amount(std::int64_t count, std::int64_t type) {
    return amounts_.of(*call_->function, count, type);
  }
  std::span<const std::int64_t> array(std::int64_t index) const;

  Export& run_;
  std::int64_t rank_;
  trace::EnvelopeReader envelopes_;
  trace::CallReader reader_;
  trace::Computation computation_;
  const trace::CallInstance* call_ = nullptr;
  std::uint64_t calls_ = 0;
  ActionLines lines_;
  Amounts amounts_;
  NamedRequests requests_;
  StartedOperations operations_;
  std::size_t open_keys_ = 0; // that a waitall of SimGrid's would wait for
};

} // namespace rondo::convert::internal
