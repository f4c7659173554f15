// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/completions.hpp"

#include <algorithm>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::CallMeaning;
using trace::Completes;

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

const std::vector<std::int64_t>& elements_of(const trace::Program& program, std::int64_t word) {
  static const std::vector<std::int64_t> kNone;
  const bool is_index = !trace::is_special(word) && word >= 0 &&
                        static_cast<std::size_t>(word) < program.arrays.size();
  return is_index ? program.arrays[static_cast<std::size_t>(word)] : kNone;
}

void completions_of(const trace::CallReader& reader, const CallInstance& call,
                    const CallMeaning& means, std::vector<Completion>& out) {
  out.clear();
  if (means.completes == Completes::kNone || is_idle_poll(call)) return;
  if (means.completes == Completes::kOne) {
    const std::int64_t source = word_at(call, means.status);
    const std::int64_t tag =
        source == trace::kNothing ? trace::kNothing : word_at(call, means.status + 1);
    out.push_back({word_at(call, means.request), source, tag});
    return;
  }
  const trace::Program& program = reader.program();
  const auto& requests = elements_of(program, word_at(call, means.requests));
  const auto add = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < requests.size())
      out.push_back({requests[static_cast<std::size_t>(index)], trace::kNothing, trace::kNothing});
  };
  if (means.completes == Completes::kAny) {
    add(word_at(call, means.index));
    if (!out.empty() && word_at(call, means.status) != trace::kNothing)
      out.back() = {out.back().request, word_at(call, means.status),
                    word_at(call, means.status + 1)};
  } else if (means.completes == Completes::kSome) {
    for (const std::int64_t index : elements_of(program, word_at(call, means.indices))) add(index);
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i) add(static_cast<std::int64_t>(i));
  }
  const bool has_statuses = word_at(call, means.statuses) != 0; // 0: none says anything
  if (means.statuses >= 0 && has_statuses)
    add_statuses(reader, elements_of(program, word_at(call, means.statuses)), out);
}

void RequestNumbers::count(const CallInstance& call) {
  if (!call.function->makes_request || call.error != 0) return;
  if (!trace::meaning_of(*call.function).is_started_later) {
    newest_ = static_cast<std::int64_t>(nonblocking_++ * 2);
    return;
  }
  slots_.add(persistent_);
  newest_ = static_cast<std::int64_t>(persistent_++ * 2 + 1);
}

void RequestNumbers::release(const CallInstance& call, const CallMeaning& means) {
  if (means.act == trace::Act::kFreeRequest && call.error == 0)
    slots_.free(word_at(call, means.request));
}

std::int64_t RequestNumbers::of(std::int64_t reference) const {
  if (trace::is_special(reference) || trace::is_foreign(reference)) return reference;
  if (trace::is_persistent(reference)) {
    const std::uint64_t* number = slots_.find(reference);
    return number == nullptr ? trace::kUndefined : static_cast<std::int64_t>(*number * 2 + 1);
  }
  const std::uint64_t n = trace::age_or_slot(reference);
  return n < nonblocking_ ? static_cast<std::int64_t>((nonblocking_ - 1 - n) * 2)
                          : trace::kUndefined;
}

} // namespace rondo::generate
