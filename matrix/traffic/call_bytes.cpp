// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/call_bytes.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"

#include <algorithm>

namespace rondo::matrix {

struct CallBytes::Parts {
  Parts(const trace::Trace& trace, const trace::Program& program, std::int64_t rank)
      : graphs(trace), traffic(trace, program, rank, graphs) {}
  internal::DistGraphs graphs;
  internal::RankTraffic traffic;
  internal::TalliedCall call; // used again and again
};

CallBytes::CallBytes(const trace::Trace& trace, const trace::Program& program, std::int64_t rank)
    : parts_(std::make_unique<Parts>(trace, program, rank)) {}

CallBytes::~CallBytes() = default;

std::vector<int> CallBytes::words_of(const trace::Function& function) {
  return internal::traffic_words_of(function);
}

std::uint64_t CallBytes::of(const trace::Function& function,
                            std::span<const std::int64_t> words) const {
  if (!internal::has_traffic(function)) return 0;
  internal::TalliedCall& call = parts_->call;
  call.function = &function;
  call.executions = 1;
  call.words.clear();
  for (const std::int64_t word : words) call.words.push_back({trace::Word::Form::kConstant, word});
  return parts_->traffic.bytes_moved_by(call);
}

} // namespace rondo::matrix
