// SPDX-License-Identifier: Apache-2.0
#include "generate/call_shape.hpp"

#include <algorithm>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::Role;
using Completes = CallShape::Completes;

Completes completes(const CallShape& shape) {
  if (shape.requests >= 0 && shape.indices >= 0) return Completes::kSome;
  if (shape.requests >= 0 && shape.index >= 0) return Completes::kAny;
  if (shape.requests >= 0) return Completes::kAll;
  return shape.request >= 0 ? Completes::kOne : Completes::kNone;
}

CallShape make_shape(const trace::Function& function) {
  CallShape shape;
  shape.request = function.word_of("request");
  shape.requests = function.word_of("array_of_requests");
  shape.flag = function.word_of("flag");
  shape.outcount = function.word_of("outcount");
  shape.status = function.word_of("status");
  const bool is_completion =
      function.role == Role::kComplete || function.name == "MPI_Request_get_status";
  if (is_completion) {
    shape.index = function.word_of("index");
    shape.indices = function.word_of("array_of_indices");
    shape.statuses = function.word_of("array_of_statuses");
    if (function.name != "MPI_Parrived") shape.completes = completes(shape);
  }
  shape.is_poll = (is_completion || function.role == Role::kProbe || function.role == Role::kWin) &&
                  (shape.flag >= 0 || function.name == "MPI_Testsome");
  shape.receives = function.role == Role::kRecv || function.role == Role::kSendrecv ||
                   function.role == Role::kProbe;
  if (shape.receives) {
    shape.source = function.word_of("source");
    shape.tag = function.word_of("recvtag");
    if (shape.tag < 0) shape.tag = function.word_of("tag");
    shape.receives = shape.source >= 0;
  }
  return shape;
}

std::vector<CallShape> all_shapes() {
  std::vector<CallShape> shapes;
  for (const trace::Function& function : trace::all_functions()) {
    if (shapes.size() <= function.id) shapes.resize(std::size_t{function.id} + 1);
    shapes[function.id] = make_shape(function);
  }
  return shapes;
}

// The statuses that an array keeps: for each [index, source less the rank in MPI_COMM_WORLD, tag,
// bytes], after the number of all.
void add_statuses(const trace::CallReader& reader, const std::vector<std::int64_t>& kept,
                  std::vector<Completion>& out) {
  for (std::size_t at = 1; at + 3 < kept.size(); at += 4) {
    if (kept[at] < 0 || static_cast<std::size_t>(kept[at]) >= out.size()) continue;
    Completion& completion = out[static_cast<std::size_t>(kept[at])];
    const std::int64_t source = kept[at + 1];
    completion.source =
        trace::is_special(source) ? source : trace::wrapping_sum(source, reader.rank());
    completion.tag = kept[at + 2];
  }
}

} // namespace

const CallShape& shape_of(const trace::Function& function) {
  static const std::vector<CallShape> kShapes = all_shapes();
  return kShapes[function.id];
}

bool is_idle_poll(const CallInstance& call, const CallShape& shape) {
  if (!shape.is_poll || call.error != 0) return false;
  return word_at(call, shape.flag >= 0 ? shape.flag : shape.outcount) == 0;
}

const std::vector<std::int64_t>& elements_of(const trace::Program& program, std::int64_t word) {
  static const std::vector<std::int64_t> kNone;
  const bool is_index = !trace::is_special(word) && word >= 0 &&
                        static_cast<std::size_t>(word) < program.arrays.size();
  return is_index ? program.arrays[static_cast<std::size_t>(word)] : kNone;
}

void completions_of(const trace::CallReader& reader, const CallInstance& call,
                    const CallShape& shape, std::vector<Completion>& out) {
  out.clear();
  if (shape.completes == Completes::kNone || is_idle_poll(call, shape)) return;
  if (shape.completes == Completes::kOne) {
    const std::int64_t source = word_at(call, shape.status);
    const std::int64_t tag =
        source == trace::kNothing ? trace::kNothing : word_at(call, shape.status + 1);
    out.push_back({word_at(call, shape.request), source, tag});
    return;
  }
  const trace::Program& program = reader.program();
  const auto& requests = elements_of(program, word_at(call, shape.requests));
  const auto add = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < requests.size())
      out.push_back({requests[static_cast<std::size_t>(index)], trace::kNothing, trace::kNothing});
  };
  if (shape.completes == Completes::kAny) {
    add(word_at(call, shape.index));
    if (!out.empty() && word_at(call, shape.status) != trace::kNothing)
      out.back() = {out.back().request, word_at(call, shape.status),
                    word_at(call, shape.status + 1)};
  } else if (shape.completes == Completes::kSome) {
    for (const std::int64_t index : elements_of(program, word_at(call, shape.indices))) add(index);
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i) add(static_cast<std::int64_t>(i));
  }
  const bool has_statuses = word_at(call, shape.statuses) != 0; // 0: none says anything
  if (shape.statuses >= 0 && has_statuses)
    add_statuses(reader, elements_of(program, word_at(call, shape.statuses)), out);
}

void RequestNumbers::count(const CallInstance& call) {
  if (!call.function->makes_request || call.error != 0) return;
  const trace::Mode mode = call.function->mode;
  if (mode != trace::Mode::kPersistent && mode != trace::Mode::kPartitioned) {
    newest_ = static_cast<std::int64_t>(nonblocking_++ * 2);
    return;
  }
  const auto free = std::find(in_use_.begin(), in_use_.end(), false);
  const auto slot = static_cast<std::size_t>(free - in_use_.begin());
  if (free == in_use_.end()) {
    in_use_.push_back(true);
    by_slot_.push_back(0);
  }
  in_use_[slot] = true;
  by_slot_[slot] = persistent_;
  newest_ = static_cast<std::int64_t>(persistent_++ * 2 + 1);
}

void RequestNumbers::release(const CallInstance& call, const CallShape& shape) {
  static const trace::Function* const kRequestFree = trace::find_function("MPI_Request_free");
  if (call.function != kRequestFree || call.error != 0) return;
  const std::int64_t request = word_at(call, shape.request);
  if (trace::is_special(request) || request < 0 || !trace::is_persistent(request)) return;
  const std::uint64_t slot = trace::age_or_slot(request);
  if (slot < in_use_.size()) in_use_[slot] = false;
}

std::int64_t RequestNumbers::of(std::int64_t reference) const {
  if (trace::is_special(reference) || trace::is_foreign(reference)) return reference;
  const std::uint64_t n = trace::age_or_slot(reference);
  if (trace::is_persistent(reference)) {
    return n < by_slot_.size() ? static_cast<std::int64_t>(by_slot_[n] * 2 + 1) : trace::kUndefined;
  }
  return n < nonblocking_ ? static_cast<std::int64_t>((nonblocking_ - 1 - n) * 2)
                          : trace::kUndefined;
}

} // namespace rondo::generate
