// SPDX-License-Identifier: Apache-2.0
#include "trace/messages/unmatched_text.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <tuple>

namespace rondo::trace::internal {
namespace {

std::string text_of(const Trace& trace, const Program& program, const CallInstance& instance) {
  Call call = program.calls[instance.symbol];
  for (std::size_t i = 0; i < call.words.size(); ++i)
    call.words[i] = {Word::Form::kConstant, instance.words[i]};
  return call_text(trace, program, call);
}

// Goes through one stream once for all of its entries, which stand in its order.
void add_texts(const Trace& trace, std::vector<Unmatched>::iterator first,
               std::vector<Unmatched>::iterator last) {
  const RankClass* rank_class = trace.class_of(first->end.rank, first->end.thread);
  if (rank_class == nullptr) return;
  CallReader reader(trace, *rank_class, first->end.rank);
  const CallInstance* call = reader.next();
  for (std::uint64_t index = 0; call != nullptr && first != last; ++index) {
    while (first != last && first->end.call == index)
      (first++)->text = text_of(trace, reader.program(), *call);
    call = reader.next();
  }
}

} // namespace

std::vector<Unmatched> first_with_text(const Trace& trace, std::vector<Unmatched> all,
                                       std::size_t most) {
  const auto by_call = [](const Unmatched& a, const Unmatched& b) {
    return std::tuple{a.end.call, a.end.rank, a.end.thread, a.kind} <
           std::tuple{b.end.call, b.end.rank, b.end.thread, b.kind};
  };
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    by_call);
  all.resize(kept);
  sort_stably(all.begin(), all.end(), [](const Unmatched& a, const Unmatched& b) {
    return std::pair{a.end.rank, a.end.thread} < std::pair{b.end.rank, b.end.thread};
  });
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const Unmatched& other) {
      return other.end.rank != first->end.rank || other.end.thread != first->end.thread;
    });
    add_texts(trace, first, last);
    first = last;
  }
  std::sort(all.begin(), all.end(), by_call);
  return all;
}

} // namespace rondo::trace::internal
