// SPDX-License-Identifier: Apache-2.0
// Of a receive with room for more than comes: how much comes, and the count that it asks for as a
// remark behind.
#include "logical/text/call_words.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <utility>

namespace rondo::logical::internal {
namespace {

// In bytes; 0: not known, or not the same on all ranks.
std::int64_t size_of_type(const LogicalProgram& logical, const trace::Word& type) {
  if (type.form != trace::Word::Form::kConstant) return 0;
  std::int64_t size = 0;
  for (const trace::DatatypeDefinition& one : logical.cells.datatypes) {
    if (one.slot != type.value) continue;
    if (size != 0 && size != one.size_bytes) return 0;
    size = one.size_bytes;
  }
  return size;
}

} // namespace

// At all places in the source where the call is made; empty if that is not known.
std::set<std::int64_t> CallWords::bytes_that_came(std::uint32_t index) const {
  const auto& programs = logical_.cells.programs;
  const auto own = std::find_if(programs.begin(), programs.end(),
                                [&](const auto& one) { return one.get() == &program_; });
  const auto number = static_cast<std::size_t>(own - programs.begin());
  std::set<std::int64_t> came;
  if (number >= logical_.sites.size()) return came;
  for (const std::uint32_t site : logical_.sites[number][index]) {
    const auto at = logical_.arrivals.find(site);
    if (at == logical_.arrivals.end()) return {};
    came.insert(at->second.begin(), at->second.end());
  }
  return came;
}

// "50 int  buffer of 1000000"
void CallWords::say_what_came(SaidWord& count, std::uint32_t index) {
  const trace::Call& call = program_.calls[index].call;
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
  if (logical_.arrivals.empty() || count.least <= 0) return;
  const std::int64_t size =
      size_of_type(logical_, call.words[static_cast<std::size_t>(means.receive_type)]);
  if (size <= 0) return;
  std::vector<std::int64_t> counts;
  for (const std::int64_t bytes : bytes_that_came(index)) {
    if (bytes % size != 0) return; // of another type
    counts.push_back(bytes / size);
  }
  if (counts.empty() || counts.back() >= count.least) return;
  SaidWord buffer = count;
  buffer.before = "buffer of ";
  buffer.name = "buffer";
  buffer.is_remark = true;
  remarks_.push_back(std::move(buffer));
  count.text = numbers_text(counts);
  count.least = counts.front();
  count.most = counts.back();
  count.values.clear();
  if (counts.size() <= kFewNumbers) count.values = std::move(counts);
}

} // namespace rondo::logical::internal
